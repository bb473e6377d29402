//! Puzzles: positions from games where one action is much better than all others. They are data, in a JSON file of a
//! game, which `dice-of-doom-lab puzzles` makes.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::analysis_board::what_if;
use super::exercise::{empty_strip, legal_action, odds, play};
use super::hint::{RankedAction, ranked_actions};
use super::page::MoveOptionsRequest;
use super::position::TypedPosition;
use super::position_analysis::PositionAnalysis;
use super::review::why_better;
use super::{BoardPage, FormFields, LiveGameRef, RegistrableGame};
use crate::rng::agent_rng;
use crate::templates::BoardComponent;
use crate::templates::controls::TableComponent;
use crate::templates::message::LocalizedMessage;
use crate::templates::played_action::PlayedActionView;
use crate::templates::prompt::MovePrompt;
use crate::templates::puzzle::{PressedAction, PuzzleChoiceView, PuzzleStepView};
use crate::tree::LazyTree;

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
    /// Marks the choices that have an address on the board, with the letters A, B and so on; `None` if the board has
    /// letters of its own.
    pub mark_choices: Option<fn(&[(G::Action, Option<String>)], &mut G::BoardView)>,
    /// The query of the links by which an action is chosen on the board; `None` if it is not chosen there.
    pub action_query: fn(G::Action) -> Option<String>,
    /// The action in a few words, and what else there is to say about it.
    pub describe_action: fn(&G, &G::Position, G::Action) -> ChoiceDescription,
    /// What a choice with this win share leads to, where the game knows it without chance: it wins, draws or loses.
    pub outcome_of_share: Option<fn(f64) -> LocalizedMessage>,
    /// A small picture of an action that was played between two positions.
    pub played_picture: fn(&G, &G::Position, G::Action, &G::Position) -> Arc<dyn TableComponent>,
}

/// A choice in words.
#[derive(Clone, PartialEq, Debug)]
pub struct ChoiceDescription {
    /// The message can select on the argument `place`: `head` or `within` a sentence.
    pub name: LocalizedMessage,
    pub detail: Option<LocalizedMessage>,
}

/// A puzzle before its answer.
#[derive(Clone, Debug)]
pub struct PuzzleQuestion {
    /// It has the links of a game; those of a choice have its [`PuzzleChoiceView::link`].
    pub board: Arc<dyn BoardComponent>,
    /// The empty tray of the dice, in a game with dice.
    pub strip: Option<Arc<dyn TableComponent>>,
    pub choices: Vec<PuzzleChoiceView>,
    /// What to do next on the board.
    pub prompt: MovePrompt,
    /// The action that was pressed on the board.
    pub pressed: Option<PressedAction>,
}

/// A position that is suitable as a puzzle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PuzzleDraft<A> {
    pub theme: &'static str,
    /// The choices in the order in which they are listed; the best action is one of them.
    pub choices: Vec<A>,
}

/// The most rolls that are tried for one with a wanted outcome.
const MAX_ROLLS: usize = 100_000;

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

/// The question at an address; `query` is what was pressed on the board.
pub(super) fn puzzle_question<G: RegistrableGame>(
    at: &TypedPosition<G>,
    choices: &[PuzzleChoice],
    here: &str,
    query: &FormFields,
) -> Option<PuzzleQuestion> {
    let (game, position) = (&at.game, &at.position);
    let page = G::PAGES.puzzles?;
    let actions = choices.iter().map(|choice| {
        let action = legal_action(at, &choice.action)?;
        let link = (page.action_query)(action).map(|query| format!("{here}?{query}"));
        Some((action, link))
    });
    let actions: Vec<(G::Action, Option<String>)> = actions.collect::<Option<_>>()?;
    let tree = LazyTree::new(game, position.clone());
    let request = MoveOptionsRequest {
        // A selection that is not possible is none.
        selection: G::select(&tree, query).unwrap_or_default(),
        here,
        first_turn: None,
    };
    let mut board = game.preview(position);
    let prompt = G::add_move_links(&tree, &request, &mut board).prompt;
    if let Some(mark_choices) = page.mark_choices {
        mark_choices(&actions, &mut board);
    }
    let pressed = game.parse_action_form(query).ok();
    let mut legal = game.legal_actions(position);
    let pressed = pressed.filter(|pressed| legal.any(|action| action == *pressed));
    let pressed = pressed.map(|pressed| {
        let index = actions.iter().position(|(action, _)| *action == pressed);
        index.map_or(PressedAction::Other, PressedAction::Choice)
    });
    let views = ('A'..).zip(choices).zip(actions);
    let views = views.map(|((letter, choice), (action, link))| {
        let description = (page.describe_action)(game, position, action);
        PuzzleChoiceView {
            name: description.name,
            detail: description.detail,
            odds: odds(at, action),
            share: choice.share,
            outcome: page.outcome_of_share.map(|outcome| outcome(choice.share)),
            letter: page.mark_choices.map(|_| letter),
            link,
        }
    });
    Some(PuzzleQuestion {
        choices: views.collect(),
        board: Arc::new(board),
        strip: empty_strip::<G>(),
        prompt,
        pressed,
    })
}

/// Plays a choice. Its dice are always the same ones, and lead to the outcome with which its line begins.
pub(super) fn play_choice<G: RegistrableGame>(
    at: &TypedPosition<G>,
    choice: &PuzzleChoice,
) -> Option<PlayedActionView> {
    let (game, position) = (&at.game, &at.position);
    let action = legal_action(at, &choice.action)?;
    let (_, outcome) = choice.line.split(',').next()?.rsplit_once('.')?;
    let mut outcomes = game.chance_outcomes(position, action);
    let (wanted, _) = outcomes.nth(outcome.parse().ok()?)?;
    let mut rng = agent_rng(&choice.line, 0);
    let mut rolls = (0..MAX_ROLLS).map(|_| game.roll(position, action, &mut rng));
    let roll = rolls.find(|roll| game.outcome_of_roll(position, action, roll) == Some(wanted))?;
    play(at, action, roll)
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
