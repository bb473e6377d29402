//! The learner's opponents in training games: players whose weights do not change.

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

/// The assignment of seats in training games.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum TrainingOpponents {
    /// The learner has every seat.
    #[default]
    SelfPlay,
    /// The learner has every seat of some games. In the others it has one seat, and each other seat is assigned
    /// at random among the opponents and the learner.
    League {
        /// The opponents, at least one.
        opponents: Vec<FixedOpponent>,
        /// The fraction of games with opponents, 0 to 1.
        part: f32,
    },
    /// The learner has one seat, in rotation, and the opponent all others: the learner learns to exploit this
    /// opponent.
    Exploit(FixedOpponent),
}

/// A player that does not learn.
#[derive(Clone, PartialEq, Debug)]
pub enum FixedOpponent {
    /// A level, optionally with limited simulations.
    Level(LevelSpec),
    /// A network with one-ply lookahead.
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
    /// A new agent for one game.
    #[must_use]
    pub fn agent(&self) -> Box<dyn Agent<DiceOfDoom>> {
        match self {
            FixedOpponent::Level(strength) => DiceOfDoom::agent(strength.level),
            FixedOpponent::Net(net) => Box::new(OnePlyAgent(QuantizedNetwork::clone(net))),
        }
    }

    /// The search limit per decision.
    #[must_use]
    pub fn search_limit(&self) -> SearchLimit {
        match self {
            FixedOpponent::Level(strength) => strength.search_limit(),
            FixedOpponent::Net(_) => SearchLimit::Default,
        }
    }
}

impl TrainingOpponents {
    /// All opponents.
    pub(super) fn opponents(&self) -> &[FixedOpponent] {
        match self {
            TrainingOpponents::SelfPlay => &[],
            TrainingOpponents::League { opponents, .. } => opponents,
            TrainingOpponents::Exploit(victim) => std::slice::from_ref(victim),
        }
    }

    /// Assigns the seats of a game; `round` counts the games on its board.
    pub(super) fn seat_assignment(
        &self,
        game: &DiceOfDoom,
        round: u64,
        rng: &mut AgentRng,
    ) -> SeatAssignment {
        let mut seats = SeatAssignment::default();
        let players = game.players();
        match self {
            TrainingOpponents::SelfPlay => {}
            TrainingOpponents::League { opponents, part } => {
                if rng.random::<f32>() < *part {
                    let own = rng.random_range(0..players);
                    for player in Player::all(players).filter(|player| player.number() != own) {
                        // The index after the last opponent stands for the learner.
                        let drawn = opponents.get(rng.random_range(0..=opponents.len()));
                        seats.0[player] = drawn.map(OpponentSeat::new);
                    }
                }
            }
            TrainingOpponents::Exploit(victim) => {
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

/// The opponents by seat; the learner has the other seats.
#[derive(Default)]
pub(super) struct SeatAssignment(ByPlayer<Option<OpponentSeat>>);

impl SeatAssignment {
    /// Whether the learner has every seat.
    pub(super) fn is_self_play(&self, players: u8) -> bool {
        Player::all(players).all(|player| self.0[player].is_none())
    }

    /// The opponent in this seat, if any.
    pub(super) fn opponent_agent(&mut self, player: Player) -> Option<&mut OpponentSeat> {
        self.0[player].as_mut()
    }
}

/// An opponent in one game.
pub(super) struct OpponentSeat {
    agent: Box<dyn Agent<DiceOfDoom>>,
    search_limit: SearchLimit,
}

impl OpponentSeat {
    fn new(opponent: &FixedOpponent) -> Self {
        OpponentSeat {
            agent: opponent.agent(),
            search_limit: opponent.search_limit(),
        }
    }

    /// Chooses an action after observing all earlier decisions.
    pub(super) fn choose_action(
        &mut self,
        game: &DiceOfDoom,
        history: &[ObservedAction<DiceOfDoom>],
        position: &Position,
        rng: &mut AgentRng,
    ) -> Action {
        let OpponentSeat {
            agent,
            search_limit,
        } = self;
        agent.observe(game, &mut history.iter().cloned());
        let choice = agent.choose_action(game, position, *search_limit, rng, &StopToken::new());
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

    /// For each game, which seats are the learner's.
    fn learner_seats(opponents: &TrainingOpponents, games: u64) -> Vec<Vec<bool>> {
        let mut rng = AgentRng::seed_from_u64(1);
        let seats = (0..games).map(|round| opponents.seat_assignment(&game(), round, &mut rng));
        let is_learner = seats.map(|seats| {
            Player::all(4)
                .map(|player| seats.0[player].is_none())
                .collect()
        });
        is_learner.collect()
    }

    /// Chooses the action whose index is the number of observed decisions.
    #[derive(Default)]
    struct ObservationCounter(usize);

    impl Agent<DiceOfDoom> for ObservationCounter {
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
                is_exact: false,
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
    fn opponents_observe_earlier_decisions() {
        let (game, mut rng) = (game(), AgentRng::seed_from_u64(1));
        let position = game.deal(&mut rng).expect("a dealt board");
        let actions: Vec<Action> = game.legal_actions(&position).collect();
        let mut seat = OpponentSeat {
            agent: Box::new(ObservationCounter::default()),
            search_limit: SearchLimit::Default,
        };
        let decision = ObservedAction {
            position,
            action: actions[0],
        };
        for decisions in [
            vec![],
            vec![decision.clone()],
            vec![decision.clone(), decision],
        ] {
            let chosen = seat.choose_action(&game, &decisions, &position, &mut rng);
            assert_eq!(chosen, actions[decisions.len()]);
        }
    }

    #[test]
    fn in_self_play_the_learner_has_every_seat() {
        assert_eq!(
            learner_seats(&TrainingOpponents::SelfPlay, 3),
            vec![vec![true; 4]; 3]
        );
    }

    #[test]
    fn against_a_victim_the_learner_has_one_seat_in_rotation() {
        let opponents = TrainingOpponents::Exploit(Level::Book.into());
        for (round, seats) in learner_seats(&opponents, 8).iter().enumerate() {
            let at: Vec<usize> = (0..4).filter(|&seat| seats[seat]).collect();
            assert_eq!(at, [round % 4]);
        }
    }

    #[test]
    fn in_a_league_the_learner_has_a_seat_in_every_game_and_a_share_of_the_others() {
        let league = |part| TrainingOpponents::League {
            opponents: vec![Level::Book.into(), Level::Steady.into()],
            part,
        };
        let games = learner_seats(&league(1.0), 3_000);
        assert!(games.iter().all(|seats| seats.contains(&true)));
        // One seat and a third of the three others: 2 of 4, with a standard deviation of 0.015 over 3,000
        // games.
        let seats = games.iter().flatten().filter(|&&own| own).count();
        let mean = seats as f64 / 3_000.0;
        assert!((mean - 2.0).abs() < 0.08, "{mean}");
        for seat in 0..4 {
            let at = games.iter().filter(|seats| seats[seat]).count();
            assert!((1_350..1_650).contains(&at), "{seat}: {at}");
        }
        assert!(
            learner_seats(&league(0.0), 100)
                .iter()
                .flatten()
                .all(|&own| own)
        );
        // In 1 of 27 games with opponents the learner has every seat, too.
        let half = learner_seats(&league(0.5), 3_000);
        let all = half.iter().filter(|seats| !seats.contains(&false)).count();
        assert!((1_400..1_700).contains(&all), "{all}");
    }
}
