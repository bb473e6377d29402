//! Solutions of the exercises for readers of Land of Lisp (see `docs/land-of-lisp.md`).
//!
//! ```sh
//! cargo run --release -p dice-of-doom-arena --example exercises      # all of them
//! cargo run --release -p dice-of-doom-arena --example exercises 3    # one
//! ```

use std::fmt::Write as _;

use dice_of_doom_arena::{AgentFactory, Estimate, PlayerFactory, play_board};
use dice_of_doom_core::game::{Game, Player, Status};
use dice_of_doom_core::level::{Agent, AgentRng, ChosenAction, Level, LevelSpec, PolicyAgent};
use dice_of_doom_core::search::{SearchResult, StaticEvaluation, expectimax, expectimax_in, perft};
use dice_of_doom_core::tree::{GameTree, LazyTree, cached::CachedNode};
use dice_of_doom_games::dice_of_doom::land_of_lisp::{self, BookOddsGame, score::BookScore};
use dice_of_doom_games::dice_of_doom::{
    Action, DiceOfDoom, Hex, Outcome, Position, Rules, win_probability,
};
use dice_of_doom_games::trilobite::Trilobite;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt as _, SeedableRng};

/// The exercises in order; each returns its output.
pub(crate) const EXERCISES: [fn() -> String; 8] = [
    pruning,
    taking_turns,
    two_branches,
    laziness,
    rounded_odds,
    ties,
    threats,
    own_level,
];

fn main() {
    let selected: Option<usize> = std::env::args()
        .nth(1)
        .and_then(|number| number.parse().ok());
    for (number, exercise) in (1..).zip(EXERCISES) {
        if selected.is_none_or(|selected| selected == number) {
            println!("{number}.\n{}", exercise());
        }
    }
}

/// Alpha-beta searches fewer positions and chooses the same action.
fn pruning() -> String {
    let game = DiceOfDoom::preset(Rules::V2);
    let start = deal(&game, 18);
    let mut text = shown(&game, &start);
    text += "plies  choice  without alpha-beta  with\n";
    for plies in [2, 4, 6] {
        let whole = land_of_lisp::expectimax_f64(&game, &start, plies);
        let pruned = land_of_lisp::alpha_beta(&game, &start, plies);
        assert_eq!(whole.action(), pruned.action());
        let choice = chosen(&whole).to_string();
        let (whole, pruned) = (whole.nodes, pruned.nodes);
        let _ = writeln!(text, "{plies:>5}  {choice:>6}  {whole:>18}  {pruned:>4}");
    }
    text + "\n" + &in_lisp(&game, &start, 4)
}

/// The expression with which the book rates a start position of version 2, and its value.
fn in_lisp(game: &DiceOfDoom, start: &Position, plies: u32) -> String {
    let hexes = game.all_hexes();
    let hexes = hexes.map(|hex| format!("({} {})", start.owner(hex).number(), start.dice(hex)));
    let hexes: Vec<String> = hexes.collect();
    let rows = hexes.chunks(game.side().into()).map(|row| row.join(" "));
    let board = rows.collect::<Vec<_>>().join(&format!("\n{:28}", ""));
    let ratings = land_of_lisp::expectimax_f64(game, start, plies).ratings;
    let ratings: Vec<String> = ratings.iter().map(|(_, value)| value.to_string()).collect();
    let ratings = ratings.join(" ");
    format!(
        "(get-ratings\n (limit-tree-depth\n  (game-tree (board-array '({board}))\n{:13}0 0 t)\n  {plies})\n 0)\n\
         => ({ratings})\n",
        ""
    )
}

