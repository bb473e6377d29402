//! Boards that repeat an earlier one, which count once.
//!
//! Without dice, players who always choose the same action in the same position play the same games from the same start
//! again and again. Such games say nothing new, and an interval over them would be too narrow. Whether the players are
//! of that kind is seen from the games: if all boards with the same start have the same games, each start counts once.
//! If any of them differ, someone chooses at random, equal games are chance, and all boards count. A board with a forfeit
//! always counts.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::board_result::BoardResult;

/// The boards that count, with their numbers, in order. The same contestants play all boards.
pub(super) fn distinct_boards(boards: &[BoardResult]) -> Vec<(u32, &BoardResult)> {
    let numbered = || (0..).zip(boards);
    let mut first_by_start: HashMap<u64, Vec<u64>> = HashMap::new();
    let mut distinct = Vec::new();
    for (number, board) in numbered() {
        if board.games.iter().any(|game| game.end.forfeit().is_some()) {
            distinct.push((number, board));
            continue;
        }
        let games: Vec<_> = board.games.iter().map(|game| game.digest).collect();
        match first_by_start.entry(board.start_digest) {
            Entry::Vacant(entry) => {
                entry.insert(games);
                distinct.push((number, board));
            }
            Entry::Occupied(first) if *first.get() == games => {}
            Entry::Occupied(_) => return numbered().collect(),
        }
    }
    distinct
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board_result::{GameEndReason, GameResult};
    use dice_of_doom_core::game::Player;
    use dice_of_doom_formats::record::{FaultKind, Forfeit, PlayerFault};

    /// A board from its start and the digest of its only game.
    fn board(start: u64, game: u64) -> BoardResult {
        BoardResult {
            games: vec![GameResult {
                winners: Vec::new(),
                plies: 1,
                end: GameEndReason::Rules,
                luck_millionths: Vec::new(),
                digest: game,
            }],
            work: Vec::new(),
            start_digest: start,
        }
    }

    #[track_caller]
    fn check(boards: &[(u64, u64)], expected: &[u32]) {
        let boards: Vec<BoardResult> = boards
            .iter()
            .map(|&(start, game)| board(start, game))
            .collect();
        let found = distinct_boards(&boards).into_iter();
        assert_eq!(
            found.map(|(number, _)| number).collect::<Vec<_>>(),
            expected
        );
    }

    #[test]
    fn equal_boards_count_once_if_the_start_decides_the_game() {
        check(&[(1, 1), (2, 2), (1, 1), (3, 3), (2, 2)], &[0, 1, 3]);
        // A start with two games: someone chooses at random, so that equal games are chance.
        check(&[(1, 1), (2, 2), (1, 1), (2, 3)], &[0, 1, 2, 3]);
        check(&[], &[]);
    }

    #[test]
    fn boards_with_a_forfeit_count() {
        let mut boards = vec![board(1, 1), board(1, 1), board(1, 1)];
        boards[1].games[0].end = GameEndReason::Forfeit(Forfeit {
            player: Player::FIRST,
            ply: 1,
            why: PlayerFault::new(FaultKind::Crash, "", None),
        });
        assert_eq!(distinct_boards(&boards).len(), 2);
    }
}
