//! The history of a game, computed from its record: holdings after every turn, the decisive rolls, and the luck
//! of each player.

use crate::game::Player;
use crate::games::log::Turns;
use crate::record::ReplayedPly;
use crate::session::Session;
use crate::templates::dice_of_doom::history::{GameHistoryView, LuckView, SwingView};
use crate::templates::line_chart::{ChartSeries, ChartTurn};
use dice_of_doom_games::dice_of_doom::{Action, DiceOfDoom, Position};

/// The number of rolls that are listed.
const MAX_SWINGS: usize = 4;

/// The history of the mainline so far.
pub(super) fn history(session: &Session<DiceOfDoom>) -> GameHistoryView {
    let game = session.game();
    let mut builder = HistoryBuilder::new(game, &session.record().start);
    for step in session.mainline() {
        builder.push_ply(game, &step);
    }
    builder.view(game, session.position())
}

struct HistoryBuilder {
    /// Hexes and dice of each player after every turn.
    held: Vec<Vec<(u32, u32)>>,
    /// Every roll whose result had a probability below one half.
    surprises: Vec<SwingView>,
    luck: Vec<LuckView>,
    turn: u32,
    turns: Turns,
    /// Every turn so far, without an open one.
    ended: Vec<ChartTurn>,
    /// Whether anything was played since the last turn ended.
    is_turn_open: bool,
}

impl HistoryBuilder {
    fn new(game: &DiceOfDoom, start: &Position) -> Self {
        let players = Player::all(game.players());
        let luck = players.clone().map(|player| LuckView {
            player: player.number(),
            rolls: 0,
            won: 0,
            expected: 0.0,
        });
        let mut builder = HistoryBuilder {
            held: players.map(|_| Vec::new()).collect(),
            surprises: Vec::new(),
            luck: luck.collect(),
            turn: 1,
            turns: Turns::default(),
            ended: Vec::new(),
            is_turn_open: false,
        };
        builder.push_counts(game, start);
        builder
    }

    fn push_counts(&mut self, game: &DiceOfDoom, position: &Position) {
        for (player, held) in Player::all(game.players()).zip(&mut self.held) {
            held.push(game.hex_and_dice_count(position, player));
        }
    }

    /// Notes the state after a turn.
    fn end_turn(&mut self, game: &DiceOfDoom, player: Player, after: &Position) {
        self.push_counts(game, after);
        self.ended.push(ChartTurn {
            player: player.number(),
            number: self.turns.turn_number(player),
        });
    }

    fn push_ply(&mut self, game: &DiceOfDoom, step: &ReplayedPly<'_, DiceOfDoom>) {
        match step.ply.action {
            Action::EndTurn => {
                self.end_turn(game, step.ply.player, &step.after);
                self.turn += 1;
                self.turns.play(step.ply);
                self.is_turn_open = false;
            }
            Action::Attack { from, to } => {
                self.is_turn_open = true;
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
                        own_turn: self.turns.turn_number(step.ply.player),
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
        // A game that ends by resignation ends within a turn.
        if self.is_turn_open {
            self.end_turn(game, newest.player(), newest);
        }
        let lines = |value: fn(&(u32, u32)) -> u32| {
            let held = self.held.iter().zip(0..);
            let lines = held.map(|(held, player)| ChartSeries {
                player,
                values: held.iter().map(value).collect(),
            });
            lines.collect()
        };
        GameHistoryView {
            hexes: lines(|(hexes, _)| *hexes),
            dice: lines(|(_, dice)| *dice),
            turns: self.ended,
            swings: largest_swings(self.surprises),
            luck: if game.rules().is_rolled() {
                self.luck
            } else {
                Vec::new()
            },
        }
    }
}

/// The rolls with the highest surprise (Shannon information in bits) times the number of dice at stake, in
/// order of play; of equal ones the earlier.
fn largest_swings(mut surprises: Vec<SwingView>) -> Vec<SwingView> {
    let weight = |swing: &SwingView| {
        let dice = f64::from(swing.dice.0) + f64::from(swing.dice.1);
        -swing.probability.log2() * dice
    };
    surprises.sort_by(|one, other| weight(other).total_cmp(&weight(one)));
    surprises.truncate(MAX_SWINGS);
    surprises.sort_by_key(|swing| swing.ply);
    surprises
}
