//! An evaluator based on threats and open lines.
//!
//! Forced replies are played out first, so the evaluated position is quiet: no player can complete a line with
//! the next chip, and the mover cannot create two threats at once. Longer combinations are left to the search.

use super::bits::{BitSet, BoardMasks};
use super::board::Column;
use super::position::Position;
use super::rules::Trilobite;
use super::threats::zugzwang;
use dice_of_doom_core::game::{ByPlayer, Player};
use dice_of_doom_core::search::{PositionEvaluator, WinShares};

/// Evaluates positions by threats and open lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ThreatEvaluator;

/// The win share above 0.5 of a forced win.
const FORCED_LEAD: f32 = 0.49;

/// The maximum win share above 0.5 where nothing is forced.
const MAX_ESTIMATED_LEAD: f32 = 0.45;

/// The factor of [`FORCED_LEAD`] per ply, so that early wins and late losses are preferred.
const DISCOUNT: f32 = 0.99;

// Weights in log odds, from a logistic regression on 400 self-play games on each of 8×7 and 7×6 (searches of
// 100 simulations), rounded by hand to values that suit both boards.

/// Being the side to move.
const MOVE: f32 = 0.35;

/// An open line that lacks two chips.
const LACKING_TWO: f32 = 0.2;

/// An open line that lacks three chips.
const LACKING_THREE: f32 = 0.08;

/// A cell that completes a line.
const THREAT: f32 = 0.55;

/// A win by [`zugzwang`] on a full board; scaled by the filled fraction of the board.
const ZUGZWANG: f32 = 3.2;

impl PositionEvaluator<Trilobite> for ThreatEvaluator {
    fn win_shares(&self, game: &Trilobite, position: &Position) -> WinShares {
        let mover = position.player();
        let share = if game.is_narrow() {
            mover_share::<u64>(game, position)
        } else {
            mover_share::<u128>(game, position)
        };
        shares_of_two(mover, share)
    }

    /// Prefers columns near the middle, because more lines run through their cells.
    fn prior(&self, game: &Trilobite, _: &Position, column: Column) -> f32 {
        let from_edge = column.number().min(game.width() - 1 - column.number());
        1.0 + f32::from(from_edge)
    }
}

/// The shares of two players, of whom the mover has this one.
pub(super) fn shares_of_two(mover: Player, share: f32) -> WinShares {
    ByPlayer::for_players(
        2,
        |player| if player == mover { share } else { 1.0 - share },
    )
}

/// The mover's win share after forced replies.
fn mover_share<B: BitSet>(game: &Trilobite, position: &Position) -> f32 {
    let masks = &game.masks::<B>();
    let mut quiet = QuietPosition {
        own: B::from_chips(position.own),
        other: B::from_chips(position.other),
    };
    // `sign` converts the lead of the side to move into that of the original mover.
    let (mut sign, mut forced_lead) = (1.0, FORCED_LEAD);
    loop {
        let landings = masks.landings(quiet.all());
        if landings.is_empty() {
            return 0.5;
        }
        let [own_threats, opponent_threats] = quiet.threats(masks);
        if !(own_threats & landings).is_empty() {
            return 0.5 + sign * forced_lead;
        }
        let blocking_cells = opponent_threats & landings;
        let replies = if blocking_cells.is_empty() {
            landings
        } else {
            blocking_cells
        };
        // A chip directly below an opponent's threat lets the opponent complete the line.
        let safe = replies & !(opponent_threats >> 1);
        let is_double_threat = replies != landings && replies.has_at_least_two();
        if safe.is_empty() || is_double_threat {
            return 0.5 - sign * forced_lead * DISCOUNT;
        }
        if safe.has_at_least_two() {
            if quiet.can_fork(masks, safe) {
                return 0.5 + sign * forced_lead * DISCOUNT * DISCOUNT;
            }
            return 0.5 + sign * quiet.lead(masks, own_threats, opponent_threats);
        }
        quiet = QuietPosition {
            own: quiet.other,
            other: quiet.own | safe,
        };
        (sign, forced_lead) = (-sign, forced_lead * DISCOUNT);
    }
}

/// The chips of the mover and of the opponent.
#[derive(Clone, Copy)]
struct QuietPosition<B> {
    own: B,
    other: B,
}

impl<B: BitSet> QuietPosition<B> {
    fn all(self) -> B {
        self.own | self.other
    }

    /// The empty cells that complete a line of the mover, and of the opponent.
    fn threats(self, masks: &BoardMasks<B>) -> [B; 2] {
        let empty = masks.board & !self.all();
        [self.own, self.other].map(|chips| masks.completing_cells(chips) & empty)
    }

    /// Whether one of these moves creates two threats that a single reply cannot stop: two that are playable at
    /// once, or one directly above the other. The opponent must have no playable threat.
    fn can_fork(self, masks: &BoardMasks<B>, safe: B) -> bool {
        safe.iter_bits().any(|chip| {
            let own = self.own | chip;
            let all = own | self.other;
            let threats = masks.completing_cells(own) & masks.board & !all;
            let playable = threats & masks.landings(all);
            playable.has_at_least_two() || !((playable << 1) & threats).is_empty()
        })
    }

    /// The mover's win share above 0.5 in a quiet position.
    fn lead(self, masks: &BoardMasks<B>, own_threats: B, opponent_threats: B) -> f32 {
        let own_lines = masks.open_lines(self.own, self.other);
        let opponent_lines = masks.open_lines(self.other, self.own);
        let difference =
            |own_lines: u32, opponent_lines: u32| own_lines as f32 - opponent_lines as f32;
        let filled = self.all().bit_count() as f32 / masks.board.bit_count() as f32;
        let zugzwang = zugzwang(masks, self.all(), own_threats, opponent_threats);
        let log_odds = MOVE
            + LACKING_TWO * difference(own_lines[1], opponent_lines[1])
            + LACKING_THREE * difference(own_lines[2], opponent_lines[2])
            + THREAT * difference(own_threats.bit_count(), opponent_threats.bit_count())
            + ZUGZWANG * filled * f32::from(zugzwang);
        let share = 1.0 / (1.0 + (-log_odds).exp());
        (share - 0.5).clamp(-MAX_ESTIMATED_LEAD, MAX_ESTIMATED_LEAD)
    }
}
