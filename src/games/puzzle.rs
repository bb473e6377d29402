//! Puzzles: positions from games where one action is much better than all others. They are data, in a JSON file of a
//! game, which `dice-of-doom-lab puzzles` makes.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::analysis_board::{action_sentence, what_if};
use super::exercise::{legal_action, odds};
use super::hint::{RankedAction, ranked_actions};
use super::position::TypedPosition;
use super::position_analysis::PositionAnalysis;
use super::review::why_better;
use super::{BoardPage, LiveGameRef, RegistrableGame};
use crate::templates::BoardComponent;
use crate::templates::controls::TableComponent;
use crate::templates::message::LocalizedMessage;
use crate::templates::puzzle::{PuzzleChoiceView, PuzzleStepView};

/// A puzzle.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Puzzle {
    /// Its name in URLs and in the store; the same in all releases that have the puzzle.
    pub id: String,
    /// What is asked: the texts with the keys `puzzle-theme-THEME` and `puzzle-task-THEME`.
    pub theme: String,
    /// In compact notation.
    pub position: String,
    pub choices: Vec<PuzzleChoice>,
    /// The index of the right choice.
    pub right: usize,
    /// The rating before anybody has tried it, from the share of levels that solve it: on the Elo scale, 1500 if half
    /// of them do.
    pub rating: u32,
}

/// A choice of a puzzle.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PuzzleChoice {
    /// In the game's notation.
    pub action: String,
    /// The win share of the player to move after it, 0..=1.
    pub share: f64,
    /// A typical continuation from this choice on, as a line of the analysis board: each step is an action, a point
    /// and the index of its chance outcome.
    pub line: String,
}

/// The puzzles of a game.
pub struct PuzzlePage<G: BoardPage> {
    /// A list of [`Puzzle`].
    pub json: &'static str,
    /// The puzzle in a position whose analysed actions are ranked, best first; `None` if it asks nothing that is worth
    /// asking.
    pub draft:
        fn(&G, &G::Position, &[RankedAction<'_, G::Action>]) -> Option<PuzzleDraft<G::Action>>,
    /// The images of a position under the symmetries of the game, in which a puzzle asks the same.
    pub symmetric_positions: fn(&G, &G::Position) -> Vec<G::Position>,
    /// Marks the choices on the board, with the letters A, B and so on; `None` if the board has letters of its own.
    pub mark_choices: Option<fn(&[G::Action], &mut G::BoardView)>,
    /// A small picture of an action that was played between two positions.
    pub played_picture: fn(&G, &G::Position, G::Action, &G::Position) -> Arc<dyn TableComponent>,
}

/// A position that is suitable as a puzzle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PuzzleDraft<A> {
    pub theme: &'static str,
    /// The choices in the order in which they are listed; the best action is one of them.
    pub choices: Vec<A>,
}

/// A step of a line.
#[derive(Clone, Debug)]
pub struct LineStep {
    pub view: PuzzleStepView,
    /// The game after it.
    pub live: LiveGameRef,
}

/// The rating of a puzzle that this share of players with a rating of 1500 solve, on the Elo scale (Elo, 1978).
#[must_use]
pub fn rating_of_share(share: f64) -> u32 {
    (FIRST_RATING + 400.0 * ((1.0 - share) / share).log10()).round() as u32
}

/// The share of puzzles with one rating that a player with another one solves: the inverse of [`rating_of_share`] for a
/// player with a rating of 1500.
#[must_use]
pub fn expected_share(player: f64, puzzle: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf((puzzle - player) / 400.0))
}

/// The rating of a player without answers.
pub const FIRST_RATING: f64 = 1500.0;

pub(super) fn puzzle_draft<G: RegistrableGame>(
    at: &TypedPosition<G>,
    analysis: &PositionAnalysis,
) -> Option<PuzzleDraft<usize>> {
    let (game, position) = (&at.game, &at.position);
    let ranked = ranked_actions(game, position, analysis);
    let draft = (G::PAGES.puzzles?.draft)(game, position, &ranked)?;
    let actions: Vec<G::Action> = game.legal_actions(position).collect();
    let index = |choice| actions.iter().position(|action| *action == choice);
    Some(PuzzleDraft {
        theme: draft.theme,
        choices: draft
            .choices
            .into_iter()
            .map(index)
            .collect::<Option<_>>()?,
    })
}

pub(super) fn puzzle_identity<G: RegistrableGame>(at: &TypedPosition<G>) -> Option<String> {
    let (game, position) = (&at.game, &at.position);
    let images = (G::PAGES.puzzles?.symmetric_positions)(game, position).into_iter();
    let notations = images.map(|image| game.to_compact(&image));
    notations.chain([game.to_compact(position)]).min()?
}

pub(super) fn puzzle_board<G: RegistrableGame>(
    at: &TypedPosition<G>,
    choices: &[PuzzleChoice],
) -> Option<(Arc<dyn BoardComponent>, Vec<PuzzleChoiceView>)> {
    let (game, position) = (&at.game, &at.position);
    let actions = choices
        .iter()
        .map(|choice| legal_action(at, &choice.action));
    let actions: Vec<G::Action> = actions.collect::<Option<_>>()?;
    let mut board = game.preview(position);
    let mark_choices = G::PAGES.puzzles?.mark_choices;
    if let Some(mark_choices) = mark_choices {
        mark_choices(&actions, &mut board);
    }
    let views = ('A'..).zip(choices).zip(&actions);
    let views = views.map(|((letter, choice), &action)| PuzzleChoiceView {
        label: action_sentence::<G>(position, action),
        name: game.action_text(position, action),
        odds: odds(at, action),
        share: choice.share,
        letter: mark_choices.map(|_| letter),
    });
    let views = views.collect();
    Some((Arc::new(board), views))
}

pub(super) fn why_right<G: RegistrableGame>(
    at: &TypedPosition<G>,
    right: &str,
    chosen: Option<&str>,
) -> Option<LocalizedMessage> {
    let right = legal_action(at, right)?;
    let chosen = chosen.and_then(|chosen| legal_action(at, chosen));
    why_better(&at.game, &at.position, chosen, right)
}

pub(super) fn line_step<G: RegistrableGame>(
    at: &TypedPosition<G>,
    action: &str,
    outcome: usize,
) -> Option<LineStep> {
    let step = what_if(at, action, outcome)?;
    let action = legal_action(at, action)?;
    let after = step.live.session::<G>()?.position();
    let rolled = (step.outcomes.len() > 1).then(|| step.outcomes[outcome].clone());
    Some(LineStep {
        view: PuzzleStepView {
            player: step.player.number(),
            action: step.message,
            outcome: rolled,
            picture: (G::PAGES.puzzles?.played_picture)(&at.game, &at.position, action, after),
        },
        live: step.live,
    })
}
