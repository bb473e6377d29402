//! Exercises: positions with a question and a few choices. They are data, in a JSON file of a game; lessons consist of
//! them.
//!
//! The texts of an exercise are found by its name and that of its lesson: `LESSON-EXERCISE-title`, `-text`, `-task`, and
//! for the choice with number N `-choice-N` and `-reply-N`.

use std::sync::Arc;

use serde::Deserialize;

use super::position::TypedPosition;
use super::{BoardPage, RegistrableGame, log};
use crate::formats::entries::{EventFormat, event_json};
use crate::game::Player;
use crate::record::{Ply, ReplayedEntry, ReplayedPly, check_ply};
use crate::session::Session;
use crate::templates::BoardComponent;
use crate::templates::controls::TableComponent;
use crate::templates::message::LocalizedMessage;
use crate::templates::played_action::PlayedActionView;

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
    /// An action in the game's notation, and its roll in that of records, which is empty if nothing is rolled.
    Action {
        action: String,
        #[serde(default)]
        roll: String,
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

/// A choice with the address of its link; `None` if it was tried.
pub type LinkedChoice<A> = (BoardChoice<A>, Option<String>);

/// The lessons of a game.
pub struct LessonPage<G: BoardPage> {
    /// A list of [`Lesson`].
    pub json: &'static str,
    /// Adds links for the choices of an exercise to its board, and marks those that have none because they were tried;
    /// the page lists the choices, too. The third argument is the board element that has already been chosen.
    pub add_links: fn(&G, &G::Position, Option<u8>, &[LinkedChoice<G::Action>], &mut G::BoardView),
    /// Highlights the board element that was the right choice.
    pub highlight_element: fn(u8, &mut G::BoardView),
    /// The lesson that fits how a player has played, if a habit shows.
    pub advice: Option<fn(&Session<G>, Player) -> Option<LessonAdvice>>,
}

/// An exercise whose right choice is still to be found.
#[derive(Clone, Debug)]
pub struct ExerciseQuestion {
    /// The choices are links.
    pub board: Arc<dyn BoardComponent>,
    /// The empty tray of the dice, in a game with dice.
    pub strip: Option<Arc<dyn TableComponent>>,
    /// The probability that each choice succeeds, where dice decide.
    pub odds: Vec<Option<f64>>,
}

/// What follows from a choice.
#[derive(Clone, Debug)]
pub enum ExerciseAnswer {
    /// A board element was chosen.
    Element {
        /// It highlights the element.
        board: Arc<dyn BoardComponent>,
        /// The empty tray of the dice, in a game with dice.
        strip: Option<Arc<dyn TableComponent>>,
    },
    /// An action was played.
    Action(PlayedActionView),
}

pub(super) fn question<G: RegistrableGame>(
    at: &TypedPosition<G>,
    selected: Option<u8>,
    choices: &[(Choice, Option<String>)],
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
        strip: empty_strip::<G>(),
        odds,
    })
}

/// The tray of the dice before a roll, in a game with dice.
pub(super) fn empty_strip<G: RegistrableGame>() -> Option<Arc<dyn TableComponent>> {
    G::PAGES.replay.map(|replay| (replay.empty_strip)())
}

pub(super) fn answer<G: RegistrableGame>(
    at: &TypedPosition<G>,
    choice: &Choice,
) -> Option<ExerciseAnswer> {
    match (board_choice(at, choice)?, choice) {
        (BoardChoice::Action(action), Choice::Action { roll, .. }) => {
            let played = play(at, action, roll.parse().ok()?)?;
            Some(ExerciseAnswer::Action(played))
        }
        (BoardChoice::Element(element), _) => {
            let mut board = at.game.preview(&at.position);
            (G::PAGES.lessons?.highlight_element)(element, &mut board);
            Some(ExerciseAnswer::Element {
                board: Arc::new(board),
                strip: empty_strip::<G>(),
            })
        }
        (BoardChoice::Action(_), Choice::Element { .. }) => None,
    }
}

/// Plays an action with a roll; `None` if it is not legal here or the dice do not fit it.
pub(super) fn play<G: RegistrableGame>(
    at: &TypedPosition<G>,
    action: G::Action,
    roll: G::Roll,
) -> Option<PlayedActionView> {
    let (game, position) = (&at.game, &at.position);
    let ply = Ply {
        player: game.status(position).mover()?,
        action,
        roll,
        at_ms: 0,
    };
    let outcome = check_ply(game, position, &ply).ok()?;
    let step = ReplayedPly {
        number: 0,
        before: position.clone(),
        ply: &ply,
        outcome,
        after: game.apply(position, action, outcome),
        is_on_mainline: true,
    };
    let mut board = game.preview(&step.after);
    if let Some(replay) = G::PAGES.replay {
        (replay.highlight_last_ply)(game, &mut board, &step);
    }
    let description = log::describe_ply(game, &step);
    Some(PlayedActionView {
        board: Arc::new(board),
        strip: description.strip.or_else(empty_strip::<G>),
        message: description.message,
        roll: G::PAGES
            .replay
            .and_then(|replay| (replay.roll_sentences)(game, &step)),
        event: event_json(game, &ReplayedEntry::Ply(step), EventFormat::Pages).to_string(),
    })
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
