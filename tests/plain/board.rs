//! The map and the cells on it: neighbours in lists, owners and dice as bit planes.

use std::fmt;

use dice_of_doom::game::Player;

/// The most hexes of any board: a set of them is one word.
pub(crate) const MOST_HEXES: usize = 64;

/// One hex of a board, counted row by row; made by `DiceOfDoom::hex`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Hex(pub(crate) u8);

impl Hex {
    pub(crate) const fn new(number: u8) -> Hex {
        Hex(number)
    }

    /// `x + side · y`.
    pub(crate) const fn number(self) -> u8 {
        self.0
    }

    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }

    pub(crate) const fn bit(self) -> u64 {
        1 << self.0
    }
}

impl fmt::Display for Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// The hexes of a set, ascending.
pub(crate) fn hexes_of(mut set: u64) -> impl Iterator<Item = Hex> + Clone {
    std::iter::from_fn(move || {
        let hex = (set != 0).then(|| Hex(set.trailing_zeros() as u8));
        set &= set.wrapping_sub(1);
        hex
    })
}

/// Which hexes touch which.
pub(crate) struct Map {
    lists: [[Hex; 6]; MOST_HEXES],
    counts: [u8; MOST_HEXES],
    /// Every hex of the board.
    pub(crate) all: u64,
    not_first_column: u64,
    not_last_column: u64,
    side: u8,
}

/// One map for each side from 2 to 8.
static MAPS: [Map; 7] = [
    Map::rhombus(2),
    Map::rhombus(3),
    Map::rhombus(4),
    Map::rhombus(5),
    Map::rhombus(6),
    Map::rhombus(7),
    Map::rhombus(8),
];

impl Map {
    /// The book's board with this side, 2 to 8.
    pub(crate) fn of_side(side: u8) -> &'static Map {
        &MAPS[usize::from(side) - 2]
    }

    const fn rhombus(side: u8) -> Map {
        let n = side as i16;
        let mut map = Map {
            lists: [[Hex(0); 6]; MOST_HEXES],
            counts: [0; MOST_HEXES],
            all: 0,
            not_first_column: 0,
            not_last_column: 0,
            side,
        };
        let mut at: i16 = 0;
        while at < n * n {
            let first = at % n == 0;
            let last = (at + 1) % n == 0;
            // The book's order; a column's edge cuts two of the six.
            let offered = [
                (true, at - n),
                (true, at + n),
                (!first, at - n - 1),
                (!first, at - 1),
                (!last, at + 1),
                (!last, at + n + 1),
            ];
            let mut i = 0;
            while i < 6 {
                let (allowed, neighbour) = offered[i];
                if allowed && neighbour >= 0 && neighbour < n * n {
                    let count = map.counts[at as usize];
                    map.lists[at as usize][count as usize] = Hex(neighbour as u8);
                    map.counts[at as usize] = count + 1;
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
    pub(crate) fn neighbours(&self, hex: Hex) -> &[Hex] {
        &self.lists[hex.index()][..usize::from(self.counts[hex.index()])]
    }

    /// Every hex that touches one of the set.
    pub(crate) fn around(&self, set: u64) -> u64 {
        let n = u32::from(self.side);
        let leftward = set & self.not_first_column;
        let rightward = set & self.not_last_column;
        // A row up or down loses what falls off the board; on side 8 the word's end does that.
        let up = (set >> n) | (leftward >> 1) | leftward.unbounded_shr(n + 1);
        let down = (set << n) | (rightward << 1) | rightward.unbounded_shl(n + 1);
        (up | down) & self.all
    }

    /// The largest connected part of a set; the one with the lowest hex where several are as large.
    pub(crate) fn largest_cluster(&self, set: u64) -> u64 {
        let (mut left, mut largest) = (set, 0u64);
        while left.count_ones() > largest.count_ones() {
            let cluster = self.grown(left & left.wrapping_neg(), left);
            left &= !cluster;
            if cluster.count_ones() > largest.count_ones() {
                largest = cluster;
            }
        }
        largest
    }

    fn grown(&self, seed: u64, within: u64) -> u64 {
        let mut cluster = seed;
        loop {
            let grown = cluster | self.around(cluster) & within;
            if grown == cluster {
                return cluster;
            }
            cluster = grown;
        }
    }
}

/// Owner and dice of every hex, as bit planes: bit h of plane b is bit b of hex h's number.
///
/// Dice are kept less one, so 1 to 8 fit three planes; cells off the board stay zero, which makes
/// equality and hashing those of the cells.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Cells {
    owners: [u64; 3],
    dice: [u64; 3],
}

impl Cells {
    pub(crate) const EMPTY: Cells = Cells {
        owners: [0; 3],
        dice: [0; 3],
    };

    pub(crate) fn owner(&self, hex: Hex) -> Player {
        Player::new(number_at(&self.owners, hex))
    }

    pub(crate) fn dice(&self, hex: Hex) -> u8 {
        number_at(&self.dice, hex) + 1
    }

    pub(crate) fn set(&mut self, hex: Hex, owner: Player, dice: u8) {
        write_at(&mut self.owners, hex, owner.number());
        write_at(&mut self.dice, hex, dice - 1);
    }

    pub(crate) fn set_dice(&mut self, hex: Hex, dice: u8) {
        write_at(&mut self.dice, hex, dice - 1);
    }

    /// The hexes of a player on a board whose hexes are `all`.
    pub(crate) fn owned_by(&self, player: Player, all: u64) -> u64 {
        equal_to(&self.owners, player.number()) & all
    }

    /// Where exactly so many dice stand; cells off the board count as having one.
    pub(crate) fn with_dice(&self, dice: u8) -> u64 {
        equal_to(&self.dice, dice - 1)
    }

    /// Where more than one die stands.
    pub(crate) fn with_more_than_one(&self) -> u64 {
        self.dice[0] | self.dice[1] | self.dice[2]
    }

    /// Where fewer dice stand than these.
    pub(crate) fn with_fewer_than(&self, dice: u8) -> u64 {
        (1..dice).fold(0, |fewer, count| fewer | self.with_dice(count))
    }

    /// One more die on each hex of a set.
    pub(crate) fn add_one(&mut self, set: u64) {
        let mut carry = set;
        for plane in &mut self.dice {
            (*plane, carry) = (*plane ^ carry, *plane & carry);
        }
        debug_assert_eq!(carry, 0, "nobody stacks more than eight dice");
    }
}

fn number_at(planes: &[u64; 3], hex: Hex) -> u8 {
    let bit = |plane: u64| (plane >> hex.0 & 1) as u8;
    bit(planes[0]) | bit(planes[1]) << 1 | bit(planes[2]) << 2
}

fn write_at(planes: &mut [u64; 3], hex: Hex, number: u8) {
    for (b, plane) in planes.iter_mut().enumerate() {
        *plane = *plane & !hex.bit() | u64::from(number >> b & 1) << hex.0;
    }
}

fn equal_to(planes: &[u64; 3], number: u8) -> u64 {
    let plane = |b: usize| planes[b] ^ (u64::from(number >> b & 1)).wrapping_sub(1);
    plane(0) & plane(1) & plane(2)
}
