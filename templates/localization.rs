//! Translations: all text on the pages comes from `templates/text/*.ftl` through [`Translations`].
//!
//! A language consists of `.ftl` files, for the parts of the pages and for each game, and of a variant of
//! [`Language`]. A message that is missing in a language falls back to English; one that is missing in
//! English is shown as its key, because one odd word is better than no page.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use fluent::concurrent::FluentBundle;
use fluent::{FluentArgs, FluentResource, FluentValue};
use maud::Render;
use unic_langid::LanguageIdentifier;

use super::game::GameTitle;

/// A language that the pages are translated into.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// Japanese.
    Japanese,
    /// Russian.
    Russian,
}

impl Language {
    /// All languages, the default first.
    pub const ALL: [Language; 3] = [Language::English, Language::Japanese, Language::Russian];

    /// The value of the `lang` attribute.
    #[must_use]
    pub fn tag(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::Japanese => "ja",
            Language::Russian => "ru",
        }
    }

    /// The language's name in the language itself.
    #[must_use]
    pub fn native_name(self) -> &'static str {
        match self {
            Language::English => "English",
            Language::Japanese => "日本語",
            Language::Russian => "Русский",
        }
    }

    /// The language of a tag such as `ja`, `ru-RU` or `en_GB`; region and script are ignored. `None` for a
    /// language without translations.
    ///
    /// ```
    /// use dice_of_doom_templates::Language;
    ///
    /// assert_eq!(Language::from_tag("JA-jp"), Some(Language::Japanese));
    /// assert_eq!(Language::from_tag("jam"), None);
    /// ```
    #[must_use]
    pub fn from_tag(tag: &str) -> Option<Language> {
        let language = tag.split(['-', '_']).next()?;
        Language::ALL
            .into_iter()
            .find(|known| known.tag().eq_ignore_ascii_case(language))
    }

    /// The text of the shared `.ftl` files, one for each part of the pages.
    #[must_use]
    pub fn sources(self) -> &'static [&'static str] {
        /// The files of the parts in one language.
        macro_rules! texts {
            ($tag:literal) => {
                texts!(
                    $tag, "review" "replay" "share" "upload" "fair" "feed" "notify" "hint" "daily" "lesson" "me"
                    "puzzle" "next" "tables" "takeback"
                )
            };
            ($tag:literal, $($part:literal)*) => {
                &[
                    include_str!(concat!("text/", $tag, ".ftl")),
                    $(include_str!(concat!("text/", $part, ".", $tag, ".ftl"))),*
                ]
            };
        }
        match self {
            Language::English => texts!("en"),
            Language::Japanese => texts!("ja"),
            Language::Russian => texts!("ru"),
        }
    }

    /// A probability in whole percent, without the sign. A value that would round to 0 or 100 but is neither
    /// gives `<1` or `>99`.
    #[must_use]
    pub fn format_percent(self, probability: f64) -> String {
        let percent = (probability * 100.0).clamp(0.0, 100.0).round();
        match percent as u32 {
            0 if probability > 0.0 => "<1".to_owned(),
            100 if probability < 1.0 => ">99".to_owned(),
            whole => whole.to_string(),
        }
    }

    /// Formats a number that may have a decimal point, for this language.
    #[must_use]
    pub fn format_decimal(self, number: String) -> String {
        let number = self.grouped(number);
        match self {
            Language::English | Language::Japanese => number,
            Language::Russian => number.replace('.', ","),
        }
    }

    /// Formats a number with one decimal for this language.
    #[must_use]
    pub fn format_tenths(self, number: f64) -> String {
        self.format_decimal(format!("{number:.1}"))
    }

    /// Formats an integer for this language: in groups of three digits if it has at least five.
    ///
    /// ```
    /// use dice_of_doom_templates::Language;
    ///
    /// assert_eq!(Language::English.format_integer(25_000), "25,000");
    /// assert_eq!(Language::Russian.format_integer(1_234_567), "1\u{a0}234\u{a0}567");
    /// assert_eq!(Language::Japanese.format_integer(9_999), "9999");
    /// ```
    #[must_use]
    pub fn format_integer(self, number: u64) -> String {
        self.grouped(number.to_string())
    }

    /// Groups the digits before the decimal point, if there are at least five.
    fn grouped(self, number: String) -> String {
        let digits =
            |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let begin = number.len() - number.trim_start_matches('-').len();
        let count = digits(&number[begin..]);
        if count < 5 {
            return number;
        }
        let between = match self {
            Language::English | Language::Japanese => ',',
            // A no-break space, so that a number is not split over two lines.
            Language::Russian => '\u{a0}',
        };
        let mut written = String::with_capacity(number.len() + count / 3 * between.len_utf8());
        for (place, letter) in number.char_indices() {
            let left = (begin + count).saturating_sub(place);
            if place > begin && left > 0 && left.is_multiple_of(3) {
                written.push(between);
            }
            written.push(letter);
        }
        written
    }

    fn identifier(self) -> LanguageIdentifier {
        self.tag().parse().unwrap_or_default()
    }
}

