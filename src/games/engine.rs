//! The engine adapter: queries about a position, for any game type.

use std::any::Any;
use std::fmt;

use serde::Serialize;
use serde_json::value::RawValue;

use super::RegistrableGame;
use super::position::TypedPosition;
use crate::formats::end_reason::player_numbers;
use crate::formats::fields::from_json;
use crate::formats::{ActionFieldsError, FieldError, GameFormat, JsonFields, to_raw_json};
use crate::game::{Game, Player};
use crate::level::{AgentProvider, AgentRng, Level, ObservedAction, SearchLimit};
use crate::record::{self, Ply};
use crate::search::{ProgressChannel, SearchProgress, SearchResult, StopToken, WinShares};
use crate::serialization::NamedParameters;
use crate::tree::{Budget, LazyTree};

/// The searches of a game that the engine offers.
pub trait EngineAdapter: GameFormat + AgentProvider {
    /// Maximum depth of a search or a perft count, in plies.
    const MAX_SEARCH_PLIES: u32 = 16;

    /// Runs one of the game's searches at a position. By default there is none.
    ///
    /// # Errors
    /// If the game has no such search, the depth is invalid, or the search would exceed the node limit.
    fn run_search(
        &self,
        _position: &Self::Position,
        _request: &SearchRequest<'_>,
    ) -> Result<SearchResult<Self::Action>, RateError> {
        Err(RateError::unsupported_search("none"))
    }

    /// A solver whose transposition table takes at most so many bytes. By default there is none.
    fn solver(&self, _table_bytes: usize) -> Option<Box<dyn PositionSolver<Self>>> {
        None
    }
}

/// Proves the scores of positions of one game, and keeps what it has learnt for later positions.
pub trait PositionSolver<G: Game>: Send + Sync {
    /// Whether it solves positions of a game with these parameters.
    fn solves(&self, game: &G) -> bool;

    /// Forgets what it has learnt.
    fn clear(&mut self);

    /// Solves a position.
    fn solve(&mut self, position: &G::Position, request: &SolveRequest<'_>) -> SolvedPosition;
}

#[derive(Clone, Copy, Debug)]
pub struct SolveRequest<'a> {
    /// Whether the score after each move is wanted, too.
    pub each: bool,
    /// Whether an opening book may answer.
    pub book: bool,
    /// Whether what earlier requests have left is forgotten first.
    pub fresh: bool,
    /// The maximum number of positions to search.
    pub max_nodes: u64,
    /// The maximum size of the transposition table.
    pub table_bytes: usize,
    /// Ends the search, with what has been proven so far.
    pub stop: &'a StopToken,
}

/// The score of a position under perfect play, for the player to move: 0 for a draw; for a win ⌊(width × height + 2 -
/// T) / 2⌋, where T is the number of chips on the board when the line is complete, so earlier wins score more; for a
/// loss the negative of that. If the score is not proven, its bounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(untagged)]
pub enum ProvenScore {
    /// The score, if it is proven.
    Exact(i32),
    /// The lowest and the highest possible score, if the score is not proven.
    Bounds([i32; 2]),
}

/// The result of the solver.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SolvedPosition {
    pub score: ProvenScore,
    /// The score after a chip in each column, if requested; `None` for a full column.
    pub scores: Option<Vec<Option<ProvenScore>>>,
    /// The number of positions searched.
    pub nodes: u64,
}

/// The solver of an engine, which is kept for the next positions of the same game.
#[derive(Default)]
pub struct KeptSolver(Option<Box<dyn Any + Send + Sync>>);

impl fmt::Debug for KeptSolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("KeptSolver")
            .field(&self.0.is_some())
            .finish()
    }
}

impl KeptSolver {
    /// The solver of this game; `None` if it has none.
    fn solver<G: RegistrableGame>(
        &mut self,
        game: &G,
        table_bytes: usize,
    ) -> Option<&mut (dyn PositionSolver<G> + 'static)> {
        type TypedSolver<G> = Box<dyn PositionSolver<G>>;
        let kept = self
            .0
            .as_ref()
            .and_then(|kept| kept.downcast_ref::<TypedSolver<G>>());
        if kept.is_none_or(|kept| !kept.solves(game)) {
            self.0 = Some(Box::new(game.solver(table_bytes)?));
        }
        let kept = self.0.as_mut()?.downcast_mut::<TypedSolver<G>>();
        kept.map(|kept| &mut **kept)
    }
}

