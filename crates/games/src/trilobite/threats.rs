//! Threats: empty cells that would complete a line, and which player gets them when the columns fill up.
//!
//! A threat that is playable at once is answered at once. Other threats decide late: no player wants to play
//! directly below an opponent's threat, and the player who runs out of other cells must (zugzwang; Allis 1988,
//! "A Knowledge-based Approach of Connect-Four", which decides it by odd and even rows). Here the remaining
//! cells are counted, which works on boards of any size.

use super::bits::{BitSet, BoardMasks};

/// The winner if only these threats matter: 1 for the mover, −1 for the opponent, 0 for a draw. No threat may
/// be playable yet.
///
/// First both players fill the cells that are neither threats nor directly below one. Then the mover gives up
/// the cheapest cell: one below an own threat, which the opponent answers. When none is left, the mover must
/// make a threat of the opponent playable.
pub(super) fn zugzwang<B: BitSet>(
    masks: &BoardMasks<B>,
    all: B,
    own_threats: B,
    opponent_threats: B,
) -> i8 {
    let (board, bottoms) = (masks.board, masks.bottoms);
    let roof = bottoms << u32::from(masks.height());
    let (mut all, mut own_threats, mut opponent_threats, mut sign) =
        (all, own_threats & board, opponent_threats & board, 1);
    loop {
        // Subtracting the landing cell sets the bits from there up to the next cell to stop at.
        let stops = ((own_threats | opponent_threats) >> 1 & board | roof) & !all;
        let filled = (stops - (all + bottoms)) & !stops;
        all |= filled;
        if filled.bit_count() % 2 == 1 {
            (own_threats, opponent_threats, sign) = (opponent_threats, own_threats, -sign);
        }
        if all == board {
            return 0;
        }
        let landings = masks.landings(all);
        let given_up = landings & (own_threats >> 1) & !(opponent_threats >> 1);
        if given_up.is_empty() {
            return -sign;
        }
        // All are filled at once: their order would matter only if columns also differed in parity.
        all |= given_up | given_up << 1;
        loop {
            let landings = masks.landings(all);
            if !(landings & own_threats).is_empty() {
                return sign;
            }
            let answered = landings & opponent_threats;
            match answered.bit_count() {
                0 => break,
                1 => all |= answered,
                _ => return -sign,
            }
            (own_threats, opponent_threats, sign) = (opponent_threats, own_threats, -sign);
        }
    }
}
