//! Sentences: every word of the pages comes from `templates/text/*.ftl` through [`Translations`].
//!
//! A language is data: `.ftl` files for the parts of the pages, one for each game, and an arm of
//! [`Language`]. A sentence that a language lacks is said in English, and one that English lacks shows its
//! key, because a page with one odd word is better than no page.

use std::borrow::Cow;
use std::collections::HashMap;

use fluent::concurrent::FluentBundle;
use fluent::{FluentArgs, FluentResource, FluentValue};
use unic_langid::LanguageIdentifier;

use super::start::OtherGameView;

/// A language that the pages speak.
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
    /// Every language, the default first.
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

    /// What its speakers call it.
    #[must_use]
    pub fn own_name(self) -> &'static str {
        match self {
            Language::English => "English",
            Language::Japanese => "日本語",
            Language::Russian => "Русский",
        }
    }

    /// The language of a tag, whatever region or script follows: `ja`, `ru-RU`, `en_GB`; `None` for a
    /// language that the pages do not speak.
    ///
    /// ```
    /// use dice_of_doom_templates::Language;
    ///
    /// assert_eq!(Language::of_tag("JA-jp"), Some(Language::Japanese));
    /// assert_eq!(Language::of_tag("jam"), None);
    /// ```
    #[must_use]
    pub fn of_tag(tag: &str) -> Option<Language> {
        let language = tag.split(['-', '_']).next()?;
        Language::ALL
            .into_iter()
            .find(|known| known.tag().eq_ignore_ascii_case(language))
    }

    /// The sentences of the platform as they are written down, a file for each part of the pages.
    #[must_use]
    pub fn sources(self) -> &'static [&'static str] {
        match self {
            Language::English => &[
                include_str!("text/en.ftl"),
                include_str!("text/review.en.ftl"),
                include_str!("text/replay.en.ftl"),
                include_str!("text/share.en.ftl"),
                include_str!("text/upload.en.ftl"),
                include_str!("text/fair.en.ftl"),
                include_str!("text/hint.en.ftl"),
                include_str!("text/takeback.en.ftl"),
            ],
            Language::Japanese => &[
                include_str!("text/ja.ftl"),
                include_str!("text/fair.ja.ftl"),
                include_str!("text/takeback.ja.ftl"),
                include_str!("text/hint.ja.ftl"),
                include_str!("text/review.ja.ftl"),
                include_str!("text/replay.ja.ftl"),
                include_str!("text/share.ja.ftl"),
                include_str!("text/upload.ja.ftl"),
            ],
            Language::Russian => &[
                include_str!("text/ru.ftl"),
                include_str!("text/fair.ru.ftl"),
                include_str!("text/takeback.ru.ftl"),
                include_str!("text/hint.ru.ftl"),
                include_str!("text/review.ru.ftl"),
                include_str!("text/replay.ru.ftl"),
                include_str!("text/share.ru.ftl"),
                include_str!("text/upload.ru.ftl"),
            ],
        }
    }

    /// A probability in whole percent, without the sign: one that would read as 0 or 100 and is neither is `<1` or
    /// `>99`.
    #[must_use]
    pub fn percent(self, probability: f64) -> String {
        let percent = (probability * 100.0).clamp(0.0, 100.0).round();
        match percent as u32 {
            0 if probability > 0.0 => "<1".to_owned(),
            100 if probability < 1.0 => ">99".to_owned(),
            whole => whole.to_string(),
        }
    }

    /// A number with a decimal point, as the language writes it.
    #[must_use]
    pub fn decimal(self, number: String) -> String {
        let number = self.grouped(number);
        match self {
            Language::English | Language::Japanese => number,
            Language::Russian => number.replace('.', ","),
        }
    }

    /// A whole number, as the language writes it: in groups of three digits where there are five or more.
    ///
    /// ```
    /// use dice_of_doom_templates::Language;
    ///
    /// assert_eq!(Language::English.whole(25_000), "25,000");
    /// assert_eq!(Language::Russian.whole(1_234_567), "1\u{a0}234\u{a0}567");
    /// assert_eq!(Language::Japanese.whole(9_999), "9999");
    /// ```
    #[must_use]
    pub fn whole(self, number: u64) -> String {
        self.grouped(number.to_string())
    }

    /// Digits in groups of three before the decimal point, if there is one.
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
            // So that no line ends in a number.
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

/// What every sentence passes through before it is shown, beside the values in it: see [`Translations::new`].
pub type PseudoLocalizer = fn(&str) -> Cow<'_, str>;

