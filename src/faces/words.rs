//! The words of a game.

use crate::housed::Housed;

/// A game that brings the sentences which speak of it.
pub trait Worded: Housed {
    /// A language's tag (`en`) with the game's sentences in it, written for Fluent. Beside the keys that
    /// its own faces say, a game may describe levels: `level-book-about-` with the game's name behind it.
    const WORDS: &'static [(&'static str, &'static str)];
}
