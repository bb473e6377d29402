//! Requests: a line is parsed into its `id` as it was written, its `op` and its other fields; and what
//! can be wrong with them.

use std::borrow::Cow;
use std::fmt;

use serde::de::value::MapDeserializer;
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The kinds of errors. Their names never change; new ones may be added.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Code {
    /// The line is no JSON in UTF-8. Its answer has the id `null`.
    BadJson,
    /// The line is longer than 1 MiB. Its answer has the id `null`.
    TooLong,
    /// A field is missing, unknown, there twice or of the wrong kind.
    BadRequest,
    /// There is no such op.
    UnknownOp,
    /// There is no such game.
    UnknownGame,
    /// There is no such level.
    UnknownLevel,
    /// A number is outside its range.
    OutOfRange,
    /// The position is impossible, or is not written as positions are.
    BadPosition,
    /// A choice was asked for where the game is over.
    GameOver,
    /// This game, or this program, does not have what was asked for.
    Unsupported,
    /// The request would compute more than one request may.
    TooLarge,
    /// A fault of this program; please report the line.
    Internal,
}

impl Code {
    /// Every code.
    pub const ALL: [Code; 12] = [
        Code::BadJson,
        Code::TooLong,
        Code::BadRequest,
        Code::UnknownOp,
        Code::UnknownGame,
        Code::UnknownLevel,
        Code::OutOfRange,
        Code::BadPosition,
        Code::GameOver,
        Code::Unsupported,
        Code::TooLarge,
        Code::Internal,
    ];
}

const MOST_MESSAGE_BYTES: usize = 300;

/// The error that a request is answered with.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Trouble {
    /// The code, for programs.
    pub code: Code,
    /// The message, for people.
    pub message: String,
}

impl Trouble {
    pub(super) fn new(code: Code, message: impl fmt::Display) -> Trouble {
        let mut message = message.to_string();
        // Messages quote the request, which may be a mebibyte long.
        if message.len() > MOST_MESSAGE_BYTES {
            message.truncate(message.floor_char_boundary(MOST_MESSAGE_BYTES));
            message.push('…');
        }
        Trouble { code, message }
    }

    /// The number called `name` is not between `least` and `most`.
    pub(super) fn range(name: &str, least: impl fmt::Display, most: impl fmt::Display) -> Trouble {
        let message = format!("{name} is a number from {least} to {most}");
        Trouble::new(Code::OutOfRange, message)
    }
}

/// A line that is an object.
#[derive(Debug)]
pub(super) struct Request<'l> {
    /// The `id`, exactly as it was written.
    pub(super) id: Option<&'l RawValue>,
    /// The op, or why there is none.
    pub(super) op: Result<Cow<'l, str>, Trouble>,
    /// All other fields.
    pub(super) fields: Fields<'l>,
}

impl<'l> Request<'l> {
    /// Parses a line.
    pub(super) fn read(line: &'l [u8]) -> Result<Self, Trouble> {
        let text = std::str::from_utf8(line).map_err(|error| Trouble::new(Code::BadJson, error))?;
        let line: &RawValue = serde_json::from_str(text).map_err(|error| {
            // The error says line 1 for every request, because each is parsed alone.
            Trouble::new(Code::BadJson, format!("no JSON: {error}"))
        })?;
        let mut fields = Fields::read(line, Code::BadRequest)?;
        let id = fields.take("id")?;
        let op = match fields.take("op") {
            Ok(Some(op)) => serde_json::from_str::<Op<'_>>(op.get())
                .map(|Op(op)| op)
                .map_err(|_| Trouble::new(Code::BadRequest, "op is the name of an op")),
            Ok(None) => Err(Trouble::new(Code::BadRequest, "missing field `op`")),
            Err(twice) => Err(twice),
        };
        Ok(Request { id, op, fields })
    }
}

#[derive(Deserialize)]
struct Op<'l>(#[serde(borrow)] Cow<'l, str>);

/// The fields of an object, each as it was written. Reading them copies nothing and does not recurse
/// into them, however deep they nest.
#[derive(Debug)]
pub(super) struct Fields<'l>(Vec<(String, &'l RawValue)>);

impl<'l> Fields<'l> {
    /// The fields of an object; anything else is an error with this code.
    pub(super) fn read(object: &'l RawValue, code: Code) -> Result<Self, Trouble> {
        serde_json::from_str(object.get()).map_err(|error| Trouble::new(code, plain(&error)))
    }

    /// Removes a field and returns it.
    pub(super) fn take(&mut self, name: &str) -> Result<Option<&'l RawValue>, Trouble> {
        let mut found = self.split(&[name]).0.into_iter();
        match (found.next(), found.next()) {
            (_, Some(_)) => {
                let message = format!("duplicate field `{name}`");
                Err(Trouble::new(Code::BadRequest, message))
            }
            (field, None) => Ok(field.map(|(_, value)| value)),
        }
    }

    /// Removes the fields with these names and returns them.
    pub(super) fn split(&mut self, names: &[&str]) -> Fields<'l> {
        let (named, others) = std::mem::take(&mut self.0)
            .into_iter()
            .partition(|(name, _)| names.contains(&name.as_str()));
        self.0 = others;
        Fields(named)
    }

    /// The first field of this name.
    pub(super) fn first(&self, name: &str) -> Option<&'l RawValue> {
        let mut named = self.0.iter().filter(|(field, _)| field == name);
        named.next().map(|&(_, value)| value)
    }

    /// All fields as one value; what does not fit is an error with this code.
    pub(super) fn into<T: Deserialize<'l>>(self, code: Code) -> Result<T, Trouble> {
        let fields = MapDeserializer::<_, serde_json::Error>::new(self.0.into_iter());
        T::deserialize(fields).map_err(|error| Trouble::new(code, plain(&error)))
    }
}

/// Without the place, which would be one within a field.
fn plain(error: &serde_json::Error) -> String {
    let message = error.to_string();
    match message.find(" at line ") {
        Some(at) => message[..at].to_owned(),
        None => message,
    }
}

impl<'de: 'l, 'l> Deserialize<'de> for Fields<'l> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Fields<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields<'de>, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    // An object of a million fields is no request, and would take long to check for duplicates.
                    if fields.len() == MOST_FIELDS {
                        return Err(A::Error::custom("an object with too many fields"));
                    }
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(Object)
    }
}

/// More fields than any object of the protocol has.
const MOST_FIELDS: usize = 32;
