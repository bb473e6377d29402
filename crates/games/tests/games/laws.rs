//! Checks the built-in games against the laws of every game ([`contract`](crate::contract)), in random play
//! with fixed seeds, and against their own rules; a failure prints its seed.

use crate::contract::{
    check_laws, check_legality, check_levels, check_serialization, check_session,
};
use dice_of_doom_core::game::{Game, Payoffs, Player, PlayerSet, RecordableGame, Status};
use dice_of_doom_core::level::{AgentRng, Level, RandomAgent};
use dice_of_doom_core::search::perft;
use dice_of_doom_games::dice_of_doom::{
    Action, DiceOfDoom, IllegalActionError, Outcome, Rules, Setup, SetupError,
};
use dice_of_doom_games::trilobite::{self, Column, Trilobite};

fn every_game() -> impl Iterator<Item = DiceOfDoom> {
    Rules::ALL.into_iter().flat_map(|rules| {
        let numbers = [
            (2, 2, 3),
            (3, 3, 2),
            (4, 4, 5),
            (5, 4, 5),
            (6, 6, 8),
            (8, 5, 8),
        ];
        let others = numbers.into_iter().map(move |(side, players, dice)| {
            DiceOfDoom::new(rules, side, players, dice).expect("valid parameters")
        });
        others.chain([DiceOfDoom::preset(rules)])
    })
}

#[test]
fn dice_of_doom_satisfies_the_laws() {
    for game in every_game() {
        for seed in 0..6 {
            let mut rng = AgentRng::seed_from_u64(seed);
            let start = game.deal(&mut rng).expect("a board with an attack");
            let at = format!("{game:?}, seed {seed}");
            let (plies, ended) = check_laws(&game, start, &mut rng, &at);
            assert!(plies > 0, "a dealt game begins");
            let is_won = |payoffs: Payoffs| payoffs.winners().count() > 0;
            assert!(ended.is_none_or(is_won), "{at}: nobody wins");
        }
    }
}

#[test]
fn sessions_match_their_records() {
    let mut rng = AgentRng::seed_from_u64(13);
    for game in every_game() {
        let start = game.deal(&mut rng).expect("a board with an attack");
        check_session(&game, start, 100, &mut rng, &format!("{game:?}"));
    }
    for game in every_trilobite() {
        check_session(&game, game.empty(), 100, &mut rng, &format!("{game:?}"));
    }
}

#[test]
fn check_action_agrees_with_the_list() {
    for game in every_game() {
        let mut rng = AgentRng::seed_from_u64(7);
        let mut position = game.deal(&mut rng).expect("a board with an attack");
        for _ in 0..60 {
            let listed: Vec<Action> = game.legal_actions(&position).collect();
            let hexes: Vec<_> = game.all_hexes().collect();
            let attacks = hexes
                .iter()
                .flat_map(|&from| hexes.iter().map(move |&to| Action::Attack { from, to }));
            let at = format!("{game:?} {position:?}");
            check_legality(&game, &position, attacks.chain([Action::EndTurn]), &at);
            if listed.is_empty() {
                break;
            }
            let action = RandomAgent::random_action(&game, &position, &mut rng);
            let outcome = game.sample_outcome(&position, action, &mut rng);
            position = game.apply(&position, action, outcome);
        }
    }
}

#[test]
fn reinforced_hexes_are_those_that_gain_dice() {
    for game in every_game() {
        let mut rng = AgentRng::seed_from_u64(11);
        let mut position = game.deal(&mut rng).expect("a board with an attack");
        for _ in 0..200 {
            let Some(action) = game.legal_actions(&position).next() else {
                break;
            };
            let outcome = game.sample_outcome(&position, action, &mut rng);
            let after = game.apply(&position, action, outcome);
            if action == Action::EndTurn {
                let grown: Vec<_> = game
                    .all_hexes()
                    .map(|hex| (hex, after.dice(hex) - position.dice(hex)))
                    .filter(|&(_, dice)| dice > 0)
                    .collect();
                assert_eq!(game.reinforced(&position), grown, "{game:?}");
            }
            position = after;
        }
    }
}

#[test]
fn levels_choose_legal_actions() {
    for game in every_game().filter(|game| game.side() <= 5) {
        let mut rng = AgentRng::seed_from_u64(3);
        let start = game.deal(&mut rng).expect("a board with an attack");
        check_levels(&game, &start, 3);
    }
    for game in every_trilobite() {
        check_levels(&game, &game.empty(), 3);
    }
}

