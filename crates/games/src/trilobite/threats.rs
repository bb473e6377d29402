//! Threats: empty cells that would complete a line, and who gets them when the columns fill up.
//!
//! A threat on which a chip can land at once is answered at once. Other threats decide late: nobody
//! wants to play below the other's threat, and whoever runs out of other cells must (zugzwang; Allis
//! 1988, "A Knowledge-based Approach of Connect-Four", where odd and even rows tell who that will be).
//! Counting the cells that are left tells it on a board of any size.

use super::bits::{BitSet, BoardMasks};

/// Who wins if only these threats matter: 1 for the mover, −1 for the other, 0 for nobody. No threat may
/// be within reach yet.
///
/// First both fill the cells that are neither threats nor below one. Then the player to move gives up
/// what costs least, which is an own threat that the other answers; when none are left, a threat of the
/// other comes within reach.
pub(super) fn zugzwang<B: BitSet>(field: &BoardMasks<B>, all: B, mine: B, theirs: B) -> i8 {
    let (board, bottoms) = (field.board, field.bottoms);
    let roof = bottoms << u32::from(field.height());
    let (mut all, mut mine, mut theirs, mut sign) = (all, mine & board, theirs & board, 1);
    loop {
        // Subtracting the landing place sets the bits from there up to the next cell to stop at.
        let stops = ((mine | theirs) >> 1 & board | roof) & !all;
        let filled = (stops - (all + bottoms)) & !stops;
        all |= filled;
        if filled.bit_count() % 2 == 1 {
            (mine, theirs, sign) = (theirs, mine, -sign);
        }
        if all == board {
            return 0;
        }
        let landings = field.landings(all);
        let given_up = landings & (mine >> 1) & !(theirs >> 1);
        if given_up.is_empty() {
            return -sign;
        }
        // They count all at once: their order would matter only where columns are also out of step.
        all |= given_up | given_up << 1;
        loop {
            let landings = field.landings(all);
            if !(landings & mine).is_empty() {
                return sign;
            }
            let answered = landings & theirs;
            match answered.bit_count() {
                0 => break,
                1 => all |= answered,
                _ => return -sign,
            }
            (mine, theirs, sign) = (theirs, mine, -sign);
        }
    }
}
