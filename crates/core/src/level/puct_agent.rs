//! The strategy that searches.

use std::num::NonZeroUsize;
use std::sync::Arc;

use rand::RngExt;

use super::opponent_inference::Readings;
use super::{Choice, ChoiceOf, Decision, Effort, SearchRng, Strategy};
use crate::game::{Game, Player};
use crate::search::puct::{Findings, Puct, Rated, SearchBudget, Tuning, room_for};
use crate::search::{Forecast, OpponentModel, Stop};

/// Plays the best action that a search finds.
pub struct Searching<G: Game, F> {
    puct: Puct<G, F>,
    usual: fn(&G) -> u64,
    trees: NonZeroUsize,
    breadth: Option<fn(&G) -> u64>,
    /// How searches weigh in a game, where that is not the same in all.
    tuning: Option<fn(&G) -> Tuning>,
    /// By how much less in win share an action may promise and still count as equally good.
    tolerance: Option<f32>,
    /// What is known of opponents, where anything is looked for.
    readings: Option<Readings<G>>,
}

impl<G: Game, F: Forecast<G>> Searching<G, F> {
    /// A search with the game's usual number of simulations, over so many trees.
    pub fn new(forecast: F, tuning: Tuning, usual: fn(&G) -> u64, trees: NonZeroUsize) -> Self {
        Searching {
            puct: Puct::new(forecast, tuning),
            usual,
            trees,
            breadth: None,
            tuning: None,
            tolerance: None,
            readings: None,
        }
    }

    /// Keeps the memory small that a search may take, in a game whose positions have about so many
    /// actions at most. Without it each tree may take all that any tree may.
    #[must_use]
    pub fn with_breadth(mut self, breadth: fn(&G) -> u64) -> Self {
        self.breadth = Some(breadth);
        self
    }

    /// Lets searches weigh differently in different games.
    #[must_use]
    pub fn with_tuning(mut self, tuning: fn(&G) -> Tuning) -> Self {
        self.tuning = Some(tuning);
        self
    }

    /// Looks whether opponents play in one of these ways, and reckons with it where they do.
    #[must_use]
    pub fn with_models(mut self, models: Vec<Arc<dyn OpponentModel<G>>>) -> Self {
        self.readings = Some(Readings::new(models));
        self
    }

    /// How many simulations an effort is.
    fn simulations(&self, game: &G, effort: Effort) -> u64 {
        match effort {
            Effort::Usual => (self.usual)(game),
            Effort::Simulations(simulations) => simulations.get(),
            Effort::UntilStopped => u64::MAX,
        }
    }

    /// How many actions and outcomes a tree of so many simulations may have. Each simulation lists the
    /// actions of one position at most, with an outcome or two, and follows what known opponents do; trees share and
    /// repeat so much that there is always room left, which was counted at tables where everybody was known.
    fn parts(&self, game: &G, simulations: u64) -> usize {
        let Some(breadth) = self.breadth else {
            return usize::MAX;
        };
        let each = simulations.div_ceil(self.trees.get() as u64);
        room_for(each, 2 * breadth(game))
    }

    /// Lets the generator choose between actions whose win shares differ by no more than the tolerance.
    /// In a game without chance and dealt boards the search would otherwise play the same game every time.
    #[must_use]
    pub fn with_variety(mut self, tolerance: f32) -> Self {
        self.tolerance = Some(tolerance);
        self
    }
}

impl<G, F> Strategy<G> for Searching<G, F>
where
    G: Game + Sync,
    G::Position: Send,
    F: Forecast<G>,
{
    fn choose(
        &mut self,
        game: &G,
        position: &G::Position,
        effort: Effort,
        rng: &mut SearchRng,
        stop: &Stop,
    ) -> ChoiceOf<G> {
        let mover = game.status(position).mover();
        let mover = mover.expect("the game goes on, so somebody is on turn");
        let simulations = self.simulations(game, effort);
        if let Some(tuning) = self.tuning {
            self.puct.tune(tuning(game));
        }
        self.puct.limit_to(self.parts(game, simulations));
        if let Some(readings) = &self.readings {
            self.puct.reckon_with(readings.opponents_of(game, mover));
        }
        let budget = SearchBudget {
            simulations,
            trees: self.trees,
        };
        let findings = self.puct.search(game, position, budget, rng, stop);
        let mut best = findings.best(mover, rng);
        if let Some(tolerance) = self.tolerance {
            best = as_good(&findings, &best, mover, tolerance, rng);
        }
        Choice {
            action: best.action,
            shares: Some(findings.shares),
            nodes: findings.nodes,
        }
    }

    fn observe(&mut self, game: &G, line: &mut dyn Iterator<Item = Decision<G>>) {
        if let Some(readings) = &mut self.readings {
            readings.read(game, line, self.puct.forecast());
        }
    }

    fn threads(&self) -> NonZeroUsize {
        self.trees
    }

    fn most_bytes(&self, game: &G, effort: Effort) -> usize {
        let parts = self.parts(game, self.simulations(game, effort));
        let trees = Puct::<G, F>::most_bytes(parts).saturating_mul(self.trees.get());
        let readings = self.readings.as_ref().map_or(0, Readings::most_bytes);
        trees.saturating_add(readings)
    }
}

/// One of the actions that a search tried at least half as often as the best and found as good within
/// the tolerance; the best itself where the position is solved.
fn as_good<A: Copy>(
    findings: &Findings<A>,
    best: &Rated<A>,
    mover: Player,
    tolerance: f32,
    rng: &mut SearchRng,
) -> Rated<A> {
    if findings.is_solved {
        return *best;
    }
    let is_as_good = |rated: &&Rated<A>| {
        2 * rated.visits >= best.visits && rated.shares[mover] + tolerance >= best.shares[mover]
    };
    let equals: Vec<&Rated<A>> = findings.rated.iter().filter(is_as_good).collect();
    *equals[rng.random_range(0..equals.len())]
}