#[test]
fn invalid_rolls_have_no_outcome() {
    let setup = Setup::start(vec![(0, 2), (1, 1), (0, 1), (1, 1)]);
    let rolled = DiceOfDoom::new(Rules::V4, 2, 2, 3).unwrap();
    let sure = DiceOfDoom::new(Rules::V2, 2, 2, 3).unwrap();
    let start = rolled.position(&setup).unwrap();
    let attack: Action = "0-1".parse().unwrap();
    let outcome = |game: &DiceOfDoom, action, roll: &str| {
        game.outcome_of_roll(&start, action, &roll.parse().unwrap())
    };
    assert_eq!(outcome(&rolled, attack, "1 2/2"), Some(Outcome::Won));
    // The defender wins ties.
    assert_eq!(outcome(&rolled, attack, "1 1/2"), Some(Outcome::Lost));
    for roll in ["", "1/1", "1 1 1/1", "1 1/1 1"] {
        assert_eq!(outcome(&rolled, attack, roll), None, "{roll:?}");
    }
    let found = outcome(&rolled, Action::EndTurn, "");
    assert_eq!(found, Some(Outcome::Certain));
    assert_eq!(outcome(&rolled, Action::EndTurn, "1 2/2"), None);
    assert_eq!(outcome(&sure, attack, ""), Some(Outcome::Won));
    assert_eq!(outcome(&sure, attack, "1 2/2"), None);
}

#[test]
fn errors_name_the_reason() {
    // a-2 b-3
    //  a-1 b-1
    let setup = Setup::start(vec![(0, 2), (1, 3), (0, 1), (1, 1)]);
    let game = DiceOfDoom::new(Rules::V2, 2, 2, 3).unwrap();
    let start = game.position(&setup).unwrap();
    let refused = |action: &str| {
        let refusal = game
            .check_action(&start, action.parse().unwrap())
            .unwrap_err();
        (refusal, refusal.to_string())
    };
    let hex = |number| game.hex(number).unwrap();
    assert_eq!(game.check_action(&start, "0-3".parse().unwrap()), Ok(()));
    assert_eq!(refused("pass").0, IllegalActionError::NothingToPass);
    assert_eq!(
        refused("1-0").0,
        IllegalActionError::NotYourHex { hex: hex(1) }
    );
    assert_eq!(refused("2-3").1, "hex 2 has one die and cannot attack");
    assert_eq!(
        refused("0-2").0,
        IllegalActionError::OwnTarget { to: hex(2) }
    );
    assert_eq!(
        refused("0-1").0,
        IllegalActionError::TooFewDice {
            from: hex(0),
            to: hex(1)
        }
    );
    assert_eq!(refused("0-4").1, "there is no hex 4");
    let over = game
        .position(&Setup::start(vec![(0, 1), (1, 3), (0, 1), (1, 1)]))
        .unwrap();
    let found = game.check_action(&over, Action::EndTurn);
    assert_eq!(found, Err(IllegalActionError::GameOver));
}

#[test]
fn conquest_ends_after_quiet_turns() {
    // a-1 b-1
    //  a-1 b-1
    let game = DiceOfDoom::new(Rules::Conquest, 2, 3, 5).unwrap();
    let mut setup = Setup::start(vec![(0, 1), (1, 1), (0, 1), (1, 1)]);
    let mut position = game.position(&setup).unwrap();
    // Player c owns no hexes and is skipped; two owners may have sixteen quiet turns.
    for turn in 0..16 {
        assert_eq!(position.quiet(), turn);
        assert_eq!(position.player().number(), turn % 2);
        assert_eq!(game.legal_actions(&position).next(), Some(Action::EndTurn));
        position = game.apply(&position, Action::EndTurn, Outcome::Certain);
    }
    assert!(game.status(&position).is_over());
    assert_eq!(game.legal_actions(&position).count(), 0);
    // A turn with an attack resets the count.
    setup.board[0] = (0, 5);
    setup.quiet = Some(15);
    let daring = game.position(&setup).unwrap();
    let attacked = game.apply(&daring, "0-1".parse().unwrap(), Outcome::Won);
    assert_eq!(
        game.apply(&attacked, Action::EndTurn, Outcome::Certain)
            .quiet(),
        0
    );
    let v4 = DiceOfDoom::new(Rules::V4, 2, 3, 5).unwrap();
    assert_eq!(v4.position(&setup), Err(SetupError::Quiet));
}

