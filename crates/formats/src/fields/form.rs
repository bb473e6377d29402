//! Deserializes the fields of a form or a query, with errors in the project's own words.

use std::str::FromStr;

use serde::de::value::MapDeserializer;
use serde::de::{DeserializeOwned, Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

use super::{FieldError, with_path};

/// Deserializes fields, each with its name. A type with an optional number takes `[("ply", "3")]`.
///
/// # Errors
/// If a field is missing, unknown, duplicate or of another type.
pub fn from_form<T: DeserializeOwned>(fields: Vec<(String, String)>) -> Result<T, FieldError> {
    let fields = fields.into_iter();
    with_path(MapDeserializer::new(
        fields.map(|(name, value)| (name, FieldText(value))),
    ))
}

/// The value of a field.
struct FieldText(String);

impl FieldText {
    fn number<N: FromStr>(&self) -> Result<N, FieldError> {
        let number = self.0.parse();
        number.map_err(|_| FieldError::from("this is not such a number"))
    }
}

/// Defines the functions of a deserializer for numbers.
macro_rules! numbers {
    ($($deserialize:ident $visit:ident)*) => {$(
        fn $deserialize<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
            visitor.$visit(self.number()?)
        }
    )*};
}

impl<'de> Deserializer<'de> for FieldText {
    type Error = FieldError;

    numbers! {
        deserialize_u8 visit_u8
        deserialize_u16 visit_u16
        deserialize_u32 visit_u32
        deserialize_u64 visit_u64
        deserialize_i8 visit_i8
        deserialize_i16 visit_i16
        deserialize_i32 visit_i32
        deserialize_i64 visit_i64
        deserialize_f32 visit_f32
        deserialize_f64 visit_f64
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        let value = self.0.parse();
        visitor.visit_bool(value.map_err(|_| FieldError::from("this is neither true nor false"))?)
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        visitor.visit_string(self.0)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, FieldError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, FieldError> {
        visitor.visit_enum(self.0.into_deserializer())
    }

    forward_to_deserialize_any! {
        i128 u128 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier
        ignored_any
    }
}

impl IntoDeserializer<'_, FieldError> for FieldText {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Deserialize, PartialEq, Debug)]
    #[serde(rename_all = "lowercase")]
    enum Choice {
        Old,
        New,
    }

    #[derive(Deserialize, PartialEq, Debug)]
    #[serde(deny_unknown_fields)]
    struct Request {
        ply: u32,
        choice: Option<Choice>,
        shown: Option<bool>,
    }

    fn request(fields: &[(&str, &str)]) -> Result<Request, String> {
        let fields = fields.iter();
        let fields = fields.map(|&(name, value)| (name.to_owned(), value.to_owned()));
        from_form(fields.collect()).map_err(|error| error.to_string())
    }

    #[test]
    fn fields_have_the_types_of_the_request() {
        let expected = Request {
            ply: 3,
            choice: Some(Choice::New),
            shown: Some(true),
        };
        let fields = [("shown", "true"), ("ply", "3"), ("choice", "new")];
        assert_eq!(request(&fields), Ok(expected));
        let pairs = vec![("a".to_owned(), "1".to_owned()); 2];
        assert_eq!(from_form(pairs.clone()), Ok(pairs), "fields as they are");
    }

    #[test]
    fn errors_name_the_field() {
        for (fields, expected) in [
            (&[("ply", "x")][..], "ply: this is not such a number"),
            (&[("ply", "-1")], "ply: this is not such a number"),
            (&[("plie", "1")], "there is no field `plie` here"),
            (&[], "the field `ply` is missing"),
            (
                &[("ply", "1"), ("ply", "1")],
                "the field `ply` occurs twice",
            ),
            (
                &[("ply", "1"), ("choice", "x")],
                "choice: there is no `x` here",
            ),
            (
                &[("ply", "1"), ("shown", "x")],
                "shown: this is neither true nor false",
            ),
        ] {
            assert_eq!(request(fields), Err(expected.to_owned()), "{fields:?}");
        }
    }
}