/// A transform that is applied to all text from `.ftl` files, but not to arguments: see
/// [`Translations::new`].
pub type PseudoLocalizer = fn(&str) -> Cow<'_, str>;

/// The messages of one language.
pub struct Translations {
    language: Language,
    /// The language's own bundle, then the English one as a fallback.
    bundles: Vec<FluentBundle<FluentResource>>,
    /// The games other than the default one, for every page's navigation.
    others: Vec<GameTitle>,
    /// The path below which a proxy serves the site: empty, or such as `/dice`.
    base_path: String,
}

/// A path of this site as pages show it: with the path below which a proxy serves the site.
#[derive(Clone, Copy, Debug)]
pub struct SitePath<'a> {
    base: &'a str,
    path: &'a str,
}

impl fmt::Display for SitePath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.base, self.path)
    }
}

impl Render for SitePath<'_> {
    fn render_to(&self, page: &mut String) {
        self.base.render_to(page);
        self.path.render_to(page);
    }
}

impl Translations {
    /// Parses the messages of a language: the shared ones, and those that `game_sources` returns for each game.
    /// Parsing is expensive, so that callers should keep the result.
    ///
    /// Tests can pass a transform for all text from the files, to find text that does not come from them.
    #[must_use]
    pub fn new<'w, W>(
        language: Language,
        game_sources: impl Fn(Language) -> W,
        transform: Option<PseudoLocalizer>,
    ) -> Translations
    where
        W: IntoIterator<Item = &'w str>,
    {
        let mut languages = vec![language];
        if language != Language::English {
            languages.push(Language::English);
        }
        let bundles = languages.into_iter().map(|language| {
            let sources = language.sources().iter().copied();
            let mut bundle = bundle(language, sources.chain(game_sources(language)));
            add_forms(&mut bundle);
            bundle.set_transform(transform);
            bundle
        });
        Translations {
            language,
            bundles: bundles.collect(),
            others: Vec::new(),
            base_path: String::new(),
        }
    }

    /// Sets the path below which a proxy serves the site, such as `/dice`.
    #[must_use]
    pub fn with_base_path(self, base_path: String) -> Translations {
        Translations { base_path, ..self }
    }

    /// A path of this site, for links and forms. Every address that starts with `/` is written with this function.
    #[must_use]
    pub fn path<'a>(&'a self, path: &'a str) -> SitePath<'a> {
        SitePath {
            base: &self.base_path,
            path,
        }
    }

    /// Sets the games for the navigation of every page.
    #[must_use]
    pub fn with_other_games(self, others: Vec<GameTitle>) -> Translations {
        Translations { others, ..self }
    }

    pub(crate) fn other_games(&self) -> &[GameTitle] {
        &self.others
    }

    /// The language of these translations.
    #[must_use]
    pub fn language(&self) -> Language {
        self.language
    }

    /// Whether a message has this key.
    #[must_use]
    pub fn has(&self, key: &str) -> bool {
        self.bundles.iter().any(|bundle| bundle.has_message(key))
    }

    /// A message without arguments; the key itself if the message is missing.
    #[must_use]
    pub fn get<'a>(&'a self, key: &'a str) -> Cow<'a, str> {
        self.format(key, None)
    }

    /// A message with arguments; the key itself if the message is missing.
    #[must_use]
    pub fn get_with<'a>(
        &'a self,
        key: &'a str,
        values: &[(&str, MessageValue<'_>)],
    ) -> Cow<'a, str> {
        let mut arguments = FluentArgs::with_capacity(values.len());
        for (name, value) in values {
            arguments.set(
                *name,
                match value {
                    MessageValue::Number(number) => FluentValue::from(*number),
                    MessageValue::Text(literal) => FluentValue::from(&**literal),
                },
            );
        }
        self.format(key, Some(&arguments))
    }

    /// Joins items as a list: "Red, Blue and Green"; empty without items.
    #[must_use]
    pub fn join_as_list<'v>(&self, things: impl IntoIterator<Item = Cow<'v, str>>) -> String {
        self.joined(things, "list-last")
    }

    /// Joins items with commas: "Red 5, Blue 3"; empty without items.
    #[must_use]
    pub fn join_with_commas<'v>(&self, things: impl IntoIterator<Item = Cow<'v, str>>) -> String {
        self.joined(things, "list-more")
    }

    /// Joins sentences and other phrases, each of which gets a full stop unless it ends by itself.
    #[must_use]
    pub fn join_sentences<'v>(&self, sentences: impl IntoIterator<Item = Cow<'v, str>>) -> String {
        let mut joined = String::new();
        for sentence in sentences {
            if !joined.is_empty() {
                joined.push_str(&self.get("sentence-gap"));
            }
            joined.push_str(&sentence);
            if !sentence.ends_with(['.', '!', '?', '…', '。', '！', '？']) {
                joined.push_str(&self.get("sentence-end"));
            }
        }
        joined
    }

    /// Joins from the last item to the first, because the joining message takes the rest of the list as an
    /// argument.
    fn joined<'v>(&self, things: impl IntoIterator<Item = Cow<'v, str>>, last: &str) -> String {
        let mut things: Vec<_> = things.into_iter().collect();
        let Some(end) = things.pop() else {
            return String::new();
        };
        let mut key = last;
        things
            .into_iter()
            .rev()
            .fold(end.into_owned(), |more, thing| {
                let values = [
                    ("thing", MessageValue::Text(thing)),
                    ("more", MessageValue::Text(more.into())),
                ];
                let key = std::mem::replace(&mut key, "list-more");
                self.get_with(key, &values).into_owned()
            })
    }

    fn format<'a>(&'a self, key: &'a str, arguments: Option<&FluentArgs<'_>>) -> Cow<'a, str> {
        let found = self.bundles.iter().find_map(|bundle| {
            let pattern = bundle.get_message(key)?.value()?;
            Some((bundle, pattern))
        });
        let Some((bundle, pattern)) = found else {
            return Cow::Borrowed(key);
        };
        // The only errors are missing arguments; the message shows their names instead.
        let mut errors = Vec::new();
        bundle.format_pattern(pattern, arguments, &mut errors)
    }
}