/// The sentences of one language.
pub struct Translations {
    language: Language,
    /// The language's own sentences, and English ones for those that it lacks.
    bundles: Vec<FluentBundle<FluentResource>>,
    /// The games beside the first one, which every page's navigation names.
    others: Vec<OtherGameView>,
}

impl Translations {
    /// Reads the sentences of a language: the platform's, and those that `words` gives of each game in a
    /// language. Costly: whoever knows the games keeps what was read.
    ///
    /// A test may disguise all words that stand in the files, to see what stands elsewhere.
    #[must_use]
    pub fn new<'w, W>(
        language: Language,
        words: impl Fn(Language) -> W,
        disguise: Option<PseudoLocalizer>,
    ) -> Translations
    where
        W: IntoIterator<Item = &'w str>,
    {
        let mut spoken = vec![language];
        if language != Language::English {
            spoken.push(Language::English);
        }
        let bundles = spoken.into_iter().map(|language| {
            let sources = language.sources().iter().copied();
            let mut bundle = bundle(language, sources.chain(words(language)));
            add_forms(&mut bundle);
            bundle.set_transform(disguise);
            bundle
        });
        Translations {
            language,
            bundles: bundles.collect(),
            others: Vec::new(),
        }
    }

    /// The same, with these games in the navigation of every page.
    #[must_use]
    pub fn with_other_games(self, others: Vec<OtherGameView>) -> Translations {
        Translations { others, ..self }
    }

    /// The games beside the first one.
    pub(crate) fn other_games(&self) -> &[OtherGameView] {
        &self.others
    }

    /// Which language this is.
    #[must_use]
    pub fn language(&self) -> Language {
        self.language
    }

    /// Whether there is a sentence of this name.
    #[must_use]
    pub fn has(&self, key: &str) -> bool {
        self.bundles.iter().any(|bundle| bundle.has_message(key))
    }

    /// A sentence without values; its key if there is none.
    #[must_use]
    pub fn say<'a>(&'a self, key: &'a str) -> Cow<'a, str> {
        self.format(key, None)
    }

    /// A sentence with values; its key if there is none.
    #[must_use]
    pub fn say_with<'a>(
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
                    MessageValue::Words(words) => FluentValue::from(&**words),
                },
            );
        }
        self.format(key, Some(&arguments))
    }

    /// Things in a list: "Red, Blue and Green"; nothing where there is none.
    #[must_use]
    pub fn list<'v>(&self, things: impl IntoIterator<Item = Cow<'v, str>>) -> String {
        self.joined(things, "list-last")
    }

    /// Things of one sum or line: "Red 5, Blue 3"; nothing where there is none.
    #[must_use]
    pub fn row<'v>(&self, things: impl IntoIterator<Item = Cow<'v, str>>) -> String {
        self.joined(things, "list-more")
    }

    /// From the last to the first, because what follows is a value of the sentence that joins.
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
                    ("thing", MessageValue::Words(thing)),
                    ("more", MessageValue::Words(more.into())),
                ];
                let key = std::mem::replace(&mut key, "list-more");
                self.say_with(key, &values).into_owned()
            })
    }

    fn format<'a>(&'a self, key: &'a str, arguments: Option<&FluentArgs<'_>>) -> Cow<'a, str> {
        let said = self.bundles.iter().find_map(|bundle| {
            let pattern = bundle.get_message(key)?.value()?;
            Some((bundle, pattern))
        });
        let Some((bundle, pattern)) = said else {
            return Cow::Borrowed(key);
        };
        // Errors here are missing values; the sentence shows their names instead.
        let mut errors = Vec::new();
        bundle.format_pattern(pattern, arguments, &mut errors)
    }
}

/// The cases that sentences may ask a name for.
const CASES: [&str; 2] = ["genitive", "dative"];

/// Colours that players are called by.
const COLOURS: u32 = 6;

/// What `FORM` answers for a name that has no such case: whoever typed it knows how it is declined.
const NO_FORM: &str = "none";

