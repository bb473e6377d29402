//! Errors of queries and forms. axum's extractors have only the texts of serde, which are translated here.

use super::FieldError;

impl FieldError {
    /// Translates the cause of a rejection by axum's query and form extractors.
    #[must_use]
    pub fn query_error(rejection: &impl std::error::Error) -> Self {
        let cause = rejection.source().map(ToString::to_string);
        query_error(&cause.unwrap_or_default())
    }
}

/// The error of a text of serde, which may start with the field.
fn query_error(message: &str) -> FieldError {
    let Some((field, rest)) = message
        .split_once(": ")
        .filter(|(field, _)| !field.contains(' '))
    else {
        // No field has been parsed: keep the message only if it names a field.
        return named_field(message).unwrap_or_else(|| FieldError::from("this cannot be read"));
    };
    named_field(rest).unwrap_or_else(|| value_error(rest).within(field))
}

fn named_field(message: &str) -> Option<FieldError> {
    let (what, rest) = message.split_once(" field `")?;
    let name = rest.split('`').next()?;
    match what {
        "missing" => Some(FieldError::missing(name)),
        "unknown" => Some(FieldError::unknown(name)),
        "duplicate" => Some(FieldError::duplicate(name)),
        _ => None,
    }
}

fn value_error(message: &str) -> FieldError {
    if let Some(rest) = message.strip_prefix("unknown variant `") {
        FieldError::no_variant(rest.split('`').next().unwrap_or_default())
    } else if message.contains("digit") || message.contains("number too") {
        FieldError::from("this is not such a number")
    } else if message.contains("`true` or `false`") {
        FieldError::from("this is neither true nor false")
    } else if message.starts_with("invalid ") {
        FieldError::from("this cannot be read")
    } else {
        // A sentence of one of this project's own deserializers.
        FieldError::from(message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            (
                "choice: unknown variant `x`, expected `a` or `b`",
                "choice: there is no `x` here",
            ),
        ] {
            assert_eq!(query_error(message).to_string(), expected);
        }
    }
}