/// The grammatical cases that messages may request of a name.
const CASES: [&str; 2] = ["genitive", "dative"];

/// Number of player colours with a name.
const COLOURS: u32 = 6;

/// The result of `FORM` for a name without declined forms, such as one that a user typed.
const NO_FORM: &str = "none";

/// Adds the Fluent function `FORM($who, case: "genitive")`: it returns the declined name of a player colour,
/// from the message `player-form`, and `none` for any other name.
fn add_forms(bundle: &mut FluentBundle<FluentResource>) {
    let format_message = |key: &str, arguments: Option<&FluentArgs<'_>>| {
        let pattern = bundle.get_message(key)?.value()?;
        let mut errors = Vec::new();
        let formatted = bundle.format_pattern(pattern, arguments, &mut errors);
        Some(formatted.into_owned())
    };
    let mut forms = HashMap::new();
    for player in 0..COLOURS {
        let Some(name) = format_message(&format!("player-{player}"), None) else {
            continue;
        };
        for case in CASES {
            let mut arguments = FluentArgs::with_capacity(2);
            arguments.set("player", FluentValue::from(player));
            arguments.set("case", FluentValue::from(case));
            let form =
                format_message("player-form", Some(&arguments)).filter(|form| form != NO_FORM);
            if let Some(form) = form {
                forms.insert((name.clone(), case), form);
            }
        }
    }
    // Fails only for a duplicate name, and the bundle has no other functions.
    let _ = bundle.add_function("FORM", move |names, options| {
        let (Some(FluentValue::String(name)), Some(FluentValue::String(case))) =
            (names.first(), options.get("case"))
        else {
            return FluentValue::from(NO_FORM);
        };
        let case = CASES.into_iter().find(|known| *known == case.as_ref());
        let form = case.and_then(|case| forms.get(&(name.as_ref().to_owned(), case)));
        FluentValue::from(form.cloned().unwrap_or_else(|| NO_FORM.to_owned()))
    });
}

/// A bundle with the messages of several files.
fn bundle<'w>(
    language: Language,
    sources: impl Iterator<Item = &'w str>,
) -> FluentBundle<FluentResource> {
    let mut bundle = FluentBundle::new_concurrent(vec![language.identifier()]);
    // Bidi isolation marks would end up in attributes, logs and copied text.
    bundle.set_use_isolating(false);
    bundle.set_formatter(Some(match language {
        Language::English => |value, _| digits(Language::English, value),
        Language::Japanese => |value, _| digits(Language::Japanese, value),
        Language::Russian => |value, _| digits(Language::Russian, value),
    }));
    for source in sources {
        // A message that cannot be parsed is missing; the others are still used.
        let resource = match FluentResource::try_new(source.to_owned()) {
            Ok(resource) | Err((resource, _)) => resource,
        };
        // Existing messages are not overridden: a game only adds messages.
        let _ = bundle.add_resource(resource);
    }
    bundle
}

