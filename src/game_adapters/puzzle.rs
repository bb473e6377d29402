//! Puzzles: positions from games where one action is much better than all others. They are data, in a JSON file of a
//! game, which `dice-of-doom-lab puzzles` makes.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::analysis_board::LiveAnalysisBoard;
use super::exercise::{legal_action, odds};
use super::hint::RankedAction;
use super::position_analysis::PositionAnalysis;
use super::{LiveGameRef, RegistrableGame};
use crate::session::Session;
use crate::templates::BoardComponent;
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

/// The boards and the texts of puzzles.
pub trait LivePuzzle {
    /// The theme, and the choices as indices of legal actions, if the current position is suitable as a puzzle.
    fn puzzle_draft(&self, analysis: &PositionAnalysis) -> Option<PuzzleDraft<usize>>;

    /// A text that positions in which a puzzle asks the same have in common: the compact notation that comes first among
    /// those of the position and of its images under the game's symmetries. `None` without compact notation.
    fn puzzle_identity(&self) -> Option<String>;

    /// The board of the current position with a pointer for each choice, and the choices. `None` if one of them is not
    /// legal.
    fn puzzle_board(
        &self,
        choices: &[PuzzleChoice],
    ) -> Option<(Arc<dyn BoardComponent>, Vec<PuzzleChoiceView>)>;

    /// One sentence on why the first action is better than the second, or than all others.
    fn why_right(&self, right: &str, chosen: Option<&str>) -> Option<LocalizedMessage>;

    /// A step from the current position; `None` if there is no such action or chance outcome.
    fn line_step(&self, action: &str, outcome: usize) -> Option<LineStep>;
}

impl<G: RegistrableGame> LivePuzzle for Session<G> {
    fn puzzle_draft(&self, analysis: &PositionAnalysis) -> Option<PuzzleDraft<usize>> {
        let (game, position) = (self.game(), self.position());
        let actions: Vec<G::Action> = game.legal_actions(position).collect();
        let ranked = analysis.best_first.iter().map(|&index| RankedAction {
            action: actions[index],
            analysis: &analysis.actions[index],
        });
        let draft = game.puzzle_draft(position, &ranked.collect::<Vec<_>>())?;
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

    fn puzzle_identity(&self) -> Option<String> {
        let (game, position) = (self.game(), self.position());
        let images = game.symmetric_positions(position).into_iter();
        let notations = images.map(|image| game.to_compact(&image));
        notations.chain([game.to_compact(position)]).min()?
    }

    fn puzzle_board(
        &self,
        choices: &[PuzzleChoice],
    ) -> Option<(Arc<dyn BoardComponent>, Vec<PuzzleChoiceView>)> {
        let (game, position) = (self.game(), self.position());
        let actions = choices
            .iter()
            .map(|choice| legal_action(self, &choice.action));
        let actions: Vec<G::Action> = actions.collect::<Option<_>>()?;
        let mut board = game.preview(position);
        let has_letters = game.mark_choices(position, &actions, &mut board);
        let views = ('A'..).zip(choices).zip(&actions);
        let views = views.map(|((letter, choice), &action)| PuzzleChoiceView {
            label: game.action_sentence(position, action),
            name: game.action_text(position, action),
            odds: odds(self, action),
            share: choice.share,
            letter: has_letters.then_some(letter),
        });
        let views = views.collect();
        Some((Arc::new(board), views))
    }

    fn why_right(&self, right: &str, chosen: Option<&str>) -> Option<LocalizedMessage> {
        let right = legal_action(self, right)?;
        let chosen = chosen.and_then(|chosen| legal_action(self, chosen));
        self.game().why_better(self.position(), chosen, right)
    }

    fn line_step(&self, action: &str, outcome: usize) -> Option<LineStep> {
        let step = self.what_if(action, outcome)?;
        let action = legal_action(self, action)?;
        let after = step.live.session::<G>()?.position();
        let rolled = (step.outcomes.len() > 1).then(|| step.outcomes[outcome].clone());
        Some(LineStep {
            view: PuzzleStepView {
                player: step.player.number(),
                action: step.message,
                outcome: rolled,
                picture: self.game().played_picture(self.position(), action, after),
            },
            live: step.live,
        })
    }
}
