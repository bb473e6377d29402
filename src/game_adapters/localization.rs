//! The words of a game.

use crate::serialization::SerializableGame;

/// A game that brings the sentences which speak of it.
pub trait LocalizationAdapter: SerializableGame {
    /// A language's tag (`en`) with the game's sentences in it, written for Fluent. Beside the keys that
    /// its own faces say, a game may describe levels: `level-book-about-` with the way in which its levels
    /// think behind it, which is the game's name in most games.
    const TRANSLATIONS: &'static [(&'static str, &'static str)];

    /// The ways in which its levels think, that of the usual numbers first. Where there are several,
    /// `levels-at-` with a way behind it says where the levels think so.
    const LEVEL_VARIANTS: &'static [&'static str] = &[Self::NAME];

    /// The way in which its levels think with these numbers, one of [`LocalizationAdapter::LEVEL_VARIANTS`].
    fn level_variant(&self) -> &'static str {
        Self::NAME
    }
}
