//! What is wrong with a field.

use std::fmt::Display;

use serde::de::{Error, Expected, Unexpected};

/// What is wrong with a field, as one sentence for API clients.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct FieldError(pub String);

impl From<&str> for FieldError {
    fn from(sentence: &str) -> Self {
        FieldError(sentence.to_owned())
    }
}

impl FieldError {
    /// The error of a field that does not exist; a long name is truncated.
    #[must_use]
    pub fn unknown(name: &str) -> Self {
        const MAX_BYTES: usize = 64;
        let shown = &name[..name.floor_char_boundary(MAX_BYTES)];
        FieldError(format!("there is no field `{shown}` here"))
    }

    /// The same error in the value of a field.
    #[must_use]
    pub fn within(self, name: &str) -> Self {
        FieldError(format!("{name}: {self}"))
    }

    pub(super) fn no_variant(name: &str) -> Self {
        FieldError(format!("there is no `{name}` here"))
    }

    pub(super) fn missing(name: &str) -> Self {
        FieldError(format!("the field `{name}` is missing"))
    }

    pub(super) fn duplicate(name: &str) -> Self {
        FieldError(format!("the field `{name}` occurs twice"))
    }

    pub(super) fn no_json() -> Self {
        FieldError::from("this is no JSON")
    }

    pub(super) fn unexpected(expected: impl Display, given: impl Display) -> Self {
        FieldError(format!("expected {expected}, found {given}"))
    }
}

/// The errors of types that deserialize themselves. A type says what it expects only where the deserializer does not know
/// it.
impl Error for FieldError {
    fn custom<T: Display>(sentence: T) -> Self {
        FieldError(sentence.to_string())
    }

    fn invalid_type(given: Unexpected<'_>, expected: &dyn Expected) -> Self {
        match given {
            Unexpected::Bool(given) => FieldError::unexpected(expected, given),
            Unexpected::Unsigned(given) => FieldError::unexpected(expected, given),
            Unexpected::Signed(given) => FieldError::unexpected(expected, given),
            Unexpected::Float(given) => FieldError::unexpected(expected, given),
            Unexpected::Str(_) => FieldError::unexpected(expected, "a text"),
            Unexpected::Seq => FieldError::unexpected(expected, "a list"),
            Unexpected::Map => FieldError::unexpected(expected, "an object"),
            Unexpected::Unit | Unexpected::Option => FieldError::unexpected(expected, "null"),
            _ => FieldError::unexpected(expected, "something else"),
        }
    }

    fn invalid_value(given: Unexpected<'_>, expected: &dyn Expected) -> Self {
        FieldError::invalid_type(given, expected)
    }

    fn invalid_length(length: usize, expected: &dyn Expected) -> Self {
        FieldError::unexpected(expected, format_args!("{length} values"))
    }

    fn unknown_variant(name: &str, _: &'static [&'static str]) -> Self {
        FieldError::no_variant(name)
    }

    fn unknown_field(name: &str, _: &'static [&'static str]) -> Self {
        FieldError::unknown(name)
    }

    fn missing_field(name: &'static str) -> Self {
        FieldError::missing(name)
    }

    fn duplicate_field(name: &'static str) -> Self {
        FieldError::duplicate(name)
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::super::from_json;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code, reason = "it is only read")]
    struct Every {
        small: u8,
        pair: Option<[u8; 2]>,
        text: Option<String>,
        flag: Option<bool>,
        list: Option<Vec<u8>>,
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let error = from_json::<Every>(text).unwrap_err();
        assert_eq!(error.to_string(), expected, "{text}");
    }

    #[test]
    fn serde_errors_become_plain_messages() {
        check("{}", "the field `small` is missing");
        check(r#"{"small":1,"large":2}"#, "there is no field `large` here");
        check(r#"{"small":1,"small":2}"#, "the field `small` occurs twice");
        check(
            r#"{"small":300}"#,
            "expected a whole number from 0 to 255, found 300",
        );
        check(
            r#"{"small":"1, expected"}"#,
            "expected a whole number from 0 to 255, found a text",
        );
        check(
            r#"{"small":1.5}"#,
            "expected a whole number from 0 to 255, found 1.5",
        );
        check(
            r#"{"small":1,"pair":[1]}"#,
            "expected 2 values, found 1 values",
        );
        check(r#"{"small":1,"text":[]}"#, "expected a text, found a list");
        check(
            r#"{"small":1,"flag":{}}"#,
            "expected true or false, found an object",
        );
        check(r#"{"small":1,"list":true}"#, "expected a list, found true");
        check("7", "expected an object, found 7");
        check("{", "this is no JSON");
        check(r#"{"small":1e999}"#, "this number is too large");
        check(
            r#"{"small":-1}"#,
            "expected a whole number from 0 to 255, found -1",
        );
    }
}
