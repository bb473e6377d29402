//! How a game will end, estimated from threats and open lines.
//!
//! Replies that leave no choice are played first, so the position that is evaluated is quiet: nobody
//! can complete a line with the next chip, and the mover cannot make two threats at once. Not here:
//! longer combinations; searches look for those.

use super::bits::{BitSet, BoardMasks};
use super::board::Column;
use super::position::Position;
use super::rules::Trilobite;
use super::threats::zugzwang;
use dice_of_doom_core::game::{ByPlayer, Player};
use dice_of_doom_core::search::{PositionEvaluator, WinShares};

/// The forecast from threats and open lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ThreatEvaluator;

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

impl PositionEvaluator<Trilobite> for ThreatEvaluator {
    fn win_shares(&self, game: &Trilobite, position: &Position) -> WinShares {
        let mover = position.player();
        let share = if game.is_narrow() {
            share_of_mover::<u64>(game, position)
        } else {
            share_of_mover::<u128>(game, position)
        };
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
fn share_of_mover<B: BitSet>(game: &Trilobite, position: &Position) -> f32 {
    let field = &BoardMasks::<B>::for_game(game);
    let mut quiet = QuietPosition {
        own: B::from_chips(position.own),
        other: B::from_chips(position.other),
    };
    // The mover's lead over an even game is the lead of the position's mover times this.
    let (mut sign, mut sure) = (1.0, SURE_LEAD);
    loop {
        let landings = field.landings(quiet.all());
        if landings.is_empty() {
            return 0.5;
        }
        let [mine, theirs] = quiet.threats(field);
        if !(mine & landings).is_empty() {
            return 0.5 + sign * sure;
        }
        let stops = theirs & landings;
        let answers = if stops.is_empty() { landings } else { stops };
        // A chip below a threat of the other player lets that player complete the line.
        let safe = answers & !(theirs >> 1);
        let is_twofold = answers != landings && answers.has_at_least_two();
        if safe.is_empty() || is_twofold {
            return 0.5 - sign * sure * DISCOUNT;
        }
        if safe.has_at_least_two() {
            if quiet.can_fork(field, safe) {
                return 0.5 + sign * sure * DISCOUNT * DISCOUNT;
            }
            return 0.5 + sign * quiet.lead(field, mine, theirs);
        }
        quiet = QuietPosition {
            own: quiet.other,
            other: quiet.own | safe,
        };
        (sign, sure) = (-sign, sure * DISCOUNT);
    }
}

/// The chips of the mover and of the other.
#[derive(Clone, Copy)]
struct QuietPosition<B> {
    own: B,
    other: B,
}

impl<B: BitSet> QuietPosition<B> {
    fn all(self) -> B {
        self.own | self.other
    }

    /// The empty cells that complete a line of the mover, and of the other.
    fn threats(self, field: &BoardMasks<B>) -> [B; 2] {
        let empty = field.board & !self.all();
        [self.own, self.other].map(|chips| field.completing_cells(chips) & empty)
    }

    /// Whether one of these chips makes two threats that one reply cannot stop, where the other
    /// has none: two within reach, or one upon the other.
    fn can_fork(self, field: &BoardMasks<B>, safe: B) -> bool {
        safe.iter_bits().any(|chip| {
            let own = self.own | chip;
            let all = own | self.other;
            let threats = field.completing_cells(own) & field.board & !all;
            let within_reach = threats & field.landings(all);
            within_reach.has_at_least_two() || !((within_reach << 1) & threats).is_empty()
        })
    }

    /// What the mover may expect beyond a half where no chip decides.
    fn lead(self, field: &BoardMasks<B>, mine: B, theirs: B) -> f32 {
        let ours = field.open_lines(self.own, self.other);
        let others = field.open_lines(self.other, self.own);
        let more = |ours: u32, others: u32| ours as f32 - others as f32;
        let full = self.all().bit_count() as f32 / field.board.bit_count() as f32;
        let zugzwang = zugzwang(field, self.all(), mine, theirs);
        let sum = MOVE
            + LACKING_TWO * more(ours[1], others[1])
            + LACKING_THREE * more(ours[2], others[2])
            + THREAT * more(mine.bit_count(), theirs.bit_count())
            + ZUGZWANG * full * f32::from(zugzwang);
        let share = 1.0 / (1.0 + (-sum).exp());
        (share - 0.5).clamp(-GUESS_LEAD, GUESS_LEAD)
    }
}
