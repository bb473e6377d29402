//! The features of a position: which of them are present, and which change by a ply.
//!
//! Players are numbered by their distance from the mover (0 is the mover, 1 is next), and hexes by their
//! rank: the part of the board that comes before them in the order in which dice are placed. So the same
//! features serve boards of every side. The mover's hexes that get a die when the turn ends now are told
//! apart from the mover's other hexes.

use super::super::board::{Cells, Hex, MOST_HEXES, Rhombus, hexes_of, lowest};
use super::super::position::Position;
use super::super::rules::DiceOfDoom;
use dice_of_doom_core::game::{MOST_PLAYERS, Player};

/// The most dice on a hex.
pub const DICE: usize = 5;

/// Ranks of hexes: on a board of side 5 each hex has its own.
const RANKS: usize = 25;

/// Parts of the board, from nothing to all of it.
const PARTS: usize = RANKS + 1;

/// So many attackers count as many.
const MANY_ATTACKERS: usize = 9;

/// Of somebody who is nearly stuck it matters who leads: so many attackers and fewer.
const FEW_ATTACKERS: usize = 3;

/// Turns without an attack, by player.
const QUIET: usize = 8;

/// The largest scale of the rows.
const MOST_SCALE: f32 = 4096.0;

/// The sides that have a feature of their own: 4 to 7.
const SIDES: usize = 4;

/// Where the features of each kind begin, in a game of so many players.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    players: usize,
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
        let codes = Code::count(players);
        let edges = RANKS * codes;
        let numbers = edges + codes * (codes + 1) / 2;
        let stuck = numbers + players * NUMBERS;
        let table = stuck + players * (FEW_ATTACKERS + 1) * (players + 1);
        Layout {
            players,
            edges,
            numbers,
            stuck,
            table,
            count: table + 2 + QUIET + SIDES,
        }
    }

    /// How many features of each kind are present on a board of 64 hexes at most, and where the kind ends.
    const fn kinds(&self) -> [(f32, usize); 5] {
        [
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
        (f32::from(i16::MAX) / (self.most(rows, width) + 1.0)).min(MOST_SCALE)
    }

    /// The scale by which such rows were multiplied, told from what came out.
    pub(super) fn scale_of(&self, multiplied: &[f32], width: usize) -> f32 {
        (f32::from(i16::MAX) - self.most(multiplied, width)).clamp(1.0, MOST_SCALE)
    }

    /// The most that a sum over a position's features, and the bias behind the rows, can be.
    fn most(&self, rows: &[f32], width: usize) -> f32 {
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
        most
    }

    /// How many features tell the standing.
    const fn count_of_standing(&self) -> usize {
        OF_A_PLAYER * self.players + OF_THE_TABLE
    }

    /// A hex at this rank with this code.
    #[inline]
    fn hex(&self, rank: usize, code: Code) -> usize {
        rank * Code::count(self.players) + code.number()
    }

    /// Two hexes that touch.
    #[inline]
    fn edge(&self, a: Code, b: Code) -> usize {
        let (a, b) = (a.number(), b.number());
        let (low, high) = (a.min(b), a.max(b));
        self.edges + high * (high + 1) / 2 + low
    }

    fn number(&self, distance: usize, kind: usize, number: u8) -> usize {
        self.numbers + distance * NUMBERS + kind + usize::from(number)
    }
}

/// Whose a hex is and how many dice it has. Its owner is told by distance; the number of players stands for
/// the mover where the hex is due for a die.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Code(u8);

impl Code {
    /// How many there are.
    const fn count(players: usize) -> usize {
        (players + 1) * DICE
    }

    #[inline]
    const fn of(owner: u8, dice: u8) -> Self {
        Code(owner * DICE as u8 + dice - 1)
    }

    /// Its place among all codes.
    #[inline]
    const fn number(self) -> usize {
        self.0 as usize
    }
}

/// What was read off a board.
#[derive(Clone)]
pub(super) struct Read {
    cells: Cells,
    mover: Player,
    codes: [Code; MOST_HEXES],
    /// The hexes that get a die when the mover's turn ends now.
    due: u64,
    standing: Standing,
    /// The features of the standing.
    told: [u16; MOST_OF_STANDING],
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
}

/// The hexes of each player, by distance.
type Owned = [u64; MOST_PLAYERS];