/// The function of sentences `FORM($who, case: "genitive")`: the colours by which players are called, in a
/// case, as `player-form` has them; `none` for every other name.
fn add_forms(bundle: &mut FluentBundle<FluentResource>) {
    let said = |key: &str, arguments: Option<&FluentArgs<'_>>| {
        let pattern = bundle.get_message(key)?.value()?;
        let mut errors = Vec::new();
        let words = bundle.format_pattern(pattern, arguments, &mut errors);
        Some(words.into_owned())
    };
    let mut forms = HashMap::new();
    for player in 0..COLOURS {
        let Some(name) = said(&format!("player-{player}"), None) else {
            continue;
        };
        for case in CASES {
            let mut arguments = FluentArgs::with_capacity(2);
            arguments.set("player", FluentValue::from(player));
            arguments.set("case", FluentValue::from(case));
            let form = said("player-form", Some(&arguments)).filter(|form| form != NO_FORM);
            if let Some(form) = form {
                forms.insert((name.clone(), case), form);
            }
        }
    }
    // There is no other function of this name.
    let _ = bundle.add_function("FORM", move |names, how| {
        let (Some(FluentValue::String(name)), Some(FluentValue::String(case))) =
            (names.first(), how.get("case"))
        else {
            return FluentValue::from(NO_FORM);
        };
        let case = CASES.into_iter().find(|known| *known == case.as_ref());
        let form = case.and_then(|case| forms.get(&(name.as_ref().to_owned(), case)));
        FluentValue::from(form.cloned().unwrap_or_else(|| NO_FORM.to_owned()))
    });
}

/// The sentences of some files in one language.
fn bundle<'w>(
    language: Language,
    sources: impl Iterator<Item = &'w str>,
) -> FluentBundle<FluentResource> {
    let mut bundle = FluentBundle::new_concurrent(vec![language.identifier()]);
    // Isolation marks would get into attributes, logs and copied text.
    bundle.set_use_isolating(false);
    bundle.set_formatter(Some(match language {
        Language::English => |value, _| digits(Language::English, value),
        Language::Japanese => |value, _| digits(Language::Japanese, value),
        Language::Russian => |value, _| digits(Language::Russian, value),
    }));
    for source in sources {
        // A sentence that cannot be parsed is missing; the others still serve.
        let resource = match FluentResource::try_new(source.to_owned()) {
            Ok(resource) | Err((resource, _)) => resource,
        };
        // What is said already stays: a game adds words and replaces none.
        let _ = bundle.add_resource(resource);
    }
    bundle
}

/// A number in a sentence, as its language writes it.
fn digits(language: Language, value: &FluentValue<'_>) -> Option<String> {
    match value {
        FluentValue::Number(number) => Some(language.decimal(number.as_string().into_owned())),
        _ => None,
    }
}

/// A number as the letters of a column: a, b, … z, aa, ab, …
pub(super) fn letters(number: u8) -> String {
    let letter = |n: u8| char::from(b'a' + n % 26);
    match number / 26 {
        0 => letter(number).to_string(),
        more => [letter(more - 1), letter(number)].iter().collect(),
    }
}

/// A value put into a sentence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MessageValue<'a> {
    /// A count, which chooses plural forms.
    Number(u32),
    /// Words as they are.
    Words(Cow<'a, str>),
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
    fn from(words: &'a str) -> Self {
        MessageValue::Words(words.into())
    }
}

impl From<String> for MessageValue<'_> {
    fn from(words: String) -> Self {
        MessageValue::Words(words.into())
    }
}

#[cfg(test)]
mod tests {
    use super::{Language, Translations};

    #[test]
    fn only_what_is_certain_is_nothing_or_all() {
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
            let written = Language::English.percent(probability);
            assert_eq!(written, expected, "{probability}");
        }
    }

    #[test]
    fn long_numbers_are_grouped_as_the_language_does() {
        let written = |language: Language, number: &str| language.decimal(number.to_owned());
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
        // In sentences, too.
        for (language, expected) in [
            (Language::English, "25,000"),
            (Language::Japanese, "25,000"),
            (Language::Russian, "25\u{a0}000"),
        ] {
            let text = Translations::new(language, |_| [], None);
            let said = text.say_with("fair-dice", &[("dice", 25_000_u32.into())]);
            assert!(said.contains(expected), "{said}");
        }
    }

    #[test]
    fn colours_are_declined_and_typed_names_are_not() {
        let said = |language, who: &str| {
            let text = Translations::new(language, |_| [], None);
            let values = [("who", who.into())];
            text.say_with("opened", &values).into_owned()
        };
        assert_eq!(
            said(Language::Russian, "Зелёный"),
            "Место Зелёного свободно"
        );
        assert_eq!(said(Language::Russian, "Петя"), "Место свободно: Петя");
        assert!(said(Language::English, "Green").contains("Green"));
    }

    #[test]
    fn a_tag_is_known_by_its_language_alone() {
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
            assert_eq!(Language::of_tag(tag), language, "{tag}");
        }
    }
}
