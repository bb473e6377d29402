//! How a game will end, estimated from threats and open lines.
//!
//! Replies that leave no choice are played first, so the position that is evaluated is quiet: nobody
//! can complete a line with the next chip, and the mover cannot make two threats at once. Not here:
//! longer combinations; searches look for those.

use super::board::{Chips, Column, bits_of};
use super::position::Position;
use super::rules::Trilobite;
use super::threats::{completing, open_lines, zugzwang};
use dice_of_doom_core::game::{ByPlayer, Player};
use dice_of_doom_core::search::{Forecast, Shares};

/// The forecast from threats and open lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ByThreats;

/// What a win that no reply prevents is worth beyond a half.
const SURE_LEAD: f32 = 0.49;

/// The most that a position is worth beyond a half where nothing is forced.
const GUESS_LEAD: f32 = 0.45;

/// How much of a lead that is sure is left a chip later: a win is better soon, a loss late.
const DISCOUNT: f32 = 0.99;

// Weights in log odds: a logistic regression on the results of 400 games of a search of 100
// simulations against itself on each of 8×7 and 7×6, rounded by hand to what suits both.

/// To be on turn.
const MOVE: f32 = 0.35;

/// An open line that lacks two chips.
const LACKING_TWO: f32 = 0.2;

/// An open line that lacks three chips.
const LACKING_THREE: f32 = 0.08;

/// A cell that completes a line.
const THREAT: f32 = 0.55;

/// To win by [`zugzwang`] on a full board; before that, times the part of the board that is filled.
const ZUGZWANG: f32 = 3.2;

impl Forecast<Trilobite> for ByThreats {
    type Basis = ();

    fn basis(&self, _: &Trilobite, _: &Position) {}

    fn shares_after(&self, game: &Trilobite, (): &(), position: &Position) -> Shares {
        self.shares(game, position)
    }

    fn shares(&self, game: &Trilobite, position: &Position) -> Shares {
        let mover = position.player();
        let share = share_of_mover(game, position);
        ByPlayer::from_fn(|player: Player| match player.number() {
            0 | 1 if player == mover => share,
            0 | 1 => 1.0 - share,
            _ => 0.0,
        })
    }

    /// Columns nearer to the middle are tried first, as more lines lead through their cells.
    fn prior(&self, game: &Trilobite, _: &Position, column: Column) -> f32 {
        let from_edge = column.number().min(game.width() - 1 - column.number());
        1.0 + f32::from(from_edge)
    }
}

/// What a position holds for its mover, when replies that leave no choice are played.
fn share_of_mover(game: &Trilobite, position: &Position) -> f32 {
    let mut quiet = Quiet {
        own: position.own,
        other: position.other,
    };
    // The mover's lead over an even game is the lead of the position's mover times this.
    let (mut sign, mut sure) = (1.0, SURE_LEAD);
    loop {
        let landings = game.landings(quiet.all());
        if landings == 0 {
            return 0.5;
        }
        let [mine, theirs] = quiet.threats(game);
        if mine & landings != 0 {
            return 0.5 + sign * sure;
        }
        let answers = match theirs & landings {
            0 => landings,
            threats => threats,
        };
        // A chip below a threat of the other player lets that player complete the line.
        let safe = answers & !(theirs >> 1);
        let is_twofold = answers != landings && answers.count_ones() > 1;
        if safe == 0 || is_twofold {
            return 0.5 - sign * sure * DISCOUNT;
        }
        if safe.count_ones() > 1 {
            if quiet.can_fork(game, safe) {
                return 0.5 + sign * sure * DISCOUNT * DISCOUNT;
            }
            return 0.5 + sign * quiet.lead(game, mine, theirs);
        }
        quiet = Quiet {
            own: quiet.other,
            other: quiet.own | safe,
        };
        (sign, sure) = (-sign, sure * DISCOUNT);
    }
}

/// The chips of the mover and of the other.
#[derive(Clone, Copy)]
struct Quiet {
    own: Chips,
    other: Chips,
}

impl Quiet {
    const fn all(self) -> Chips {
        self.own | self.other
    }

    /// The empty cells that complete a line of the mover, and of the other.
    fn threats(self, game: &Trilobite) -> [Chips; 2] {
        let empty = game.board() & !self.all();
        [self.own, self.other].map(|chips| completing(game, chips) & empty)
    }

    /// Whether one of these chips makes two threats that one reply cannot stop, where the other
    /// has none: two within reach, or one upon the other.
    fn can_fork(self, game: &Trilobite, safe: Chips) -> bool {
        bits_of(safe).any(|bit| {
            let own = self.own | 1 << bit;
            let all = own | self.other;
            let threats = completing(game, own) & game.board() & !all;
            let within_reach = threats & game.landings(all);
            within_reach.count_ones() > 1 || (within_reach << 1) & threats != 0
        })
    }

    /// What the mover may expect beyond a half where no chip decides.
    fn lead(self, game: &Trilobite, mine: Chips, theirs: Chips) -> f32 {
        let ours = open_lines(game, self.own, self.other);
        let others = open_lines(game, self.other, self.own);
        let more = |ours: u32, others: u32| ours as f32 - others as f32;
        let full = self.all().count_ones() as f32 / f32::from(game.cells());
        let zugzwang = zugzwang(game, self.all(), mine, theirs);
        let sum = MOVE
            + LACKING_TWO * more(ours[1], others[1])
            + LACKING_THREE * more(ours[2], others[2])
            + THREAT * more(mine.count_ones(), theirs.count_ones())
            + ZUGZWANG * full * f32::from(zugzwang);
        let share = 1.0 / (1.0 + (-sum).exp());
        (share - 0.5).clamp(-GUESS_LEAD, GUESS_LEAD)
    }
}
