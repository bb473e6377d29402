//! How strong a network is one ply ahead: its share where it has one seat and somebody else all others.

use std::fmt;
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::super::{Adjustment, BoardResult, Entrant, Estimate, Sitter, Thinker, play_board};
use dice_of_doom_core::level::{Effort, Strategy};
use dice_of_doom_games::dice_of_doom::DiceOfDoom;
use dice_of_doom_games::dice_of_doom::nnue::training::Opponent;

/// Somebody at a board.
pub(super) struct Seated {
    strategy: Box<dyn Strategy<DiceOfDoom>>,
    effort: Effort,
}

impl Seated {
    /// With the effort that it usually makes.
    pub(super) fn usual(strategy: Box<dyn Strategy<DiceOfDoom>>) -> Self {
        let effort = Effort::Usual;
        Seated { strategy, effort }
    }

    /// An opponent.
    pub(super) fn of(opponent: &Opponent) -> Self {
        Seated {
            strategy: opponent.strategy(),
            effort: opponent.effort(),
        }
    }
}

/// Boards, each played in all rotations.
pub(super) struct Measure<'g> {
    game: &'g DiceOfDoom,
    seed: u64,
    boards: u32,
    threads: NonZeroUsize,
    within: Option<Duration>,
}

/// A share of wins, adjusted for luck, in per cent with half the width of its interval.
pub(super) struct Share {
    pub(super) estimate: Estimate,
    pub(super) boards: usize,
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mean, half) = (self.estimate.mean, self.estimate.half_width());
        write!(f, "{:.1} ± {:.1} %", 100.0 * mean, 100.0 * half)
    }
}

impl<'g> Measure<'g> {
    pub(super) const fn new(
        game: &'g DiceOfDoom,
        seed: u64,
        boards: u32,
        threads: NonZeroUsize,
    ) -> Self {
        Measure {
            game,
            seed,
            boards,
            threads,
            within: None,
        }
    }

    /// Begins no board after this time, where some were played.
    pub(super) const fn within(mut self, within: Duration) -> Self {
        self.within = Some(within);
        self
    }

    /// The share of whoever has the one seat. A board that cannot be dealt counts as not played; on the boards that
    /// networks train for there is none.
    pub(super) fn share(
        &self,
        one: impl Fn() -> Seated + Sync,
        others: impl Fn() -> Seated + Sync,
    ) -> Share {
        let began = Instant::now();
        let (one, others) = (Seat(one), Seat(others));
        let mut seats: Vec<&(dyn Entrant<DiceOfDoom> + Sync)> = vec![&one];
        let players = self.game.players();
        seats.resize(usize::from(players), &others);
        let play = |board| play_board(self.game, self.seed, board, &seats).ok();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads.get());
        let play_all = || {
            let mut played: Vec<BoardResult> = Vec::new();
            let batch = 2 * self.threads.get();
            for begin in (0..self.boards).step_by(batch) {
                let late = |within| began.elapsed() >= within && !played.is_empty();
                if self.within.is_some_and(late) {
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
            // The system has no threads left but this one.
            Err(_) => play_all(),
        };
        Share {
            estimate: Adjustment::of(&played).estimate(&played, &[0]),
            boards: played.len(),
        }
    }
}

/// Whoever sits down anew for each game.
struct Seat<F>(F);

impl<F: Fn() -> Seated> Entrant<DiceOfDoom> for Seat<F> {
    fn sit(&self) -> Box<dyn Sitter<DiceOfDoom> + '_> {
        let Seated { strategy, effort } = self.0();
        Box::new(Thinker::with(strategy, effort))
    }
}