#[inline]
fn owned(game: &DiceOfDoom, cells: &Cells, mover: Player) -> Owned {
    let mut owned = [0; MOST_PLAYERS];
    let mut player = mover;
    for own in &mut owned[..usize::from(game.players())] {
        *own = cells.owned_by(player);
        player = player.next(game.players());
    }
    owned
}

impl Read {
    #[inline]
    pub(super) fn mover(&self) -> Player {
        self.mover
    }

    pub(super) fn of(game: &DiceOfDoom, layout: &Layout, position: &Position) -> Self {
        match game.side() {
            4 => Read::on_side::<4>(game, layout, position),
            5 => Read::on_side::<5>(game, layout, position),
            6 => Read::on_side::<6>(game, layout, position),
            _ => Read::on_side::<7>(game, layout, position),
        }
    }

    fn on_side<const SIDE: u32>(game: &DiceOfDoom, layout: &Layout, position: &Position) -> Self {
        let mover = position.player();
        let owned = owned(game, &position.cells, mover);
        let marks = position.cells.marks(DICE as u8);
        let mut standing = Standing {
            numbers: Default::default(),
            first_move: position.first_move(),
            quiet: quiet(game, position),
        };
        for (numbers, &own) in standing.numbers.iter_mut().zip(&owned[..layout.players]) {
            let cluster = Rhombus::<SIDE>::largest_cluster(own);
            *numbers = Numbers::of::<SIDE>(own, marks, cluster as u8);
        }
        let due = due(owned[0], marks, standing.numbers[0].cluster);
        Read {
            cells: position.cells,
            mover,
            codes: Codes::new(layout, &owned, marks, due).all(),
            due,
            told: standing.told::<SIDE>(layout),
            standing,
        }
    }

    /// Tells every feature that is present, always in the same order: a training adds floats in it.
    #[inline(always)]
    pub(super) fn each(&self, game: &DiceOfDoom, layout: &Layout, tell: impl FnMut(usize)) {
        match game.side() {
            4 => self.each_on_side::<4>(layout, tell),
            5 => self.each_on_side::<5>(layout, tell),
            6 => self.each_on_side::<6>(layout, tell),
            _ => self.each_on_side::<7>(layout, tell),
        }
    }

    #[inline(always)]
    fn each_on_side<const SIDE: u32>(&self, layout: &Layout, mut tell: impl FnMut(usize)) {
        Rhombus::<SIDE>::each_with_later_neighbours(|hex, later| {
            let code = self.codes[hex];
            tell(layout.hex(rank::<SIDE>(hex), code));
            for &other in later {
                tell(layout.edge(code, self.codes[other]));
            }
        });
        for &feature in &self.told[..layout.count_of_standing()] {
            tell(usize::from(feature));
        }
    }

    /// Which hex attacked, and which others changed with it, if the position is one attack of the same turn
    /// later.
    #[inline]
    pub(super) fn attack(&self, after: &Position) -> Option<(Hex, u64)> {
        let moved = after.cells.changed_since(&self.cells);
        let own = moved & self.cells.owned_by(self.mover);
        let from = hexes_of(own).next()?;
        (own == from.bit() && after.player() == self.mover).then_some((from, moved & !own))
    }

    /// The position where an attack from this hex failed, for one where it did not.
    #[inline]
    pub(super) fn failed(&self, after: &Position, from: Hex) -> Position {
        let mut cells = self.cells;
        cells.spend(from);
        Position { cells, ..*after }
    }

    /// How the features of a position differ that is one attack later: tells each feature that it has no
    /// more with the one that it has instead. Returns what is read off that position.
    #[inline(always)]
    pub(super) fn after(
        &self,
        game: &DiceOfDoom,
        layout: &Layout,
        after: &Position,
        tell: impl FnMut(usize, usize),
    ) -> Read {
        match game.side() {
            4 => self.after_on_side::<4>(game, layout, after, tell),
            5 => self.after_on_side::<5>(game, layout, after, tell),
            6 => self.after_on_side::<6>(game, layout, after, tell),
            _ => self.after_on_side::<7>(game, layout, after, tell),
        }
    }

