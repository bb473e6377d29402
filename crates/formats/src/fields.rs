//! The fields of a JSON object as unparsed JSON values.
//!
//! Some objects (a new game, a ply, a position) have fields of the platform and fields of a game. The platform takes
//! its own fields out; the game parses the others.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::value::MapDeserializer;
use serde::de::{DeserializeOwned, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::{RawValue, to_raw_value};

mod error;
mod form;
mod json;

mod ranges;

pub use error::FieldError;
pub use form::from_form;
use json::Json;
pub use ranges::{digits, whole_number};

/// More than any object of the platform has. Limits the cost of the pairwise comparison of names.
const MAX_FIELDS: usize = 32;

/// The fields of an object in their order. Values are parsed only on demand, so nesting depth does not matter.
#[derive(Clone, Debug, Default)]
pub struct JsonFields(Vec<(String, Box<RawValue>)>);

/// Parses JSON.
///
/// # Errors
/// If it is no JSON, or not of this type.
pub fn from_json<T: DeserializeOwned>(text: &str) -> Result<T, FieldError> {
    let raw: Result<&RawValue, _> = serde_json::from_str(text);
    T::deserialize(Json::new(raw.map_err(|_| FieldError::no_json())?))
}

/// Deserializes a value; an error names the field where it is.
fn with_path<'de, T, D>(deserializer: D) -> Result<T, FieldError>
where
    T: Deserialize<'de>,
    D: Deserializer<'de, Error = FieldError>,
{
    serde_path_to_error::deserialize(deserializer).map_err(|error| {
        let path = error.path().to_string();
        let error = error.into_inner();
        // The sentence already names a missing or unknown field.
        match path.as_str() {
            "." | "?" => error,
            _ if error.0.contains(&format!("`{path}`")) => error,
            path => error.within(path),
        }
    })
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
        from_json(object)
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
        let value = T::deserialize(Json::new(&value));
        value.map(Some).map_err(|error| error.within(name))
    }

    /// Removes a field without parsing it; `None` if it is missing.
    ///
    /// # Errors
    /// If the field occurs twice.
    pub fn take_raw(&mut self, name: &str) -> Result<Option<Box<RawValue>>, FieldError> {
        let mut matches = self.split(&[name]).0.into_iter();
        match (matches.next(), matches.next()) {
            (_, Some(_)) => Err(FieldError::duplicate(name)),
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
        let fields = self.0.iter();
        with_path(MapDeserializer::new(
            fields.map(|(name, value)| (name.as_str(), Json::new(value))),
        ))
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
        let RawObject(fields) = RawObject::deserialize(deserializer)?;
        Ok(JsonFields(fields))
    }
}

/// The fields of an object in their order.
struct RawObject<V>(Vec<(String, V)>);

impl<V> RawObject<V> {
    fn too_large<E: serde::de::Error>() -> E {
        E::custom("an object with too many fields")
    }
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for RawObject<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object<V>(PhantomData<V>);
        impl<'de, V: Deserialize<'de>> Visitor<'de> for Object<V> {
            type Value = RawObject<V>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawObject<V>, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    if fields.len() == MAX_FIELDS {
                        return Err(RawObject::<V>::too_large());
                    }
                    fields.push(field);
                }
                Ok(RawObject(fields))
            }
        }
        deserializer.deserialize_map(Object(PhantomData))
    }
}
