//! What does not fit, in the words of the house.
//!
//! The readers of JSON say what is wrong in words about their own types. Those words are read here, in
//! one place, and said as somebody who writes a program understands them.

use serde_json::error::Category;

/// What is wrong, in one sentence without the place.
pub(super) fn said(error: &serde_json::Error) -> String {
    match error.classify() {
        Category::Data => of_data(&without_place(error)),
        // Any number is JSON, and not every number can be read.
        Category::Syntax if error.to_string().starts_with("number out of range") => {
            "this number is too large".to_owned()
        }
        Category::Syntax | Category::Eof | Category::Io => "this is no JSON".to_owned(),
    }
}

/// That there is no field of this name; a long name is cut.
pub(super) fn unknown(name: &str) -> String {
    const MOST_BYTES: usize = 64;
    let shown = &name[..name.floor_char_boundary(MOST_BYTES)];
    format!("there is no field `{shown}` here")
}

/// What is wrong with a query or a form that was read into a struct: the reader's words begin with what it
/// read, and then with the field.
pub(in crate::game_adapters) fn of_pairs(message: &str) -> String {
    let message = [
        "Failed to deserialize query string: ",
        "Failed to deserialize form body: ",
    ]
    .iter()
    .find_map(|reader| message.strip_prefix(reader))
    .unwrap_or(message);
    let Some((field, rest)) = message
        .split_once(": ")
        .filter(|(field, _)| !field.contains(' '))
    else {
        // Of the rest nothing was read: what names no field is told in general.
        return match message.strip_suffix('`') {
            Some(_) => of_data(message),
            None if message.starts_with("missing field")
                || message.starts_with("unknown field") =>
            {
                of_data(message)
            }
            None => "this cannot be read".to_owned(),
        };
    };
    let said = of_data(rest);
    if said.contains(&format!("`{field}`")) {
        said
    } else {
        format!("{field}: {said}")
    }
}

fn without_place(error: &serde_json::Error) -> String {
    let message = error.to_string();
    match message.rfind(" at line ") {
        Some(at) => message[..at].to_owned(),
        None => message,
    }
}

fn of_data(message: &str) -> String {
    let name = |rest: &str| rest.split('`').next().unwrap_or_default().to_owned();
    if let Some(rest) = message.strip_prefix("missing field `") {
        format!("the field `{}` is missing", name(rest))
    } else if let Some(rest) = message.strip_prefix("unknown field `") {
        unknown(&name(rest))
    } else if let Some(rest) = message.strip_prefix("duplicate field `") {
        format!("the field `{}` is there twice", name(rest))
    } else if let Some(rest) = message.strip_prefix("unknown variant `") {
        format!("there is no `{}` here", name(rest))
    } else if let Some(rest) = message.strip_prefix("invalid length ") {
        match rest.split_once(", expected ") {
            Some((length, due)) => format!("{length} values stand where {} are due", wanted(due)),
            None => "the list is too short or too long".to_owned(),
        }
    } else if let Some(rest) = message
        .strip_prefix("invalid type: ")
        .or_else(|| message.strip_prefix("invalid value: "))
    {
        match rest.rsplit_once(", expected ") {
            Some((given, due)) => format!("{} stands where {} is due", found(given), wanted(due)),
            None => "this is something else than what is due".to_owned(),
        }
    } else if message.contains("digit")
        || message.contains("integer")
        || message.contains("number too")
    {
        "this is no such number".to_owned()
    } else if message.contains("`true` or `false`") {
        "this is neither true nor false".to_owned()
    } else {
        // What the house's own readers say.
        message.to_owned()
    }
}

/// What was written.
fn found(given: &str) -> String {
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

/// What belongs there.
fn wanted(due: &str) -> String {
    let whole = |least: i128, most: i128| format!("a whole number from {least} to {most}");
    match due {
        "u8" => whole(0, u8::MAX.into()),
        "u16" => whole(0, u16::MAX.into()),
        "u32" => whole(0, u32::MAX.into()),
        "u64" | "usize" => whole(0, u64::MAX.into()),
        "i16" => whole(i16::MIN.into(), i16::MAX.into()),
        "i32" => whole(i32::MIN.into(), i32::MAX.into()),
        "i64" => whole(i64::MIN.into(), i64::MAX.into()),
        "f32" | "f64" => "a number".to_owned(),
        "a string" | "a borrowed string" | "str" => "a text".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "a sequence" => "a list".to_owned(),
        "a map" => "an object".to_owned(),
        "unit" => "null".to_owned(),
        _ if due.starts_with("struct ") => "an object".to_owned(),
        _ => {
            let length = due
                .strip_prefix("an array of length ")
                .or_else(|| due.strip_prefix("a tuple of size "));
            length.map_or_else(|| due.to_owned(), |length| format!("{length} values"))
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
        assert_eq!(said(&error), expected, "{text}: {error}");
    }

    #[test]
    fn every_misfit_is_said_in_plain_words() {
        check("{}", "the field `small` is missing");
        check(r#"{"small":1,"large":2}"#, "there is no field `large` here");
        check(
            r#"{"small":1,"small":2}"#,
            "the field `small` is there twice",
        );
        check(
            r#"{"small":300}"#,
            "300 stands where a whole number from 0 to 255 is due",
        );
        check(
            r#"{"small":"1, expected"}"#,
            "a text stands where a whole number from 0 to 255 is due",
        );
        check(
            r#"{"small":1.5}"#,
            "1.5 stands where a whole number from 0 to 255 is due",
        );
        check(
            r#"{"small":1,"pair":[1]}"#,
            "1 values stand where 2 values are due",
        );
        check(
            r#"{"small":1,"text":[]}"#,
            "a list stands where a text is due",
        );
        check(
            r#"{"small":1,"flag":{}}"#,
            "an object stands where true or false is due",
        );
        check(
            r#"{"small":1,"list":true}"#,
            "true stands where a list is due",
        );
        check("7", "7 stands where an object is due");
        check("{", "this is no JSON");
    }

    #[test]
    fn fields_of_queries_are_named() {
        for (message, expected) in [
            (
                "Failed to deserialize query string: ply: invalid digit found in string",
                "ply: this is no such number",
            ),
            (
                "Failed to deserialize query string: plie: unknown field `plie`, expected `ply` or `wait`",
                "there is no field `plie` here",
            ),
            (
                "Failed to deserialize form body: missing field `ply`",
                "the field `ply` is missing",
            ),
        ] {
            assert_eq!(of_pairs(message), expected);
        }
    }
}
