//! Exercises: positions with a question and a few choices. They are data, in a JSON file of a game; lessons consist of
//! them.
//!
//! The texts of an exercise are found by its name and that of its lesson: `LESSON-EXERCISE-title`, `-text`, `-task`, and
//! for the choice with number N `-choice-N` and `-reply-N`.

use std::sync::Arc;

use serde::Deserialize;

use super::position::TypedPosition;
use super::{BoardPage, RegistrableGame};
use crate::game::Player;
use crate::session::Session;
use crate::templates::BoardComponent;
use crate::templates::message::LocalizedMessage;

/// Exercises in a fixed order.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lesson {
    pub name: String,
    pub steps: Vec<Exercise>,
}

/// A position, and what can be chosen there.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exercise {
    pub name: String,
    /// In compact notation.
    pub position: String,
    /// The board element that has already been chosen, such as the hex that attacks.
    #[serde(default)]
    pub selected: Option<u8>,
    pub choices: Vec<Choice>,
    /// The index of the right choice.
    pub right: usize,
}

/// One choice of an exercise.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum Choice {
    /// A board element; nothing happens there.
    Element { at: u8 },
    /// An action in the game's notation, and the index of the chance outcome that it has here.
    Action {
        action: String,
        #[serde(default)]
        outcome: usize,
    },
}

/// The lesson that fits how a player has played, and the count that led to it.
#[derive(Clone, PartialEq, Debug)]
pub struct LessonAdvice {
    pub lesson: &'static str,
    pub reason: LocalizedMessage,
}

/// A choice on the board of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BoardChoice<A> {
    Element(u8),
    Action(A),
}

/// The lessons of a game.
pub struct LessonPage<G: BoardPage> {
    /// A list of [`Lesson`].
    pub json: &'static str,
    /// Adds links for the choices of an exercise to its board; the page lists the choices, too. The second argument is
    /// the board element that has already been chosen.
    pub add_links:
        fn(&G, &G::Position, Option<u8>, &[(BoardChoice<G::Action>, String)], &mut G::BoardView),
    /// Highlights a choice of an exercise on the board after it.
    pub highlight_choice: fn(&G, BoardChoice<G::Action>, &mut G::BoardView),
    /// The lesson that fits how a player has played, if a habit shows.
    pub advice: Option<fn(&Session<G>, Player) -> Option<LessonAdvice>>,
}

/// An exercise before it is answered.
#[derive(Clone, Debug)]
pub struct ExerciseQuestion {
    /// The choices are links.
    pub board: Arc<dyn BoardComponent>,
    /// The probability that each choice succeeds, where dice decide.
    pub odds: Vec<Option<f64>>,
}

pub(super) fn question<G: RegistrableGame>(
    at: &TypedPosition<G>,
    selected: Option<u8>,
    choices: &[(Choice, String)],
) -> Option<ExerciseQuestion> {
    let (game, position) = (&at.game, &at.position);
    let mut board = game.preview(position);
    let links = choices.iter().map(|(choice, href)| {
        let choice = board_choice(at, choice)?;
        Some((choice, href.clone()))
    });
    let links: Option<Vec<_>> = links.collect();
    let links = links?;
    let odds = links.iter().map(|(choice, _)| match *choice {
        BoardChoice::Element(_) => None,
        BoardChoice::Action(action) => odds(at, action),
    });
    let odds = odds.collect();
    (G::PAGES.lessons?.add_links)(game, position, selected, &links, &mut board);
    Some(ExerciseQuestion {
        board: Arc::new(board),
        odds,
    })
}

pub(super) fn answer<G: RegistrableGame>(
    at: &TypedPosition<G>,
    choice: &Choice,
) -> Option<Arc<dyn BoardComponent>> {
    let game = &at.game;
    let chosen = board_choice(at, choice)?;
    let after = match (chosen, choice) {
        (BoardChoice::Action(action), Choice::Action { outcome, .. }) => {
            let mut outcomes = game.chance_outcomes(&at.position, action);
            let (outcome, _) = outcomes.nth(*outcome)?;
            game.apply(&at.position, action, outcome)
        }
        _ => at.position.clone(),
    };
    let mut board = game.preview(&after);
    (G::PAGES.lessons?.highlight_choice)(game, chosen, &mut board);
    Some(Arc::new(board))
}

/// The choice, if it is possible in the current position.
fn board_choice<G: RegistrableGame>(
    at: &TypedPosition<G>,
    choice: &Choice,
) -> Option<BoardChoice<G::Action>> {
    match choice {
        Choice::Element { at } => Some(BoardChoice::Element(*at)),
        Choice::Action { action, .. } => legal_action(at, action).map(BoardChoice::Action),
    }
}

/// The action with this notation, if it is legal in the current position.
pub(super) fn legal_action<G: RegistrableGame>(
    at: &TypedPosition<G>,
    notation: &str,
) -> Option<G::Action> {
    let action: G::Action = notation.parse().ok()?;
    let mut legal = at.game.legal_actions(&at.position);
    legal.any(|other| other == action).then_some(action)
}

/// The probability of an action's first outcome, if it has several.
pub(super) fn odds<G: RegistrableGame>(at: &TypedPosition<G>, action: G::Action) -> Option<f64> {
    let outcomes = at.game.chance_outcomes(&at.position, action);
    let probabilities: Vec<f64> = outcomes.map(|(_, probability)| probability).collect();
    match probabilities[..] {
        [success, _, ..] => Some(success),
        _ => None,
    }
}
