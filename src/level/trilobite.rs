//! Who plays Trilobite at each level.

use std::num::NonZeroUsize;

use super::{AnyAction, ByTheBook, Level, Levelled, OnePly, Searching, Strategy};
use crate::games::trilobite::Trilobite;
use crate::games::trilobite::forecast::ByLines;
use crate::search::puct::Tuning;

const TUNING: Tuning = Tuning {
    exploration: 0.5,
    thorough_from: 4,
    temperature: 0.03,
    patience: 0.99,
};

impl Levelled for Trilobite {
    fn strategy(level: Level) -> Box<dyn Strategy<Self>> {
        let search = |simulations: fn(&Trilobite) -> u64, trees| {
            let trees = NonZeroUsize::new(trees).expect("written here");
            Box::new(Searching::new(ByLines, TUNING, simulations, trees))
        };
        match level {
            Level::Random => Box::new(AnyAction),
            Level::Book => Box::new(ByTheBook),
            Level::Greedy | Level::Steady => Box::new(OnePly(ByLines)),
            Level::Expert => search(|_| 100, 1),
            Level::Master => search(|_| 1_000, 1),
            Level::Champion => search(|_| 20_000, 2),
        }
    }
}
