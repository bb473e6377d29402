//! Translations of Trilobite.

use crate::game_adapters::LocalizationAdapter;
use crate::games::trilobite::Trilobite;

impl LocalizationAdapter for Trilobite {
    const TRANSLATIONS: &'static [(&'static str, &'static str)] = &[
        (
            "en",
            include_str!("../../../templates/text/trilobite.en.ftl"),
        ),
        (
            "ja",
            include_str!("../../../templates/text/trilobite.ja.ftl"),
        ),
        (
            "ru",
            include_str!("../../../templates/text/trilobite.ru.ftl"),
        ),
    ];
}
