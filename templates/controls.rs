//! What a game adds to the page of a table: the corner with the way on, buttons for what can be played,
//! and what the last ply looked like.

use std::fmt::Debug;

use maud::{Markup, html};

use super::localization::Translations;
use super::message::LocalizedMessage;
use super::players::PlayerNames;
use super::preferences::DisplayOptions;

/// The page of a table, for those who draw a part of it.
#[derive(Clone, Copy)]
pub struct TableContext<'a> {
    /// The language.
    pub text: &'a Translations,
    /// What the reader chose about every page.
    pub look: &'a DisplayOptions,
    /// Who plays.
    pub cast: &'a PlayerNames<'a>,
    /// Public id of the game.
    pub id: &'a str,
    /// Plies played so far.
    pub ply: u32,
}

/// A part of the page of a table that its game draws.
pub trait TableComponent: Debug + Send + Sync {
    /// The part.
    fn draw(&self, table: &TableContext<'_>) -> Markup;
}

impl TableContext<'_> {
    /// A form that plays the action that its fields name.
    #[must_use]
    pub fn form(&self, fields: &[(&str, &str)], key: Option<&str>, button: &Markup) -> Markup {
        html! {
            form method="post" action={ "/g/" (self.id) "/moves" } data-key=[key] {
                input type="hidden" name="ply" value=(self.ply);
                @for (name, value) in fields { input type="hidden" name=(name) value=(value); }
                (button)
            }
        }
    }

    /// A sentence, told here.
    #[must_use]
    pub fn told(&self, said: &LocalizedMessage) -> String {
        said.told(self.text, self.cast)
    }
}

/// A key as it is told: a capital letter takes Shift.
pub(super) fn key_name(key: &str) -> String {
    let is_capital = key.chars().all(|letter| letter.is_ascii_uppercase());
    let shift = if is_capital { "Shift+" } else { "" };
    format!("{shift}{key}")
}

/// A button that plays an action.
#[derive(Clone, PartialEq, Debug)]
pub struct Button {
    /// The fields that name the action.
    pub fields: Vec<(&'static str, String)>,
    /// The key that presses it.
    pub key: Option<String>,
    /// What it says.
    pub label: LocalizedMessage,
}

impl Button {
    fn draw(&self, table: &TableContext<'_>, weight: ButtonEmphasis) -> Markup {
        let fields = self.fields.iter();
        let fields: Vec<_> = fields
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        let main = weight == ButtonEmphasis::Main;
        let button = html! { button.btn.main[main] autofocus[main] { (table.told(&self.label)) } };
        table.form(&fields, self.key.as_deref(), &button)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ButtonEmphasis {
    Main,
    Usual,
}

/// The one button that is left to press, in the corner with the way on.
#[derive(Clone, PartialEq, Debug)]
pub struct PrimaryAction(pub Button);

impl TableComponent for PrimaryAction {
    fn draw(&self, table: &TableContext<'_>) -> Markup {
        html! { div.acts { (self.0.draw(table, ButtonEmphasis::Main)) } }
    }
}

/// Everything that can be played, as buttons under the board.
#[derive(Clone, PartialEq, Debug)]
pub struct ButtonList {
    /// What they do.
    pub title: LocalizedMessage,
    /// The class for their looks, beside `attacks`.
    pub class: &'static str,
    /// The buttons; without any nothing is drawn.
    pub buttons: Vec<Button>,
}

impl TableComponent for ButtonList {
    fn draw(&self, table: &TableContext<'_>) -> Markup {
        let title = table.told(&self.title);
        html! {
            @if !self.buttons.is_empty() {
                section class={ "attacks " (self.class) } aria-label=(title) {
                    h2 { (title) }
                    @for button in &self.buttons { (button.draw(table, ButtonEmphasis::Usual)) }
                }
            }
        }
    }
}
