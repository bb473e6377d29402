//! The boards of lessons of Dice of Doom.

use crate::games::exercise::{BoardChoice, LinkedChoice};
use crate::templates::dice_of_doom::{HexBoardView, HexState};
use dice_of_doom_games::dice_of_doom::{Action, DiceOfDoom, Position};

/// Adds links for the choices of an exercise to its board.
pub(super) fn add_links(
    game: &DiceOfDoom,
    position: &Position,
    selected: Option<u8>,
    choices: &[LinkedChoice<Action>],
    board: &mut HexBoardView,
) {
    if let Some(hex) = selected {
        board.hexes[usize::from(hex)].state = HexState::Selected;
    }
    for (choice, href) in choices {
        let (hex, state) = match *choice {
            BoardChoice::Element(hex) => (hex, HexState::Selectable),
            BoardChoice::Action(Action::Attack { from, to }) => {
                let odds = game.attack_win_probability(position, from, to);
                (to.number(), HexState::Target { odds })
            }
            BoardChoice::Action(Action::EndTurn) => continue,
        };
        let view = &mut board.hexes[usize::from(hex)];
        (view.state, view.href) = (state, href.clone());
        view.tried = href.is_none();
    }
}
