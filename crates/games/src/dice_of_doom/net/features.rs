//! The features of a position: which of them are present, and which change by a ply.
//!
//! Players are numbered by their distance from the mover (0 is the mover, 1 is next), and hexes by their
//! rank: the part of the board that comes before them in the order in which dice are placed. So the same
//! features serve boards of every side.

use std::sync::LazyLock;

use super::super::board::{Cells, Hex, MOST_HEXES, hexes_of};
use super::super::position::Position;
use super::super::rules::DiceOfDoom;
use dice_of_doom_core::game::{MOST_PLAYERS, Player};

/// The most dice on a hex.
pub const DICE: usize = 5;

/// Ranks of hexes: on a board of side 5 each hex has its own.
const RANKS: usize = 25;

/// Dice of a foreign neighbour, 0 where there is none.
const NEIGHBOURS: usize = DICE + 1;

/// Parts of the board, from nothing to all of it.
const PARTS: usize = RANKS + 1;

/// So many attackers count as many.
const MANY_ATTACKERS: usize = 9;

/// Of somebody who is nearly stuck it matters who leads: so many attackers and fewer.
const FEW_ATTACKERS: usize = 3;

/// Turns without an attack, by player.
const QUIET: usize = 8;

/// The sides that have a feature of their own: 4 to 7.
const SIDES: usize = 4;

/// Where the features of each kind begin, in a game of so many players.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    players: usize,
    fronts: usize,
    edges: usize,
    numbers: usize,
    stuck: usize,
    table: usize,
    /// How many features there are.
    pub count: usize,
}

/// Numbers that are features of each player: hexes, largest cluster, room for dice, attackers.
const HEXES: usize = 0;
const CLUSTER: usize = PARTS;
const ROOM: usize = 2 * PARTS;
const ATTACKERS: usize = 3 * PARTS;
const NUMBERS: usize = 3 * PARTS + MANY_ATTACKERS + 1;

impl Layout {
    /// The features of a game of 2 to 6 players.
    #[must_use]
    pub const fn of(players: u8) -> Self {
        let players = players as usize;
        let codes = players * DICE;
        let fronts = RANKS * codes;
        let edges = fronts + codes * NEIGHBOURS * NEIGHBOURS;
        let numbers = edges + codes * (codes + 1) / 2;
        let stuck = numbers + players * NUMBERS;
        let table = stuck + players * (FEW_ATTACKERS + 1) * (players + 1);
        Layout {
            players,
            fronts,
            edges,
            numbers,
            stuck,
            table,
            count: table + 2 + QUIET + SIDES,
        }
    }

    /// How many features of each kind are present on a board of 64 hexes at most, and where the kind ends.
    const fn kinds(&self) -> [(f32, usize); 6] {
        [
            (64.0, self.fronts),
            (64.0, self.edges),
            (161.0, self.numbers),
            (4.0 * self.players as f32, self.stuck),
            (self.players as f32, self.table),
            (3.0, self.count),
        ]
    }

    /// By how much rows of `width` numbers, and the bias behind them, may be multiplied, so that no sum
    /// over a position's features leaves 16 bits.
    pub(super) fn first_scale(&self, rows: &[f32], width: usize) -> f32 {
        let largest = |range: std::ops::Range<usize>| {
            let numbers = rows[range.start * width..range.end * width].iter();
            numbers.fold(0.0, |most: f32, number| most.max(number.abs()))
        };
        let mut begin = 0;
        let mut most = largest(self.count..self.count + 1);
        for (present, end) in self.kinds() {
            most += present * largest(begin..end);
            begin = end;
        }
        (f32::from(i16::MAX) / (most + 1.0)).min(4096.0)
    }

    /// A hex at this rank with this code.
    fn hex(&self, rank: usize, code: u8) -> usize {
        rank * self.players * DICE + usize::from(code)
    }

    /// A hex, and the strongest and weakest foreign hexes that touch it.
    #[inline]
    fn front(&self, codes: &[u8; MOST_HEXES], neighbours: &[Hex], code: u8) -> usize {
        let (mut strongest, mut weakest) = (0, 0);
        let owner = code / DICE as u8;
        for other in neighbours {
            let other = codes[other.index()];
            if other / DICE as u8 != owner {
                let dice = other % DICE as u8 + 1;
                strongest = strongest.max(dice);
                weakest = if weakest == 0 { dice } else { dice.min(weakest) };
            }
        }
        let pair = usize::from(strongest) * NEIGHBOURS + usize::from(weakest);
        self.fronts + usize::from(code) * NEIGHBOURS * NEIGHBOURS + pair
    }

