//! Rows of golden files, and the doubles in them.

use std::path::{Path, PathBuf};

use serde_json::Value;

/// The rows of a golden file; panics unless there are exactly `rows`.
pub(crate) fn golden(file: &str, array: &str, rows: usize) -> Vec<Value> {
    let text = std::fs::read_to_string(folder().join(format!("{file}.json")));
    let text = text.expect("the golden file is there");
    let mut value: Value =
        serde_json::from_str(&with_quoted_fractions(&text)).expect("the golden file is JSON");
    let Value::Array(found) = value[array].take() else {
        panic!("{file} has no {array}")
    };
    assert_eq!(found.len(), rows, "{file} has all its rows");
    found
}

/// The golden files are at the root of the repository; the tests of every package read them.
fn folder() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut above = package
        .ancestors()
        .map(|folder| folder.join("tests/golden"));
    above
        .find(|folder| folder.is_dir())
        .expect("the golden files are in the repository")
}

/// Fractions as strings: the JSON parser may miss a double's last bit, the standard library does not.
pub(crate) fn with_quoted_fractions(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len());
    for (index, part) in text.split('"').enumerate() {
        let between_strings = index % 2 == 0;
        if index > 0 {
            quoted.push('"');
        }
        for token in part.split_inclusive([',', '[', ']', '{', '}', ':', ' ', '\n']) {
            let number = token.trim_end_matches([',', '[', ']', '{', '}', ':', ' ', '\n']);
            if between_strings && number.contains('.') {
                quoted.extend(["\"", number, "\"", &token[number.len()..]]);
            } else {
                quoted.push_str(token);
            }
        }
    }
    quoted
}

/// A double, exact to the last bit.
pub(crate) fn double(value: &Value) -> f64 {
    match value {
        Value::String(text) => text.parse().expect("a double"),
        number => number.as_f64().expect("a number"),
    }
}
