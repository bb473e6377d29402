//! Deserializes JSON, with errors that say in the project's own words what was expected.
//!
//! serde asks a deserializer for a type before it looks at the value. So the type that is expected is known here, and
//! the texts of serde and its parsers are not needed.

use std::fmt::Display;

use serde::de::value::{MapAccessDeserializer, MapDeserializer, SeqDeserializer};
use serde::de::{Deserializer, IntoDeserializer, Visitor};
use serde_json::Number;
use serde_json::error::Category;
use serde_json::value::RawValue;

use super::{FieldError, RawObject};

/// The name by which [`RawValue`] asks its deserializer for the text itself.
const RAW_VALUE: &str = "$serde_json::private::RawValue";

/// The depth to which values are parsed, as in serde_json: a type that takes any JSON could exhaust the stack.
const MAX_DEPTH: u8 = 128;

/// JSON that is parsed only as deep as the type asks.
#[derive(Clone, Copy)]
pub(super) struct Json<'de> {
    raw: &'de RawValue,
    depth: u8,
}

/// JSON whose outermost level is parsed.
enum JsonValue<'de> {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Json<'de>>),
    Object(Vec<(String, Json<'de>)>),
}

impl<'de> Json<'de> {
    pub(super) const fn new(raw: &'de RawValue) -> Self {
        Json { raw, depth: 0 }
    }

    fn value(self) -> Result<JsonValue<'de>, FieldError> {
        if self.depth == MAX_DEPTH {
            return Err(FieldError::no_json());
        }
        let text = self.raw.get();
        let inner = |raw| Json {
            raw,
            depth: self.depth + 1,
        };
        let value = match text.as_bytes() {
            [b'n', ..] => Ok(JsonValue::Null),
            [b't', ..] => Ok(JsonValue::Bool(true)),
            [b'f', ..] => Ok(JsonValue::Bool(false)),
            [b'"', ..] => serde_json::from_str(text).map(JsonValue::Text),
            [b'[', ..] => serde_json::from_str::<Vec<_>>(text)
                .map(|list| JsonValue::List(list.into_iter().map(inner).collect())),
            [b'{', ..] => serde_json::from_str(text).map(|RawObject(fields)| {
                let fields = fields.into_iter();
                JsonValue::Object(fields.map(|(name, raw)| (name, inner(raw))).collect())
            }),
            _ => {
                let number = serde_json::from_str(text).map(JsonValue::Number);
                return number.map_err(|_| FieldError::from("this number is too large"));
            }
        };
        value.map_err(|error| match error.classify() {
            Category::Data => RawObject::<()>::too_large(),
            Category::Syntax | Category::Eof | Category::Io => FieldError::no_json(),
        })
    }
}

impl<'de> JsonValue<'de> {
    fn visit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        match self {
            JsonValue::Null => visitor.visit_unit(),
            JsonValue::Bool(value) => visitor.visit_bool(value),
            JsonValue::Number(number) => match (number.as_u64(), number.as_i64()) {
                (Some(number), _) => visitor.visit_u64(number),
                (None, Some(number)) => visitor.visit_i64(number),
                (None, None) => visitor.visit_f64(number.as_f64().unwrap_or(f64::INFINITY)),
            },
            JsonValue::Text(text) => visitor.visit_string(text),
            JsonValue::List(list) => visitor.visit_seq(SeqDeserializer::new(list.into_iter())),
            JsonValue::Object(fields) => {
                visitor.visit_map(MapDeserializer::new(fields.into_iter()))
            }
        }
    }

    /// The error that the value is of another type.
    fn is_not(&self, expected: impl Display) -> FieldError {
        match self {
            JsonValue::Null => FieldError::unexpected(expected, "null"),
            JsonValue::Bool(given) => FieldError::unexpected(expected, given),
            JsonValue::Number(given) => FieldError::unexpected(expected, given),
            JsonValue::Text(_) => FieldError::unexpected(expected, "a text"),
            JsonValue::List(_) => FieldError::unexpected(expected, "a list"),
            JsonValue::Object(_) => FieldError::unexpected(expected, "an object"),
        }
    }

    /// Whether it is a whole number of this type.
    fn is_whole<N: TryFrom<u64> + TryFrom<i64>>(&self) -> bool {
        let JsonValue::Number(number) = self else {
            return false;
        };
        let is_unsigned = number
            .as_u64()
            .is_some_and(|number| N::try_from(number).is_ok());
        is_unsigned
            || number
                .as_i64()
                .is_some_and(|number| N::try_from(number).is_ok())
    }
}