/// Why a position cannot be solved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SolveError {
    NoSolver,
    GameOver,
}

#[derive(Clone, Copy, Debug)]
pub struct SearchRequest<'a> {
    /// The name of one of the game's searches.
    pub search: &'a str,
    /// Search depth in plies as requested; some searches have none and search to the end.
    pub depth: Option<i64>,
    /// The maximum number of positions to visit.
    pub max_nodes: u64,
    /// Aborts the search, which then fails with [`RateError::TooLarge`].
    pub stop: &'a StopToken,
}

impl SearchRequest<'_> {
    #[must_use]
    pub fn budget(&self) -> Budget {
        self.stop.budget(self.max_nodes)
    }

    /// The depth, for a search that requires one.
    ///
    /// # Errors
    /// If there is none, or it is not in `1..=max`.
    pub fn required_depth(&self, max: u32) -> Result<u32, RateError> {
        let depth = self.depth.ok_or(RateError::NoDepth)?;
        let plies = u32::try_from(depth).ok();
        let plies = plies.filter(|plies| (1..=max).contains(plies));
        plies.ok_or(RateError::Depth { most: max })
    }
}

/// Why a search fails.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RateError {
    /// The game has no such search, or not with these parameters; the message lists the alternatives.
    Unsupported(String),
    /// The search needs a depth.
    NoDepth,
    /// The depth is not in `1..=most`.
    Depth { most: u32 },
    /// The search exceeds the node limit, or was stopped.
    TooLarge,
    /// The same for a search without a depth limit; the message names an alternative.
    WholeTreeTooLarge(&'static str),
}

impl RateError {
    /// The error that lists the searches of the game.
    #[must_use]
    pub fn unsupported_search(there_are: &str) -> Self {
        RateError::Unsupported(format!("no such search; this game has {there_are}"))
    }
}

/// The ratings of the legal actions at a position.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Ratings {
    /// The rating of each legal action for the player to move, in the order of `get_moves`. After pruning, as by
    /// `alphabeta`, the rating of an action that was not chosen is only a bound.
    ratings: Vec<f64>,
    /// The index of the first action with the highest rating; null if the game is over.
    chosen: Option<usize>,
    /// The number of positions visited.
    nodes: u64,
}

/// The action that a level chose.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct EngineChoice {
    /// The index of the action among the legal actions, in the order of `get_moves`.
    index: usize,
    #[serde(flatten)]
    action: JsonFields,
    /// The expected win share of each player, 0 to 1; null from a level that does not estimate it.
    win: Option<Vec<f32>>,
    /// The number of simulations; of a level that does not simulate, the number of positions searched.
    nodes: u64,
    /// The number of positions evaluated. Present if it differs from `nodes`.
    #[serde(skip_serializing_if = "Option::is_none")]
    positions: Option<u64>,
    /// The actions that were tried most often, the first usually the chosen one. Present if `lines` was requested; null
    /// from a level that does not compare actions.
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<Option<Vec<EngineLine>>>,
    /// True if it is proven that no other action is better; otherwise absent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    exact: bool,
}

/// One of the actions that a level tried most often.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct EngineLine {
    /// The index of the action among the legal actions, in the order of `get_moves`.
    index: usize,
    #[serde(flatten)]
    action: JsonFields,
    /// The expected win share of each player after the action, 0 to 1.
    win: Vec<f32>,
    /// The number of times that the search tried the action.
    visits: u64,
}

/// A position after an action, and how it came about.
#[derive(Clone, Debug, Serialize)]
pub struct PlayedStep {
    position: JsonFields,
    /// The faces, as in records; null where nothing was rolled.
    roll: Option<Box<RawValue>>,
    over: bool,
    /// Null until the game is over.
    winners: Option<Vec<u8>>,
}

/// Why an action cannot be played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StepError {
    GameOver,
    /// The fields do not have the form of an action or of a roll.
    Malformed(FieldError),
    /// The action is not legal here, or its dice do not fit.
    Illegal(String),
}

impl From<FieldError> for StepError {
    fn from(error: FieldError) -> Self {
        StepError::Malformed(error)
    }
}

/// The name and the parameters of a game, and a position.
pub(super) fn position_json<G: RegistrableGame>(game: &G, position: &G::Position) -> JsonFields {
    JsonFields::from_value(&NamedParameters::from_game(game))
        .and(JsonFields::from_value(&game.to_setup(position)))
}

