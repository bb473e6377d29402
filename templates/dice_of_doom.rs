//! Rendering of Dice of Doom: its board in two styles, dice, buttons, part of the new-game form, rules, and
//! the book's page.

pub mod book_page;
pub mod comparison;
pub mod controls;
pub mod form;
pub mod history;
pub mod roll;
pub mod rules;
pub mod turn_summary;

mod standalone;

mod board;
mod flat;
pub(crate) mod geometry;
mod hint_arrows;
mod piles;
mod rule_diagrams;

use maud::{Markup, html};

use super::board::BoardComponent;
use super::localization::Translations;
use super::page::Component;
use super::players::PlayerNames;
use super::preferences::{BoardDrawing, DisplayOptions};

/// The level variants: `dice-net` where a neural network covers the board, `dice` elsewhere.
pub const LEVEL_VARIANTS: [&str; 2] = ["dice-net", "dice"];

/// State of a hex in the current selection.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum HexState {
    /// No action is possible here.
    #[default]
    Idle,
    /// It can be selected as a source.
    Selectable,
    /// The selected source.
    Selected,
    /// It can be attacked from the selected source.
    Target {
        /// Probability of capture, 0..=1; `None` if no dice are rolled.
        odds: Option<f64>,
    },
}

/// One hex of the board.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct HexView {
    /// The owner.
    pub owner: u8,
    /// Number of dice on it.
    pub dice: u8,
    /// State of the hex.
    pub state: HexState,
    /// Target of a click: selects a source, attacks a target, or undoes the selection.
    pub href: Option<String>,
    /// Message key of the reason why nothing can be done with it, if that needs an explanation.
    pub reason_key: Option<&'static str>,
    /// Number of dice that the last reinforcement placed here.
    pub reinforced: u8,
    /// Whether it belongs to the cluster that earned the last reinforcement.
    pub in_cluster: bool,
    /// Number of dice that are placed here if the turn ends now.
    pub pending_dice: u8,
    /// Whether it belongs to the cluster that earns those dice.
    pub in_pending_cluster: bool,
    /// Whether its owner will be unable to attack in the next turn, so that ending this turn ends the game.
    pub stuck: bool,
    /// The player who lost it since that player's last turn.
    pub previous_owner: Option<u8>,
    /// Whether it was tried and is the wrong choice: it has a tag with a cross.
    pub tried: bool,
}

/// View of a hex board.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct HexBoardView {
    /// Hexes along each side, 2..=8.
    pub side: u8,
    /// Maximum number of dice on a hex, 2..=8: determines the height of the image.
    pub max_dice: u8,
    /// side × side hexes, row by row from the back: `hexes[x + side * y]`.
    pub hexes: Vec<HexView>,
    /// Source and target of the last attack, won or lost.
    pub last_attack: Option<(u8, u8)>,
    /// Source and target of the attack to confirm: both hexes are ringed.
    pub attack_to_confirm: Option<(u8, u8)>,
    /// The best attacks of a hint, best first.
    pub hint_arrows: Vec<HintArrow>,
    /// Another hex that the explanation of a hint mentions.
    pub mentioned: Option<u8>,
}

/// An attack that a hint suggests, or a choice of a puzzle.
#[derive(Clone, PartialEq, Debug)]
pub struct HintArrow {
    /// The rank in a hint's list, or the letter of a puzzle's choice.
    pub label: char,
    /// Whether it is drawn as the best one.
    pub is_first: bool,
    /// The attacking hex.
    pub from: u8,
    /// The attacked hex.
    pub to: u8,
    /// Probability of success; `None` if no dice are rolled.
    pub odds: Option<f64>,
    /// Target of a click.
    pub href: Option<String>,
}

impl BoardComponent for HexBoardView {
    fn interactive(
        &self,
        text: &Translations,
        display: &DisplayOptions,
        _: Option<u8>,
        names: &PlayerNames<'_>,
    ) -> Markup {
        html! { div class={ "bd s" (self.side) @if display.drawing == BoardDrawing::Flat { " low" } } { (board::board(text, display, self, names)) } }
    }

    fn picture(&self, _: &Translations, display: &DisplayOptions, label: &str) -> Markup {
        html! { div.bd { (board::picture(display, self, label, None)) } }
    }

    fn won_picture(
        &self,
        _: &Translations,
        display: &DisplayOptions,
        label: &str,
        player: u8,
    ) -> Markup {
        html! { div.bd { (board::picture(display, self, label, Some(player))) } }
    }

    fn small(&self) -> Markup {
        board::small(self)
    }

    fn as_table(
        &self,
        text: &Translations,
        display: &DisplayOptions,
        names: &PlayerNames<'_>,
    ) -> Markup {
        board::table(text, display, self, names)
    }

    fn standalone_svg(&self) -> Markup {
        standalone::standalone_svg(self)
    }

    fn switches(&self) -> &'static [&'static str] {
        &["board", "odds", "coordinates"]
    }
}

/// Both drawings of a board, for the settings page.
#[derive(Clone, Copy, Debug)]
pub struct DiceSettingsExample;

impl Component for DiceSettingsExample {
    fn draw(&self, text: &Translations, display: &DisplayOptions) -> Markup {
        // The example always contains the odds; the style sheet hides them if they are switched off.
        let render = |drawing| {
            let mut display = DisplayOptions {
                drawing,
                ..*display
            };
            display.preferences.odds = true;
            board::picture(&display, &example(), &text.get("set-example-dice"), None)
        };
        html! {
            div.bd.ex-book { (render(BoardDrawing::Book)) }
            div.bd.ex-flat { (render(BoardDrawing::Flat)) }
        }
    }
}

/// Six players, a selected source, targets with good, even and bad odds.
fn example() -> HexBoardView {
    let target = |percent: f64| HexState::Target {
        odds: Some(percent / 100.0),
    };
    let hexes = [
        (1, 3, target(74.0)),
        (4, 2, target(94.0)),
        (5, 3, HexState::Idle),
        (2, 2, target(94.0)),
        (0, 4, HexState::Selected),
        (1, 5, target(22.0)),
        (0, 2, HexState::Selectable),
        (3, 3, target(74.0)),
        (2, 4, target(46.0)),
    ];
    let hexes = hexes.map(|(owner, dice, state)| HexView {
        owner,
        dice,
        state,
        ..HexView::default()
    });
    HexBoardView {
        side: 3,
        max_dice: 5,
        hexes: hexes.to_vec(),
        last_attack: Some((5, 2)),
        attack_to_confirm: None,
        hint_arrows: Vec::new(),
        mentioned: None,
    }
}
