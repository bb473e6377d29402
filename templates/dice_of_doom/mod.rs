//! How Dice of Doom looks: its board in two drawings, its dice, its buttons, its part of the form, its
//! rules and the book's page.

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

/// The ways in which the levels of Dice of Doom think: where a neural network knows the board, and elsewhere.
pub const WAYS: [&str; 2] = ["dice-net", "dice"];

/// What one hex looks like in this moment.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum HexState {
    /// Nothing to do here.
    #[default]
    Resting,
    /// May be chosen as a source.
    Choosable,
    /// The chosen source.
    Chosen,
    /// Can be attacked from the chosen source; the probability is `None` where no dice are rolled.
    Target {
        /// Chance to capture it, 0..=1.
        odds: Option<f64>,
    },
}

/// One hex of the board.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct HexView {
    /// The owner's number.
    pub owner: u8,
    /// How many dice stand on it.
    pub dice: u8,
    /// What may be done with it.
    pub state: HexState,
    /// Where a click leads, for choosable hexes, targets and the chosen source (back).
    pub href: Option<String>,
    /// Why nothing can be done with it, as a sentence of this name; where that is asked at all.
    pub why: Option<&'static str>,
    /// How many dice the last reinforcement put here, 0 mostly.
    pub reinforced: u8,
    /// Part of the cluster that paid for the last reinforcement.
    pub in_cluster: bool,
    /// How many dice come here when the mover ends the turn now.
    pub coming: u8,
    /// Part of the cluster that earns those dice.
    pub pays: bool,
    /// Its owner cannot attack at the next turn, so that ending this turn ends the game.
    pub stuck: bool,
    /// The player who lost it since that player's last turn.
    pub was: Option<u8>,
}

/// A board, ready to draw. `hexes[x + side * y]`.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct HexBoardView {
    /// Hexes along each side, 2..=8.
    pub side: u8,
    /// The most dice a hex may carry, 2..=8: fixes the height of the picture.
    pub max_dice: u8,
    /// side × side hexes, row by row from the back.
    pub hexes: Vec<HexView>,
    /// The last attack, from and to, won or lost.
    pub last_attack: Option<(u8, u8)>,
    /// The attack that the reader is asked about, from and to: both hexes are ringed.
    pub asked: Option<(u8, u8)>,
    /// The best attacks of a hint, the best first.
    pub pointers: Vec<HintArrow>,
    /// Another hex that the sentence of a hint names.
    pub mentioned: Option<u8>,
}

/// An attack that a hint points at.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct HintArrow {
    /// Its place in the list of the hint, from 1.
    pub rank: usize,
    /// From which hex.
    pub from: u8,
    /// At which hex.
    pub to: u8,
    /// How likely it is to succeed, where dice are rolled.
    pub odds: Option<f64>,
}

impl BoardComponent for HexBoardView {
    fn playable(
        &self,
        text: &Translations,
        look: &DisplayOptions,
        _: Option<u8>,
        cast: &PlayerNames<'_>,
    ) -> Markup {
        html! { div class={ "bd s" (self.side) @if look.drawing == BoardDrawing::Flat { " low" } } { (board::board(text, look, self, cast)) } }
    }

    fn picture(&self, _: &Translations, look: &DisplayOptions, label: &str) -> Markup {
        html! { div.bd { (board::picture(look, self, label)) } }
    }

    fn small(&self) -> Markup {
        board::small(self)
    }

    fn table(&self, text: &Translations, look: &DisplayOptions, cast: &PlayerNames<'_>) -> Markup {
        board::table(text, look, self, cast)
    }

    fn alone(&self) -> Markup {
        standalone::alone(self)
    }

    fn switches(&self) -> &'static [&'static str] {
        &["board", "odds", "coordinates"]
    }
}

/// Both drawings of one board, for the page of settings.
#[derive(Clone, Copy, Debug)]
pub struct DiceSettingsExample;

impl Component for DiceSettingsExample {
    fn draw(&self, text: &Translations, look: &DisplayOptions) -> Markup {
        // The example always has odds, which are hidden if the reader does not want them.
        let shown = |drawing| {
            let mut look = DisplayOptions { drawing, ..*look };
            look.settings.odds = true;
            board::picture(&look, &example(), &text.say("set-example-dice"))
        };
        html! {
            div.bd.ex-book { (shown(BoardDrawing::Book)) }
            div.bd.ex-flat { (shown(BoardDrawing::Flat)) }
        }
    }
}

/// Six players, a chosen source, targets with good, even and bad odds.
fn example() -> HexBoardView {
    let target = |percent: f64| HexState::Target {
        odds: Some(percent / 100.0),
    };
    let hexes = [
        (1, 3, target(74.0)),
        (4, 2, target(94.0)),
        (5, 3, HexState::Resting),
        (2, 2, target(94.0)),
        (0, 4, HexState::Chosen),
        (1, 5, target(22.0)),
        (0, 2, HexState::Choosable),
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
        asked: None,
        pointers: Vec::new(),
        mentioned: None,
    }
}