/// A search that alternates players at every ply attributes a player's own second attack to the opponent.
fn taking_turns() -> String {
    let game = DiceOfDoom::preset(Rules::V2);
    let positions = positions(&game, 1_000);
    let mut wrong = positions.iter().filter_map(|position| {
        let right = land_of_lisp::expectimax_f64(&game, position, 3);
        let alternating = game.legal_actions(position).map(|action| {
            let after = game.apply(position, action, only_outcome(&game, position, action));
            let value = alternating(&game, &after, 2, position.player(), false);
            (action, value)
        });
        let wrong = first_best(alternating);
        let (value, best) = (rating(&right, wrong), rating(&right, chosen(&right)));
        (value < best).then(|| {
            let (board, right) = (shown(&game, position), chosen(&right));
            format!("{board}{wrong} (worth {value}) where {right} is worth {best}\n")
        })
    });
    let first = wrong.next().unwrap_or_default();
    let count = 1 + wrong.count();
    let all = positions.len();
    format!("a worse choice in {count} of {all} positions; the first:\n\n{first}")
}

/// The value of a position for one player, by a search in which that player and the opponents alternate
/// regardless of the side to move.
fn alternating(
    game: &DiceOfDoom,
    position: &Position,
    plies: u32,
    player: Player,
    is_own: bool,
) -> f64 {
    let values = (plies > 0).then(|| {
        game.legal_actions(position).map(|action| {
            let after = game.apply(position, action, only_outcome(game, position, action));
            alternating(game, &after, plies - 1, player, !is_own)
        })
    });
    let values = values.into_iter().flatten();
    let best = values.reduce(if is_own { f64::max } else { f64::min });
    best.unwrap_or_else(|| BookScore.evaluate(game, position, player))
}

/// The value of an attack: the sum over its outcomes of probability times value.
fn two_branches() -> String {
    let game = DiceOfDoom::preset(Rules::V4);
    let start = deal(&game, 20);
    let analysis = land_of_lisp::expectimax_f32(&game, &start, 2);
    let attack = analysis.ratings.iter().find(|(action, _)| {
        let mut outcomes = game.chance_outcomes(&start, *action);
        outcomes.any(|(_, probability)| (0.6..0.9).contains(&probability))
    });
    let &(action, rating) = attack.expect("this deal has such an attack");
    let mut text = shown(&game, &start);
    let _ = writeln!(text, "attack {action}");
    let mut sum = 0.0;
    for (outcome, chance) in BookOddsGame(game).chance_outcomes(&start, action) {
        let after = game.apply(&start, action, outcome);
        let value = value_after(&game, &after, &start);
        sum += chance * value;
        let _ = writeln!(text, "{outcome:?}: chance {chance:.2}, worth {value}");
    }
    let _ = writeln!(text, "together {sum:.2}; rated by the program: {rating:.2}");
    text
}

/// The value of a position for the mover of `before`, one ply deep.
fn value_after(game: &DiceOfDoom, after: &Position, before: &Position) -> f64 {
    let game = BookOddsGame(*game);
    let tree = LazyTree::new(&game, *after).limit_depth(1);
    let analysis = expectimax(&tree, &BookScore, before.player());
    analysis.value().expect("the game is not over")
}

/// Positions are created only when they are visited.
fn laziness() -> String {
    let game = Trilobite::new(8, 7, 4).expect("the book's size");
    let root = CachedNode::root(game.empty());
    let tree = root.cached(&game);
    let listed = tree.branches().count();
    let after_listing = root.cached_nodes();
    let mut seventh = tree.branches().nth(6).expect("eight columns").1;
    let has_child = seventh.next().is_some();
    assert!(has_child);
    let after_looking = root.cached_nodes();
    let total: u64 = (0..=6)
        .map(|plies| perft(&game, &game.empty(), plies))
        .sum();
    format!(
        "{listed} moves listed: {after_listing} position made, the root\n\
         the seventh of them looked at: {after_looking} positions made\n\
         all of them, six plies deep: {total} positions\n"
    )
}

