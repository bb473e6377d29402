//! Sentences: every word of the pages comes from `templates/text/*.ftl` through [`Text`].
//!
//! A language is data: one `.ftl` file, one more for each game, and one arm of [`Language`]. A missing
//! sentence shows its key, because a page with one odd word is better than no page.

use std::borrow::Cow;
use std::iter;

use fluent::concurrent::FluentBundle;
use fluent::{FluentArgs, FluentResource, FluentValue};
use unic_langid::LanguageIdentifier;

/// A language that the pages speak.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Language {
    /// English.
    #[default]
    English,
}

impl Language {
    /// Every language, the default first.
    pub const ALL: [Language; 1] = [Language::English];

    /// The value of the `lang` attribute.
    #[must_use]
    pub fn tag(self) -> &'static str {
        match self {
            Language::English => "en",
        }
    }

    /// The sentences of the platform as they are written down.
    #[must_use]
    pub fn source(self) -> &'static str {
        match self {
            Language::English => include_str!("text/en.ftl"),
        }
    }

    fn identifier(self) -> LanguageIdentifier {
        self.tag().parse().unwrap_or_default()
    }
}

/// The sentences of one language.
pub struct Text {
    language: Language,
    bundle: FluentBundle<FluentResource>,
}

impl Text {
    /// Reads the sentences of a language: the platform's, and these words of games. Costly: whoever
    /// knows the games keeps what was read.
    #[must_use]
    pub fn new<'w>(language: Language, words: impl IntoIterator<Item = &'w str>) -> Text {
        let mut bundle = FluentBundle::new_concurrent(vec![language.identifier()]);
        // Isolation marks would get into attributes, logs and copied text.
        bundle.set_use_isolating(false);
        for source in iter::once(language.source()).chain(words) {
            // A sentence that cannot be parsed is missing; the others still serve.
            let resource = match FluentResource::try_new(source.to_owned()) {
                Ok(resource) | Err((resource, _)) => resource,
            };
            // What is said already stays: a game adds words and replaces none.
            let _ = bundle.add_resource(resource);
        }
        Text { language, bundle }
    }

    /// Which language this is.
    #[must_use]
    pub fn language(&self) -> Language {
        self.language
    }

    /// Whether there is a sentence of this name.
    #[must_use]
    pub fn has(&self, key: &str) -> bool {
        self.bundle.has_message(key)
    }

    /// A sentence without values; its key if there is none.
    #[must_use]
    pub fn say<'a>(&'a self, key: &'a str) -> Cow<'a, str> {
        self.format(key, None)
    }

    /// A sentence with values; its key if there is none.
    #[must_use]
    pub fn say_with<'a>(&'a self, key: &'a str, values: &[(&str, Value<'_>)]) -> Cow<'a, str> {
        let mut arguments = FluentArgs::with_capacity(values.len());
        for (name, value) in values {
            arguments.set(
                *name,
                match value {
                    Value::Number(number) => FluentValue::from(*number),
                    Value::Words(words) => FluentValue::from(&**words),
                },
            );
        }
        self.format(key, Some(&arguments))
    }

    fn format<'a>(&'a self, key: &'a str, arguments: Option<&FluentArgs<'_>>) -> Cow<'a, str> {
        let Some(pattern) = self
            .bundle
            .get_message(key)
            .and_then(|message| message.value())
        else {
            return Cow::Borrowed(key);
        };
        // Errors here are missing values; the sentence shows their names instead.
        let mut errors = Vec::new();
        self.bundle.format_pattern(pattern, arguments, &mut errors)
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
pub enum Value<'a> {
    /// A count, which chooses plural forms.
    Number(u32),
    /// Words as they are.
    Words(Cow<'a, str>),
}

impl From<u32> for Value<'_> {
    fn from(number: u32) -> Self {
        Value::Number(number)
    }
}

impl From<u8> for Value<'_> {
    fn from(number: u8) -> Self {
        Value::Number(number.into())
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(words: &'a str) -> Self {
        Value::Words(words.into())
    }
}

impl From<String> for Value<'_> {
    fn from(words: String) -> Self {
        Value::Words(words.into())
    }
}
