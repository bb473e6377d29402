//! The text whose hash ties a checkpoint to the configuration of its training run.
//!
//! It uses the type and field names of the first checkpoints, so it does not change when they are renamed.

use super::{FixedOpponent, TrainingConfig, TrainingOpponents};
use dice_of_doom_core::level::LevelSpec;

impl TrainingConfig {
    pub(super) fn fingerprint_text(&self) -> String {
        let company = match &self.opponents {
            TrainingOpponents::SelfPlay => "Alone".to_owned(),
            TrainingOpponents::League { opponents, part } => {
                let opponents: Vec<_> = opponents.iter().map(opponent_text).collect();
                let opponents = opponents.join(", ");
                format!("League {{ opponents: [{opponents}], part: {part:?} }}")
            }
            TrainingOpponents::Exploit(opponent) => format!("Victim({})", opponent_text(opponent)),
        };
        let start = match &self.start {
            Some(net) => format!("Some({})", net.fingerprint_text()),
            None => "None".to_owned(),
        };
        format!(
            "Course {{ boards: {:?}, games: {}, seed: {}, rate: {:?}, batch: {}, last: {:?}, lambda: {:?}, \
             exploration: {:?}, discount: {:?}, company: {company}, start: {start}, simulations: {} }}",
            self.boards,
            self.games,
            self.seed,
            self.rate,
            self.batch,
            self.last,
            self.lambda,
            self.exploration,
            self.discount,
            self.simulations,
        )
    }
}

fn opponent_text(opponent: &FixedOpponent) -> String {
    match opponent {
        FixedOpponent::Level(LevelSpec { level, simulations }) => {
            format!("Level(Strength {{ level: {level:?}, simulations: {simulations:?} }})")
        }
        FixedOpponent::Net(net) => format!("Net({})", net.fingerprint_text()),
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use super::super::Training;
    use super::{LevelSpec, TrainingConfig, TrainingOpponents};
    use crate::dice_of_doom::preset::Rules;
    use crate::dice_of_doom::rules::DiceOfDoom;
    use dice_of_doom_core::level::Level;

    #[test]
    fn fingerprints_do_not_change_between_releases() {
        let board = |side| DiceOfDoom::new(Rules::V4, side, 4, 3).unwrap();
        let net = Training::new(TrainingConfig::new(vec![board(4)], 64, 3)).network();
        let with = |opponents| TrainingConfig {
            opponents,
            ..TrainingConfig::new(vec![board(4), board(5)], 1000, 7)
        };
        let limited = LevelSpec {
            level: Level::Master,
            simulations: NonZeroU64::new(50),
        };
        let league = TrainingOpponents::League {
            opponents: vec![
                Level::Steady.into(),
                super::FixedOpponent::Level(limited),
                net.clone().into(),
            ],
            part: 0.25,
        };
        let continued = TrainingConfig {
            start: Some(Box::new(net.clone())),
            simulations: 12,
            rate: 1e-5,
            ..TrainingConfig::new(vec![board(6)], 64, 1)
        };
        let configs = [
            with(TrainingOpponents::SelfPlay),
            with(league),
            with(TrainingOpponents::Exploit(net.clone().into())),
            continued,
        ];
        let fingerprints = configs.map(|config| format!("{:016x}", config.fingerprint()));
        assert_eq!(
            fingerprints,
            [
                "211ee2a996c2cd07",
                "4e14960778b4bbc3",
                "c9e13fae3ec0d930",
                "3cd3e88d53ab4282"
            ]
        );
    }
}