/// How often the book's rounding of win probabilities changes the choice.
fn rounded_odds() -> String {
    let game = DiceOfDoom::preset(Rules::V4);
    let positions = positions(&game, 1_000);
    let differ = positions.iter().filter(|position| {
        let single = land_of_lisp::expectimax_f32(&game, position, 2);
        chosen(&single) != chosen(&land_of_lisp::expectimax_f64(&game, position, 2))
    });
    let exact = positions.iter().filter(|position| {
        let tree = LazyTree::new(&game, **position).limit_depth(2);
        let exact = expectimax_in::<f32, _>(&tree, &BookScore, position.player());
        chosen(&exact) != chosen(&land_of_lisp::expectimax_f32(&game, position, 2))
    });
    let first = differ.clone().next().expect("there is one");
    let mut text = shown(&game, first);
    let single = land_of_lisp::expectimax_f32(&game, first, 2);
    let double = land_of_lisp::expectimax_f64(&game, first, 2);
    for action in [&single, &double].map(chosen) {
        let (single, double) = (rating(&single, action) as f32, rating(&double, action));
        let _ = writeln!(text, "{action}: {single} as a single, {double} as a double");
    }
    let all = positions.len();
    let (differ, exact) = (differ.count(), exact.count());
    text + &format!(
        "\nof {all} positions another choice\n\
         with doubles instead of singles: {differ}\n\
         with exact odds instead of rounded ones: {exact}\n"
    )
}

/// A rule is changed: equal sums win.
fn ties() -> String {
    let game = DiceOfDoom::preset(Rules::V4);
    let rows = [
        ("the defender", Attacks::in_games(&game, careful)),
        ("the attacker", Attacks::in_games(&TiesWin(game), careful)),
    ];
    let mut text = "ties go to    attacks a turn  succeed          turns a game\n".to_owned();
    for (name, attacks) in rows {
        let (each, turns) = (attacks.per_turn, attacks.turns);
        let succeed = percent(attacks.succeed);
        let _ = writeln!(text, "{name}  {each:>14.1}  {succeed:<15}  {turns:>12.1}");
    }
    text
}

/// Dice of Doom in which equal sums win.
struct TiesWin(DiceOfDoom);

impl Game for TiesWin {
    type Position = Position;
    type Action = Action;
    type Outcome = Outcome;

    fn chance_outcomes(
        &self,
        position: &Position,
        action: Action,
    ) -> impl Iterator<Item = (Outcome, f64)> + Clone {
        let outcomes = self.0.chance_outcomes(position, action);
        outcomes.map(move |(outcome, probability)| match action {
            Action::EndTurn => (outcome, probability),
            Action::Attack { from, to } => {
                // The attack fails only if the defender's sum is higher.
                let lost = win_probability(position.dice(to), position.dice(from));
                let is_lost = outcome == Outcome::Lost;
                (outcome, if is_lost { lost } else { 1.0 - lost })
            }
        })
    }

    // All other rules stay.
    fn players(&self) -> u8 {
        Game::players(&self.0)
    }
    fn status(&self, position: &Position) -> Status {
        self.0.status(position)
    }
    fn legal_actions(&self, position: &Position) -> impl Iterator<Item = Action> + Clone {
        self.0.legal_actions(position)
    }
    fn apply(&self, position: &Position, action: Action, outcome: Outcome) -> Position {
        self.0.apply(position, action, outcome)
    }
}

/// An evaluation is changed: what a hex of one's own is worth.
fn threats() -> String {
    let game = DiceOfDoom::preset(Rules::V4);
    let mut text = "a hex of one's own is worth  games won\n".to_owned();
    let rows: [(&str, OwnHexValue); 2] = [
        ("2, threatened or not", |_, _, _| 2.0),
        ("2 if kept, -1 if lost", |game, position, hex| {
            2.0 - 3.0 * loss_probability(game, position, hex)
        }),
    ];
    for (name, value) in rows {
        let share = share_against_book(&game, 200, move |game, position| {
            let tree = LazyTree::new(game, *position).limit_depth(2);
            chosen(&expectimax(&tree, &HexScore(value), position.player()))
        });
        let _ = writeln!(text, "{name:<27}  {}", percent(share));
    }
    text
}

