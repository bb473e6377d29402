//! The fields of a JSON object as unparsed JSON values.
//!
//! Some objects (a new game, a ply, a position) have fields of the platform and fields of a game. The platform takes
//! its own fields out; the game parses the others.

use std::error::Error;
use std::fmt;

use serde::Deserialize;
use serde::de::value::MapDeserializer;
use serde::de::{DeserializeOwned, Deserializer, Error as _, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::{RawValue, to_raw_value};

mod messages;
mod ranges;

pub use ranges::{digits, whole_number};

/// More than any object of the platform has. Limits the cost of the pairwise comparison of names.
const MAX_FIELDS: usize = 32;

/// The fields of an object in their order. Values are parsed only on demand, so nesting depth does not matter.
#[derive(Clone, Debug, Default)]
pub struct JsonFields(Vec<(String, Box<RawValue>)>);

/// What is wrong with a field, as one sentence for API clients.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct FieldError(pub String);

impl From<&str> for FieldError {
    fn from(sentence: &str) -> Self {
        FieldError(sentence.to_owned())
    }
}

impl From<&serde_json::Error> for FieldError {
    /// Omits line and column, which would be relative to the field.
    fn from(error: &serde_json::Error) -> Self {
        FieldError(messages::json_message(error))
    }
}

impl FieldError {
    /// Translates the cause of a rejection by axum's query and form extractors.
    #[must_use]
    pub fn query_error(rejection: &impl Error) -> Self {
        let cause = rejection.source().map(ToString::to_string);
        FieldError(messages::query_message(&cause.unwrap_or_default()))
    }

    /// The error of a field that does not exist.
    #[must_use]
    pub fn unknown(name: &str) -> Self {
        FieldError(messages::unknown_field(name))
    }

    /// An error in the value of a field.
    #[must_use]
    pub fn within(name: &str, error: &serde_json::Error) -> Self {
        FieldError(format!("{name}: {}", FieldError::from(error)))
    }
}

/// Serializes a value to JSON text.
///
/// # Panics
/// If the value cannot be serialized to JSON.
pub fn to_raw_json(value: &impl Serialize) -> Box<RawValue> {
    to_raw_value(value).expect("the value serializes to JSON")
}

impl JsonFields {
    /// Parses an object.
    ///
    /// # Errors
    /// If the text is not a JSON object.
    pub fn parse(object: &str) -> Result<Self, FieldError> {
        serde_json::from_str(object).map_err(|error| FieldError::from(&error))
    }

    /// Serializes a struct.
    ///
    /// # Panics
    /// If the value does not serialize to an object.
    #[must_use]
    pub fn from_value(value: &impl Serialize) -> Self {
        let object = serde_json::to_string(value).expect("the value serializes to JSON");
        JsonFields::parse(&object).expect("the value serializes to an object")
    }

    /// Appends a field.
    ///
    /// # Panics
    /// If the value cannot be serialized to JSON.
    #[must_use]
    pub fn with(mut self, name: &str, value: &impl Serialize) -> Self {
        self.0.push((name.to_owned(), to_raw_json(value)));
        self
    }

    /// Appends the fields of `others`.
    #[must_use]
    pub fn and(mut self, others: JsonFields) -> Self {
        self.0.extend(others.0);
        self
    }

    /// Appends those fields of `others` whose names do not occur yet.
    #[must_use]
    pub fn with_missing(self, mut others: JsonFields) -> Self {
        let _ = others.split(&self.names().collect::<Vec<_>>());
        self.and(others)
    }

    /// Removes and parses a field; `None` if it is missing.
    ///
    /// # Errors
    /// If the field occurs twice or has another type.
    pub fn take<T: DeserializeOwned>(&mut self, name: &str) -> Result<Option<T>, FieldError> {
        let Some(value) = self.take_raw(name)? else {
            return Ok(None);
        };
        let value = serde_json::from_str(value.get());
        value
            .map(Some)
            .map_err(|error| FieldError::within(name, &error))
    }

    /// Removes a field without parsing it; `None` if it is missing.
    ///
    /// # Errors
    /// If the field occurs twice.
    pub fn take_raw(&mut self, name: &str) -> Result<Option<Box<RawValue>>, FieldError> {
        let mut matches = self.split(&[name]).0.into_iter();
        match (matches.next(), matches.next()) {
            (_, Some(_)) => Err(FieldError(format!("the field `{name}` occurs twice"))),
            (field, None) => Ok(field.map(|(_, value)| value)),
        }
    }

    /// Removes the fields with these names and returns them.
    #[must_use]
    pub fn split(&mut self, names: &[&str]) -> JsonFields {
        let (named, others) = std::mem::take(&mut self.0)
            .into_iter()
            .partition(|(name, _)| names.contains(&name.as_str()));
        self.0 = others;
        JsonFields(named)
    }

    /// The unparsed value of the first field of this name.
    #[must_use]
    pub fn first(&self, name: &str) -> Option<&RawValue> {
        let mut named = self.0.iter().filter(|(field, _)| field == name);
        named.next().map(|(_, value)| &**value)
    }

    /// The names of the fields, in their order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// Deserializes all fields into one value.
    ///
    /// # Errors
    /// If a field is missing, unknown, duplicate or of another type.
    pub fn into<T: DeserializeOwned>(self) -> Result<T, FieldError> {
        let fields = self.0.iter().map(|(name, value)| (name.as_str(), &**value));
        let fields = MapDeserializer::<_, serde_json::Error>::new(fields);
        serde_path_to_error::deserialize(fields).map_err(|error| {
            let path = error.path().to_string();
            let FieldError(message) = FieldError::from(error.inner());
            // The message already names a missing or unknown field.
            FieldError(match path.as_str() {
                "." | "?" => message,
                _ if message.contains(&format!("`{path}`")) => message,
                path => format!("{path}: {message}"),
            })
        })
    }
}

impl PartialEq for JsonFields {
    fn eq(&self, other: &Self) -> bool {
        let texts = |fields: &JsonFields| -> Vec<(String, String)> {
            let fields = fields.0.iter();
            fields
                .map(|(name, value)| (name.clone(), value.get().to_owned()))
                .collect()
        };
        texts(self) == texts(other)
    }
}

impl Serialize for JsonFields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for JsonFields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = JsonFields;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<JsonFields, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    if fields.len() == MAX_FIELDS {
                        return Err(A::Error::custom("an object with too many fields"));
                    }
                    fields.push(field);
                }
                Ok(JsonFields(fields))
            }
        }
        deserializer.deserialize_map(Object)
    }
}
