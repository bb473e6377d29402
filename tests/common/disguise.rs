//! The language that nobody speaks: a server of a test shows it, no other does.

use std::borrow::Cow;

/// Letters of our own, and two of every five letters twice: longer by two fifths.
pub(crate) fn disguise(words: &str) -> Cow<'_, str> {
    const PLAIN: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const OTHER: &str = "áƀçðéƒĝĥíĵķłɱñóþɋŕšţúṽŵẋýžÁƁÇÐÉƑĜĤÍĴĶŁⱮÑÓÞɊŔŠŢÚṼŴẊÝŽ";
    let other = |letter: char| {
        let at = PLAIN.chars().position(|plain| plain == letter);
        at.and_then(|at| OTHER.chars().nth(at))
    };
    let (mut longer, mut fifths) = (String::with_capacity(3 * words.len()), 0);
    for letter in words.chars() {
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
