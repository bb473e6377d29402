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
use crate::templates::controls::TableComponent;
use crate::templates::message::LocalizedMessage;

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

/// A choice as a page shows it.
#[derive(Clone, Debug)]
pub struct PuzzleOption {
    /// The action as an item of a list.
    pub label: LocalizedMessage,
    /// The action in a few words; the message can select on the argument `place`: `head` or `within` a sentence.
    pub name: LocalizedMessage,
    /// The probability that it succeeds, where dice decide.
    pub odds: Option<f64>,
    /// Its letter on the board; `None` if the board has letters of its own.
    pub letter: Option<char>,
}

/// A step of a line.
#[derive(Clone, Debug)]
pub struct LineStep {
    /// The number of the player.
    pub player: u8,
    pub action: LocalizedMessage,
    /// What the dice decided; `None` if they had nothing to decide.
    pub outcome: Option<LocalizedMessage>,
    /// A small board with the action.
    pub picture: Arc<dyn TableComponent>,
    pub live: LiveGameRef,
}

/// The boards and the texts of puzzles.
pub trait LivePuzzle {
    /// The theme, and the choices as indices of legal actions, if the current position is suitable as a puzzle.
    fn puzzle_draft(&self, analysis: &PositionAnalysis) -> Option<PuzzleDraft<usize>>;

    /// The board of the current position with a pointer for each choice, and the choices, which are actions in
    /// notation. `None` if one of them is not legal.
    fn puzzle_board(
        &self,
        choices: &[&str],
    ) -> Option<(Arc<dyn BoardComponent>, Vec<PuzzleOption>)>;

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

    fn puzzle_board(
        &self,
        choices: &[&str],
    ) -> Option<(Arc<dyn BoardComponent>, Vec<PuzzleOption>)> {
        let (game, position) = (self.game(), self.position());
        let actions = choices.iter().map(|choice| legal_action(self, choice));
        let actions: Vec<G::Action> = actions.collect::<Option<_>>()?;
        let mut board = game.preview(position);
        let has_letters = game.mark_choices(position, &actions, &mut board);
        let options = ('A'..).zip(&actions).map(|(letter, &action)| PuzzleOption {
            letter: has_letters.then_some(letter),
            label: game.action_sentence(position, action),
            name: game.action_text(position, action),
            odds: odds(self, action),
        });
        let options = options.collect();
        Some((Arc::new(board), options))
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
            player: step.player.number(),
            action: step.message,
            outcome: rolled,
            picture: self.game().played_picture(self.position(), action, after),
            live: step.live,
        })
    }
}
