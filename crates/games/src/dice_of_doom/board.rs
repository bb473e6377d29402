//! The board: adjacency of hexes, and sets of hexes as bitboards.
//!
//! The only map is the book's rhombus (Land of Lisp, chapter 15, `neighbors`). All other code uses
//! [`HexAdjacency`], so another map could be added here.
//!
//! A set of hexes is a word in which bit h stands for hex h; its neighbours are six shifts, as on the bitboards
//! of chess programs. [`Cells`] stores owners and dice in such words, too.

use std::fmt;

use dice_of_doom_core::game::{ByPlayer, MAX_PLAYERS, Player};

/// The maximum number of hexes: a set of them is one word.
pub(super) const MAX_HEXES: usize = 64;

/// The maximum number of dice on a hex.
pub(super) const MAX_DICE: u8 = 8;

/// A hex of a board, numbered row by row; created by `DiceOfDoom::hex`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Hex(pub(super) u8);

impl Hex {
    /// The number of the hex, `x + side · y`.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0
    }

    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }

    pub(super) const fn bit(self) -> u64 {
        1 << self.0
    }
}

impl fmt::Display for Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// The hexes of a set, ascending.
pub(super) fn iter_hexes(mut set: u64) -> impl Iterator<Item = Hex> + Clone {
    std::iter::from_fn(move || {
        let hex = (set != 0).then(|| Hex(set.trailing_zeros() as u8));
        set &= set.wrapping_sub(1);
        hex
    })
}

/// The `count` lowest hexes of a set, or the whole set if it has fewer: the result of a bit deposit (PDEP) of
/// `count` ones.
///
/// Sums over the bytes find the byte that contains the last of them (Vigna 2008, "Broadword implementation of
/// rank/select queries"), so at most seven bits are removed one by one. The PDEP instruction would need
/// `unsafe`; docs/speed.md states what it would gain.
pub(super) fn lowest_hexes(count: u32, set: u64) -> u64 {
    const EACH_BYTE: u64 = u64::MAX / 255;
    const TOP_BITS: u64 = EACH_BYTE << 7;
    let by_two = set - ((set >> 1) & (EACH_BYTE * 0x55));
    let by_four = (by_two & (EACH_BYTE * 0x33)) + ((by_two >> 2) & (EACH_BYTE * 0x33));
    let by_byte = (by_four + (by_four >> 4)) & (EACH_BYTE * 0x0f);
    // Each byte contains the number of hexes in it and in the lower bytes.
    let sums = by_byte.wrapping_mul(EACH_BYTE);
    let count = u64::from(count);
    if count >= sums >> 56 {
        return set;
    }
    let whole_bytes = (((count * EACH_BYTE) | TOP_BITS) - sums) & TOP_BITS;
    let first_bit = 8 * whole_bytes.count_ones();
    let lower_count = (sums << 8 >> first_bit) & 0xff;
    let mut rest = (set >> first_bit) << first_bit;
    for _ in lower_count..count {
        rest &= rest - 1;
    }
    set ^ rest
}

/// The adjacency of the hexes of a board.
pub(super) struct HexAdjacency {
    /// The neighbours of each hex in the book's order, padded with the hex itself.
    lists: [[Hex; 6]; MAX_HEXES],
    counts: [u8; MAX_HEXES],
    neighbour_sets: [u64; MAX_HEXES],
    /// All hexes of the board.
    pub(super) all: u64,
    not_first_column: u64,
    not_last_column: u64,
    side: u8,
}

/// The maps for sides 2 to 8.
static MAPS: [HexAdjacency; 7] = [
    HexAdjacency::rhombus(2),
    HexAdjacency::rhombus(3),
    HexAdjacency::rhombus(4),
    HexAdjacency::rhombus(5),
    HexAdjacency::rhombus(6),
    HexAdjacency::rhombus(7),
    HexAdjacency::rhombus(8),
];

