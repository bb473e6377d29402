//! The extension module `dice_of_doom._native`: Dice of Doom and Trilobite for Python. README.md describes it.
//!
//! | module | contents |
//! |---|---|
//! | `encoding` | what a game provides for learners: numbers of actions, observations, ratings |
//! | `game`, `position` | the classes `Game` and `Position` |
//! | `batch` | many games at once |
//! | `record` | games with their dice |
//! | `interrupt` | searches that Ctrl-C ends |

use pyo3::prelude::*;

mod batch;
mod encoding;
mod game;
mod interrupt;
mod json;
mod position;
mod record;
mod rng;

/// The same for each game.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum ForGame<D, T> {
    Dice(D),
    Trilobite(T),
}

/// Evaluates an expression for whichever game it is.
macro_rules! for_game {
    ($any:expr, $one:pat => $body:expr) => {
        match $any {
            crate::ForGame::Dice($one) => $body,
            crate::ForGame::Trilobite($one) => $body,
        }
    };
}
/// As [`for_game`], for expressions whose type depends on the game; the result is a [`ForGame`].
macro_rules! map_game {
    ($any:expr, $one:pat => $body:expr) => {
        match $any {
            crate::ForGame::Dice($one) => crate::ForGame::Dice($body),
            crate::ForGame::Trilobite($one) => crate::ForGame::Trilobite($body),
        }
    };
}
pub(crate) use {for_game, map_game};

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<game::Game>()?;
    module.add_class::<position::Position>()?;
    module.add_class::<rng::Rng>()?;
    module.add_class::<record::Record>()?;
    module.add_class::<batch::Batch>()?;
    module.add_function(wrap_pyfunction!(record::play, module)?)
}