impl<'de> IntoDeserializer<'de, FieldError> for Json<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Json<'de> {
    fn visit_if<V: Visitor<'de>>(
        self,
        is_expected: impl Fn(&JsonValue<'de>) -> bool,
        expected: impl Display,
        visitor: V,
    ) -> Result<V::Value, FieldError> {
        let value = self.value()?;
        match is_expected(&value) {
            true => value.visit(visitor),
            false => Err(value.is_not(expected)),
        }
    }
}

/// Defines functions of a deserializer that differ by the expected type alone.
macro_rules! expect {
    ($($deserialize:ident: $expected:expr, $is_expected:expr;)*) => {$(
        fn $deserialize<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
            self.visit_if($is_expected, $expected, visitor)
        }
    )*};
}

/// What is expected where a whole number of this type is.
macro_rules! range {
    ($number:ty) => {
        format_args!(
            "a whole number from {} to {}",
            <$number>::MIN,
            <$number>::MAX
        )
    };
}

impl<'de> Deserializer<'de> for Json<'de> {
    type Error = FieldError;

    expect! {
        deserialize_u8: range!(u8), JsonValue::is_whole::<u8>;
        deserialize_u16: range!(u16), JsonValue::is_whole::<u16>;
        deserialize_u32: range!(u32), JsonValue::is_whole::<u32>;
        deserialize_u64: range!(u64), JsonValue::is_whole::<u64>;
        deserialize_i8: range!(i8), JsonValue::is_whole::<i8>;
        deserialize_i16: range!(i16), JsonValue::is_whole::<i16>;
        deserialize_i32: range!(i32), JsonValue::is_whole::<i32>;
        deserialize_i64: range!(i64), JsonValue::is_whole::<i64>;
        deserialize_f32: "a number", |value| matches!(value, JsonValue::Number(_));
        deserialize_f64: "a number", |value| matches!(value, JsonValue::Number(_));
        deserialize_bool: "true or false", |value| matches!(value, JsonValue::Bool(_));
        deserialize_str: "a text", |value| matches!(value, JsonValue::Text(_));
        deserialize_string: "a text", |value| matches!(value, JsonValue::Text(_));
        deserialize_unit: "null", |value| matches!(value, JsonValue::Null);
        deserialize_seq: "a list", |value| matches!(value, JsonValue::List(_));
        deserialize_map: "an object", |value| matches!(value, JsonValue::Object(_));
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        self.value()?.visit(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        match self.raw.get() {
            "null" => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, FieldError> {
        let expected = format_args!("{length} values");
        match self.value()? {
            JsonValue::List(list) if list.len() != length => {
                let given = format_args!("{} values", list.len());
                Err(FieldError::unexpected(expected, given))
            }
            list @ JsonValue::List(_) => list.visit(visitor),
            other => Err(other.is_not(expected)),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, FieldError> {
        self.deserialize_map(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, FieldError> {
        match name {
            RAW_VALUE => {
                let raw = self.raw.deserialize_newtype_struct(name, visitor);
                raw.map_err(|_| FieldError::no_json())
            }
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, FieldError> {
        match self.value()? {
            JsonValue::Text(name) => visitor.visit_enum(name.into_deserializer()),
            JsonValue::Object(fields) if fields.len() == 1 => {
                let fields = MapDeserializer::new(fields.into_iter());
                visitor.visit_enum(MapAccessDeserializer::new(fields))
            }
            other => Err(other.is_not("a text")),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        visitor.visit_unit()
    }

    serde::forward_to_deserialize_any! {
        i128 u128 char bytes byte_buf unit_struct tuple_struct identifier
    }
}
