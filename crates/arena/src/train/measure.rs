//! Measures the strength of a network one ply ahead: its win share with one seat against other players in all other
//! seats.

use std::fmt;
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::super::{
    AgentFactory, AgentPlayer, BoardResult, Estimate, LuckAdjustment, PlayerFactory, play_board,
};
use dice_of_doom_core::level::OnePlyAgent;
use dice_of_doom_games::dice_of_doom::DiceOfDoom;
use dice_of_doom_games::dice_of_doom::nnue::quantized::QuantizedNetwork;
use dice_of_doom_games::dice_of_doom::nnue::training::FixedOpponent;

/// A player that chooses with this network one ply ahead.
pub(super) fn network_player(net: &QuantizedNetwork) -> AgentPlayer<DiceOfDoom> {
    AgentPlayer::new(Box::new(OnePlyAgent(net.clone())))
}

/// A fixed opponent as a player.
pub(super) fn opponent_player(opponent: &FixedOpponent) -> AgentPlayer<DiceOfDoom> {
    AgentPlayer::with_limit(opponent.agent(), opponent.search_limit())
}

/// A measurement over some boards, each played in all rotations.
pub(super) struct StrengthMeasurement<'g> {
    game: &'g DiceOfDoom,
    seed: u64,
    boards: u32,
    threads: NonZeroUsize,
    time_limit: Option<Duration>,
}

/// A win share, adjusted for luck. Its `Display` form is in per cent, with its interval.
pub(super) struct MeasuredShare {
    pub(super) estimate: Estimate,
    pub(super) boards: usize,
}

impl fmt::Display for MeasuredShare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Estimate { mean, low, high } = self.estimate;
        let [mean, low, high] = [mean, low, high].map(|share| 100.0 * share);
        write!(f, "{mean:.1} % ({low:.1} … {high:.1})")
    }
}

impl<'g> StrengthMeasurement<'g> {
    pub(super) const fn new(
        game: &'g DiceOfDoom,
        seed: u64,
        boards: u32,
        threads: NonZeroUsize,
    ) -> Self {
        StrengthMeasurement {
            game,
            seed,
            boards,
            threads,
            time_limit: None,
        }
    }

    /// Starts no more boards after this time, but plays at least one batch.
    pub(super) const fn with_deadline(mut self, time_limit: Duration) -> Self {
        self.time_limit = Some(time_limit);
        self
    }

    /// The win share of `one` in seat 0 against `others`, over all rotations of the seats on each board. A board that cannot be dealt is omitted; this does not happen on the
    /// boards of networks.
    pub(super) fn measure_win_share(
        &self,
        one: impl Fn() -> AgentPlayer<DiceOfDoom> + Sync,
        others: impl Fn() -> AgentPlayer<DiceOfDoom> + Sync,
    ) -> MeasuredShare {
        let started = Instant::now();
        let (one, others) = (AgentFactory(one), AgentFactory(others));
        let mut seats: Vec<&(dyn PlayerFactory<DiceOfDoom> + Sync)> = vec![&one];
        let players = self.game.players();
        seats.resize(usize::from(players), &others);
        let play = |board| play_board(self.game, self.seed, board, &seats).ok();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads.get());
        let play_all = || {
            let mut played: Vec<BoardResult> = Vec::new();
            let batch = 2 * self.threads.get();
            for begin in (0..self.boards).step_by(batch) {
                let late = |limit| started.elapsed() >= limit && !played.is_empty();
                if self.time_limit.is_some_and(late) {
                    break;
                }
                let end = self.boards.min(begin + batch as u32);
                let boards = (begin..end).into_par_iter().map(play);
                let boards: Vec<_> = boards.collect();
                played.extend(boards.into_iter().flatten());
            }
            played
        };
        let played = match pool.build() {
            Ok(pool) => pool.install(play_all),
            // No threads could be started: plays on the current one.
            Err(_) => play_all(),
        };
        MeasuredShare {
            estimate: LuckAdjustment::fit(&played).estimate(&played, &[0]),
            boards: played.len(),
        }
    }
}