/// The player to move, and the legal action with this `index` or with these fields.
fn legal_action<G: RegistrableGame>(
    game: &G,
    position: &G::Position,
    mut fields: JsonFields,
) -> Result<(Player, G::Action), StepError> {
    let mover = game.status(position).mover().ok_or(StepError::GameOver)?;
    if let Some(index) = fields.take::<Option<usize>>("index")?.flatten() {
        if let Some(name) = fields.names().next() {
            return Err(FieldError(format!("give index or {name}, not both")).into());
        }
        let action = game.legal_actions(position).nth(index);
        let action = action.ok_or_else(|| {
            let count = game.legal_actions(position).count();
            StepError::Illegal(format!("there are {count} legal actions, from index 0 on"))
        })?;
        return Ok((mover, action));
    }
    let action = game.parse_action_json(position, fields);
    let action = action.map_err(|error| match error {
        ActionFieldsError::Malformed(why) => StepError::Malformed(FieldError(why)),
        ActionFieldsError::Impossible(why) => StepError::Illegal(why),
    })?;
    let legal = game.check_action(position, action);
    legal.map_err(|error| StepError::Illegal(error.to_string()))?;
    Ok((mover, action))
}

fn winners_if_over<G: RegistrableGame>(game: &G, position: &G::Position) -> Option<Vec<u8>> {
    let is_over = game.status(position).is_over();
    is_over.then(|| player_numbers(&game.winners(position)))
}

impl<G: RegistrableGame> TypedPosition<G> {
    fn shares_list(&self, shares: &WinShares) -> Vec<f32> {
        let players = Player::all(self.game.players());
        players.map(|player| shares[player]).collect()
    }

    /// The actions with the most visits; ties are broken by the mover's value.
    fn best(&self, progress: &SearchProgress, max: usize) -> Vec<EngineLine> {
        let TypedPosition { game, position, .. } = self;
        let Some(mover) = game.status(position).mover() else {
            return Vec::new();
        };
        let mut candidates: Vec<_> = game
            .legal_actions(position)
            .zip(&progress.actions)
            .enumerate()
            .collect();
        candidates.sort_by(|(_, (_, a)), (_, (_, b))| {
            let visits = b.visits.cmp(&a.visits);
            visits.then(b.shares[mover].total_cmp(&a.shares[mover]))
        });
        let best = candidates.into_iter().take(max);
        let lines = best.map(|(index, (action, statistics))| EngineLine {
            index,
            action: JsonFields::from_value(&game.action_json(action, position)),
            win: self.shares_list(&statistics.shares),
            visits: statistics.visits,
        });
        lines.collect()
    }
}

/// A decision that led to a position of this game.
pub(super) fn decision<G: RegistrableGame>(
    game: &G,
    position: JsonFields,
    action: JsonFields,
) -> Result<ObservedAction<G>, FieldError> {
    let position = game.parse_position_of_this_game(position)?;
    let (_, action) = legal_action(game, &position, action).map_err(|error| match error {
        StepError::GameOver => "the game is over there".into(),
        StepError::Malformed(error) => error,
        StepError::Illegal(why) => FieldError(why),
    })?;
    Ok(ObservedAction { position, action })
}

pub(super) fn step<G: RegistrableGame>(
    at: &TypedPosition<G>,
    action: JsonFields,
    roll: Option<&RawValue>,
    seed: u64,
) -> Result<PlayedStep, StepError> {
    let TypedPosition { game, position, .. } = at;
    let (player, action) = legal_action(game, position, action)?;
    let mut drawn = game.roll(position, action, &mut AgentRng::seed_from_u64(seed));
    // Where nothing is rolled, faces have no effect.
    if let Some(roll) = roll.filter(|_| G::roll_json(&drawn).is_some()) {
        let faces: Option<G::RollJson> =
            from_json(roll.get()).map_err(|error| error.within("roll"))?;
        if let Some(faces) = faces {
            let given = G::parse_roll(Some(faces));
            drawn = given.ok_or(FieldError::from("roll: there are no such dice"))?;
        }
    }
    let ply = Ply {
        player,
        action,
        roll: drawn,
        at_ms: 0,
    };
    let outcome = record::check_ply(game, position, &ply);
    let outcome = outcome.map_err(|error| StepError::Illegal(error.to_string()))?;
    let after = game.apply(position, action, outcome);
    Ok(PlayedStep {
        position: position_json(game, &after),
        roll: G::roll_json(&ply.roll).map(|roll| to_raw_json(&roll)),
        over: game.status(&after).is_over(),
        winners: winners_if_over(game, &after),
    })
}