/// Formats numbers in messages, for the language.
fn digits(language: Language, value: &FluentValue<'_>) -> Option<String> {
    match value {
        FluentValue::Number(number) => {
            Some(language.format_decimal(number.as_string().into_owned()))
        }
        _ => None,
    }
}

/// The letters of a column number: a, b, … z, aa, ab, …
pub(super) fn letters(number: u8) -> String {
    let letter = |n: u8| char::from(b'a' + n % 26);
    match number / 26 {
        0 => letter(number).to_string(),
        more => [letter(more - 1), letter(number)].iter().collect(),
    }
}

/// An argument of a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MessageValue<'a> {
    /// A count; it also selects the plural form.
    Number(u32),
    /// Literal text.
    Text(Cow<'a, str>),
}

impl From<u32> for MessageValue<'_> {
    fn from(number: u32) -> Self {
        MessageValue::Number(number)
    }
}

impl From<u8> for MessageValue<'_> {
    fn from(number: u8) -> Self {
        MessageValue::Number(number.into())
    }
}

impl<'a> From<&'a str> for MessageValue<'a> {
    fn from(literal: &'a str) -> Self {
        MessageValue::Text(literal.into())
    }
}

impl From<String> for MessageValue<'_> {
    fn from(literal: String) -> Self {
        MessageValue::Text(literal.into())
    }
}

#[cfg(test)]
mod tests {
    use super::{Language, Translations};

    #[test]
    fn percent_is_0_or_100_only_for_certain_outcomes() {
        let written = [
            (0.0, "0"),
            (1.0, "100"),
            (0.999_85, ">99"),
            (0.995_01, ">99"),
            (0.994_9, "99"),
            (0.742_8, "74"),
            (0.006_105, "1"),
            (0.004, "<1"),
            (0.000_004, "<1"),
        ];
        for (probability, expected) in written {
            let written = Language::English.format_percent(probability);
            assert_eq!(written, expected, "{probability}");
        }
    }

    #[test]
    fn long_numbers_are_grouped_for_the_language() {
        let written = |language: Language, number: &str| language.format_decimal(number.to_owned());
        for (number, english, russian) in [
            ("0", "0", "0"),
            ("9999", "9999", "9999"),
            ("9999.5", "9999.5", "9999,5"),
            ("25000", "25,000", "25\u{a0}000"),
            ("25000.25", "25,000.25", "25\u{a0}000,25"),
            ("-123456", "-123,456", "-123\u{a0}456"),
            ("1234567", "1,234,567", "1\u{a0}234\u{a0}567"),
        ] {
            assert_eq!(written(Language::English, number), english);
            assert_eq!(written(Language::Japanese, number), english);
            assert_eq!(written(Language::Russian, number), russian);
        }
        // The same formatting applies to numbers in messages.
        for (language, expected) in [
            (Language::English, "25,000"),
            (Language::Japanese, "25,000"),
            (Language::Russian, "25\u{a0}000"),
        ] {
            let text = Translations::new(language, |_| [], None);
            let sentence = text.get_with("fair-dice", &[("dice", 25_000_u32.into())]);
            assert!(sentence.contains(expected), "{sentence}");
        }
    }

    #[test]
    fn colours_are_declined_and_typed_names_are_not() {
        let sentence = |language, who: &str| {
            let text = Translations::new(language, |_| [], None);
            let values = [("who", who.into())];
            text.get_with("opened", &values).into_owned()
        };
        assert_eq!(
            sentence(Language::Russian, "Зелёный"),
            "Место Зелёного свободно"
        );
        assert_eq!(sentence(Language::Russian, "Петя"), "Место свободно: Петя");
        assert!(sentence(Language::English, "Green").contains("Green"));
    }

    #[test]
    fn from_tag_ignores_region_and_script() {
        for (tag, language) in [
            ("ru", Some(Language::Russian)),
            ("ru-RU", Some(Language::Russian)),
            ("JA_jp", Some(Language::Japanese)),
            ("en-Latn-GB", Some(Language::English)),
            ("", None),
            ("r", None),
            ("rus", None),
            ("C", None),
        ] {
            assert_eq!(Language::from_tag(tag), language, "{tag}");
        }
    }
}
