//! The networks that the program brings along, and the games that each of them knows.

use std::sync::LazyLock;

use super::super::forecast::{self, ByHand};
use super::super::position::Position;
use super::super::rules::{Action, DiceOfDoom, Rules};
use super::features::DICE;
use super::integer::{self, Net};
use dice_of_doom_core::search::{Forecast, Shares};

/// A network and the games it was trained for.
struct Shipped {
    rules: Rules,
    players: u8,
    sides: &'static [u8],
    file: &'static [u8],
}

/// Each by the command that stands in docs/training.md.
const SHIPPED: [Shipped; 1] = [Shipped {
    rules: Rules::V4,
    players: 4,
    sides: &[5],
    file: include_bytes!("weights/v4-4.net"),
}];

static NETS: LazyLock<[Net; SHIPPED.len()]> = LazyLock::new(|| {
    SHIPPED.map(|shipped| Net::from_bytes(shipped.file).expect("a test reads every file"))
});

/// The network that knows this game.
#[must_use]
pub fn net_of(game: &DiceOfDoom) -> Option<&'static Net> {
    let knows = |shipped: &Shipped| {
        shipped.rules == game.rules()
            && shipped.players == game.players_at_table()
            && shipped.sides.contains(&game.side())
            && game.max_dice() == DICE as u8
    };
    SHIPPED.iter().position(knows).map(|at| &NETS[at])
}

/// The forecast of the network that knows the game; where none does, the forecast by hand.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ByNet;

/// What is kept of a position.
pub enum Basis {
    /// By a network.
    Net(&'static Net, Box<integer::Basis>),
    /// By hand.
    Hand(Box<forecast::Basis>),
}

impl Forecast<DiceOfDoom> for ByNet {
    type Basis = Basis;

    fn shares(&self, game: &DiceOfDoom, position: &Position) -> Shares {
        match net_of(game) {
            Some(net) => net.shares(game, position),
            None => ByHand.shares(game, position),
        }
    }

    fn basis(&self, game: &DiceOfDoom, position: &Position) -> Basis {
        match net_of(game) {
            Some(net) => Basis::Net(net, Box::new(net.basis(game, position))),
            None => Basis::Hand(Box::new(ByHand.basis(game, position))),
        }
    }

    fn shares_after(&self, game: &DiceOfDoom, basis: &Basis, position: &Position) -> Shares {
        match basis {
            Basis::Net(net, basis) => net.shares_after(game, basis, position),
            Basis::Hand(basis) => ByHand.shares_after(game, basis, position),
        }
    }

    fn prior(&self, game: &DiceOfDoom, position: &Position, action: Action) -> f32 {
        forecast::prior(game, position, action)
    }
}
