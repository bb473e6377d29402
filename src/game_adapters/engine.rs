//! What programs ask the engine about a position, whatever its game.

use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::json::{JsonAdapter, numbers, raw};
use super::{JsonFields, RegistrableGame};
use crate::game::{Game, Player};
use crate::level::{AgentProvider, AgentRng, Level, SearchLimit};
use crate::search::{
    ProgressChannel, SearchProgress, SearchResult, StopToken, WinShares, perft_bounded,
};
use crate::tree::{Budget, LazyTree};

/// A game about whose positions programs may ask.
pub trait EngineAdapter: JsonAdapter + AgentProvider {
    /// The most plies that a search or a count may look ahead.
    const MOST_PLIES: u32;

    /// What one of the game's searches finds at a position.
    ///
    /// # Errors
    /// When the game has no such search, the depth is none for it, or it would be too much.
    fn rate(
        &self,
        position: &Self::Position,
        asked: &SearchRequest<'_>,
    ) -> Result<SearchResult<Self::Action>, RateError>;
}

/// A search as it is asked for.
#[derive(Clone, Copy, Debug)]
pub struct SearchRequest<'a> {
    /// The name of one of the game's searches.
    pub search: &'a str,
    /// How many plies to look ahead, as it was written; some searches look to the end.
    pub depth: Option<i64>,
    /// The most positions that may be looked at.
    pub most_nodes: u64,
    /// Ends the search before it is done, which then is too large.
    pub stop: &'a StopToken,
}

impl SearchRequest<'_> {
    /// What the search may look at.
    #[must_use]
    pub fn budget(&self) -> Budget {
        self.stop.budget(self.most_nodes)
    }

    /// The depth for a search that needs one.
    ///
    /// # Errors
    /// When there is none, or it is not between 1 and `most`.
    pub fn required_depth(&self, most: u32) -> Result<u32, RateError> {
        let depth = self.depth.ok_or(RateError::NoDepth)?;
        let plies = u32::try_from(depth).ok();
        let plies = plies.filter(|plies| (1..=most).contains(plies));
        plies.ok_or(RateError::Depth { most })
    }
}

/// Why a position is not rated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RateError {
    /// The game has no such search, or not with these parameters; the sentence says what there is.
    Unsupported(String),
    /// The search needs a depth.
    NoDepth,
    /// The depth is out of its range, which begins with 1.
    Depth {
        /// The most plies.
        most: u32,
    },
    /// It would be more positions than may be looked at, or it was stopped.
    TooLarge,
    /// The same for a search that looks to the end of the game, whatever the depth; the sentence says what there
    /// is instead.
    WholeTreeTooLarge(&'static str),
}

impl RateError {
    /// The game has only these searches.
    #[must_use]
    pub fn unsupported_search(there_are: &str) -> Self {
        RateError::Unsupported(format!("no such search; this game has {there_are}"))
    }
}

/// What a search found.
#[derive(Clone, PartialEq, Debug, Serialize, ToSchema)]
pub struct Ratings {
    /// A rating for every legal action, in the order of `get_moves`.
    ratings: Vec<f64>,
    /// The place of the first maximum; null where the game is over.
    #[schema(required)]
    chosen: Option<usize>,
    /// How many positions were looked at.
    nodes: u64,
}

/// What a level chose.
#[derive(Clone, PartialEq, Debug, Serialize, ToSchema)]
pub struct EngineChoice {
    /// Its place among the legal actions, in the order of `get_moves`.
    index: usize,
    #[serde(flatten)]
    #[schema(value_type = Object)]
    action: JsonFields,
    /// What the level believes each player will get; null where it does not think of that.
    #[schema(required)]
    win: Option<Vec<f32>>,
    /// Simulations of a level that simulates, positions of another.
    nodes: u64,
    /// Positions evaluated, where that is another number.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    positions: Option<u64>,
    /// The best actions, where they were asked for; null from a level that weighs none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<Object>>)]
    lines: Option<Option<Vec<EngineLine>>>,
}

/// One of the best actions.
#[derive(Clone, PartialEq, Debug, Serialize, ToSchema)]
pub struct EngineLine {
    /// Its place among the legal actions.
    index: usize,
    #[serde(flatten)]
    #[schema(value_type = Object)]
    action: JsonFields,
    /// What the level believes each player will get.
    win: Vec<f32>,
    /// How often it was tried.
    visits: u64,
}

/// A position with its game, whatever that is.
pub trait EnginePosition: Send + Sync {
    /// The most plies that a search or a count may look ahead.
    fn most_plies(&self) -> u32;

    /// What may be played, in the book's order, with what follows (JSON).
    fn moves(&self) -> Box<RawValue>;