impl HexAdjacency {
    /// The board with this side, 2 to 8.
    pub(super) fn for_side(side: u8) -> &'static HexAdjacency {
        &MAPS[usize::from(side) - 2]
    }

    const fn rhombus(side: u8) -> HexAdjacency {
        let n = side as i16;
        let mut map = HexAdjacency {
            lists: [[Hex(0); 6]; MAX_HEXES],
            counts: [0; MAX_HEXES],
            neighbour_sets: [0; MAX_HEXES],
            all: 0,
            not_first_column: 0,
            not_last_column: 0,
            side,
        };
        let mut hex: i16 = 0;
        while hex < n * n {
            let first = hex % n == 0;
            let last = (hex + 1) % n == 0;
            // The neighbours in the book's order; the first and the last column lack two.
            let candidates = [
                (true, hex - n),
                (true, hex + n),
                (!first, hex - n - 1),
                (!first, hex - 1),
                (!last, hex + 1),
                (!last, hex + n + 1),
            ];
            map.lists[hex as usize] = [Hex(hex as u8); 6];
            let mut i = 0;
            while i < 6 {
                let (allowed, neighbour) = candidates[i];
                if allowed && neighbour >= 0 && neighbour < n * n {
                    let count = map.counts[hex as usize];
                    map.lists[hex as usize][count as usize] = Hex(neighbour as u8);
                    map.counts[hex as usize] = count + 1;
                    map.neighbour_sets[hex as usize] |= 1 << neighbour;
                }
                i += 1;
            }
            map.all |= 1 << hex;
            if !first {
                map.not_first_column |= 1 << hex;
            }
            if !last {
                map.not_last_column |= 1 << hex;
            }
            hex += 1;
        }
        map
    }

    /// The neighbours of one hex in the book's order.
    pub(super) fn neighbours(&self, hex: Hex) -> &[Hex] {
        &self.lists[hex.index()][..usize::from(self.counts[hex.index()])]
    }

    /// The neighbours of one hex.
    pub(super) fn neighbour_set(&self, hex: Hex) -> u64 {
        self.neighbour_sets[hex.index()]
    }

    /// The neighbours of a hex that are in `set`: bit i is the i-th in the book's order, see
    /// [`Self::neighbour`]. The set must not contain the hex itself.
    pub(super) fn neighbours_in(&self, hex: Hex, set: u64) -> u8 {
        let list = &self.lists[hex.index()];
        (0..6).fold(0, |found, i| found | ((set >> list[i].0 & 1) as u8) << i)
    }

    /// The i-th neighbour of a hex in the book's order.
    pub(super) fn neighbour(&self, hex: Hex, i: u32) -> Hex {
        self.lists[hex.index()][i as usize]
    }

    /// The hexes that touch a hex of the set.
    pub(super) fn adjacent_hexes(&self, set: u64) -> u64 {
        self.shifted(set)
            .into_iter()
            .fold(0, |any, moved| any | moved)
            & self.all
    }

    /// The set shifted by one hex in each of the six directions. Vertical shifts may leave bits above the board
    /// on boards with fewer than 64 hexes.
    pub(super) fn shifted(&self, set: u64) -> [u64; 6] {
        let n = u32::from(self.side);
        let left = (set & self.not_first_column) >> 1;
        let right = (set & self.not_last_column) << 1;
        [set >> n, set << n, left >> n, left, right, right << n]
    }

    /// The largest connected part of a set; on ties the one with the lowest hex.
    pub(super) fn largest_cluster(&self, set: u64) -> u64 {
        let (mut left, mut largest) = (set, 0u64);
        while left.count_ones() > largest.count_ones() {
            let cluster = self.flood_fill(left & left.wrapping_neg(), left);
            left &= !cluster;
            if cluster.count_ones() > largest.count_ones() {
                largest = cluster;
            }
        }
        largest
    }

    /// The connected part of `within` that contains the seed.
    pub(super) fn flood_fill(&self, seed: u64, within: u64) -> u64 {
        let mut cluster = seed;
        loop {
            let grown = cluster | self.adjacent_hexes(cluster) & within;
            if grown == cluster {
                return cluster;
            }
            cluster = grown;
        }
    }
}

/// Like [`HexAdjacency`], for inner loops: the side is a compile-time constant, so each shift is one
/// instruction.
#[derive(Clone, Copy)]
pub(super) struct Rhombus<const SIDE: u32>;

impl<const SIDE: u32> Rhombus<SIDE> {
    /// All hexes of the board.
    pub(super) const ALL: u64 = if SIDE == 8 {
        u64::MAX
    } else {
        (1 << (SIDE * SIDE)) - 1
    };
    const FIRST_COLUMN: u64 = {
        let (mut column, mut row) = (0, 0);
        while row < SIDE {
            column |= 1 << (row * SIDE);
            row += 1;
        }
        column
    };
    const LAST_COLUMN: u64 = Self::FIRST_COLUMN << (SIDE - 1);