#[test]
fn invalid_parameters_and_positions_are_rejected() {
    let game = |side, players, dice| DiceOfDoom::new(Rules::V4, side, players, dice).unwrap_err();
    assert_eq!(game(1, 2, 3), SetupError::Side(1));
    assert_eq!(game(9, 2, 3), SetupError::Side(9));
    assert_eq!(game(5, 7, 3), SetupError::Players(7));
    assert_eq!(game(5, 4, 9), SetupError::MaxDice(9));
    let found = game(2, 5, 5);
    assert_eq!(
        found,
        SetupError::TooFewHexes {
            hexes: 4,
            players: 5
        }
    );
    let game = DiceOfDoom::new(Rules::V4, 2, 2, 3).unwrap();
    let wrong = |change: &dyn Fn(&mut Setup)| {
        let mut setup = Setup::start(vec![(0, 2), (1, 1), (0, 1), (1, 1)]);
        change(&mut setup);
        game.position(&setup).unwrap_err()
    };
    let found = wrong(&|setup| setup.board.truncate(3));
    assert_eq!(
        found,
        SetupError::BoardLength {
            given: 3,
            expected: 4
        }
    );
    let found = wrong(&|setup| setup.board[1] = (2, 1));
    assert_eq!(found, SetupError::Owner { hex: 1, owner: 2 });
    let dice = |dice| SetupError::Dice {
        hex: 2,
        dice,
        max_dice: 3,
    };
    assert_eq!(wrong(&|setup| setup.board[2] = (0, 0)), dice(0));
    assert_eq!(wrong(&|setup| setup.board[2] = (0, 4)), dice(4));
    assert_eq!(wrong(&|setup| setup.player = 2), SetupError::Player(2));
}

#[test]
fn perft_counts() {
    let start = |game: &DiceOfDoom| game.deal(&mut AgentRng::seed_from_u64(1)).unwrap();
    let counts = |rules| {
        let game = DiceOfDoom::preset(rules);
        let start = start(&game);
        [0, 1, 2, 3].map(|plies| perft(&game, &start, plies))
    };
    let found = Rules::ALL.map(counts);
    assert_eq!(found, PERFT);
}

/// The perft counts for plies 0 to 3 from the deal of seed 1, for each preset.
const PERFT: [[u64; 4]; 5] = [
    [1, 3, 3, 0],
    [1, 4, 12, 46],
    [1, 9, 65, 362],
    [1, 16, 174, 1848],
    [1, 17, 229, 4577],
];

fn every_trilobite() -> impl Iterator<Item = Trilobite> {
    let sizes = [
        (1, 1, 1),
        (2, 3, 2),
        (3, 3, 3),
        (4, 4, 3),
        (7, 6, 4),
        (8, 7, 4),
        (9, 7, 4),
        (10, 10, 5),
        (14, 8, 5),
        (64, 1, 4),
        (64, 1, 64),
        (1, 127, 4),
        (1, 127, 127),
    ];
    sizes
        .into_iter()
        .map(|(width, height, win)| Trilobite::new(width, height, win).expect("valid parameters"))
}

#[test]
fn trilobite_satisfies_the_laws() {
    let mut drawn = 0;
    for game in every_trilobite() {
        for seed in 0..6 {
            let mut rng = AgentRng::seed_from_u64(seed);
            let at = format!("{game:?}, seed {seed}");
            let (plies, ended) = check_laws(&game, game.empty(), &mut rng, &at);
            assert!(plies <= usize::from(game.cells()), "{at}");
            let ended = ended.expect("a full board ends the game");
            assert!(ended.winners().count() <= 1, "{at}");
            drawn += usize::from(ended.winners().count() == 0);
        }
    }
    assert!(drawn > 6, "{drawn} draws");
}

/// A plain reference implementation of the rules.
struct Plain {
    width: usize,
    height: usize,
    win: usize,
    /// `board[y][x]`, row 0 on top.
    board: Vec<Vec<Option<Player>>>,
}

impl Plain {
    fn empty(game: &Trilobite) -> Self {
        let (width, height) = (usize::from(game.width()), usize::from(game.height()));
        Plain {
            width,
            height,
            win: usize::from(game.win()),
            board: vec![vec![None; width]; height],
        }
    }

    fn landing(&self, x: usize) -> Option<usize> {
        (0..self.height).rev().find(|&y| self.board[y][x].is_none())
    }

