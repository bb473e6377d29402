//! Error messages for API clients, made from those of serde.
//!
//! serde's messages describe Rust types. This module translates them in one place into sentences that the author of a
//! client program understands.

use serde_json::error::Category;

/// The message for an error, without its location.
pub(super) fn json_message(error: &serde_json::Error) -> String {
    match error.classify() {
        Category::Data => data_message(&without_location(error)),
        // A number can be valid JSON but out of range for serde_json.
        Category::Syntax if error.to_string().starts_with("number out of range") => {
            "this number is too large".to_owned()
        }
        Category::Syntax | Category::Eof | Category::Io => "this is no JSON".to_owned(),
    }
}

/// The message for an unknown field; a long name is truncated.
pub(super) fn unknown_field(name: &str) -> String {
    const MAX_BYTES: usize = 64;
    let shown = &name[..name.floor_char_boundary(MAX_BYTES)];
    format!("there is no field `{shown}` here")
}

/// The message for a query or a form that could not be deserialized; serde's message may start with the field.
pub(super) fn query_message(message: &str) -> String {
    let Some((field, rest)) = message
        .split_once(": ")
        .filter(|(field, _)| !field.contains(' '))
    else {
        // No field has been parsed: keep the message only if it names a field.
        return match message.strip_suffix('`') {
            Some(_) => data_message(message),
            None if message.starts_with("missing field")
                || message.starts_with("unknown field") =>
            {
                data_message(message)
            }
            None => "this cannot be read".to_owned(),
        };
    };
    let message = data_message(rest);
    if message.contains(&format!("`{field}`")) {
        message
    } else {
        format!("{field}: {message}")
    }
}

fn without_location(error: &serde_json::Error) -> String {
    let message = error.to_string();
    match message.rfind(" at line ") {
        Some(at) => message[..at].to_owned(),
        None => message,
    }
}

fn data_message(message: &str) -> String {
    let name = |rest: &str| rest.split('`').next().unwrap_or_default().to_owned();
    if let Some(rest) = message.strip_prefix("missing field `") {
        format!("the field `{}` is missing", name(rest))
    } else if let Some(rest) = message.strip_prefix("unknown field `") {
        unknown_field(&name(rest))
    } else if let Some(rest) = message.strip_prefix("duplicate field `") {
        format!("the field `{}` occurs twice", name(rest))
    } else if let Some(rest) = message.strip_prefix("unknown variant `") {
        format!("there is no `{}` here", name(rest))
    } else if let Some(rest) = message.strip_prefix("invalid length ") {
        match rest.split_once(", expected ") {
            Some((length, expected)) => format!(
                "expected {}, found {length} values",
                describe_expected(expected)
            ),
            None => "the list is too short or too long".to_owned(),
        }
    } else if let Some(rest) = message
        .strip_prefix("invalid type: ")
        .or_else(|| message.strip_prefix("invalid value: "))
    {
        match rest.rsplit_once(", expected ") {
            Some((given, expected)) => format!(
                "expected {}, found {}",
                describe_expected(expected),
                describe_given(given)
            ),
            None => "the type of the value is wrong".to_owned(),
        }
    } else if message.contains("digit")
        || message.contains("integer")
        || message.contains("number too")
    {
        "this is not such a number".to_owned()
    } else if message.contains("`true` or `false`") {
        "this is neither true nor false".to_owned()
    } else {
        // A message of one of this project's own deserializers.
        message.to_owned()
    }
}

/// Describes the value that was given.
fn describe_given(given: &str) -> String {
    let number = given
        .strip_prefix("integer `")
        .or_else(|| given.strip_prefix("floating point `"))
        .or_else(|| given.strip_prefix("boolean `"));
    if let Some(number) = number {
        return number.trim_end_matches('`').to_owned();
    }
    let kind = given.split(' ').next().unwrap_or_default();
    let kind = match kind {
        "string" => "a text",
        "sequence" => "a list",
        "map" => "an object",
        "null" | "unit" => "null",
        "number" => "a number",
        _ => "something else",
    };
    kind.to_owned()
}

/// Describes the expected type.
fn describe_expected(expected: &str) -> String {
    let integer = |min: i128, max: i128| format!("a whole number from {min} to {max}");
    match expected {
        "u8" => integer(0, u8::MAX.into()),
        "u16" => integer(0, u16::MAX.into()),
        "u32" => integer(0, u32::MAX.into()),
        "u64" | "usize" => integer(0, u64::MAX.into()),
        "i16" => integer(i16::MIN.into(), i16::MAX.into()),
        "i32" => integer(i32::MIN.into(), i32::MAX.into()),
        "i64" => integer(i64::MIN.into(), i64::MAX.into()),
        "f32" | "f64" => "a number".to_owned(),
        "a string" | "a borrowed string" | "str" => "a text".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "a sequence" => "a list".to_owned(),
        "a map" => "an object".to_owned(),
        "unit" => "null".to_owned(),
        _ if expected.starts_with("struct ") => "an object".to_owned(),
        _ => {
            let length = expected
                .strip_prefix("an array of length ")
                .or_else(|| expected.strip_prefix("a tuple of size "));
            length.map_or_else(|| expected.to_owned(), |length| format!("{length} values"))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

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
        let error = serde_json::from_str::<Every>(text).unwrap_err();
        assert_eq!(json_message(&error), expected, "{text}: {error}");
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
    }

    #[test]
    fn query_errors_name_the_field() {
        for (message, expected) in [
            (
                "ply: invalid digit found in string",
                "ply: this is not such a number",
            ),
            (
                "plie: unknown field `plie`, expected `ply` or `wait`",
                "there is no field `plie` here",
            ),
            ("missing field `ply`", "the field `ply` is missing"),
        ] {
            assert_eq!(query_message(message), expected);
        }
    }
}
