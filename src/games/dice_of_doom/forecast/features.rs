//! What is looked at: a few numbers for each player, each about 0..=1 on a board of any side.
//!
//! Left out because they gained nothing once these were in: the border and the dice on it, what could
//! be attacked with more dice, squares of the lead.

use super::super::board::Rhombus;
use super::super::position::Position;
use super::super::rules::{Combat, DiceOfDoom};
use crate::game::{MOST_PLAYERS, Player};

/// How many numbers a player has.
pub const COUNT: usize = 16;

/// The numbers of one player, in the order of [`NAMES`].
pub type Features = [f32; COUNT];

/// What the numbers are. Hexes are counted in parts of the board, dice in parts of a full one.
pub const NAMES: [&str; COUNT] = [
    "hexes",
    "dice",
    "cluster",
    "gain",
    "full",
    "threatened",
    "attackers",
    "few attackers",
    "no attacker",
    "lead",
    "leads",
    "lead, next is stuck",
    "leads, next is stuck",
    "lead, one is stuck",
    "leads, one is stuck",
    "hexes, one is stuck",
];

/// The numbers of every player; all 0 beyond those at the table.
#[must_use]
pub fn of(game: &DiceOfDoom, position: &Position) -> [Features; MOST_PLAYERS] {
    match game.side() {
        2 => on_side::<2>(game, position),
        3 => on_side::<3>(game, position),
        4 => on_side::<4>(game, position),
        5 => on_side::<5>(game, position),
        6 => on_side::<6>(game, position),
        7 => on_side::<7>(game, position),
        _ => on_side::<8>(game, position),
    }
}

fn on_side<const SIDE: u32>(game: &DiceOfDoom, position: &Position) -> [Features; MOST_PLAYERS] {
    let players = usize::from(game.players());
    let mover = usize::from(position.player().number());
    let max_dice = game.max_dice();
    let marks = position.cells.marks(max_dice);
    let is_rolled = game.rules().combat() == Combat::Rolled;
    let mut own = [0; MOST_PLAYERS];
    for (own, player) in own.iter_mut().zip(Player::all(game.players())) {
        *own = position.cells.owned_by(player);
    }
    let threatened = threatened::<SIDE>(&own[..players], marks);
    let per_hex = 1.0 / (SIDE * SIDE) as f32;
    let per_die = per_hex / f32::from(max_dice);

    let mut features = [[0.0; COUNT]; MOST_PLAYERS];
    let mut standing = Standing::default();
    for player in 0..players {
        let own = own[player];
        let able = if is_rolled {
            own & marks[0] & Rhombus::<SIDE>::around(Rhombus::<SIDE>::ALL & !own)
        } else {
            stronger_neighbours::<SIDE>(own, marks)
        };
        let hexes = own.count_ones();
        let attackers = able.count_ones();
        let dice = hexes
            + marks
                .iter()
                .map(|mark| (own & mark).count_ones())
                .sum::<u32>();
        let cluster = Rhombus::<SIDE>::largest_cluster(own);
        let promised = match (is_rolled, player == mover) {
            (true, _) => cluster,
            (false, true) => u32::from(position.spare().saturating_sub(1)),
            (false, false) => 0,
        };
        let gain = promised.min(hexes * u32::from(max_dice) - dice);
        let full = own & marks[marks.len() - 1];
        standing.hexes[player] = hexes;
        standing.stuck[player] = INVERSE[attackers as usize] * INVERSE[attackers as usize];
        let numbers = &mut features[player];
        numbers[0] = hexes as f32 * per_hex;
        numbers[1] = dice as f32 * per_die;
        numbers[2] = cluster as f32 * per_hex;
        numbers[3] = gain as f32 * per_hex;
        numbers[4] = full.count_ones() as f32 * per_hex;
        numbers[5] = threatened[player].count_ones() as f32 * per_hex;
        numbers[6] = attackers as f32 * per_hex;
        numbers[7] = INVERSE[attackers as usize];
        numbers[8] = one_if(attackers == 0);
    }
    standing.tell(&mut features[..players], mover, per_hex);
    features
}

/// Each player's hexes that touch a foreign hex with strictly more dice.
#[inline]
fn threatened<const SIDE: u32>(own: &[u64], marks: &[u64]) -> [u64; MOST_PLAYERS] {
    let mut threatened = [0; MOST_PLAYERS];
    for &mark in marks {
        // What each player's hexes with so many dice touch among those with fewer; what is touched by
        // two is touched by somebody else than its owner.
        let (mut once, mut twice) = (0, 0);
        let mut reach = [0; MOST_PLAYERS];
        for (reach, &own) in reach.iter_mut().zip(own) {
            *reach = Rhombus::<SIDE>::around(own & mark) & !mark;
            twice |= once & *reach;
            once |= *reach;
        }
        for (player, &own) in own.iter().enumerate() {
            threatened[player] |= own & (twice | once & !reach[player]);
        }
    }
    threatened
}

/// The hexes of a set that have more dice than one they touch outside it.
#[inline]
fn stronger_neighbours<const SIDE: u32>(own: u64, marks: &[u64]) -> u64 {
    let foreign = Rhombus::<SIDE>::ALL & !own;
    marks.iter().fold(0, |able, &mark| {
        able | own & mark & Rhombus::<SIDE>::around(foreign & !mark)
    })
}

/// Who is ahead, and who is about to be stuck: that ends the game, and whoever leads then wins.
#[derive(Default)]
struct Standing {
    hexes: [u32; MOST_PLAYERS],
    /// How near a player is to having no attack, 0..=1.
    stuck: [f32; MOST_PLAYERS],
}

impl Standing {
    #[inline]
    fn tell(&self, features: &mut [Features], mover: usize, per_hex: f32) {
        let players = features.len();
        let next = if mover + 1 == players { 0 } else { mover + 1 };
        let next_is_stuck = self.stuck[next];
        let mut one_is_stuck = 0.0_f32;
        let (mut most, mut second) = (0, 0);
        for player in 0..players {
            if player != mover {
                one_is_stuck = one_is_stuck.max(self.stuck[player]);
            }
            second = second.max(self.hexes[player].min(most));
            most = most.max(self.hexes[player]);
        }
        for (numbers, &hexes) in features.iter_mut().zip(&self.hexes) {
            let best_other = if hexes == most { second } else { most };
            let lead = (hexes as f32 - best_other as f32) * per_hex;
            let leads = one_if(hexes >= best_other);
            numbers[9] = lead;
            numbers[10] = leads;
            numbers[11] = lead * next_is_stuck;
            numbers[12] = leads * next_is_stuck;
            numbers[13] = lead * one_is_stuck;
            numbers[14] = leads * one_is_stuck;
            numbers[15] = numbers[0] * one_is_stuck;
        }
    }
}

#[inline]
fn one_if(condition: bool) -> f32 {
    f32::from(u8::from(condition))
}

/// 1 / (1 + n).
static INVERSE: [f32; 65] = {
    let mut inverse = [1.0; 65];
    let mut n = 0;
    while n < inverse.len() {
        inverse[n] = 1.0 / (1 + n) as f32;
        n += 1;
    }
    inverse
};