    /// The cells in a line of a player.
    fn line(&self, player: Player) -> Vec<u8> {
        let is_own = |x: isize, y: isize| {
            let row = usize::try_from(y).ok().and_then(|y| self.board.get(y));
            let cell = row.and_then(|row| row.get(usize::try_from(x).ok()?));
            cell == Some(&Some(player))
        };
        let mut cells = std::collections::BTreeSet::new();
        for (y, x) in (0..self.height).flat_map(|y| (0..self.width).map(move |x| (y, x))) {
            for (dx, dy) in [(1, 0), (0, 1), (1, 1), (1, -1)] {
                let line: Vec<(isize, isize)> = (0..self.win as isize)
                    .map(|step| (x as isize + step * dx, y as isize + step * dy))
                    .collect();
                if line.iter().all(|&(x, y)| is_own(x, y)) {
                    let numbers = line
                        .iter()
                        .map(|&(x, y)| x as usize + self.width * y as usize);
                    cells.extend(numbers.map(|cell| cell as u8));
                }
            }
        }
        cells.into_iter().collect()
    }
}

#[test]
fn trilobite_agrees_with_the_plain_rules() {
    let widest = Trilobite::new(64, 1, 1).unwrap();
    for game in every_trilobite() {
        for seed in 0..20 {
            let mut rng = AgentRng::seed_from_u64(seed);
            let mut plain = Plain::empty(&game);
            let mut position = game.empty();
            let mut mover = Player::FIRST;
            for ply in 0.. {
                let at = format!("{game:?}, seed {seed}, ply {ply}");
                let other = mover.next(2);
                assert_eq!(position.player(), mover, "{at}");
                assert_eq!(game.chips(&position), ply, "{at}");
                assert_eq!(game.line(&position), plain.line(other), "{at}");
                let found = game.mover_has_lost(&position);
                assert_eq!(found, !plain.line(other).is_empty(), "{at}");
                for cell in 0..game.cells() {
                    let (x, y) = (cell % game.width(), cell / game.width());
                    let chip = plain.board[usize::from(y)][usize::from(x)];
                    assert_eq!(game.chip(&position, cell), chip, "{at}, cell {cell}");
                }
                let mut cells: Vec<u8> = (0..plain.width)
                    .filter_map(|x| Some((x + plain.width * plain.landing(x)?) as u8))
                    .collect();
                cells.sort_unstable();
                if game.mover_has_lost(&position) {
                    cells.clear();
                }
                let listed: Vec<Column> = game.legal_actions(&position).collect();
                let landings = listed.iter().map(|&column| game.landing(&position, column));
                assert_eq!(landings.collect::<Option<Vec<u8>>>(), Some(cells), "{at}");
                check_legality(&game, &position, widest.columns(), &at);
                check_serialization(&game, &position, &at);
                if listed.is_empty() {
                    break;
                }
                let column = Level::Random.choose_action(&game, &position, &mut rng);
                let x = usize::from(column.number());
                let y = plain.landing(x).unwrap();
                plain.board[y][x] = Some(mover);
                position = game.apply(&position, column, ());
                let cell = (x + plain.width * y) as u8;
                assert_eq!(game.last_move(&position), Some(cell), "{at}");
                assert_eq!(game.column_of(cell), Some(column), "{at}");
                mover = other;
            }
        }
    }
}

#[test]
fn trilobite_errors_name_the_reason() {
    let game = Trilobite::new(3, 3, 3).unwrap();
    let refused = |columns: &str, column: &str| {
        let position = game.from_columns(columns).unwrap();
        game.check_action(&position, column.parse().unwrap())
            .unwrap_err()
            .to_string()
    };
    assert_eq!(refused("111", "a"), "column a is full");
    assert_eq!(refused("111", "d"), "there is no column d");
    assert_eq!(refused("12121", "b"), "the game is over");
}

