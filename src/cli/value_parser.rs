//! Words that an option takes, told to completions and help, and checked by the house's own sentences.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Command};

/// Reads a value by itself; the words are those that are offered, and others may be right, too
/// (`master:400`).
#[derive(Clone, Debug)]
pub struct ListedValueParser<F> {
    words: Vec<String>,
    read: F,
}

impl<T, F> ListedValueParser<F>
where
    T: Clone + Send + Sync + 'static,
    F: Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static,
{
    /// Offers these words, and reads a value so.
    pub fn new(words: impl IntoIterator<Item = impl Into<String>>, read: F) -> Self {
        ListedValueParser {
            words: words.into_iter().map(Into::into).collect(),
            read,
        }
    }
}

impl<T, F> TypedValueParser for ListedValueParser<F>
where
    T: Clone + Send + Sync + 'static,
    F: Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static,
{
    type Value = T;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<T, clap::Error> {
        let read = self.read.clone();
        let read = StringValueParser::new().try_map(move |word| read(&word));
        read.parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.words.iter().map(PossibleValue::new)))
    }
}
