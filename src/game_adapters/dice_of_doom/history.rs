//! The course of a game, counted from its record: who held what after every turn, which rolls turned it,
//! and how the dice fell against their odds.

use crate::game::Player;
use crate::game_adapters::live_page::Turns;
use crate::games::dice_of_doom::{Action, DiceOfDoom, Position};
use crate::record::ReplayedPly;
use crate::session::Session;
use crate::templates::dice_of_doom::history::{GameHistoryView, LuckView, SwingView};
use crate::templates::line_chart::ChartSeries;

/// So many rolls are named.
const MOST_SWINGS: usize = 4;

/// The course of a game so far; what was taken back does not count.
pub(super) fn course(session: &Session<DiceOfDoom>) -> GameHistoryView {
    let game = session.game();
    let mut course = HistoryBuilder::at(game, &session.record().start);
    for step in session.line() {
        course.follow(game, &step);
    }
    course.view(game, session.position())
}

struct HistoryBuilder {
    /// Hexes and dice of each player.
    held: Vec<Vec<(u32, u32)>>,
    /// Every roll that was more unlikely than not.
    surprises: Vec<SwingView>,
    luck: Vec<LuckView>,
    turn: u32,
    /// The turns of each player.
    turns: Turns,
    /// Whether anything was played since the last turn ended.
    open: bool,
}

impl HistoryBuilder {
    fn at(game: &DiceOfDoom, start: &Position) -> Self {
        let players = Player::all(game.players());
        let luck = players.clone().map(|player| LuckView {
            player: player.number(),
            rolls: 0,
            won: 0,
            expected: 0.0,
        });
        let mut course = HistoryBuilder {
            held: players.map(|_| Vec::new()).collect(),
            surprises: Vec::new(),
            luck: luck.collect(),
            turn: 1,
            turns: Turns::default(),
            open: false,
        };
        course.count(game, start);
        course
    }

    fn count(&mut self, game: &DiceOfDoom, position: &Position) {
        for (player, held) in Player::all(game.players()).zip(&mut self.held) {
            held.push(game.hex_and_dice_count(position, player));
        }
    }

    fn follow(&mut self, game: &DiceOfDoom, step: &ReplayedPly<'_, DiceOfDoom>) {
        match step.ply.action {
            Action::EndTurn => {
                self.count(game, &step.after);
                self.turn += 1;
                self.turns.play(step.ply);
                self.open = false;
            }
            Action::Attack { from, to } => {
                self.open = true;
                let Some(odds) = game.attack_win_probability(&step.before, from, to) else {
                    return;
                };
                let captured = step.after.owner(to) == step.ply.player;
                let attacker = step.ply.player.number();
                if let Some(luck) = self.luck.get_mut(usize::from(attacker)) {
                    luck.rolls += 1;
                    luck.won += u32::from(captured);
                    luck.expected += odds;
                }
                let probability = if captured { odds } else { 1.0 - odds };
                if probability < 0.5 {
                    self.surprises.push(SwingView {
                        ply: step.number + 1,
                        turn: self.turn,
                        own_turn: self.turns.of(step.ply.player),
                        attacker,
                        defender: step.before.owner(to).number(),
                        dice: (step.before.dice(from), step.before.dice(to)),
                        captured,
                        probability,
                    });
                }
            }
        }
    }

    fn view(mut self, game: &DiceOfDoom, newest: &Position) -> GameHistoryView {
        // A game that was given up ends within a turn.
        if self.open {
            self.count(game, newest);
        }
        let lines = |what: fn(&(u32, u32)) -> u32| {
            let held = self.held.iter().zip(0..);
            let lines = held.map(|(held, player)| ChartSeries {
                player,
                values: held.iter().map(what).collect(),
            });
            lines.collect()
        };
        GameHistoryView {
            hexes: lines(|(hexes, _)| *hexes),
            dice: lines(|(_, dice)| *dice),
            swings: largest(self.surprises),
            luck: if game.rules().is_rolled() {
                self.luck
            } else {
                Vec::new()
            },
        }
    }
}

/// The rolls with the most surprise (in bits, as Claude Shannon measured it) times the dice at stake, in
/// the order in which they were rolled; of equal ones the earlier.
fn largest(mut surprises: Vec<SwingView>) -> Vec<SwingView> {
    let weight = |swing: &SwingView| {
        let dice = f64::from(swing.dice.0) + f64::from(swing.dice.1);
        -swing.probability.log2() * dice
    };
    surprises.sort_by(|one, other| weight(other).total_cmp(&weight(one)));
    surprises.truncate(MOST_SWINGS);
    surprises.sort_by_key(|swing| swing.ply);
    surprises
}