    /// What one of the game's searches finds.
    ///
    /// # Errors
    /// When the game has no such search, the depth is none for it, or it would be too much.
    fn rate(&self, asked: &SearchRequest<'_>) -> Result<Ratings, RateError>;

    /// What a new player of this level chooses, its variety drawn from the seed; `None` where the
    /// game is over.
    /// With `lines` it tells so many of the best actions.
    fn choose(
        &self,
        level: Level,
        effort: SearchLimit,
        seed: u64,
        stop: &StopToken,
        lines: Option<usize>,
    ) -> Option<EngineChoice>;

    /// On how many threads a level thinks with this effort, and how many bytes it remembers meanwhile at
    /// most.
    fn cost(&self, level: Level, effort: SearchLimit) -> (usize, usize);

    /// What a level would choose that has come so far; `None` where that is nothing.
    fn so_far(&self, seen: &SearchProgress, lines: Option<usize>) -> Option<EngineChoice>;

    /// How many sequences of exactly this number of plies follow; `None` once the budget of positions is spent.
    fn perft(&self, plies: u32, budget: Budget) -> Option<u64>;
}

/// A position of one kind of game.
pub(super) struct TypedEnginePosition<G: Game> {
    pub(super) game: G,
    pub(super) position: G::Position,
}

impl<G: RegistrableGame> TypedEnginePosition<G> {
    fn listed(&self, shares: &WinShares) -> Vec<f32> {
        let players = Player::all(self.game.players());
        players.map(|player| shares[player]).collect()
    }

    /// The actions that were tried most, and of those as often the ones worth most to the mover.
    fn best(&self, seen: &SearchProgress, most: usize) -> Vec<EngineLine> {
        let TypedEnginePosition { game, position } = self;
        let Some(mover) = game.status(position).mover() else {
            return Vec::new();
        };
        let mut tried: Vec<_> = game
            .legal_actions(position)
            .zip(&seen.actions)
            .enumerate()
            .collect();
        tried.sort_by(|(_, (_, a)), (_, (_, b))| {
            let visits = b.visits.cmp(&a.visits);
            visits.then(b.shares[mover].total_cmp(&a.shares[mover]))
        });
        let best = tried.into_iter().take(most);
        let lines = best.map(|(index, (action, seen))| EngineLine {
            index,
            action: JsonFields::of(&game.action_json(action, position)),
            win: self.listed(&seen.shares),
            visits: seen.visits,
        });
        lines.collect()
    }
}

impl<G: RegistrableGame> EnginePosition for TypedEnginePosition<G> {
    fn most_plies(&self) -> u32 {
        G::MOST_PLIES
    }

    fn moves(&self) -> Box<RawValue> {
        let tree = LazyTree::new(&self.game, self.position.clone());
        let over = self.game.status(&self.position).is_over();
        let winners = over.then(|| numbers(&self.game.winners(&self.position)));
        raw(&G::moves_json(&tree, winners))
    }

    fn rate(&self, asked: &SearchRequest<'_>) -> Result<Ratings, RateError> {
        let analysis = self.game.rate(&self.position, asked)?;
        Ok(Ratings {
            ratings: analysis.ratings.iter().map(|&(_, rating)| rating).collect(),
            chosen: analysis.chosen,
            nodes: analysis.nodes,
        })
    }

    fn choose(
        &self,
        level: Level,
        effort: SearchLimit,
        seed: u64,
        stop: &StopToken,
        lines: Option<usize>,
    ) -> Option<EngineChoice> {
        let TypedEnginePosition { game, position } = self;
        game.status(position).mover()?;
        let mut rng = AgentRng::seed_from_u64(seed);
        let choice = G::agent(level).choose(game, position, effort, &mut rng, stop);
        let mut actions = game.legal_actions(position);
        let index = actions.position(|listed| listed == choice.action);
        let seen = stop.watch().and_then(ProgressChannel::take);
        let simulations = seen.as_ref().map(|seen| seen.simulations);
        Some(EngineChoice {
            index: index.expect("levels choose listed actions"),
            action: JsonFields::of(&game.action_json(choice.action, position)),
            win: choice.shares.map(|shares| self.listed(&shares)),
            nodes: simulations.unwrap_or(choice.nodes),
            positions: simulations.map(|_| choice.nodes),
            lines: lines.map(|most| Some(self.best(&seen?, most))),
        })
    }

    fn cost(&self, level: Level, effort: SearchLimit) -> (usize, usize) {
        let strategy = G::agent(level);
        let bytes = strategy.max_memory_bytes(&self.game, effort);
        (strategy.thread_count().get(), bytes)
    }

    fn so_far(&self, seen: &SearchProgress, lines: Option<usize>) -> Option<EngineChoice> {
        let best = self.best(seen, lines.unwrap_or(1));
        let first = best.first()?.clone();
        Some(EngineChoice {
            index: first.index,
            action: first.action,
            win: Some(self.listed(&seen.shares)),
            nodes: seen.simulations,
            positions: None,
            lines: lines.map(|_| Some(best)),
        })
    }

    fn perft(&self, plies: u32, budget: Budget) -> Option<u64> {
        perft_bounded(&self.game, &self.position, plies, budget)
    }
}
