//! Who plays Trilobite at each level.

use std::num::NonZeroUsize;

use super::{AnyAction, ByTheBook, Level, Levelled, OnePly, Searching, Strategy};
use crate::games::trilobite::Trilobite;
use crate::games::trilobite::forecast::ByLines;
use crate::search::puct::Tuning;

const TUNING: Tuning = Tuning {
    exploration: 1.0,
    caution: 0.0,
};

impl Levelled for Trilobite {
    fn strategy(level: Level) -> Box<dyn Strategy<Self>> {
        let search = |simulations, trees| {
            let trees = NonZeroUsize::new(trees).expect("written here");
            Box::new(Searching::new(ByLines, TUNING, simulations, trees))
        };
        match level {
            Level::Random => Box::new(AnyAction),
            Level::Book => Box::new(ByTheBook),
            Level::Greedy | Level::Steady => Box::new(OnePly(ByLines)),
            Level::Expert => search(100, 1),
            Level::Master => search(1_000, 1),
            Level::Champion => search(20_000, 2),
        }
    }
}
