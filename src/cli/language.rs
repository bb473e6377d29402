//! The language that a command speaks in the terminal.

use clap::Args;

use super::value_parser::ListedValueParser;
use crate::templates::Language;

/// What a command speaks: asked for, or as the environment says.
#[derive(Args, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LanguageArgs {
    /// What is spoken: en, ja or ru
    #[arg(long, value_name = "LANGUAGE", value_parser = ListedValueParser::new(Language::ALL.map(Language::tag), language),
          long_help = "What is spoken: en, ja or ru\n\n\
                       Without it, the language of LC_ALL, LC_MESSAGES or LANG, where it is one of these, \
                       else English.")]
    pub language: Option<Language>,
}

impl LanguageArgs {
    /// The language that is asked for, here or by the environment's locale.
    #[must_use]
    pub fn requested_language(&self, environment: impl Fn(&str) -> Option<String>) -> Language {
        let mut names = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter();
        let mut locale =
            || names.find_map(|name| environment(name).filter(|value| !value.is_empty()));
        match self.language {
            Some(language) => language,
            None => locale().map_or(Language::default(), |locale| from_locale(&locale)),
        }
    }
}

/// The language of a locale such as `ja_JP.UTF-8`; English where the terminal shows other letters than
/// those that are written.
fn from_locale(locale: &str) -> Language {
    let (tag, letters) = locale.split_once('.').unwrap_or((locale, "UTF-8"));
    let letters = letters.split('@').next().unwrap_or(letters);
    let is_unicode = ["UTF-8", "UTF8"]
        .iter()
        .any(|name| letters.eq_ignore_ascii_case(name));
    let language = Language::from_tag(tag).filter(|_| is_unicode);
    language.unwrap_or_default()
}

fn language(tag: &str) -> Result<Language, String> {
    let known = || Language::ALL.map(Language::tag).join(", ");
    Language::from_tag(tag).ok_or_else(|| format!("the languages are {}", known()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(environment: &[(&str, &str)], expect: Language) {
        let spoken = LanguageArgs::default().requested_language(|asked| {
            let found = environment.iter().find(|(name, _)| *name == asked);
            found.map(|(_, value)| (*value).to_owned())
        });
        assert_eq!(spoken, expect, "{environment:?}");
    }

    #[test]
    fn the_terminal_speaks_as_the_environment_does() {
        use Language::{English, Japanese, Russian};
        check(&[], English);
        check(&[("LANG", "ja_JP.UTF-8")], Japanese);
        check(&[("LANG", "ru_RU.utf8@x")], Russian);
        check(&[("LANG", "ru")], Russian);
        check(&[("LANG", "C.UTF-8")], English);
        check(&[("LANG", "de_DE.UTF-8")], English);
        check(&[("LANG", "ru_RU.KOI8-R")], English);
        check(&[("LC_MESSAGES", "ru_RU"), ("LANG", "ja_JP")], Russian);
        check(&[("LC_ALL", ""), ("LANG", "ja_JP")], Japanese);
        check(&[("LC_ALL", "C"), ("LANG", "ja_JP")], English);
    }

    #[test]
    fn what_is_asked_for_comes_first() {
        let language = Some(Language::Russian);
        let spoken =
            LanguageArgs { language }.requested_language(|_| Some("ja_JP.UTF-8".to_owned()));
        assert_eq!(spoken, Language::Russian);
    }
}