    #[inline(always)]
    fn after_on_side<const SIDE: u32>(
        &self,
        game: &DiceOfDoom,
        layout: &Layout,
        after: &Position,
        mut tell: impl FnMut(usize, usize),
    ) -> Read {
        let owned = owned(game, &after.cells, self.mover);
        let marks = after.cells.marks(DICE as u8);
        let moved = after.cells.changed_since(&self.cells);
        let standing = self.standing_after::<SIDE>(game, after, &owned, moved);
        let due = due(owned[0], marks, standing.numbers[0].cluster);
        let changed = moved | due ^ self.due;
        let mut codes = self.codes;
        let now = Codes::new(layout, &owned, marks, due);
        for hex in hexes_of(changed) {
            codes[hex.index()] = now.at(hex);
        }
        let mut left = changed;
        for hex in hexes_of(changed) {
            let (was, is) = (self.codes[hex.index()], codes[hex.index()]);
            let rank = rank::<SIDE>(hex.index());
            tell(layout.hex(rank, was), layout.hex(rank, is));
            for other in hexes_of(game.map().touching(hex) & (left | !changed)) {
                let other = other.index();
                let before = layout.edge(was, self.codes[other]);
                tell(before, layout.edge(is, codes[other]));
            }
            left &= !hex.bit();
        }
        let told = standing.told::<SIDE>(layout);
        let before = self.told[..layout.count_of_standing()].iter();
        for (&before, &after) in before.zip(&told) {
            if before != after {
                tell(usize::from(before), usize::from(after));
            }
        }
        Read {
            cells: after.cells,
            mover: self.mover,
            codes,
            due,
            standing,
            told,
        }
    }

    /// The standing after an attack in which these hexes changed.
    #[inline(always)]
    fn standing_after<const SIDE: u32>(
        &self,
        game: &DiceOfDoom,
        after: &Position,
        owned: &Owned,
        moved: u64,
    ) -> Standing {
        let marks = after.cells.marks(DICE as u8);
        let near = moved | Rhombus::<SIDE>::around(moved);
        let before = self::owned(game, &self.cells, self.mover);
        let mut standing = self.standing;
        standing.first_move = after.first_move();
        standing.quiet = quiet(game, after);
        for (distance, numbers) in standing.numbers[..usize::from(game.players())]
            .iter_mut()
            .enumerate()
        {
            let own = owned[distance];
            if own != before[distance] {
                let cluster = Rhombus::<SIDE>::largest_cluster(own);
                *numbers = Numbers::of::<SIDE>(own, marks, cluster as u8);
            } else if own & near != 0 {
                *numbers = Numbers::of::<SIDE>(own, marks, numbers.cluster);
            }
        }
        standing
    }
}

/// The hexes that get a die when a turn ends, of somebody with such a cluster.
#[inline]
fn due(own: u64, marks: &[u64], cluster: u8) -> u64 {
    lowest(cluster.into(), own & !marks[marks.len() - 1])
}

/// The codes of a board.
struct Codes<'a> {
    owners: [u64; MOST_PLAYERS + 1],
    marks: &'a [u64],
}

impl<'a> Codes<'a> {
    #[inline]
    fn new(layout: &Layout, owned: &Owned, marks: &'a [u64], due: u64) -> Self {
        let mut owners = [0; MOST_PLAYERS + 1];
        owners[..MOST_PLAYERS].copy_from_slice(owned);
        owners[0] &= !due;
        owners[layout.players] = due;
        Codes { owners, marks }
    }

    #[inline(always)]
    fn at(&self, hex: Hex) -> Code {
        let mut owner = 0;
        for (at, own) in self.owners.iter().enumerate() {
            owner |= at as u8 * (own >> hex.number() & 1) as u8;
        }
        let more = self
            .marks
            .iter()
            .map(|mark| (mark >> hex.number() & 1) as u8);
        Code::of(owner, 1 + more.sum::<u8>())
    }

    /// The codes of all hexes. What is off the board has one too, which nobody asks for.
    #[inline(always)]
    fn all(&self) -> [Code; MOST_HEXES] {
        let mut codes = [0; MOST_HEXES / 8];
        for (eight, codes) in codes.iter_mut().enumerate() {
            for (owner, own) in self.owners.iter().enumerate() {
                *codes += ones(own.to_le_bytes()[eight]) * (owner * DICE) as u64;
            }
            for mark in self.marks {
                *codes += ones(mark.to_le_bytes()[eight]);
            }
        }
        let mut all = [Code::default(); MOST_HEXES];
        for (all, codes) in all.chunks_exact_mut(8).zip(codes) {
            for (code, byte) in all.iter_mut().zip(codes.to_le_bytes()) {
                *code = Code(byte);
            }
        }
        all
    }
}

