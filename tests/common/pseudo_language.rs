//! A pseudo-language that only servers in tests offer.

use std::borrow::Cow;

/// Replaces letters by accented ones, and doubles two of every five: texts become longer by two fifths.
pub(crate) fn pseudo_localize(text: &str) -> Cow<'_, str> {
    const PLAIN: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const OTHER: &str = "áƀçðéƒĝĥíĵķłɱñóþɋŕšţúṽŵẋýžÁƁÇÐÉƑĜĤÍĴĶŁⱮÑÓÞɊŔŠŢÚṼŴẊÝŽ";
    let other = |letter: char| {
        let at = PLAIN.chars().position(|plain| plain == letter);
        at.and_then(|at| OTHER.chars().nth(at))
    };
    let (mut longer, mut fifths) = (String::with_capacity(3 * text.len()), 0);
    for letter in text.chars() {
        let Some(other) = other(letter) else {
            longer.push(letter);
            continue;
        };
        longer.push(other);
        fifths += 2;
        if fifths >= 5 {
            fifths -= 5;
            longer.push(other);
        }
    }
    longer.into()
}
