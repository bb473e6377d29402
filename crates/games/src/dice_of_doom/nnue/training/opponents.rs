//! Who plays besides the learner: players that do not learn while it does.

use rand::RngExt;

use super::super::super::action::Action;
use super::super::super::position::Position;
use super::super::super::rules::DiceOfDoom;
use super::super::quantized::QuantizedNetwork;
use dice_of_doom_core::game::{ByPlayer, Player};
use dice_of_doom_core::level::{
    Agent, AgentProvider, Level, LevelSpec, ObservedAction, OnePlyAgent, SearchLimit,
};
use dice_of_doom_core::rng::AgentRng;
use dice_of_doom_core::search::StopToken;

/// Who sits in the seats of a training's games.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum TrainingOpponents {
    /// The learner in every seat.
    #[default]
    Alone,
    /// The learner in every seat of some games; in the others it has one seat, and who has each other seat
    /// is drawn from the opponents and the learner.
    League {
        /// At least one.
        opponents: Vec<FixedOpponent>,
        /// The part of the games with opponents, 0 to 1.
        part: f32,
    },
    /// One opponent in every seat but one, which is the learner's and goes round: it learns to beat this
    /// opponent and nobody else.
    Victim(FixedOpponent),
}

/// Somebody who does not learn.
#[derive(Clone, PartialEq, Debug)]
pub enum FixedOpponent {
    /// A level.
    Level(LevelSpec),
    /// A network that looks one ply ahead.
    Net(Box<QuantizedNetwork>),
}

impl From<Level> for FixedOpponent {
    fn from(level: Level) -> Self {
        FixedOpponent::Level(level.into())
    }
}

impl From<QuantizedNetwork> for FixedOpponent {
    fn from(net: QuantizedNetwork) -> Self {
        FixedOpponent::Net(Box::new(net))
    }
}

impl FixedOpponent {
    /// A new player for one game.
    #[must_use]
    pub fn strategy(&self) -> Box<dyn Agent<DiceOfDoom>> {
        match self {
            FixedOpponent::Level(strength) => DiceOfDoom::agent(strength.level),
            FixedOpponent::Net(net) => Box::new(OnePlyAgent(QuantizedNetwork::clone(net))),
        }
    }

    /// How much it does for a decision.
    #[must_use]
    pub fn effort(&self) -> SearchLimit {
        match self {
            FixedOpponent::Level(strength) => strength.search_limit(),
            FixedOpponent::Net(_) => SearchLimit::Usual,
        }
    }
}

impl TrainingOpponents {
    /// Everybody who is no learner.
    pub(super) fn opponents(&self) -> &[FixedOpponent] {
        match self {
            TrainingOpponents::Alone => &[],
            TrainingOpponents::League { opponents, .. } => opponents,
            TrainingOpponents::Victim(victim) => std::slice::from_ref(victim),
        }
    }

    /// Who sits where in a game; `round` counts the games on its board.
    pub(super) fn seat_assignment(
        &self,
        game: &DiceOfDoom,
        round: u64,
        rng: &mut AgentRng,
    ) -> SeatAssignment {
        let mut seats = SeatAssignment::default();
        let players = game.players();
        match self {
            TrainingOpponents::Alone => {}
            TrainingOpponents::League { opponents, part } => {
                if rng.random::<f32>() < *part {
                    let own = rng.random_range(0..players);
                    for player in Player::all(players).filter(|player| player.number() != own) {
                        // One more than there are: the learner.
                        let drawn = opponents.get(rng.random_range(0..=opponents.len()));
                        seats.0[player] = drawn.map(OpponentSeat::new);
                    }
                }
            }
            TrainingOpponents::Victim(victim) => {
                let own = round % u64::from(players);
                for player in Player::all(players) {
                    if u64::from(player.number()) != own {
                        seats.0[player] = Some(OpponentSeat::new(victim));
                    }
                }
            }
        }
        seats
    }
}

/// Who sits where in one game; the learner where nobody else does.
#[derive(Default)]
pub(super) struct SeatAssignment(ByPlayer<Option<OpponentSeat>>);

impl SeatAssignment {
    /// Whether every seat of a game of so many players is the learner's.
    pub(super) fn is_self_play(&self, players: u8) -> bool {
        Player::all(players).all(|player| self.0[player].is_none())
    }

    /// Whoever else sits there.
    pub(super) fn opponent_agent(&mut self, player: Player) -> Option<&mut OpponentSeat> {
        self.0[player].as_mut()
    }
}

/// An opponent in one game.
pub(super) struct OpponentSeat {
    strategy: Box<dyn Agent<DiceOfDoom>>,
    effort: SearchLimit,
}