/// Eight bytes, the n-th of which is the n-th bit.
#[inline]
const fn ones(bits: u8) -> u64 {
    const EACH_BYTE: u64 = u64::MAX / 255;
    // In the n-th byte nothing but the n-th bit stays; what is not 0 then runs over into the byte's top bit.
    let alone = (bits as u64 * EACH_BYTE) & 0x8040_2010_0804_0201;
    ((alone + EACH_BYTE * 0x7f) >> 7) & EACH_BYTE
}

/// Features of each player in the standing.
const OF_A_PLAYER: usize = 5;

/// Features of the table in the standing.
const OF_THE_TABLE: usize = 3;

const MOST_OF_STANDING: usize = OF_A_PLAYER * MOST_PLAYERS + OF_THE_TABLE;

impl Standing {
    /// The distance of the player with most hexes, or the number of players where several have.
    #[inline(always)]
    fn leader(&self, players: usize) -> usize {
        let (mut most, mut leader) = (0, players);
        for (distance, numbers) in self.numbers[..players].iter().enumerate() {
            if numbers.hexes > most {
                (most, leader) = (numbers.hexes, distance);
            } else if numbers.hexes == most {
                leader = players;
            }
        }
        leader
    }

    /// The features.
    #[inline(always)]
    fn told<const SIDE: u32>(&self, layout: &Layout) -> [u16; MOST_OF_STANDING] {
        let mut told = [0; MOST_OF_STANDING];
        let players = layout.players;
        let leader = self.leader(players);
        let mut at = 0;
        for (distance, numbers) in self.numbers[..players].iter().enumerate() {
            let few = usize::from(numbers.attackers).min(FEW_ATTACKERS);
            let stuck = (distance * (FEW_ATTACKERS + 1) + few) * (players + 1) + leader;
            told[at..at + OF_A_PLAYER].copy_from_slice(&[
                layout.number(distance, HEXES, part::<SIDE>(numbers.hexes)) as u16,
                layout.number(distance, CLUSTER, part::<SIDE>(numbers.cluster)) as u16,
                layout.number(distance, ROOM, part::<SIDE>(numbers.room).min(RANKS as u8)) as u16,
                layout.number(distance, ATTACKERS, numbers.attackers) as u16,
                (layout.stuck + stuck) as u16,
            ]);
            at += OF_A_PLAYER;
        }
        let first_move = layout.table;
        let quiet = first_move + 2;
        let sides = quiet + QUIET;
        let side = SIDE as usize - 4;
        told[at..at + OF_THE_TABLE].copy_from_slice(&[
            (first_move + usize::from(self.first_move)) as u16,
            (quiet + usize::from(self.quiet).min(QUIET - 1)) as u16,
            (sides + side) as u16,
        ]);
        told
    }
}

impl Numbers {
    #[inline(always)]
    fn of<const SIDE: u32>(own: u64, marks: &[u64], cluster: u8) -> Self {
        let hexes = own.count_ones();
        let more = marks.iter().map(|mark| (own & mark).count_ones());
        let room = hexes * (DICE as u32 - 1) - more.sum::<u32>();
        let foreign = Rhombus::<SIDE>::ALL & !own;
        let attackers = own & marks[0] & Rhombus::<SIDE>::around(foreign);
        Numbers {
            hexes: hexes as u8,
            cluster,
            room: room as u8,
            attackers: attackers.count_ones().min(MANY_ATTACKERS as u32) as u8,
        }
    }
}

/// The part of the board that comes before a hex.
#[inline]
const fn rank<const SIDE: u32>(hex: usize) -> usize {
    hex * RANKS / (SIDE * SIDE) as usize
}

/// So many hexes as a part of the board.
#[inline]
const fn part<const SIDE: u32>(hexes: u8) -> u8 {
    (hexes as u32 * RANKS as u32 / (SIDE * SIDE)) as u8
}

fn quiet(game: &DiceOfDoom, position: &Position) -> u8 {
    position.quiet() / game.players()
}

/// Which player is so far from the mover.
#[inline]
pub(super) fn player_at(distance: usize, mover: Player, players: u8) -> Player {
    let number = distance as u8 + mover.number();
    Player::new(if number >= players {
        number - players
    } else {
        number
    })
}
