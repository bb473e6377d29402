//! Web addresses in names.

use std::net::Ipv4Addr;

/// Whether a name contains a web address, such as `example.com`, `www.…`, `https://…` or `192.0.2.1`. Strangers read
/// names in public lists, where an address would be an advertisement.
///
/// A dot between two letters makes an address if at least two letters follow it: “Dr. Who” and “J. R.” are names.
#[must_use]
pub fn contains_web_address(name: &str) -> bool {
    let name = name.to_lowercase().replace(DOTS, ".");
    let name = name.replace(is_ignorable, "");
    let mut words = name.split(|character: char| !is_part_of_host(character));
    name.contains("://") || name.contains("www.") || words.any(is_host)
}

/// The characters that browsers accept as dots of an address, besides the dot.
const DOTS: [char; 5] = ['。', '．', '｡', '․', '﹒'];

/// Whether a character has no glyph of its own, so that an address reads the same without it: joiners, variation selectors
/// and similar marks.
fn is_ignorable(character: char) -> bool {
    matches!(
        character,
        '\u{34f}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{200c}' | '\u{200d}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}'
    )
}

fn is_part_of_host(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '.' | '-')
}

fn is_host(word: &str) -> bool {
    let mut labels = word.split('.').peekable();
    let has_domain = std::iter::from_fn(|| Some((labels.next()?, *labels.peek()?)))
        .any(|(label, next)| !label.is_empty() && is_top_level_domain(next));
    has_domain || word.trim_end_matches('.').parse::<Ipv4Addr>().is_ok()
}

fn is_top_level_domain(label: &str) -> bool {
    label.starts_with("xn--")
        || label.chars().count() >= 2 && label.chars().all(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_recognised() {
        for name in [
            "example.com",
            "Example.COM",
            "play at t.me/dice",
            "www.example",
            "https://[::1]/",
            "a-b.example",
            "ada@example.org",
            "(example.com)",
            "example.com.",
            "пример.рф",
            "例え。テスト",
            "ｅｘａｍｐｌｅ．ｃｏｍ",
            "example.xn--p1ai",
            "192.0.2.1",
            "192.0.2.1.",
            "example.\u{fe0f}com",
            "example\u{34f}.com",
            "example\u{200c}.com",
            "example.c\u{34f}om",
        ] {
            assert!(contains_web_address(name), "{name}");
        }
    }

    #[test]
    fn names_are_no_addresses() {
        for name in [
            "Ada",
            "Dr. Who",
            "J. R.",
            "J.R.",
            "Mr. T",
            "Robot 2.0",
            "v1.2.3",
            "wait...what",
            "モーニング娘。",
            "a.b",
            "...",
            "www",
            "http",
        ] {
            assert!(!contains_web_address(name), "{name}");
        }
    }
}
