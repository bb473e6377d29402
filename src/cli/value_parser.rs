//! A parser for option values that lists values for completions and help, and reports the program's own error messages.

use std::error::Error;
use std::ffi::OsStr;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Command};

/// Parses values with a function. The listed values are suggestions only; the function may accept others, such as
/// `master:400`.
#[derive(Clone, Debug)]
pub struct ListedValueParser<F> {
    values: Vec<String>,
    parse: F,
}

impl<F> ListedValueParser<F> {
    pub fn new(values: impl IntoIterator<Item = impl Into<String>>, parse: F) -> Self {
        ListedValueParser {
            values: values.into_iter().map(Into::into).collect(),
            parse,
        }
    }
}

impl<T, E, F> TypedValueParser for ListedValueParser<F>
where
    T: Clone + Send + Sync + 'static,
    E: Into<Box<dyn Error + Send + Sync>>,
    F: Fn(&str) -> Result<T, E> + Clone + Send + Sync + 'static,
{
    type Value = T;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<T, clap::Error> {
        let parse = self.parse.clone();
        let parser = StringValueParser::new().try_map(move |text| parse(&text));
        parser.parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.values.iter().map(PossibleValue::new)))
    }
}
