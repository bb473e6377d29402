//! What a game adds to the page of a table: the primary action, buttons for the legal actions, and the last
//! ply.

use std::fmt::Debug;

use maud::{Markup, html};

use super::localization::Translations;
use super::message::LocalizedMessage;
use super::players::PlayerNames;
use super::preferences::DisplayOptions;

/// What every component on the page of a table needs to render itself.
#[derive(Clone, Copy)]
pub struct TableContext<'a> {
    /// Translations into the page's language.
    pub text: &'a Translations,
    /// The viewer's display options.
    pub display: &'a DisplayOptions,
    /// The players' names.
    pub names: &'a PlayerNames<'a>,
    /// Public id of the game.
    pub id: &'a str,
    /// Number of plies played so far.
    pub ply: u32,
}

/// A part of the page of a table that its game renders.
pub trait TableComponent: Debug + Send + Sync {
    /// Renders the component.
    fn draw(&self, table: &TableContext<'_>) -> Markup;
}

impl TableContext<'_> {
    /// A form that plays the action that `fields` describe; `key` is its keyboard shortcut.
    #[must_use]
    pub fn form(&self, fields: &[(&str, &str)], key: Option<&str>, button: &Markup) -> Markup {
        html! {
            form method="post" action={ (self.text.path("/g/")) (self.id) "/moves" } data-key=[key] {
                input type="hidden" name="ply" value=(self.ply);
                @for (name, value) in fields { input type="hidden" name=(name) value=(value); }
                (button)
            }
        }
    }

    /// Renders a message for the viewer.
    #[must_use]
    pub fn sentence(&self, message: &LocalizedMessage) -> String {
        message.render(self.text, self.names)
    }
}

/// The displayed name of a shortcut: an upper-case letter is typed with Shift.
pub(super) fn key_name(key: &str) -> String {
    let is_capital = key.chars().all(|letter| letter.is_ascii_uppercase());
    let shift = if is_capital { "Shift+" } else { "" };
    format!("{shift}{key}")
}

/// A button that plays an action.
#[derive(Clone, PartialEq, Debug)]
pub struct Button {
    /// Form fields that describe the action.
    pub fields: Vec<(&'static str, String)>,
    /// Keyboard shortcut.
    pub key: Option<String>,
    /// The caption.
    pub label: LocalizedMessage,
}

impl Button {
    fn draw(&self, table: &TableContext<'_>, weight: ButtonEmphasis) -> Markup {
        let fields = self.fields.iter();
        let fields: Vec<_> = fields
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        let main = weight == ButtonEmphasis::Primary;
        let button =
            html! { button.btn.main[main] autofocus[main] { (table.sentence(&self.label)) } };
        table.form(&fields, self.key.as_deref(), &button)
    }
}

/// Emphasis of a button.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ButtonEmphasis {
    /// The primary action.
    Primary,
    /// A secondary action.
    Secondary,
}

/// The only remaining action, shown in the corner as the primary action.
#[derive(Clone, PartialEq, Debug)]
pub struct PrimaryAction(pub Button);

impl TableComponent for PrimaryAction {
    fn draw(&self, table: &TableContext<'_>) -> Markup {
        html! { div.acts { (self.0.draw(table, ButtonEmphasis::Primary)) } }
    }
}

/// All legal actions, as buttons under the board.
#[derive(Clone, PartialEq, Debug)]
pub struct ButtonList {
    /// The section's heading.
    pub title: LocalizedMessage,
    /// The buttons; without any, nothing is rendered.
    pub buttons: Vec<Button>,
}

impl TableComponent for ButtonList {
    fn draw(&self, table: &TableContext<'_>) -> Markup {
        let title = table.sentence(&self.title);
        html! {
            @if !self.buttons.is_empty() {
                section.attacks aria-label=(title) {
                    h2 { (title) }
                    @for button in &self.buttons { (button.draw(table, ButtonEmphasis::Secondary)) }
                }
            }
        }
    }
}
