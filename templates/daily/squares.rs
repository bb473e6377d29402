//! What each player held after each turn of the viewer, as rows of coloured squares.

/// The number of squares in a row.
const SQUARES: u32 = 10;

/// The most rows; of more turns, rows are left out evenly.
const MAX_ROWS: usize = 12;

/// The squares of the players in emoji, which have no other colours.
const EMOJI: [char; 6] = ['🟥', '🟦', '🟩', '🟪', '🟨', '⬛'];

/// The number of a turn, counted from 1, and the player of each square after it.
pub(crate) type Row = (u32, Vec<u8>);

/// The rows for the hexes of all players after each turn; the last turn always has one.
pub(crate) fn rows(by_turn: &[Vec<u32>]) -> Vec<Row> {
    let (turns, rows) = (by_turn.len(), by_turn.len().min(MAX_ROWS));
    (1..=rows)
        .map(|row| {
            let turn = row * turns / rows;
            (turn as u32, squares(&by_turn[turn - 1]))
        })
        .collect()
}

/// The player of each square: shares of the hexes, rounded by largest remainder. Of equal remainders the first player's
/// is rounded up.
pub(crate) fn squares(hexes: &[u32]) -> Vec<u8> {
    let all = hexes.iter().sum::<u32>().max(1);
    let mut counts: Vec<u32> = hexes.iter().map(|hexes| hexes * SQUARES / all).collect();
    let missing = SQUARES.saturating_sub(counts.iter().sum()) as usize;
    let mut by_remainder: Vec<usize> = (0..hexes.len()).collect();
    by_remainder.sort_by_key(|player| std::cmp::Reverse(hexes[*player] * SQUARES % all));
    for player in by_remainder.into_iter().take(missing) {
        counts[player] += 1;
    }
    let players = (0..).zip(counts);
    players
        .flat_map(|(player, count)| (0..count).map(move |_| player))
        .collect()
}

/// A row as text.
pub(crate) fn emoji(row: &[u8]) -> String {
    let squares = row.iter();
    squares
        .map(|player| EMOJI[usize::from(*player) % EMOJI.len()])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(hexes: &[u32]) -> String {
        emoji(&squares(hexes))
    }

    #[test]
    fn squares_are_shares_of_the_hexes() {
        // 2.4, 2.8, 2.4 and 2.4 squares: the largest remainder first, then the first player.
        assert_eq!(drawn(&[6, 7, 6, 6]), "🟥🟥🟥🟦🟦🟦🟩🟩🟪🟪");
        // 5.6, 2.4, 0.8 and 1.2.
        assert_eq!(drawn(&[14, 6, 2, 3]), "🟥🟥🟥🟥🟥🟥🟦🟦🟩🟪");
        assert_eq!(drawn(&[25, 0, 0, 0]), "🟥🟥🟥🟥🟥🟥🟥🟥🟥🟥");
        assert_eq!(drawn(&[0, 12, 13]), "🟦🟦🟦🟦🟦🟩🟩🟩🟩🟩");
        // A single hex of 36 is less than a third of a square.
        assert_eq!(drawn(&[1, 35]), "🟦🟦🟦🟦🟦🟦🟦🟦🟦🟦");
    }

    #[test]
    fn every_row_has_ten_squares() {
        for own in 0..=25 {
            for other in 0..=25 - own {
                let row = squares(&[own, other, 25 - own - other]);
                assert_eq!(row.len(), 10, "{own} {other}");
                assert!(row.is_sorted());
            }
        }
    }

    #[test]
    fn at_most_twelve_turns_are_shown_and_the_last_always() {
        let turns = |number: usize| -> Vec<u32> {
            let by_turn = vec![vec![1, 1]; number];
            rows(&by_turn).into_iter().map(|(turn, _)| turn).collect()
        };
        assert_eq!(turns(0), []);
        assert_eq!(turns(3), [1, 2, 3]);
        assert_eq!(turns(12), Vec::from_iter(1..=12));
        assert_eq!(turns(13), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13]);
        assert_eq!(turns(24), Vec::from_iter((1..=12).map(|row| 2 * row)));
        assert_eq!(turns(100).last(), Some(&100));
    }
}