    /// Two hexes that touch.
    fn edge(&self, a: u8, b: u8) -> usize {
        let (low, high) = (usize::from(a.min(b)), usize::from(a.max(b)));
        self.edges + high * (high + 1) / 2 + low
    }

    fn number(&self, distance: usize, kind: usize, number: u8) -> usize {
        self.numbers + distance * NUMBERS + kind + usize::from(number)
    }
}

/// What was read off a board.
#[derive(Clone)]
pub(super) struct Read {
    cells: Cells,
    mover: Player,
    /// Owner's distance and dice of each hex: five times the one, and the other less 1.
    codes: [u8; MOST_HEXES],
    standing: Standing,
}

/// The numbers of each player, by distance.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Standing {
    numbers: [Numbers; MOST_PLAYERS],
    first_move: bool,
    quiet: u8,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Numbers {
    hexes: u8,
    cluster: u8,
    room: u8,
    attackers: u8,
    /// Not scaled: who leads is decided by it.
    owned: u8,
}

impl Standing {
    /// The distance of the player with most hexes, or the number of players where several have.
    fn leader(&self, players: usize) -> usize {
        let most = self.numbers.iter().map(|numbers| numbers.owned).max();
        let mut leaders = (0..players).filter(|&at| Some(self.numbers[at].owned) == most);
        match (leaders.next(), leaders.next()) {
            (Some(leader), None) => leader,
            _ => players,
        }
    }
}

/// Which pairs of hexes touch, on each side.
static EDGES: LazyLock<[Vec<(u8, u8)>; 9]> = LazyLock::new(|| {
    std::array::from_fn(|side| {
        if side < 2 {
            return Vec::new();
        }
        let map = super::super::board::Map::of_side(side as u8);
        let hexes = hexes_of(map.all);
        let edges = hexes.flat_map(|hex| {
            let later = map.neighbours(hex).iter().filter(move |&&other| other > hex);
            later.map(move |other| (hex.number(), other.number()))
        });
        edges.collect()
    })
});

fn rank(game: &DiceOfDoom, hex: usize) -> usize {
    hex * RANKS / usize::from(game.hexes())
}

fn part(game: &DiceOfDoom, hexes: u32) -> u8 {
    (hexes * RANKS as u32 / u32::from(game.hexes())) as u8
}

impl Read {
    pub(super) fn mover(&self) -> Player {
        self.mover
    }

    pub(super) fn of(game: &DiceOfDoom, position: &Position) -> Self {
        let mover = position.player();
        let mut read = Read {
            cells: position.cells,
            mover,
            codes: [0; MOST_HEXES],
            standing: Standing {
                numbers: Default::default(),
                first_move: position.first_move(),
                quiet: quiet(game, position),
            },
        };
        let mut player = mover;
        for distance in 0..game.players() {
            let own = position.cells.owned_by(player);
            for hex in hexes_of(own) {
                read.codes[hex.index()] = distance * DICE as u8;
            }
            read.standing.numbers[usize::from(distance)] = numbers(game, position, own);
            player = player.next(game.players());
        }
        for mark in position.cells.marks(DICE as u8) {
            for hex in hexes_of(*mark) {
                read.codes[hex.index()] += 1;
            }
        }
        read
    }

    /// Tells every feature that is present.
    pub(super) fn each(&self, game: &DiceOfDoom, layout: &Layout, mut tell: impl FnMut(usize)) {
        let hexes = usize::from(game.hexes());
        for (hex, &code) in self.codes[..hexes].iter().enumerate() {
            tell(layout.hex(rank(game, hex), code));
            let neighbours = game.map().neighbours(Hex(hex as u8));
            tell(layout.front(&self.codes, neighbours, code));
        }
        for &(a, b) in &EDGES[usize::from(game.side())] {
            tell(layout.edge(self.codes[usize::from(a)], self.codes[usize::from(b)]));
        }
        each_of_standing(game, layout, &self.standing, |_, feature| tell(feature));
    }