    /// The hexes that touch a hex of the set.
    #[inline]
    pub(super) const fn adjacent_hexes(set: u64) -> u64 {
        let left = (set & !Self::FIRST_COLUMN) >> 1;
        let right = (set & !Self::LAST_COLUMN) << 1;
        ((set | left) >> SIDE | (set | right) << SIDE | left | right) & Self::ALL
    }

    /// Calls `visit` for each hex, ascending, with its neighbours of higher number. The control flow depends
    /// only on the side, so branches are predictable.
    #[inline(always)]
    pub(super) fn for_each_with_later_neighbours(mut visit: impl FnMut(usize, &[usize])) {
        let side = SIDE as usize;
        for row in 0..side {
            for column in 0..side {
                let hex = row * side + column;
                let (right, below) = (hex + 1, hex + side);
                match (column + 1 < side, row + 1 < side) {
                    (true, true) => visit(hex, &[right, below, below + 1]),
                    (true, false) => visit(hex, &[right]),
                    (false, true) => visit(hex, &[below]),
                    (false, false) => visit(hex, &[]),
                }
            }
        }
    }

    /// The size of the largest connected part of a set.
    #[inline]
    pub(super) fn largest_cluster(set: u64) -> u32 {
        let (mut left, mut largest) = (set, 0);
        while left.count_ones() > largest {
            let mut cluster = left & left.wrapping_neg();
            loop {
                // Two steps per comparison, because most clusters are a few hexes wide.
                let near = cluster | Self::adjacent_hexes(cluster) & left;
                let grown = near | Self::adjacent_hexes(near) & left;
                if grown == cluster {
                    break;
                }
                cluster = grown;
            }
            left &= !cluster;
            largest = largest.max(cluster.count_ones());
        }
        largest
    }
}

/// Owner and dice of every hex: a set of hexes for each player, and for each number of dice from 2 a set of the
/// hexes with at least that many dice (a thermometer code).
///
/// Cells off the board are in no set, so equal boards are equal words; they read as one die of the first
/// player.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct Cells {
    owned: ByPlayer<u64>,
    /// `thermometer[k - 2]` is the set of hexes with at least k dice.
    thermometer: [u64; MAX_DICE as usize - 1],
}

impl Cells {
    pub(super) fn owner(&self, hex: Hex) -> Player {
        Player::all(MAX_PLAYERS as u8)
            .find(|&player| self.owned[player] & hex.bit() != 0)
            .unwrap_or(Player::FIRST)
    }

    pub(super) fn dice(&self, hex: Hex) -> u8 {
        let marks = self.thermometer.iter().map(|mark| mark >> hex.0 & 1);
        1 + marks.sum::<u64>() as u8
    }

    pub(super) fn set(&mut self, hex: Hex, owner: Player, dice: u8) {
        self.set_owner(hex, owner);
        for (k, mark) in (2..).zip(&mut self.thermometer) {
            *mark = *mark & !hex.bit() | u64::from(dice >= k) << hex.0;
        }
    }

    /// Removes all dice but one from a hex.
    pub(super) fn leave_one_die(&mut self, hex: Hex) {
        for mark in &mut self.thermometer {
            *mark &= !hex.bit();
        }
    }

    /// Moves all dice but one to another hex, which becomes the player's; its previous dice are removed.
    pub(super) fn move_dice(&mut self, from: Hex, to: Hex, player: Player) {
        self.set_owner(to, player);
        let stay = !(from.bit() | to.bit());
        let before = self.thermometer;
        let above = before[1..].iter().chain(&[0]);
        // One die stays behind, so k dice arrive where k + 1 left.
        for ((mark, &before), &above) in self.thermometer.iter_mut().zip(&before).zip(above) {
            *mark = before & stay | (above >> from.0 & 1) << to.0;
        }
    }

    fn set_owner(&mut self, hex: Hex, owner: Player) {
        // Clears the hex for every player, which needs no branch.
        self.owned = ByPlayer::from_fn(|player| {
            self.owned[player] & !hex.bit() | u64::from(player == owner) << hex.0
        });
    }

    /// The hexes of a player.
    pub(super) fn owned_by(&self, player: Player) -> u64 {
        self.owned[player]
    }

    /// The hexes with at least the given number of dice, 2 to 8.
    pub(super) fn hexes_with_at_least(&self, dice: u8) -> u64 {
        self.thermometer[usize::from(dice) - 2]
    }

