//! The map and the cells on it: which hexes touch, and sets of hexes as machine words.
//!
//! The book's rhombus is the only map today (Land of Lisp, chapter 15, `neighbors`). All code asks
//! [`HexAdjacency`], so another map can be added here without changing rules, searches or pages.
//!
//! A set of hexes is a word in which hex h is bit h, and the neighbours of a set are six shifts of it,
//! as on the bitboards of chess programs. Owners and dice are kept in such words, too ([`Cells`]); no
//! other module knows how.

use std::fmt;

use dice_of_doom_core::game::{ByPlayer, MAX_PLAYERS, Player};

/// The most hexes of any board: a set of them is one word.
pub(super) const MAX_HEXES: usize = 64;

/// The most dice on a hex of any board.
pub(super) const MAX_DICE: u8 = 8;

/// One hex of a board, counted row by row; made by `DiceOfDoom::hex`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Hex(pub(super) u8);

impl Hex {
    /// `x + side · y`.
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

/// The `count` lowest hexes of a set, or all where it has fewer. It is what a bit deposit (PDEP) of
/// `count` ones gives.
///
/// Sums over the bytes of the word tell which byte holds the last of them (Vigna 2008, "Broadword
/// implementation of rank/select queries"), so that at most seven are dropped one by one. The
/// instruction itself would need `unsafe`; docs/speed.md has what it would gain.
pub(super) fn lowest_hexes(count: u32, set: u64) -> u64 {
    const EACH_BYTE: u64 = u64::MAX / 255;
    const TOP_BITS: u64 = EACH_BYTE << 7;
    let by_two = set - ((set >> 1) & (EACH_BYTE * 0x55));
    let by_four = (by_two & (EACH_BYTE * 0x33)) + ((by_two >> 2) & (EACH_BYTE * 0x33));
    let by_byte = (by_four + (by_four >> 4)) & (EACH_BYTE * 0x0f);
    // Each byte holds how many hexes are in it and in the bytes below.
    let sums = by_byte.wrapping_mul(EACH_BYTE);
    let count = u64::from(count);
    if count >= sums >> 56 {
        return set;
    }
    let whole_bytes = (((count * EACH_BYTE) | TOP_BITS) - sums) & TOP_BITS;
    let begin = 8 * whole_bytes.count_ones();
    let taken = (sums << 8 >> begin) & 0xff;
    let mut rest = (set >> begin) << begin;
    for _ in taken..count {
        rest &= rest - 1;
    }
    set ^ rest
}

/// Which hexes touch which.
pub(super) struct HexAdjacency {
    /// The neighbours of each hex in the book's order, and behind them the hex itself.
    lists: [[Hex; 6]; MAX_HEXES],
    counts: [u8; MAX_HEXES],
    /// The neighbours of each hex as sets.
    neighbour_sets: [u64; MAX_HEXES],
    /// Every hex of the board.
    pub(super) all: u64,
    not_first_column: u64,
    not_last_column: u64,
    side: u8,
}

/// One map for each side from 2 to 8.
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
    /// The book's board with this side, 2 to 8.
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
        let mut at: i16 = 0;
        while at < n * n {
            let first = at % n == 0;
            let last = (at + 1) % n == 0;
            // The six are in the book's order; in the first and in the last column two are missing.
            let offered = [
                (true, at - n),
                (true, at + n),
                (!first, at - n - 1),
                (!first, at - 1),
                (!last, at + 1),
                (!last, at + n + 1),
            ];
            map.lists[at as usize] = [Hex(at as u8); 6];
            let mut i = 0;
            while i < 6 {
                let (allowed, neighbour) = offered[i];
                if allowed && neighbour >= 0 && neighbour < n * n {
                    let count = map.counts[at as usize];
                    map.lists[at as usize][count as usize] = Hex(neighbour as u8);
                    map.counts[at as usize] = count + 1;
                    map.neighbour_sets[at as usize] |= 1 << neighbour;
                }
                i += 1;
            }
            map.all |= 1 << at;
            if !first {
                map.not_first_column |= 1 << at;
            }
            if !last {
                map.not_last_column |= 1 << at;
            }
            at += 1;
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

    /// Which neighbours of a hex are in a set: bit i stands for the i-th in the book's order, see
    /// [`Self::neighbour`]. The set must not hold the hex itself.
    pub(super) fn neighbours_in(&self, hex: Hex, set: u64) -> u8 {
        let list = &self.lists[hex.index()];
        (0..6).fold(0, |found, i| found | ((set >> list[i].0 & 1) as u8) << i)
    }

    /// The i-th neighbour of a hex in the book's order.
    pub(super) fn neighbour(&self, hex: Hex, i: u32) -> Hex {
        self.lists[hex.index()][i as usize]
    }

    /// Every hex that touches one of the set.
    pub(super) fn adjacent_hexes(&self, set: u64) -> u64 {
        self.shifted(set)
            .into_iter()
            .fold(0, |any, moved| any | moved)
            & self.all
    }

    /// A set moved by one hex in each of the six directions. A row up or down loses what falls off
    /// the word; on boards of fewer hexes than the word has bits, some may fall off the board only.
    pub(super) fn shifted(&self, set: u64) -> [u64; 6] {
        let n = u32::from(self.side);
        let left = (set & self.not_first_column) >> 1;
        let right = (set & self.not_last_column) << 1;
        [set >> n, set << n, left >> n, left, right, right << n]
    }

    /// The largest connected part of a set; the one with the lowest hex where several are as large.
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

    /// The connected part of a set that holds a seed.
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

/// As [`HexAdjacency`], for inner loops: the side is known when the program is built, so that each shift is one
/// instruction.
#[derive(Clone, Copy)]
pub(super) struct Rhombus<const SIDE: u32>;

impl<const SIDE: u32> Rhombus<SIDE> {
    /// Every hex of the board.
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

    /// Every hex that touches one of the set.
    #[inline]
    pub(super) const fn adjacent_hexes(set: u64) -> u64 {
        let left = (set & !Self::FIRST_COLUMN) >> 1;
        let right = (set & !Self::LAST_COLUMN) << 1;
        ((set | left) >> SIDE | (set | right) << SIDE | left | right) & Self::ALL
    }

    /// Tells each hex, ascending, with those of its neighbours that come behind it. Nothing but the side
    /// decides what is next, so that the processor foresees every branch.
    #[inline(always)]
    pub(super) fn for_each_with_later_neighbours(mut tell: impl FnMut(usize, &[usize])) {
        let side = SIDE as usize;
        for row in 0..side {
            for column in 0..side {
                let hex = row * side + column;
                let (right, below) = (hex + 1, hex + side);
                match (column + 1 < side, row + 1 < side) {
                    (true, true) => tell(hex, &[right, below, below + 1]),
                    (true, false) => tell(hex, &[right]),
                    (false, true) => tell(hex, &[below]),
                    (false, false) => tell(hex, &[]),
                }
            }
        }
    }

    /// How many hexes the largest connected part of a set has.
    #[inline]
    pub(super) fn largest_cluster(set: u64) -> u32 {
        let (mut left, mut largest) = (set, 0);
        while left.count_ones() > largest {
            let mut cluster = left & left.wrapping_neg();
            loop {
                // Two steps before each comparison, as most clusters are a few hexes wide.
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

/// Owner and dice of every hex: for each player the set of hexes owned, and for each number of dice
/// from 2 on the set of hexes with so many dice or more (a thermometer code).
///
/// Cells off the board are in no set, so that equal boards are equal words; they read as the first
/// player's with one die.
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

    /// All dice but one leave a hex.
    pub(super) fn leave_one_die(&mut self, hex: Hex) {
        for mark in &mut self.thermometer {
            *mark &= !hex.bit();
        }
    }

    /// All dice but one go from one hex to another, which becomes the player's; what stood there is gone.
    pub(super) fn move_dice(&mut self, from: Hex, to: Hex, player: Player) {
        self.set_owner(to, player);
        let stay = !(from.bit() | to.bit());
        let before = self.thermometer;
        let above = before[1..].iter().chain(&[0]);
        // One die stays behind, so k dice arrive where there were k + 1.
        for ((mark, &before), &above) in self.thermometer.iter_mut().zip(&before).zip(above) {
            *mark = before & stay | (above >> from.0 & 1) << to.0;
        }
    }

    fn set_owner(&mut self, hex: Hex, owner: Player) {
        // It is taken from every player, which needs no branch.
        self.owned = ByPlayer::from_fn(|player| {
            self.owned[player] & !hex.bit() | u64::from(player == owner) << hex.0
        });
    }

    /// The hexes of a player.
    pub(super) fn owned_by(&self, player: Player) -> u64 {
        self.owned[player]
    }

    /// The hexes with at least so many dice, 2 to 8.
    pub(super) fn hexes_with_at_least(&self, dice: u8) -> u64 {
        self.thermometer[usize::from(dice) - 2]
    }

    /// The thermometer up to so many dice: the hexes with at least 2, with at least 3 …
    pub(super) fn thermometer_sets(&self, max_dice: u8) -> &[u64] {
        &self.thermometer[..usize::from(max_dice) - 1]
    }

    /// The hexes whose owner or dice differ from those of another board.
    #[inline]
    pub(super) fn changed_since(&self, before: &Cells) -> u64 {
        let owned = ByPlayer::from_fn(|player| self.owned[player] ^ before.owned[player]);
        let owned = Player::all(MAX_PLAYERS as u8).fold(0, |any, player| any | owned[player]);
        let marks = self.thermometer.iter().zip(&before.thermometer);
        marks.fold(owned, |any, (now, before)| any | now ^ before)
    }

    /// One more die on each hex of a set, none of which has eight.
    pub(super) fn add_one_die(&mut self, set: u64) {
        let full = self.thermometer[self.thermometer.len() - 1];
        debug_assert_eq!(set & full, 0, "nobody stacks more than eight dice");
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
    fn sets_touch_what_their_hexes_touch() {
        for side in 2..=8 {
            let map = HexAdjacency::for_side(side);
            for hex in iter_hexes(map.all) {
                let listed = map
                    .neighbours(hex)
                    .iter()
                    .fold(0, |set, hex| set | hex.bit());
                assert_eq!(map.adjacent_hexes(hex.bit()), listed, "side {side}, hex {hex}");
                assert_eq!(map.neighbour_set(hex), listed, "side {side}, hex {hex}");
                let all = map.all & !hex.bit();
                let found = map.neighbours_in(hex, all);
                assert_eq!(u32::from(found), (1 << map.neighbours(hex).len()) - 1);
            }
        }
    }

    #[test]
    fn the_lowest_are_those_that_come_first() {
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

    /// Random sets of all kinds, from Knuth's generator.
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
            assert_eq!(Rhombus::<SIDE>::adjacent_hexes(set), map.adjacent_hexes(set), "{set:x}");
            let largest = map.largest_cluster(set).count_ones();
            assert_eq!(Rhombus::<SIDE>::largest_cluster(set), largest, "{set:x}");
        }
    }

    #[test]
    fn a_known_side_changes_nothing() {
        check_rhombus::<2>();
        check_rhombus::<3>();
        check_rhombus::<4>();
        check_rhombus::<5>();
        check_rhombus::<6>();
        check_rhombus::<7>();
        check_rhombus::<8>();
    }

    #[test]
    fn the_books_order() {
        //  0 1 2      each row lies half a hex further left than the row above
        // 3 4 5
        let of_four = HexAdjacency::for_side(3).neighbours(Hex(4));
        assert_eq!(of_four, [1, 7, 0, 3, 5, 8].map(Hex));
    }
}