    /// Tells which features a position one ply later, of the same mover, has no more (`false`) and has
    /// besides (`true`).
    pub(super) fn each_change(
        &self,
        game: &DiceOfDoom,
        layout: &Layout,
        after: &Position,
        mut tell: impl FnMut(bool, usize),
    ) {
        let map = game.map();
        let changed = after.cells.changed_since(&self.cells);
        let code = |hex: Hex| {
            let owner = after.cells.owner(hex).number();
            let distance = owner + game.players() - self.mover.number();
            let distance = distance % game.players();
            distance * DICE as u8 + after.cells.dice(hex) - 1
        };
        let mut near = changed;
        let mut codes = self.codes;
        for hex in hexes_of(changed) {
            codes[hex.index()] = code(hex);
        }
        for hex in hexes_of(changed | map.around(changed)) {
            let (was, is) = (self.codes[hex.index()], codes[hex.index()]);
            let neighbours = map.neighbours(hex);
            let before = layout.front(&self.codes, neighbours, was);
            let after = layout.front(&codes, neighbours, is);
            if before != after {
                tell(false, before);
                tell(true, after);
            }
        }
        for hex in hexes_of(changed) {
            let (was, is) = (self.codes[hex.index()], codes[hex.index()]);
            let rank = rank(game, hex.index());
            tell(false, layout.hex(rank, was));
            tell(true, layout.hex(rank, is));
            near &= !hex.bit();
            for &other in map.neighbours(hex) {
                let before = self.codes[other.index()];
                let after = if changed & other.bit() == 0 {
                    before
                } else if near & other.bit() != 0 {
                    codes[other.index()]
                } else {
                    continue;
                };
                tell(false, layout.edge(was, before));
                tell(true, layout.edge(is, after));
            }
        }
        let mut standing = self.standing;
        standing.first_move = after.first_move();
        standing.quiet = quiet(game, after);
        let touched = changed | map.around(changed);
        let mut player = self.mover;
        for distance in 0..game.players() {
            let own = after.cells.owned_by(player);
            if (own | self.cells.owned_by(player)) & touched != 0 {
                standing.numbers[usize::from(distance)] = numbers(game, after, own);
            }
            player = player.next(game.players());
        }
        let mut before = [0; MOST_OF_STANDING];
        each_of_standing(game, layout, &self.standing, |at, feature| before[at] = feature);
        each_of_standing(game, layout, &standing, |at, feature| {
            if before[at] != feature {
                tell(false, before[at]);
                tell(true, feature);
            }
        });
    }
}

const MOST_OF_STANDING: usize = 5 * MOST_PLAYERS + 3;

/// Tells the features that are numbers, each with its place among them.
#[inline]
fn each_of_standing(
    game: &DiceOfDoom,
    layout: &Layout,
    standing: &Standing,
    mut tell: impl FnMut(usize, usize),
) {
    let leader = standing.leader(layout.players);
    for (distance, numbers) in standing.numbers[..layout.players].iter().enumerate() {
        let at = 5 * distance;
        tell(at, layout.number(distance, HEXES, numbers.hexes));
        tell(at + 1, layout.number(distance, CLUSTER, numbers.cluster));
        tell(at + 2, layout.number(distance, ROOM, numbers.room));
        tell(at + 3, layout.number(distance, ATTACKERS, numbers.attackers));
        let few = usize::from(numbers.attackers).min(FEW_ATTACKERS);
        let stuck = (distance * (FEW_ATTACKERS + 1) + few) * (layout.players + 1) + leader;
        tell(at + 4, layout.stuck + stuck);
    }
    let at = 5 * layout.players;
    let first_move = layout.table;
    tell(at, first_move + usize::from(standing.first_move));
    let quiet = first_move + 2;
    tell(at + 1, quiet + usize::from(standing.quiet).min(QUIET - 1));
    let sides = quiet + QUIET;
    tell(at + 2, sides + usize::from(game.side()).clamp(4, 7) - 4);
}

fn quiet(game: &DiceOfDoom, position: &Position) -> u8 {
    position.quiet() / game.players()
}

#[inline]
fn numbers(game: &DiceOfDoom, position: &Position, own: u64) -> Numbers {
    let map = game.map();
    let marks = position.cells.marks(DICE as u8);
    let hexes = own.count_ones();
    let more = marks.iter().map(|mark| (own & mark).count_ones());
    let room = hexes * (DICE as u32 - 1) - more.sum::<u32>();
    let attackers = (own & marks[0] & map.around(map.all & !own)).count_ones();
    Numbers {
        hexes: part(game, hexes),
        cluster: part(game, map.largest_cluster(own).count_ones()),
        room: part(game, room).min(RANKS as u8),
        attackers: attackers.min(MANY_ATTACKERS as u32) as u8,
        owned: hexes as u8,
    }
}

/// Which player is so far from the mover.
#[inline]
pub(super) fn player_at(distance: usize, mover: Player, players: u8) -> Player {
    let number = distance as u8 + mover.number();
    Player::new(if number >= players { number - players } else { number })
}
