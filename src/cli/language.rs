//! The language of a command's terminal output.

use clap::Args;

use super::value_parser::ListedValueParser;
use crate::templates::Language;

#[derive(Args, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LanguageArgs {
    /// The language: en, ja or ru
    #[arg(long, value_name = "LANGUAGE", value_parser = ListedValueParser::new(Language::ALL.map(Language::tag), language),
          long_help = "The language: en, ja or ru\n\n\
                       The default is the language of LC_ALL, LC_MESSAGES or LANG if it is one of these, \
                       otherwise English.")]
    pub language: Option<Language>,
}

impl LanguageArgs {
    /// The language of the option, else that of the locale in the environment, else English.
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

/// The language of a locale such as `ja_JP.UTF-8`; English if the locale's encoding is not UTF-8.
fn from_locale(locale: &str) -> Language {
    let (tag, encoding) = locale.split_once('.').unwrap_or((locale, "UTF-8"));
    let encoding = encoding.split('@').next().unwrap_or(encoding);
    let is_unicode = ["UTF-8", "UTF8"]
        .iter()
        .any(|name| encoding.eq_ignore_ascii_case(name));
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
        let language = LanguageArgs::default().requested_language(|requested| {
            let variable = environment.iter().find(|(name, _)| *name == requested);
            variable.map(|(_, value)| (*value).to_owned())
        });
        assert_eq!(language, expect, "{environment:?}");
    }

    #[test]
    fn the_default_language_is_that_of_the_locale() {
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
    fn the_option_overrides_the_locale() {
        let args = LanguageArgs {
            language: Some(Language::Russian),
        };
        let language = args.requested_language(|_| Some("ja_JP.UTF-8".to_owned()));
        assert_eq!(language, Language::Russian);
    }
}
