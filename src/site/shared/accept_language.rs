//! Language negotiation (`Accept-Language`, RFC 9110, 12.5.4).

use axum::http::{HeaderMap, header};

use crate::templates::Language;

/// The preferred language among those that the pages support; English if there is none. Unparsable parts are ignored.
pub(in crate::site) fn accepted(headers: &HeaderMap) -> Language {
    let lines = headers.get_all(header::ACCEPT_LANGUAGE).iter();
    let ranges = lines
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(','))
        .filter_map(range);
    // The first of equals wins: browsers list their users' preferred languages first.
    let best = ranges.reduce(|best, next| if next.1 > best.1 { next } else { best });
    best.map_or(Language::default(), |(language, _)| language)
}

/// A language and its weight in thousandths, 1 to 1000; `*` counts as English.
fn range(range: &str) -> Option<(Language, u16)> {
    let (tag, weight) = match range.split_once(';') {
        Some((tag, weight)) => (tag, thousandths(weight)?),
        None => (range, 1000),
    };
    let language = match tag.trim() {
        "*" => Some(Language::default()),
        tag => Language::from_tag(tag),
    };
    language
        .filter(|_| weight > 0)
        .map(|language| (language, weight))
}

/// Parses a weight such as `q=0.8` to thousandths: 0 to 1 with at most three decimals.
fn thousandths(weight: &str) -> Option<u16> {
    let number = weight.trim().strip_prefix(['q', 'Q'])?.strip_prefix('=')?;
    let (integer, decimals) = number.split_once('.').unwrap_or((number, ""));
    let digits = decimals.len() <= 3 && decimals.bytes().all(|byte| byte.is_ascii_digit());
    if !digits {
        return None;
    }
    let decimals: u16 = format!("{decimals:0<3}").parse().ok()?;
    match (integer, decimals) {
        ("0", part) => Some(part),
        ("1", 0) => Some(1000),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(lines: &[&[u8]], expect: Language) {
        let mut headers = HeaderMap::new();
        for line in lines {
            let line = axum::http::HeaderValue::from_bytes(line).unwrap();
            headers.append(header::ACCEPT_LANGUAGE, line);
        }
        assert_eq!(accepted(&headers), expect);
    }

    #[test]
    fn the_preferred_language_is_selected() {
        use Language::{English, Japanese, Russian};
        check(&[], English);
        check(&[b"ja"], Japanese);
        check(&[b"ru-RU,ru;q=0.9,en-US;q=0.8,en;q=0.7"], Russian);
        check(&[b"en-GB,ja;q=0.9"], English);
        check(&[b"en;q=0.3, ja;q=0.35"], Japanese);
        check(&[b"en;q=0.3", b"RU;Q=0.31"], Russian);
        check(&[b"ru , ja"], Russian);
    }

    #[test]
    fn unsupported_languages_are_ignored() {
        use Language::{English, Japanese, Russian};
        check(&[b"fr-CH, fr;q=0.9, de;q=0.7, ja;q=0.1"], Japanese);
        check(&[b"fr, *;q=0.5"], English);
        check(&[b"*, ru;q=0.5"], English);
        check(&[b"ru;q=0, en;q=0.1"], English);
        check(&[b"ja;q=0, ru;q=0.0"], English);
        check(&[b"ru;q=0.001"], Russian);
        check(&[b"rum, jam"], English);
    }

    #[test]
    fn unparsable_parts_are_ignored() {
        for wrong in [
            &b"ja;q=2"[..],
            b"ja;q=1.5",
            b"ja;q=-1",
            b"ja;q=0.1234",
            b"ja;q=0.1x",
            b"ja;q=+.1",
            b"ja;q",
            b"ja;level=1",
            b"ja;q=0.5;q=1",
            b";q=1",
            b",,;,",
            b"\xff",
        ] {
            check(&[wrong], Language::English);
            check(&[wrong, b"ru;q=0.1"], Language::Russian);
        }
    }
}
