//! The networks that play: those that the program brings along, and one of somebody's own.

use std::sync::{LazyLock, OnceLock};

use super::super::action::Action;
use super::super::handcrafted::{self, HandcraftedEvaluator};
use super::super::position::Position;
use super::super::rules::DiceOfDoom;
use super::quantized::QuantizedNetwork;
use super::trained::TrainedNetwork;
use dice_of_doom_core::search::{PositionEvaluator, WinShares};

/// Each by the command that stands in docs/training.md.
const FILES: [&[u8]; 7] = [
    include_bytes!("weights/v4-4-5.net"),
    include_bytes!("weights/v4-4.net"),
    include_bytes!("weights/v4-2.net"),
    include_bytes!("weights/v4-3.net"),
    include_bytes!("weights/v4-6.net"),
    include_bytes!("weights/conquest-2.net"),
    include_bytes!("weights/conquest-4.net"),
];

static SHIPPED: LazyLock<[TrainedNetwork; FILES.len()]> = LazyLock::new(|| {
    FILES.map(|file| TrainedNetwork::from_bytes(file).expect("a test reads every file"))
});

static OWN: OnceLock<TrainedNetwork> = OnceLock::new();

/// Lets these weights play the games that they know, instead of those that the program brings along.
///
/// The rule: once in a program, before anything plays. What was thought, drawn or kept until then was by
/// other numbers, and nobody would think it anew.
///
/// # Panics
/// When there are weights of one's own already.
pub fn install(weights: TrainedNetwork) {
    assert!(OWN.set(weights).is_ok(), "weights are installed once");
}

/// All weights that the program brings along.
#[must_use]
pub fn builtin_weights() -> &'static [TrainedNetwork] {
    &*SHIPPED
}

/// The weights that know this game.
#[must_use]
pub fn weights_for(game: &DiceOfDoom) -> Option<&'static TrainedNetwork> {
    let mut weights = OWN.get().into_iter().chain(builtin_weights());
    weights.find(|weights| weights.supports(game))
}

/// The network that knows this game.
#[must_use]
pub fn nnue_for(game: &DiceOfDoom) -> Option<&'static QuantizedNetwork> {
    weights_for(game).map(TrainedNetwork::net)
}

/// The forecast of the network that knows the game; where none does, the forecast by hand.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NnueEvaluator;

impl PositionEvaluator<DiceOfDoom> for NnueEvaluator {
    fn win_shares(&self, game: &DiceOfDoom, position: &Position) -> WinShares {
        match nnue_for(game) {
            Some(net) => net.win_shares(game, position),
            None => HandcraftedEvaluator.win_shares(game, position),
        }
    }

    fn win_shares_after(
        &self,
        game: &DiceOfDoom,
        position: &Position,
        after: &[Position],
        shares: &mut Vec<WinShares>,
    ) {
        match nnue_for(game) {
            Some(net) => net.win_shares_after(game, position, after, shares),
            None => HandcraftedEvaluator.win_shares_after(game, position, after, shares),
        }
    }

    fn prior(&self, game: &DiceOfDoom, position: &Position, action: Action) -> f32 {
        handcrafted::prior(game, position, action)
    }
}
