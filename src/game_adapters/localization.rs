//! The localization adapter.

use crate::serialization::SerializableGame;

/// The texts of a game in every language.
pub trait LocalizationAdapter: SerializableGame {
    /// Language tag (`en`) and Fluent source. In addition to the keys that its own adapters use, a game may
    /// describe its levels under `level-book-about-` followed by a level variant, which is the game's name for
    /// most games.
    const TRANSLATIONS: &'static [(&'static str, &'static str)];

    /// The variants of its level descriptions, that of the default parameters first. If there are several, the
    /// key `levels-at-` followed by a variant says for which parameters it applies.
    const LEVEL_VARIANTS: &'static [&'static str] = &[Self::NAME];

    /// The variant for these parameters, one of [`LocalizationAdapter::LEVEL_VARIANTS`].
    fn level_variant(&self) -> &'static str {
        Self::NAME
    }
}
