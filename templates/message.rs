//! A localizable message that a game contributes to shared pages: its key in `templates/text` and its
//! arguments. The language and the players' names are filled in when the page is rendered.

use std::borrow::Cow;
use std::hash::{Hash, Hasher};
use std::mem::discriminant;

use super::localization::{MessageValue, Translations};
use super::players::PlayerNames;

/// An argument of a message.
#[derive(Clone, PartialEq, Debug)]
pub enum MessageArg {
    /// A count; it also selects the plural form.
    Number(u32),
    /// Literal text.
    Text(String),
    /// A probability in 0..=1, shown in percent.
    Percent(f64),
    /// The name of a player.
    Name(u8),
    /// The names of these players, as a list.
    Names(Vec<u8>),
    /// Grammatical person of a player, `you` or `other`: messages select their verb by it.
    Person(u8),
    /// The name of a player's colour.
    Colour(u8),
    /// The names of these players with a count each, as a list.
    Scores(Vec<(u8, u32)>),
}

impl From<u32> for MessageArg {
    fn from(number: u32) -> Self {
        MessageArg::Number(number)
    }
}

impl From<u8> for MessageArg {
    fn from(number: u8) -> Self {
        MessageArg::Number(number.into())
    }
}

impl From<&str> for MessageArg {
    fn from(literal: &str) -> Self {
        MessageArg::Text(literal.to_owned())
    }
}

impl From<String> for MessageArg {
    fn from(literal: String) -> Self {
        MessageArg::Text(literal)
    }
}

/// Floating-point numbers have no hash of their own.
impl Hash for MessageArg {
    fn hash<H: Hasher>(&self, state: &mut H) {
        discriminant(self).hash(state);
        match self {
            MessageArg::Number(number) => number.hash(state),
            MessageArg::Text(literal) => literal.hash(state),
            MessageArg::Percent(probability) => probability.to_bits().hash(state),
            MessageArg::Name(player) | MessageArg::Person(player) | MessageArg::Colour(player) => {
                player.hash(state);
            }
            MessageArg::Names(players) => players.hash(state),
            MessageArg::Scores(scores) => scores.hash(state),
        }
    }
}

/// A message with its arguments.
#[derive(Clone, PartialEq, Hash, Debug)]
pub struct LocalizedMessage {
    /// The key in `templates/text`.
    pub key: &'static str,
    /// The arguments, by the names that the message uses.
    pub values: Vec<(&'static str, MessageArg)>,
}

impl LocalizedMessage {
    /// A message without arguments.
    #[must_use]
    pub fn new(key: &'static str) -> Self {
        let values = Vec::new();
        LocalizedMessage { key, values }
    }

    /// Adds an argument.
    #[must_use]
    pub fn with_value(mut self, name: &'static str, value: impl Into<MessageArg>) -> Self {
        self.values.push((name, value.into()));
        self
    }

    /// Adds a player: `who` is the name, and `grammatical_person` selects the verb.
    #[must_use]
    pub fn with_player(self, player: u8) -> Self {
        self.with_value("who", MessageArg::Name(player))
            .with_value("person", MessageArg::Person(player))
    }

    /// Adds a list of players as `who`.
    #[must_use]
    pub fn with_players(self, players: impl IntoIterator<Item = u8>) -> Self {
        self.with_value("who", MessageArg::Names(players.into_iter().collect()))
    }

    /// Renders the message in a language, with these players' names.
    #[must_use]
    pub fn render(&self, text: &Translations, names: &PlayerNames<'_>) -> String {
        if self.values.is_empty() {
            return text.get(self.key).into_owned();
        }
        let values = self.values.iter();
        let values: Vec<_> = values
            .map(|(name, part)| (*name, part.value(text, names)))
            .collect();
        text.get_with(self.key, &values).into_owned()
    }
}

impl MessageArg {
    fn value<'a>(&'a self, text: &Translations, names: &'a PlayerNames<'_>) -> MessageValue<'a> {
        match self {
            MessageArg::Number(number) => (*number).into(),
            MessageArg::Percent(probability) => text.language().format_percent(*probability).into(),
            MessageArg::Text(literal) => literal.as_str().into(),
            MessageArg::Name(player) => names.name(*player).into(),
            MessageArg::Colour(player) => names.colour(*player).into(),
            MessageArg::Person(player) => names.grammatical_person(*player).into(),
            MessageArg::Names(players) => MessageValue::Text(list(text, names, players).into()),
            MessageArg::Scores(scores) => {
                let scores = scores.iter().map(|(player, count)| {
                    let who = MessageValue::Text(render_inline(text, names, *player));
                    text.get_with("list-score", &[("who", who), ("n", (*count).into())])
                });
                MessageValue::Text(text.join_with_commas(scores).into())
            }
        }
    }
}

/// A player's name within a sentence: the viewer is "you" there, not "You".
fn render_inline<'c>(
    text: &'c Translations,
    names: &'c PlayerNames<'_>,
    player: u8,
) -> Cow<'c, str> {
    match names.grammatical_person(player) {
        "you" => text.get("you-within"),
        _ => names.name(player).into(),
    }
}

/// Names as a list: "Red, Blue and Green".
fn list(text: &Translations, names: &PlayerNames<'_>, players: &[u8]) -> String {
    let items = players
        .iter()
        .enumerate()
        .map(|(index, player)| match index {
            0 => names.name(*player).into(),
            _ => render_inline(text, names, *player),
        });
    text.join_as_list(items)
}
