//! The words of Trilobite.

use crate::game_adapters::Worded;
use crate::games::trilobite::Trilobite;

impl Worded for Trilobite {
    const WORDS: &'static [(&'static str, &'static str)] = &[
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
