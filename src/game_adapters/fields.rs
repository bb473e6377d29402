//! The fields of a JSON object, each as it was written.
//!
//! Objects that belong to the platform and to a game at once (a new game, a ply, a position) are read
//! as fields: the platform takes its own out, the game reads the rest.

use std::fmt;

use serde::Deserialize;
use serde::de::value::MapDeserializer;
use serde::de::{DeserializeOwned, Deserializer, Error as _, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::{RawValue, to_raw_value};

mod messages;

/// More than any object of the platform has.
const MOST_FIELDS: usize = 32;

/// The fields of an object, in the order in which they were written. Reading them goes no deeper than
/// it must, however deep they nest.
#[derive(Clone, Debug, Default)]
pub struct JsonFields(Vec<(String, Box<RawValue>)>);

/// What is wrong with a field, in one sentence.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct FieldError(pub String);

impl From<&serde_json::Error> for FieldError {
    /// Without the place, which would be one within a field.
    fn from(error: &serde_json::Error) -> Self {
        FieldError(messages::said(error))
    }
}

impl FieldError {
    /// What is wrong with a query or a form, from the words of its reader.
    #[must_use]
    pub fn query_error(message: &str) -> Self {
        FieldError(messages::of_pairs(message))
    }

    /// There is no field of this name.
    #[must_use]
    pub fn unknown(name: &str) -> Self {
        FieldError(messages::unknown(name))
    }

    /// What is wrong within a field.
    pub(super) fn within(name: &str, error: &serde_json::Error) -> Self {
        FieldError(format!("{name}: {}", FieldError::from(error)))
    }
}

impl JsonFields {
    /// The fields of an object.
    ///
    /// # Errors
    /// When the text is something else.
    pub fn read(object: &str) -> Result<Self, FieldError> {
        serde_json::from_str(object).map_err(|error| FieldError::from(&error))
    }

    /// The fields of a plain struct.
    ///
    /// # Panics
    /// When the value is no object with names for keys.
    #[must_use]
    pub fn of(value: &impl Serialize) -> Self {
        let object = serde_json::to_string(value).expect("a plain struct");
        JsonFields::read(&object).expect("a struct is an object")
    }

    /// Adds a field at the end.
    ///
    /// # Panics
    /// When the value has keys that are no names.
    #[must_use]
    pub fn with(mut self, name: &str, value: &impl Serialize) -> Self {
        let value = to_raw_value(value).expect("a plain value");
        self.0.push((name.to_owned(), value));
        self
    }

    /// These fields, then the others.
    #[must_use]
    pub fn and(mut self, others: JsonFields) -> Self {
        self.0.extend(others.0);
        self
    }

    /// Takes a field out; `None` where there is none.
    ///
    /// # Errors
    /// When it is there twice, or is something else.
    pub fn take<T: DeserializeOwned>(&mut self, name: &str) -> Result<Option<T>, FieldError> {
        let Some(value) = self.take_raw(name)? else {
            return Ok(None);
        };
        let value = serde_json::from_str(value.get());
        value
            .map(Some)
            .map_err(|error| FieldError::within(name, &error))
    }

    /// Takes a field out as it was written; `None` where there is none.
    ///
    /// # Errors
    /// When it is there twice.
    pub fn take_raw(&mut self, name: &str) -> Result<Option<Box<RawValue>>, FieldError> {
        let mut found = self.split(&[name]).0.into_iter();
        match (found.next(), found.next()) {
            (_, Some(_)) => Err(FieldError(format!("the field `{name}` is there twice"))),
            (field, None) => Ok(field.map(|(_, value)| value)),
        }
    }

    /// Takes the fields with these names out.
    #[must_use]
    pub fn split(&mut self, names: &[&str]) -> JsonFields {
        let (named, others) = std::mem::take(&mut self.0)
            .into_iter()
            .partition(|(name, _)| names.contains(&name.as_str()));
        self.0 = others;
        JsonFields(named)
    }

    /// The first field of this name, as it was written.
    #[must_use]
    pub fn first(&self, name: &str) -> Option<&RawValue> {
        let mut named = self.0.iter().filter(|(field, _)| field == name);
        named.next().map(|(_, value)| &**value)
    }

    /// The names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// All fields as one value.
    ///
    /// # Errors
    /// What does not fit: a field that is missing, unknown, there twice or something else.
    pub fn into<T: DeserializeOwned>(self) -> Result<T, FieldError> {
        let fields = self.0.iter().map(|(name, value)| (name.as_str(), &**value));
        let fields = MapDeserializer::<_, serde_json::Error>::new(fields);
        serde_path_to_error::deserialize(fields).map_err(|error| {
            let path = error.path().to_string();
            let FieldError(said) = FieldError::from(error.inner());
            // A field that is missing or unknown is named in the sentence.
            FieldError(match path.as_str() {
                "." | "?" => said,
                _ if said.contains(&format!("`{path}`")) => said,
                path => format!("{path}: {said}"),
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
                    // An object of a million fields is none of ours, and would take long to compare.
                    if fields.len() == MOST_FIELDS {
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
