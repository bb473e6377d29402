//! Documents in XML 1.0, in which some characters of Unicode must not stand, not even escaped
//! (<https://www.w3.org/TR/xml/#charsets>).

use maud::{Markup, PreEscaped};

/// A document in which U+FFFD replaces every character that XML does not allow.
pub(super) fn document(written: String) -> Markup {
    let is_allowed =
        |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..='\u{10ffff}');
    if written.chars().all(is_allowed) {
        return PreEscaped(written);
    }
    let allowed = |c| {
        if is_allowed(c) {
            c
        } else {
            char::REPLACEMENT_CHARACTER
        }
    };
    PreEscaped(written.chars().map(allowed).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_xml_forbids_are_replaced() {
        let text = "<a>\t猫\u{10fffe}\u{0}\u{1b}\u{fffe}\u{ffff}\u{7f}</a>";
        let replaced = "<a>\t猫\u{10fffe}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{7f}</a>";
        assert_eq!(document(text.to_owned()).into_string(), replaced);
    }
}
