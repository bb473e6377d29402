//! The networks in use: the built-in ones, and optionally one installed by the user.

use std::sync::{LazyLock, OnceLock};

use super::super::action::Action;
use super::super::handcrafted::{self, HandcraftedEvaluator};
use super::super::position::Position;
use super::super::rules::DiceOfDoom;
use super::quantized::QuantizedNetwork;
use super::trained::TrainedNetwork;
use dice_of_doom_core::search::{PositionEvaluator, WinShares};

/// docs/training.md has the command for each file.
const FILES: [&[u8]; 7] = [
    include_bytes!("weights/v4-4-5.net"),
    include_bytes!("weights/v4-4.net"),
    include_bytes!("weights/v4-2.net"),
    include_bytes!("weights/v4-3.net"),
    include_bytes!("weights/v4-6.net"),
    include_bytes!("weights/conquest-2.net"),
    include_bytes!("weights/conquest-4.net"),
];

static BUILTIN: LazyLock<[TrainedNetwork; FILES.len()]> = LazyLock::new(|| {
    FILES.map(|file| TrainedNetwork::from_bytes(file).expect("a valid network file, as tested"))
});

static INSTALLED: OnceLock<TrainedNetwork> = OnceLock::new();

/// Uses these weights instead of the built-in ones for the games that they support.
///
/// Must be called at most once, before any game is played: earlier cached evaluations are not recomputed.
///
/// # Panics
/// If weights are already installed.
pub fn install(weights: TrainedNetwork) {
    assert!(
        INSTALLED.set(weights).is_ok(),
        "weights can be installed only once"
    );
}

/// All built-in weights.
#[must_use]
pub fn builtin_weights() -> &'static [TrainedNetwork] {
    &*BUILTIN
}

/// The weights that support this game; installed ones take precedence.
#[must_use]
pub fn weights_for(game: &DiceOfDoom) -> Option<&'static TrainedNetwork> {
    let mut weights = INSTALLED.get().into_iter().chain(builtin_weights());
    weights.find(|weights| weights.supports(game))
}

/// The network that supports this game.
#[must_use]
pub fn nnue_for(game: &DiceOfDoom) -> Option<&'static QuantizedNetwork> {
    weights_for(game).map(TrainedNetwork::network)
}

/// The evaluator of the network that supports the game; without one, the handcrafted evaluator.
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