#[test]
fn invalid_trilobite_positions_are_rejected() {
    use trilobite::SetupError;
    let size = |width, height, win| Trilobite::new(width, height, win).unwrap_err();
    for (width, height) in [(0, 3), (3, 0), (65, 1), (1, 128), (255, 255)] {
        assert_eq!(size(width, height, 1), SetupError::Size { width, height });
    }
    assert_eq!(size(3, 4, 0), SetupError::Win { win: 0, most: 4 });
    assert_eq!(size(3, 4, 5), SetupError::Win { win: 5, most: 4 });
    let game = Trilobite::new(3, 3, 3).unwrap();
    // . . .
    // 2 . .
    // 1 1 2
    let possible = trilobite::Setup {
        board: vec![0, 0, 0, 2, 0, 0, 1, 1, 2],
        player: 1,
        last_move: 8,
    };
    assert!(game.position(&possible).is_ok());
    let wrong = |change: &dyn Fn(&mut trilobite::Setup)| {
        let mut setup = possible.clone();
        change(&mut setup);
        game.position(&setup).unwrap_err()
    };
    let found = wrong(&|setup| setup.board.truncate(8));
    assert_eq!(
        found,
        SetupError::BoardLength {
            given: 8,
            expected: 9
        }
    );
    let found = wrong(&|setup| setup.board[0] = 3);
    assert_eq!(found, SetupError::Chip { cell: 0, given: 3 });
    let found = wrong(&|setup| setup.board[1] = 2);
    assert_eq!(found, SetupError::Floating { cell: 1 });
    for player in [0, 3] {
        let found = wrong(&|setup| setup.player = player);
        assert_eq!(found, SetupError::Player(player));
    }
    let more = |player| SetupError::Counts {
        first: 3,
        second: 2,
        player,
    };
    assert_eq!(wrong(&|setup| setup.board[4] = 1), more(1));
    // Not the opponent's, below another chip, empty, off the board.
    for cell in [7, 6, 0, 9, -2, i16::MAX] {
        let found = wrong(&|setup| setup.last_move = cell);
        assert_eq!(found, SetupError::LastMove(cell));
    }
    // The mover has a line; the opponent had one before the last chip.
    for (board, last_move) in [
        ([2, 0, 0, 2, 2, 0, 1, 1, 1], 0),
        ([0, 1, 0, 2, 1, 1, 2, 2, 2], 3),
    ] {
        let over = |setup: &mut trilobite::Setup| {
            setup.board = board.to_vec();
            setup.last_move = last_move;
        };
        assert_eq!(wrong(&over), SetupError::OverBefore);
    }
    let moves = |columns: &str| game.from_columns(columns).unwrap_err();
    assert_eq!(moves("14"), SetupError::NoSuchColumn('4'));
    assert_eq!(moves("10"), SetupError::NoSuchColumn('0'));
    assert_eq!(moves("1a"), SetupError::NoSuchColumn('a'));
    assert_eq!(
        moves("1111"),
        SetupError::ColumnFull {
            column: "a".parse().unwrap(),
            number: 4
        }
    );
    assert_eq!(moves("121212"), SetupError::AfterTheEnd { number: 6 });
    assert_eq!(moves("1213212331"), SetupError::AfterTheEnd { number: 10 });
}

#[test]
fn either_player_may_have_moved_first_in_trilobite() {
    let game = Trilobite::new(3, 3, 3).unwrap();
    // . . .
    // . . .
    // 2 . .
    let setup = trilobite::Setup {
        board: vec![0, 0, 0, 0, 0, 0, 2, 0, 0],
        player: 1,
        last_move: 6,
    };
    let position = game.position(&setup).unwrap();
    assert_eq!(game.status(&position), Status::Turn(Player::FIRST));
    // Without the last chip, a line anywhere counts.
    let lost = trilobite::Setup {
        board: vec![0, 0, 0, 1, 1, 0, 2, 2, 2],
        player: 1,
        last_move: -1,
    };
    let lost = game.position(&lost).unwrap();
    assert_eq!(game.last_move(&lost), None);
    assert_eq!(game.line(&lost), [6, 7, 8]);
    let second = Payoffs::for_winners(PlayerSet::from_iter([Player::new(1)]));
    assert_eq!(game.status(&lost), Status::Over(second));
}

#[test]
fn trilobite_results_by_resignation_or_adjudication() {
    let game = Trilobite::new(7, 6, 4).unwrap();
    let ended = |gave_up: &[Player]| {
        let gave_up = gave_up.iter().copied().collect();
        game.adjudicate(&game.empty(), gave_up).winners()
    };
    let second = Player::new(1);
    assert_eq!(ended(&[Player::FIRST]), PlayerSet::from_iter([second]));
    assert_eq!(ended(&[second]), PlayerSet::from_iter([Player::FIRST]));
    assert_eq!(ended(&[]), PlayerSet::default());
    assert_eq!(ended(&[Player::FIRST, second]), PlayerSet::default());
}

#[test]
fn trilobite_perft_counts() {
    let game = Trilobite::new(7, 6, 4).unwrap();
    let counts = [1, 2, 3, 4, 5, 6, 7, 8].map(|plies| perft(&game, &game.empty(), plies));
    assert_eq!(
        counts,
        [7, 49, 343, 2401, 16807, 117_649, 823_536, 5_673_234]
    );
    // A finished game has no plies.
    let small = Trilobite::new(3, 3, 3).unwrap();
    let won = small.from_columns("12121").unwrap();
    assert_eq!([0, 1].map(|plies| perft(&small, &won, plies)), [1, 0]);
}
