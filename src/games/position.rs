//! A position, independent of its game's Rust type.

use std::sync::Arc;

use serde_json::value::RawValue;

use super::analysis_board::{self, AnalysisBoard, AnalysisBoardOptions, WhatIfStep};
use super::engine::{
    self, EngineChoice, KeptSolver, PlayedStep, RateError, Ratings, SearchRequest, SolveError,
    SolveRequest, SolvedPosition, StepError,
};
use super::exercise::{self, Choice, ExerciseAnswer, ExerciseQuestion};
use super::live_game::index_of;
use super::position_analysis::{self, PositionAnalysis};
use super::puzzle::{self, LineStep, PuzzleChoice, PuzzleDraft, PuzzleQuestion};
use super::terminal::ColourMode;
use super::{ActionIndex, ConfiguredGame, FormFields, RegistrableGame, TerminalAdapter};
use crate::formats::dice_proof::deal;
use crate::formats::{FieldError, JsonFields};
use crate::game::Game;
use crate::level::{AgentRng, Level, LevelSpec, ObservedAction, SearchLimit};
use crate::provably_fair::Sha256Digest;
use crate::search::{SearchProgress, StopToken, perft_bounded};
use crate::templates::localization::Translations;
use crate::templates::message::LocalizedMessage;
use crate::templates::played_action::PlayedActionView;
use crate::tree::Budget;

/// A position together with its game, and the earlier decisions of the game if they are known. Its functions answer
/// what pages, the engine and programs ask about a single position.
pub trait GamePosition: Send + Sync {
    /// The game with its parameters.
    fn configured_game(&self) -> Arc<dyn ConfiguredGame>;

    /// The position in its stored form (JSON).
    fn setup_json(&self) -> String;

    /// The position in compact notation, `GAME.…`; `None` if the game has none.
    fn compact(&self) -> Option<String>;

    /// The hash of the parameters and the position, which the messages of fair dice contain of a start position.
    fn digest(&self) -> Sha256Digest;

    /// The name and the parameters of the game, and the position.
    fn json(&self) -> JsonFields;

    /// Adds the next of the decisions that led here. The name and the parameters of the game may be left out of its
    /// position.
    ///
    /// # Errors
    /// If the position is invalid or of another game, or the action is not legal there.
    fn add_decision(&mut self, position: JsonFields, action: JsonFields) -> Result<(), FieldError>;

    /// The position after an action, which is given by its own fields or its `index`. Without a roll the dice are drawn
    /// from the seed.
    ///
    /// # Errors
    /// If the game is over, or the action or the roll is malformed or not legal.
    fn step(
        &self,
        action: JsonFields,
        roll: Option<&RawValue>,
        seed: u64,
    ) -> Result<PlayedStep, StepError>;

    /// Maximum depth of a search or a perft count, in plies.
    fn max_search_plies(&self) -> u32;

    /// The legal actions, in the book's order, with their outcomes (JSON).
    fn moves(&self) -> Box<RawValue>;

    /// The legal actions without their outcomes, each with its odds (JSON).
    fn legal_actions(&self) -> Box<RawValue>;