impl OpponentSeat {
    fn new(opponent: &FixedOpponent) -> Self {
        OpponentSeat {
            strategy: opponent.strategy(),
            effort: opponent.effort(),
        }
    }

    /// Chooses, told of all that was decided before.
    pub(super) fn choose(
        &mut self,
        game: &DiceOfDoom,
        line: &[ObservedAction<DiceOfDoom>],
        position: &Position,
        rng: &mut AgentRng,
    ) -> Action {
        let OpponentSeat { strategy, effort } = self;
        strategy.observe(game, &mut line.iter().cloned());
        let choice = strategy.choose_action(game, position, *effort, rng, &StopToken::new());
        choice.action
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::super::preset::Rules;
    use super::*;
    use dice_of_doom_core::game::Game;
    use dice_of_doom_core::level::ChosenAction;

    fn game() -> DiceOfDoom {
        DiceOfDoom::preset(Rules::V4)
    }

    /// Which seats are the learner's, in so many games.
    fn own(company: &TrainingOpponents, games: u64) -> Vec<Vec<bool>> {
        let mut rng = AgentRng::seed_from_u64(1);
        let seats = (0..games).map(|round| company.seat_assignment(&game(), round, &mut rng));
        let own = seats.map(|seats| {
            Player::all(4)
                .map(|player| seats.0[player].is_none())
                .collect()
        });
        own.collect()
    }

    /// Chooses the action whose place is how many decisions it was told of.
    #[derive(Default)]
    struct Counting(usize);

    impl Agent<DiceOfDoom> for Counting {
        fn choose_action(
            &mut self,
            game: &DiceOfDoom,
            position: &Position,
            _: SearchLimit,
            _: &mut AgentRng,
            _: &StopToken,
        ) -> ChosenAction<Action> {
            ChosenAction {
                action: game.legal_actions(position).nth(self.0).expect("an action"),
                shares: None,
                nodes: 0,
            }
        }

        fn observe(
            &mut self,
            _: &DiceOfDoom,
            line: &mut dyn Iterator<Item = ObservedAction<DiceOfDoom>>,
        ) {
            self.0 = line.count();
        }
    }

    #[test]
    fn whoever_plays_besides_is_told_what_was_decided() {
        let (game, mut rng) = (game(), AgentRng::seed_from_u64(1));
        let position = game.deal(&mut rng).expect("a board");
        let actions: Vec<Action> = game.legal_actions(&position).collect();
        let mut other = OpponentSeat {
            strategy: Box::new(Counting::default()),
            effort: SearchLimit::Usual,
        };
        let decision = ObservedAction {
            position,
            action: actions[0],
        };
        for told in [
            vec![],
            vec![decision.clone()],
            vec![decision.clone(), decision],
        ] {
            let chosen = other.choose(&game, &told, &position, &mut rng);
            assert_eq!(chosen, actions[told.len()]);
        }
    }

    #[test]
    fn alone_the_learner_has_every_seat() {
        assert_eq!(own(&TrainingOpponents::Alone, 3), vec![vec![true; 4]; 3]);
    }

    #[test]
    fn against_a_victim_it_has_one_seat_that_goes_round() {
        let company = TrainingOpponents::Victim(Level::Book.into());
        for (round, seats) in own(&company, 8).iter().enumerate() {
            let at: Vec<usize> = (0..4).filter(|&seat| seats[seat]).collect();
            assert_eq!(at, [round % 4]);
        }
    }

    #[test]
    fn in_a_league_it_has_a_seat_in_every_game_and_its_part_of_the_others() {
        let league = |part| TrainingOpponents::League {
            opponents: vec![Level::Book.into(), Level::Steady.into()],
            part,
        };
        let games = own(&league(1.0), 3_000);
        assert!(games.iter().all(|seats| seats.contains(&true)));
        // One seat and a third of three others: 2 of 4, with a deviation of 0.015 over 3,000 games.
        let seats = games.iter().flatten().filter(|&&own| own).count();
        let mean = seats as f64 / 3_000.0;
        assert!((mean - 2.0).abs() < 0.08, "{mean}");
        for seat in 0..4 {
            let at = games.iter().filter(|seats| seats[seat]).count();
            assert!((1_350..1_650).contains(&at), "{seat}: {at}");
        }
        assert!(own(&league(0.0), 100).iter().flatten().all(|&own| own));
        // Of the half with opponents one in 27 has the learner in every seat, too.
        let half = own(&league(0.5), 3_000);
        let all = half.iter().filter(|seats| !seats.contains(&false)).count();
        assert!((1_400..1_700).contains(&all), "{all}");
    }
}
