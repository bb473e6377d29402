//! Tests of opening books: the built-in ones, the file format, and what follows from entries.

use dice_of_doom_core::game::Game;
use dice_of_doom_core::search::StopToken;
use dice_of_doom_games::trilobite::opening_book::{OpeningBook, OpeningBookError};
use dice_of_doom_games::trilobite::solver::{ScoreBounds, Solver};
use dice_of_doom_games::trilobite::{Position, Trilobite};

fn game(width: u8, height: u8, win: u8) -> Trilobite {
    Trilobite::new(width, height, win).unwrap()
}

/// The score of a position by the solver alone.
fn solved(solver: &mut Solver, position: &Position) -> ScoreBounds {
    solver.solve(position, u64::MAX, &StopToken::new()).bounds
}

/// A book of all positions of 4×4 with at most so many chips.
fn small_book(plies: u32) -> OpeningBook {
    let game = game(4, 4, 4);
    let mut book = OpeningBook::new(&game).unwrap();
    let mut solver = Solver::new(&game, 1 << 20);
    let levels = book.positions(plies);
    for position in levels.last().unwrap() {
        book.insert(position, solved(&mut solver, position));
    }
    for position in levels.iter().rev().skip(1).flatten() {
        book.insert_from_moves(position);
    }
    book
}

#[test]
fn scores_that_follow_from_later_positions_are_those_of_the_solver() {
    let book = small_book(8);
    let mut solver = Solver::new(book.game(), 1 << 20);
    for position in book.positions(8).iter().flatten() {
        let found = book.bounds(position);
        assert_eq!(found, solved(&mut solver, position), "{position:?}");
    }
}

#[test]
fn mirror_images_share_an_entry_and_finished_games_need_none() {
    let book = small_book(4);
    assert_eq!(book.len(), 1 + 2 + 8 + 26 + 82);
    let bounds = |columns: &str| book.bounds(&book.game().from_columns(columns).unwrap());
    for (columns, mirrored) in [("1", "4"), ("123", "432"), ("2244", "3311")] {
        assert_eq!(bounds(columns), bounds(mirrored), "{columns}");
        assert!(bounds(columns).score().is_some(), "{columns}");
    }
    assert_eq!(bounds("12121"), ScoreBounds::UNKNOWN);
    // Player 1 wins at once, and has won.
    assert_eq!(bounds("121212").score(), Some(5));
    assert_eq!(bounds("1212121").score(), Some(-5));
}

#[test]
fn files_are_read_back_and_other_files_are_errors() {
    let book = small_book(3);
    let file = book.to_bytes();
    assert_eq!(OpeningBook::from_bytes(&file), Ok(book));
    for length in 0..8 {
        let cut = OpeningBook::from_bytes(&file[..length]);
        assert_eq!(cut, Err(OpeningBookError::NoBook), "{length}");
    }
    let cut = OpeningBook::from_bytes(&file[..file.len() - 1]);
    assert_eq!(cut, Err(OpeningBookError::Damaged));
    let mut crossed = file.clone();
    let end = crossed.len();
    (crossed[end - 2], crossed[end - 1]) = (2, 1);
    let crossed = OpeningBook::from_bytes(&crossed);
    assert_eq!(crossed, Err(OpeningBookError::Damaged));
    let mut no_board = file;
    no_board[5] = 0;
    let no_board = OpeningBook::from_bytes(&no_board);
    assert_eq!(no_board, Err(OpeningBookError::Damaged));
    let large = OpeningBook::new(&game(9, 7, 4));
    assert_eq!(large, Err(OpeningBookError::BoardTooLarge));
}

/// The known scores after the first move.
#[test]
fn the_built_in_book_knows_the_first_moves_of_seven_by_six() {
    let game = game(7, 6, 4);
    let mut solver = Solver::new(&game, 1 << 20);
    solver.use_book(true);
    let solved = solver.solve_moves(&game.empty(), 1, &StopToken::new());
    let scores = solved.moves.iter().map(|(_, bounds)| bounds.score());
    let scores: Option<Vec<i32>> = scores.collect();
    assert_eq!(scores, Some(vec![-2, -1, 0, 1, 0, -1, -2]));
    assert_eq!(solved.nodes, 0);
}

#[test]
fn entries_of_the_built_in_book_follow_from_later_entries() {
    let game = game(7, 6, 4);
    let book = OpeningBook::builtin(&game).unwrap();
    let mut positions = vec![game.empty()];
    while !positions.is_empty() {
        for position in &positions {
            let bounds = book.bounds(position);
            let moves = game.legal_actions(position);
            let moves = moves.map(|column| book.bounds(&game.apply(position, column, ())));
            let best = ScoreBounds::of_best(moves.map(ScoreBounds::negated)).unwrap();
            let context = format!("{position:?}: {bounds:?}, {best:?}");
            assert!(bounds.lower <= best.upper, "{context}");
            assert!(best.lower <= bounds.upper, "{context}");
        }
        let next = positions
            .iter()
            .flat_map(|position| book.successors(position));
        let known = next.filter(|position| book.bounds(position) != ScoreBounds::UNKNOWN);
        let known: Vec<Position> = known.collect();
        positions = book.without_duplicates(known);
    }
}