    /// Runs one of the game's searches.
    ///
    /// # Errors
    /// If the game has no such search, the depth is invalid, or the search would exceed the node limit.
    fn run_search(&self, request: &SearchRequest<'_>) -> Result<Ratings, RateError>;

    /// Solves the position.
    ///
    /// # Errors
    /// If the game has no solver, or is over.
    fn solve(
        &self,
        kept: &mut KeptSolver,
        request: &SolveRequest<'_>,
    ) -> Result<SolvedPosition, SolveError>;

    /// The action that a new computer player of this level chooses, with random numbers from `seed`; `None` if
    /// the game is over. With `lines` the result contains up to that many of the best actions.
    fn choose(
        &self,
        level: Level,
        limit: SearchLimit,
        seed: u64,
        stop: &StopToken,
        lines: Option<usize>,
    ) -> Option<EngineChoice>;

    /// The number of threads that a level uses with this limit, and an upper bound for its memory in bytes.
    fn cost(&self, level: Level, limit: SearchLimit) -> (usize, usize);

    /// The current choice of a running search; `None` if there is none yet.
    fn current_choice(
        &self,
        progress: &SearchProgress,
        lines: Option<usize>,
    ) -> Option<EngineChoice>;

    /// The number of action sequences of exactly this length; `None` if the budget is exceeded.
    fn perft(&self, plies: u32, budget: Budget) -> Option<u64>;

    /// The JSON fields of each legal action, in the book's order.
    fn legal_action_fields(&self) -> Vec<JsonFields>;

    /// The action that a new computer player of this level chooses; `None` if the game is over.
    fn choose_action(&self, level: LevelSpec, rng: &mut AgentRng) -> Option<ActionIndex>;

    /// Analyses all legal actions. Deterministic for a given number of simulations. CPU-bound: never call it on an async
    /// thread. `None` if the game is over here or has no hints, or the analysis was stopped.
    fn analyse(&self, simulations: u64, stop: &StopToken) -> Option<PositionAnalysis>;

    /// The position after an action (in notation) and the chance outcome with index `outcome`; `None` if there is no
    /// such action or outcome.
    fn what_if(&self, action: &str, outcome: usize) -> Option<WhatIfStep>;

    /// The position on the analysis board.
    fn analysis_board(&self, shown: &AnalysisBoardOptions<'_>) -> AnalysisBoard;

    /// The board of an exercise whose choices have these addresses, or none if they were tried; `None` if a choice is
    /// impossible here.
    fn question(
        &self,
        selected: Option<u8>,
        choices: &[(Choice, Option<String>)],
    ) -> Option<ExerciseQuestion>;

    /// What follows from a choice of an exercise; `None` if it is impossible here, or its dice do not fit.
    fn answer(&self, choice: &Choice) -> Option<ExerciseAnswer>;

    /// The theme of a puzzle, and the choices as indices of legal actions, if the position is suitable as one.
    fn puzzle_draft(&self, analysis: &PositionAnalysis) -> Option<PuzzleDraft<usize>>;

    /// A text that positions in which a puzzle asks the same have in common: the compact notation that comes first among
    /// those of the position and of its images under the game's symmetries. `None` without compact notation.
    fn puzzle_identity(&self) -> Option<String>;

    /// A puzzle before its answer, on the page at `here` with a query. `None` if one of the choices is not legal.
    fn puzzle_question(
        &self,
        choices: &[PuzzleChoice],
        here: &str,
        query: &FormFields,
    ) -> Option<PuzzleQuestion>;

    /// Plays a choice of a puzzle, always with the same dice; `None` if it is not legal or its line is malformed.
    fn play_choice(&self, choice: &PuzzleChoice) -> Option<PlayedActionView>;

    /// One sentence on why the first action is better than the second, or than all others.
    fn why_right(&self, right: &str, chosen: Option<&str>) -> Option<LocalizedMessage>;

    /// A step of a puzzle's line; `None` if there is no such action or chance outcome.
    fn line_step(&self, action: &str, outcome: usize) -> Option<LineStep>;

    /// The board in the terminal, without a final line break.
    fn text_board(&self, paint: ColourMode) -> String;

    /// The name in the terminal of the player to move, or who would be if the game were not over.
    fn mover_name(&self) -> String;

    /// The legal actions in the terminal, in the book's order.
    fn action_menu(&self, text: &Translations) -> Vec<String>;
}

/// The [`GamePosition`] of one game type.
pub(super) struct TypedPosition<G: Game> {
    pub(super) game: G,
    pub(super) position: G::Position,
    /// The earlier decisions of the game, oldest first.
    pub(super) earlier: Vec<ObservedAction<G>>,
}

impl<G: RegistrableGame> GamePosition for TypedPosition<G> {
    fn configured_game(&self) -> Arc<dyn ConfiguredGame> {
        Arc::new(self.game)
    }

    fn setup_json(&self) -> String {
        let setup = self.game.to_setup(&self.position);
        serde_json::to_string(&setup).expect("a setup serializes to JSON")
    }

    fn compact(&self) -> Option<String> {
        self.game.named_compact(&self.position)
    }

    fn digest(&self) -> Sha256Digest {
        deal(&self.game, &self.position)
    }

    fn json(&self) -> JsonFields {
        engine::position_json(&self.game, &self.position)
    }

    fn add_decision(&mut self, position: JsonFields, action: JsonFields) -> Result<(), FieldError> {
        let decision = engine::decision(&self.game, position, action)?;
        self.earlier.push(decision);
        Ok(())
    }

    fn max_search_plies(&self) -> u32 {
        G::MAX_SEARCH_PLIES
    }

    fn perft(&self, plies: u32, budget: Budget) -> Option<u64> {
        perft_bounded(&self.game, &self.position, plies, budget)
    }

    fn legal_action_fields(&self) -> Vec<JsonFields> {
        let actions = self.game.legal_actions(&self.position);
        actions
            .map(|action| JsonFields::from_value(&self.game.action_json(action, &self.position)))
            .collect()
    }

    fn choose_action(&self, level: LevelSpec, rng: &mut AgentRng) -> Option<ActionIndex> {
        let TypedPosition {
            game,
            position,
            earlier,
        } = self;
        game.status(position).mover()?;
        let mut agent = G::agent(level.level);
        agent.observe(game, &mut earlier.iter().cloned());
        let (limit, stop) = (level.search_limit(), StopToken::new());
        let choice = agent.choose_action(game, position, limit, rng, &stop);
        index_of(game, position, choice.action)
    }

    fn analyse(&self, simulations: u64, stop: &StopToken) -> Option<PositionAnalysis> {
        position_analysis::analyse(&self.game, &self.position, simulations, stop)
    }

    fn text_board(&self, paint: ColourMode) -> String {
        self.game.board(&self.position, paint)
    }

    fn mover_name(&self) -> String {
        self.game.player_letter(self.game.player(&self.position))
    }

    fn action_menu(&self, text: &Translations) -> Vec<String> {
        let actions = self.game.legal_actions(&self.position);
        actions
            .map(|action| TerminalAdapter::action_menu(&self.game, action, text))
            .collect()
    }

    fn what_if(&self, action: &str, outcome: usize) -> Option<WhatIfStep> {
        analysis_board::what_if(self, action, outcome)
    }

    fn analysis_board(&self, shown: &AnalysisBoardOptions<'_>) -> AnalysisBoard {
        analysis_board::analysis_board(self, shown)
    }

    fn question(
        &self,
        selected: Option<u8>,
        choices: &[(Choice, Option<String>)],
    ) -> Option<ExerciseQuestion> {
        exercise::question(self, selected, choices)
    }

    fn answer(&self, choice: &Choice) -> Option<ExerciseAnswer> {
        exercise::answer(self, choice)
    }

    fn puzzle_draft(&self, analysis: &PositionAnalysis) -> Option<PuzzleDraft<usize>> {
        puzzle::puzzle_draft(self, analysis)
    }

    fn puzzle_identity(&self) -> Option<String> {
        puzzle::puzzle_identity(self)
    }

    fn puzzle_question(
        &self,
        choices: &[PuzzleChoice],
        here: &str,
        query: &FormFields,
    ) -> Option<PuzzleQuestion> {
        puzzle::puzzle_question(self, choices, here, query)
    }

    fn play_choice(&self, choice: &PuzzleChoice) -> Option<PlayedActionView> {
        puzzle::play_choice(self, choice)
    }

    fn why_right(&self, right: &str, chosen: Option<&str>) -> Option<LocalizedMessage> {
        puzzle::why_right(self, right, chosen)
    }

    fn line_step(&self, action: &str, outcome: usize) -> Option<LineStep> {
        puzzle::line_step(self, action, outcome)
    }

    fn step(
        &self,
        action: JsonFields,
        roll: Option<&RawValue>,
        seed: u64,
    ) -> Result<PlayedStep, StepError> {
        engine::step(self, action, roll, seed)
    }

    fn moves(&self) -> Box<RawValue> {
        engine::moves(self)
    }

    fn legal_actions(&self) -> Box<RawValue> {
        engine::legal_actions(self)
    }

    fn run_search(&self, request: &SearchRequest<'_>) -> Result<Ratings, RateError> {
        engine::run_search(self, request)
    }

    fn solve(
        &self,
        kept: &mut KeptSolver,
        request: &SolveRequest<'_>,
    ) -> Result<SolvedPosition, SolveError> {
        engine::solve(self, kept, request)
    }

    fn choose(
        &self,
        level: Level,
        limit: SearchLimit,
        seed: u64,
        stop: &StopToken,
        lines: Option<usize>,
    ) -> Option<EngineChoice> {
        engine::choose(self, level, limit, seed, stop, lines)
    }

    fn cost(&self, level: Level, limit: SearchLimit) -> (usize, usize) {
        engine::cost(self, level, limit)
    }

    fn current_choice(
        &self,
        progress: &SearchProgress,
        lines: Option<usize>,
    ) -> Option<EngineChoice> {
        engine::current_choice(self, progress, lines)
    }
}
