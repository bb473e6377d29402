//! Threats: empty cells that would complete a line, and who gets them when the columns fill up.
//!
//! A threat on which a chip can land at once is answered at once. Other threats decide late: nobody
//! wants to play below the other's threat, and whoever runs out of other cells must (zugzwang; Allis
//! 1988, "A Knowledge-based Approach of Connect-Four", where odd and even rows tell who that will be).
//! Counting the cells that are left tells it on a board of any size.

use super::board::{Chips, line_starts, shifted, steps};
use super::rules::Trilobite;

/// The bits where one more chip completes a line of these chips, whether empty or not, on the board or
/// off it.
#[inline]
pub(super) fn completing(game: &Trilobite, chips: Chips) -> Chips {
    let win = game.win();
    let mut cells = 0;
    for step in steps(game.height()) {
        for before in 0..win {
            let after = win - 1 - before;
            let mut here = Chips::MAX;
            if before > 0 {
                let ends = step * u32::from(before);
                here &= line_starts(chips, step, before)
                    .checked_shl(ends)
                    .unwrap_or(0);
            }
            if after > 0 {
                here &= shifted(line_starts(chips, step, after), step);
            }
            cells |= here;
        }
    }
    cells
}

/// The open lines of a player that lack one, two and three chips.
#[inline]
pub(super) fn open_lines(game: &Trilobite, own: Chips, other: Chips) -> [u32; 3] {
    let free = game.board() & !other;
    let mut counts = [0; 3];
    for step in steps(game.height()) {
        let open = line_starts(free, step, game.win());
        if open == 0 {
            continue;
        }
        // `lacking[k]` is the set of lines that lack k chips among the cells seen so far.
        let mut lacking = [open, 0, 0, 0];
        for place in 0..u32::from(game.win()) {
            let here = shifted(own, step * place);
            for more in (1..lacking.len()).rev() {
                lacking[more] = lacking[more] & here | lacking[more - 1] & !here;
            }
            lacking[0] &= here;
        }
        for (count, lines) in counts.iter_mut().zip(&lacking[1..]) {
            *count += lines.count_ones();
        }
    }
    counts
}

/// Who wins if only these threats matter: 1 for the mover, −1 for the other, 0 for nobody. No threat may
/// be within reach yet.
///
/// First both fill the cells that are neither threats nor below one. Then the player to move gives up
/// what costs least, which is an own threat that the other answers; when none are left, a threat of the
/// other comes within reach.
pub(super) fn zugzwang(game: &Trilobite, all: Chips, mine: Chips, theirs: Chips) -> i8 {
    let (board, bottoms) = (game.board(), game.bottoms());
    let roof = bottoms << game.height();
    let (mut all, mut mine, mut theirs, mut sign) = (all, mine & board, theirs & board, 1);
    loop {
        // Subtracting the landing place sets the bits from there up to the next cell to stop at.
        let stops = ((mine | theirs) >> 1 & board | roof) & !all;
        let filled = (stops - (all + bottoms)) & !stops;
        all |= filled;
        if filled.count_ones() % 2 == 1 {
            (mine, theirs, sign) = (theirs, mine, -sign);
        }
        if all == board {
            return 0;
        }
        let landings = game.landings(all);
        let given_up = landings & (mine >> 1) & !(theirs >> 1);
        if given_up == 0 {
            return -sign;
        }
        // They count all at once: their order would matter only where columns are also out of step.
        all |= given_up | given_up << 1;
        loop {
            let landings = game.landings(all);
            if landings & mine != 0 {
                return sign;
            }
            let answered = landings & theirs;
            match answered.count_ones() {
                0 => break,
                1 => all |= answered,
                _ => return -sign,
            }
            (mine, theirs, sign) = (theirs, mine, -sign);
        }
    }
}