pub(super) fn moves<G: RegistrableGame>(at: &TypedPosition<G>) -> Box<RawValue> {
    let tree = LazyTree::new(&at.game, at.position.clone());
    to_raw_json(&G::moves_json(
        &tree,
        winners_if_over(&at.game, &at.position),
    ))
}

pub(super) fn legal_actions<G: RegistrableGame>(at: &TypedPosition<G>) -> Box<RawValue> {
    #[derive(Serialize)]
    struct ActionWithOdds<A> {
        #[serde(flatten)]
        action: A,
        odds: Option<f64>,
    }
    #[derive(Serialize)]
    struct ActionsWithOdds<A> {
        moves: Vec<ActionWithOdds<A>>,
        over: bool,
        winners: Option<Vec<u8>>,
    }
    let TypedPosition { game, position, .. } = at;
    let moves = game.legal_actions(position).map(|action| ActionWithOdds {
        action: game.action_json(action, position),
        odds: game.odds(position, action),
    });
    to_raw_json(&ActionsWithOdds {
        moves: moves.collect(),
        over: game.status(position).is_over(),
        winners: winners_if_over(game, position),
    })
}

pub(super) fn run_search<G: RegistrableGame>(
    at: &TypedPosition<G>,
    request: &SearchRequest<'_>,
) -> Result<Ratings, RateError> {
    let analysis = at.game.run_search(&at.position, request)?;
    Ok(Ratings {
        ratings: analysis.ratings.iter().map(|&(_, rating)| rating).collect(),
        chosen: analysis.chosen,
        nodes: analysis.nodes,
    })
}

pub(super) fn solve<G: RegistrableGame>(
    at: &TypedPosition<G>,
    kept: &mut KeptSolver,
    request: &SolveRequest<'_>,
) -> Result<SolvedPosition, SolveError> {
    let solver = kept.solver(&at.game, request.table_bytes);
    let solver = solver.ok_or(SolveError::NoSolver)?;
    if at.game.status(&at.position).is_over() {
        return Err(SolveError::GameOver);
    }
    if request.fresh {
        solver.clear();
    }
    Ok(solver.solve(&at.position, request))
}

pub(super) fn choose<G: RegistrableGame>(
    at: &TypedPosition<G>,
    level: Level,
    limit: SearchLimit,
    seed: u64,
    stop: &StopToken,
    lines: Option<usize>,
) -> Option<EngineChoice> {
    let TypedPosition {
        game,
        position,
        earlier,
    } = at;
    game.status(position).mover()?;
    let mut rng = AgentRng::seed_from_u64(seed);
    let mut agent = G::agent(level);
    agent.observe(game, &mut earlier.iter().cloned());
    let choice = agent.choose_action(game, position, limit, &mut rng, stop);
    let mut actions = game.legal_actions(position);
    let index = actions.position(|legal| legal == choice.action);
    let progress = stop.progress().and_then(ProgressChannel::take);
    let simulations = progress.as_ref().map(|progress| progress.simulations);
    Some(EngineChoice {
        index: index.expect("a level chooses a legal action"),
        action: JsonFields::from_value(&game.action_json(choice.action, position)),
        win: choice.shares.map(|shares| at.shares_list(&shares)),
        nodes: simulations.unwrap_or(choice.nodes),
        positions: simulations.map(|_| choice.nodes),
        lines: lines.map(|max| Some(at.best(&progress?, max))),
        exact: choice.is_exact,
    })
}

pub(super) fn cost<G: RegistrableGame>(
    at: &TypedPosition<G>,
    level: Level,
    limit: SearchLimit,
) -> (usize, usize) {
    let agent = G::agent(level);
    let bytes = agent.max_memory_bytes(&at.game, limit);
    (agent.thread_count().get(), bytes)
}

pub(super) fn current_choice<G: RegistrableGame>(
    at: &TypedPosition<G>,
    progress: &SearchProgress,
    lines: Option<usize>,
) -> Option<EngineChoice> {
    let best = at.best(progress, lines.unwrap_or(1));
    let first = best.first()?.clone();
    Some(EngineChoice {
        index: first.index,
        action: first.action,
        win: Some(at.shares_list(&progress.shares)),
        nodes: progress.simulations,
        positions: None,
        lines: lines.map(|_| Some(best)),
        exact: false,
    })
}