    /// The sets of hexes with at least 2, 3, … `max_dice` dice.
    pub(super) fn thermometer_sets(&self, max_dice: u8) -> &[u64] {
        &self.thermometer[..usize::from(max_dice) - 1]
    }

    /// The hexes whose owner or dice differ from those of another board.
    #[inline]
    pub(super) fn changed_since(&self, before: &Cells) -> u64 {
        let owned = ByPlayer::from_fn(|player| self.owned[player] ^ before.owned[player]);
        let owned = Player::all(MAX_PLAYERS as u8).fold(0, |any, player| any | owned[player]);
        let thermometers = self.thermometer.iter().zip(&before.thermometer);
        thermometers.fold(owned, |any, (now, before)| any | now ^ before)
    }

    /// Adds one die to each hex of a set; no hex may have eight.
    pub(super) fn add_one_die(&mut self, set: u64) {
        let full = self.thermometer[self.thermometer.len() - 1];
        debug_assert_eq!(set & full, 0, "no hex has more than eight dice");
        for i in (1..self.thermometer.len()).rev() {
            self.thermometer[i] |= self.thermometer[i - 1] & set;
        }
        self.thermometer[0] |= set;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbour_sets_match_neighbour_lists() {
        for side in 2..=8 {
            let map = HexAdjacency::for_side(side);
            for hex in iter_hexes(map.all) {
                let listed = map
                    .neighbours(hex)
                    .iter()
                    .fold(0, |set, hex| set | hex.bit());
                assert_eq!(
                    map.adjacent_hexes(hex.bit()),
                    listed,
                    "side {side}, hex {hex}"
                );
                assert_eq!(map.neighbour_set(hex), listed, "side {side}, hex {hex}");
                let all = map.all & !hex.bit();
                let found = map.neighbours_in(hex, all);
                assert_eq!(u32::from(found), (1 << map.neighbours(hex).len()) - 1);
            }
        }
    }

    #[test]
    fn lowest_hexes_are_the_first_of_the_set() {
        let mut word = 1u64;
        for round in 0..10_000 {
            word = next_random(word);
            let set = match round % 4 {
                0 => word & word.rotate_left(17),
                1 => word | word.rotate_left(17),
                2 => 0,
                _ => u64::MAX,
            };
            for count in [0, 1, 2, 7, 8, 9, 20, 63, 64, 65, u32::MAX] {
                let first = iter_hexes(set).take(count as usize);
                let expected = first.fold(0, |set, hex| set | hex.bit());
                assert_eq!(lowest_hexes(count, set), expected, "{count} of {set:x}");
            }
        }
    }

    /// Knuth's linear congruential generator.
    fn next_random(word: u64) -> u64 {
        word.wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407)
    }

    fn check_rhombus<const SIDE: u32>() {
        let map = HexAdjacency::for_side(SIDE as u8);
        assert_eq!(Rhombus::<SIDE>::ALL, map.all);
        let mut listed = Vec::new();
        Rhombus::<SIDE>::for_each_with_later_neighbours(|hex, later| {
            listed.push((hex, later.to_vec()))
        });
        let expected = iter_hexes(map.all).map(|hex| {
            let later = map.neighbour_set(hex) & !(hex.bit() - 1);
            (hex.index(), iter_hexes(later).map(Hex::index).collect())
        });
        assert_eq!(listed, expected.collect::<Vec<(usize, Vec<usize>)>>());
        let mut word = 1u64;
        for _ in 0..1_000 {
            word = next_random(word);
            let set = word & word.rotate_left(17) & map.all;
            assert_eq!(
                Rhombus::<SIDE>::adjacent_hexes(set),
                map.adjacent_hexes(set),
                "{set:x}"
            );
            let largest = map.largest_cluster(set).count_ones();
            assert_eq!(Rhombus::<SIDE>::largest_cluster(set), largest, "{set:x}");
        }
    }

    #[test]
    fn compile_time_rhombus_matches_the_map() {
        check_rhombus::<2>();
        check_rhombus::<3>();
        check_rhombus::<4>();
        check_rhombus::<5>();
        check_rhombus::<6>();
        check_rhombus::<7>();
        check_rhombus::<8>();
    }

    #[test]
    fn neighbours_are_in_the_books_order() {
        //  0 1 2      each row lies half a hex further left than the row above
        // 3 4 5
        let of_four = HexAdjacency::for_side(3).neighbours(Hex(4));
        assert_eq!(of_four, [1, 7, 0, 3, 5, 8].map(Hex));
    }
}