type OwnHexValue = fn(&DiceOfDoom, &Position, Hex) -> f64;

/// The book's evaluation with other values of a player's own hexes; a foreign one is worth −1.
struct HexScore(OwnHexValue);

impl StaticEvaluation<DiceOfDoom> for HexScore {
    fn evaluate(&self, game: &DiceOfDoom, position: &Position, player: Player) -> f64 {
        let value = |hex| match position.owner(hex) == player {
            true => (self.0)(game, position, hex),
            false => -1.0,
        };
        game.all_hexes().map(value).sum()
    }
}

/// The probability that one of the foreign neighbours takes a hex, if each attacks it once.
fn loss_probability(game: &DiceOfDoom, position: &Position, hex: Hex) -> f64 {
    let neighbours = game.neighbours(hex).iter();
    let attackers = neighbours.filter(|&&neighbour| {
        position.owner(neighbour) != position.owner(hex) && position.dice(neighbour) > 1
    });
    let dice = position.dice(hex);
    let kept = attackers.map(|&from| 1.0 - win_probability(position.dice(from), dice));
    1.0 - kept.product::<f64>()
}

/// A player of one's own against the book's.
fn own_level() -> String {
    let game = DiceOfDoom::preset(Rules::V4);
    let share = percent(share_against_book(&game, 200, careful));
    let mut text = format!("careful wins {share} of the games against three of the book\n\n");
    text += "four of  attacks a turn  worse than even  succeed\n";
    for (name, attacks) in [
        ("careful", Attacks::in_games(&game, careful)),
        ("book", Attacks::in_games(&game, land_of_lisp::choose)),
    ] {
        let (each, worse) = (attacks.per_turn, 100.0 * attacks.worse_than_even);
        let succeed = percent(attacks.succeed);
        let _ = writeln!(text, "{name:<7}  {each:>14.1}  {worse:>13.0} %  {succeed}");
    }
    text
}

/// Makes the attack with the best odds while they are better than even; then ends the turn.
fn careful<G: Game<Position = Position, Action = Action>>(game: &G, position: &Position) -> Action {
    let worth = |action| match action {
        Action::EndTurn => 0.5,
        Action::Attack { .. } => odds(game, position, action),
    };
    let actions = game.legal_actions(position);
    let best = actions.max_by(|&one, &other| worth(one).total_cmp(&worth(other)));
    best.expect("the game is not over")
}

/// The probability of an action's first outcome, which for an attack is success.
fn odds<G: Game>(game: &G, position: &G::Position, action: G::Action) -> f64 {
    let mut outcomes = game.chance_outcomes(position, action);
    outcomes.next().expect("a legal action has an outcome").1
}

/// How players attack, on average over games.
struct Attacks {
    per_turn: f64,
    worse_than_even: f64,
    /// The share of a game's attacks.
    succeed: Estimate,
    /// The number of turns in a game.
    turns: f64,
}

impl Attacks {
    /// Plays 500 games of version 4, or of rules with the same boards, in which all players choose in the same way.
    fn in_games<G: Game<Position = Position, Action = Action, Outcome = Outcome>>(
        game: &G,
        choose: impl Fn(&G, &Position) -> Action,
    ) -> Attacks {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let boards = DiceOfDoom::preset(Rules::V4);
        let (mut attacks, mut worse_than_even, mut turns) = (0, 0, 0);
        let mut shares = Vec::new();
        for seed in 0..500 {
            let mut position = deal(&boards, seed);
            let (mut in_game, mut won) = (0, 0);
            while !game.status(&position).is_over() {
                let action = choose(game, &position);
                let outcome = game.sample_outcome(&position, action, &mut rng);
                if action == Action::EndTurn {
                    turns += 1;
                } else {
                    in_game += 1;
                    won += u32::from(outcome == Outcome::Won);
                    worse_than_even += u32::from(odds(game, &position, action) < 0.5);
                }
                position = game.apply(&position, action, outcome);
            }
            attacks += in_game;
            shares.push(f64::from(won) / f64::from(in_game));
        }
        Attacks {
            per_turn: f64::from(attacks) / f64::from(turns),
            worse_than_even: f64::from(worse_than_even) / f64::from(attacks),
            succeed: Estimate::from_samples(&shares),
            turns: f64::from(turns) / shares.len() as f64,
        }
    }
}

/// The win share of a player against players of the book in all other seats; each board is played once in every seat.
fn share_against_book(
    game: &DiceOfDoom,
    boards: u32,
    choose: impl Fn(&DiceOfDoom, &Position) -> Action + Copy + Send + 'static,
) -> Estimate {
    let policy = move |game: &DiceOfDoom, position: &Position, _: &mut AgentRng| {
        ChosenAction::without_shares(choose(game, position), 1)
    };
    let player = AgentFactory(|| Box::new(PolicyAgent(policy)) as Box<dyn Agent<DiceOfDoom>>);
    let book = LevelSpec::from(Level::Book);
    let seats: [&dyn PlayerFactory<DiceOfDoom>; 4] = [&player, &book, &book, &book];
    let results = (0..boards).map(|board| play_board(game, 1, board, &seats));
    let shares = results.map(|result| result.expect("these sizes can be dealt").mean_win_share(0));
    Estimate::from_samples(&shares.collect::<Vec<_>>())
}

fn percent(share: Estimate) -> String {
    let (mean, half_width) = (100.0 * share.mean, 100.0 * share.half_width());
    format!("{mean:.1} % ± {half_width:.1}")
}

/// The board in the book's form, the player to move, and the position's page on a server.
fn shown(game: &DiceOfDoom, position: &Position) -> String {
    let rows = game.slanted_rows(|hex| format!("{}-{}", position.owner(hex), position.dice(hex)));
    let hexes = rows.split_whitespace().collect::<String>().replace('-', "");
    let (rules, side, players) = (game.rules(), game.side(), Game::players(game));
    let (max_dice, player, spare) = (game.max_dice(), position.player(), position.spare());
    let (number, is_start) = (player.number(), u8::from(position.first_move()));
    format!(
        "{rows}\n{player} to move\n\
         /analysis?pos=dice.{rules}.{side}.{players}.{max_dice}.{hexes}.{number}.{spare}.{is_start}\n\n"
    )
}

fn deal(game: &DiceOfDoom, seed: u64) -> Position {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    game.deal(&mut rng).expect("these sizes can be dealt")
}

/// Positions of games with uniformly random actions.
fn positions(game: &DiceOfDoom, count: usize) -> Vec<Position> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut positions = Vec::new();
    while positions.len() < count {
        let mut position = game.deal(&mut rng).expect("these sizes can be dealt");
        for _ in 0..20 {
            if game.status(&position).is_over() {
                break;
            }
            positions.push(position);
            let actions: Vec<Action> = game.legal_actions(&position).collect();
            let action = actions[rng.random_range(0..actions.len())];
            let outcome = game.sample_outcome(&position, action, &mut rng);
            position = game.apply(&position, action, outcome);
        }
    }
    positions.truncate(count);
    positions
}

fn only_outcome(game: &DiceOfDoom, position: &Position, action: Action) -> Outcome {
    let mut outcomes = game.chance_outcomes(position, action);
    outcomes.next().expect("a legal action has an outcome").0
}

fn chosen(analysis: &SearchResult<Action>) -> Action {
    analysis.action().expect("the game is not over")
}

fn rating(analysis: &SearchResult<Action>, wanted: Action) -> f64 {
    let rating = analysis
        .ratings
        .iter()
        .find(|&&(action, _)| action == wanted);
    rating.expect("a search rates all actions").1
}

fn first_best(rated: impl Iterator<Item = (Action, f64)>) -> Action {
    let best = rated.reduce(|best, next| if next.1 > best.1 { next } else { best });
    best.expect("the game is not over").0
}
