//! Texts about the end of a game: who won, how a player did, and why it ended.

use std::cmp::Reverse;

use crate::game::Player;
use crate::games::page::GameEnd;
use crate::record::Ending;
use crate::templates::message::{LocalizedMessage, MessageArg};
use dice_of_doom_games::dice_of_doom::{DiceOfDoom, EndCondition, Position};

/// The winner with the score.
pub(super) fn winner_text(game: &DiceOfDoom, end: &GameEnd<'_, DiceOfDoom>) -> LocalizedMessage {
    let scores = scores(game, end);
    let hexes = |player: Player| game.hex_and_dice_count(end.position, player).0;
    match end.winners {
        [] => LocalizedMessage::new("over-draw"),
        [winner] => LocalizedMessage::new("over-one")
            .with_player(winner.number())
            .with_value("hexes", hexes(*winner))
            .with_value("next", max_of_others(&scores, *winner)),
        winners => LocalizedMessage::new("over-tie")
            .with_players(winners.iter().map(|winner| winner.number()))
            .with_value("hexes", hexes(winners[0])),
    }
}

/// A player's own result.
pub(super) fn player_result_text(
    game: &DiceOfDoom,
    end: &GameEnd<'_, DiceOfDoom>,
    player: Player,
) -> Option<LocalizedMessage> {
    if end.ending == Some(Ending::Resigned(player)) {
        return Some(LocalizedMessage::new("over-gave-up"));
    }
    let scores = scores(game, end);
    let hexes = game.hex_and_dice_count(end.position, player).0;
    let best = max_of_others(&scores, player);
    let others = || end.winners.iter().filter(|winner| **winner != player);
    Some(match end.winners {
        [] => return None,
        [winner] if *winner == player && best == 0 => LocalizedMessage::new("over-won-all"),
        [winner] if *winner == player => {
            LocalizedMessage::new("over-won-by").with_value("n", hexes.saturating_sub(best))
        }
        winners if winners.contains(&player) => {
            LocalizedMessage::new("over-tied").with_players(others().map(|winner| winner.number()))
        }
        _ => LocalizedMessage::new("over-lost-by").with_value("n", best.saturating_sub(hexes)),
    })
}

pub(super) fn end_reason_text(
    game: &DiceOfDoom,
    end: &GameEnd<'_, DiceOfDoom>,
) -> LocalizedMessage {
    let with_scores = |message: LocalizedMessage| {
        message.with_value("scores", MessageArg::Scores(scores(game, end)))
    };
    match (end.ending, game.rules().end_condition()) {
        (Some(Ending::Resigned(player)), _) => {
            with_scores(LocalizedMessage::new("over-resigned").with_player(player.number()))
        }
        (Some(Ending::Limit), _) => with_scores(LocalizedMessage::new("over-limit")),
        (None, EndCondition::NoAttack) => with_scores(stuck(game, end.position)),
        (None, EndCondition::Conquest) => match end.winners {
            [winner] if max_of_others(&scores(game, end), *winner) == 0 => {
                LocalizedMessage::new("over-conquered").with_player(winner.number())
            }
            _ => with_scores(LocalizedMessage::new("over-quiet")),
        },
    }
}

/// Why the player whose turn began could not attack.
fn stuck(game: &DiceOfDoom, position: &Position) -> LocalizedMessage {
    let player = position.player();
    let own = game
        .all_hexes()
        .filter(|hex| position.owner(*hex) == player);
    let piles: Vec<u8> = own.map(|hex| position.dice(hex)).collect();
    let message = if piles.is_empty() {
        LocalizedMessage::new("over-no-land")
    } else if piles.iter().all(|dice| *dice == 1) {
        LocalizedMessage::new("over-one-die").with_value("hexes", piles.len() as u32)
    } else if game.rules().is_rolled() {
        LocalizedMessage::new("over-no-neighbour")
    } else {
        LocalizedMessage::new("over-none-larger")
    };
    message.with_player(player.number())
}

/// Players and their hexes, highest first, without a player who resigned.
fn scores(game: &DiceOfDoom, end: &GameEnd<'_, DiceOfDoom>) -> Vec<(u8, u32)> {
    let resigned = end.ending.and_then(Ending::player);
    let counted = Player::all(game.players()).filter(|player| Some(*player) != resigned);
    let scores = counted.map(|player| {
        (
            player.number(),
            game.hex_and_dice_count(end.position, player).0,
        )
    });
    let mut scores: Vec<_> = scores.collect();
    scores.sort_by_key(|(_, hexes)| Reverse(*hexes));
    scores
}

/// The highest number of hexes of another player.
fn max_of_others(scores: &[(u8, u32)], player: Player) -> u32 {
    let others = scores.iter().filter(|(other, _)| *other != player.number());
    others.map(|(_, hexes)| *hexes).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::LiveGame;
    use crate::games::Registry;
    use crate::record::Record;
    use crate::session::Session;
    use crate::templates::localization::Language;
    use crate::templates::players::PlayerNames;
    use crate::templates::players::{OccupantView, PlayerView};
    use dice_of_doom_games::dice_of_doom::{Rules, Setup};

    struct Finished {
        rules: Rules,
        players: u8,
        /// Hexes 0 and 3 each touch all others.
        board: [(u8, u8); 4],
        mover: u8,
        quiet: Option<u8>,
        ending: Option<Ending>,
    }

    const STUCK: Finished = Finished {
        rules: Rules::V4,
        players: 2,
        board: [(0, 3), (0, 2), (0, 1), (1, 1)],
        mover: 1,
        quiet: None,
        ending: None,
    };

    /// The heading, the winner and the reason as this player reads them.
    fn result_texts(finished: &Finished, own: u8) -> [String; 3] {
        let game = DiceOfDoom::new(finished.rules, 2, finished.players, 5).unwrap();
        let setup = Setup {
            player: finished.mover,
            quiet: finished.quiet,
            ..Setup::start(finished.board.to_vec())
        };
        let mut record = Record::new(game, game.position(&setup).unwrap());
        record.ending = finished.ending;
        let session = Session::from_record(record).unwrap();
        let session: &dyn LiveGame = &session;
        let result = session.result(Some(Player::new(own))).expect("it is over");
        let games = Registry::builtin();
        let text = games.translations(Language::English);
        let players = (0..finished.players).map(|number| PlayerView {
            number,
            occupant: if number == own {
                OccupantView::You
            } else {
                OccupantView::Person
            },
            ..PlayerView::default()
        });
        let players: Vec<_> = players.collect();
        let names = PlayerNames::new(text, &players);
        let heading = result.placement.as_ref().unwrap_or(&result.verdict);
        [heading, &result.verdict, &result.reason].map(|message| message.render(text, &names))
    }

    #[track_caller]
    fn check(finished: &Finished, own: u8, expected: [&str; 3]) {
        assert_eq!(result_texts(finished, own), expected);
    }

    #[test]
    fn one_die_cannot_attack() {
        let reason = "only hex had a single die on their turn, and one die cannot attack, so the game ended.";
        let red = format!("Blue’s {reason} Most hexes win: you 3, Blue 1.");
        check(&STUCK, 0, ["Won by two hexes", "You win 3–1", &red]);
        let blue = "Your only hex had a single die on your turn, and one die cannot attack, so the game ended. Most hexes win: Red 3, you 1.";
        check(&STUCK, 1, ["Lost by two hexes", "Red wins 3–1", blue]);
        let even = Finished {
            board: [(1, 1), (0, 3), (0, 2), (1, 1)],
            ..STUCK
        };
        let both = "Blue’s 2 hexes had a single die each on their turn, and one die cannot attack, so the game ended. Most hexes win: you 2, Blue 2.";
        let [heading, verdict, reason] = result_texts(&even, 0);
        assert_eq!([&*heading, &*reason], ["A tie with Blue", both]);
        assert!(verdict.ends_with(" tie with 2 hexes each"), "{verdict}");
    }

    #[test]
    fn a_player_without_land_or_neighbours_cannot_attack() {
        let owned = Finished {
            board: [(0, 3), (0, 2), (0, 1), (0, 1)],
            ..STUCK
        };
        let reason = "Blue had no land left on their turn, so the game ended. Most hexes win: you 4, Blue 0.";
        check(
            &owned,
            0,
            ["Won: all the land is yours", "You win 4–0", reason],
        );
        let apart = Finished {
            board: [(0, 1), (0, 3), (1, 2), (0, 1)],
            mover: 0,
            ..STUCK
        };
        let reason = "None of your piles of two dice or more touched anybody else’s land on your turn, so the game ended. Most hexes win: you 3, Blue 1.";
        check(&apart, 0, ["Won by two hexes", "You win 3–1", reason]);
        let plain = Finished {
            rules: Rules::V2,
            board: [(0, 2), (1, 2), (1, 3), (1, 3)],
            mover: 0,
            ..STUCK
        };
        let reason = "None of Red’s piles was larger than a neighbour’s on their turn, and only more dice win, so the game ended. Most hexes win: you 3, Red 1.";
        check(&plain, 1, ["Won by two hexes", "You win 3–1", reason]);
    }

    #[test]
    fn a_player_who_resigned_is_not_counted() {
        let given = Finished {
            players: 3,
            board: [(0, 2), (1, 2), (2, 1), (1, 3)],
            mover: 0,
            ending: Some(Ending::Resigned(Player::FIRST)),
            ..STUCK
        };
        let reason =
            "You resigned, so the game ended. Of the others, the most hexes win: Blue 2, Green 1.";
        check(&given, 0, ["You resigned", "Blue wins 2–1", reason]);
        let reason =
            "Red resigned, so the game ended. Of the others, the most hexes win: Blue 2, you 1.";
        check(&given, 2, ["Lost by one hex", "Blue wins 2–1", reason]);
        let limit = Finished {
            ending: Some(Ending::Limit),
            ..given
        };
        let reason = "The game reached its limit of moves, so it ended. Most hexes win: Blue 2, you 1, Green 1.";
        check(&limit, 0, ["Lost by one hex", "Blue wins 2–1", reason]);
    }

    #[test]
    fn conquest_ends_with_the_last_hex_or_after_turns_without_attacks() {
        let conquered = Finished {
            rules: Rules::Conquest,
            board: [(1, 3), (1, 2), (1, 1), (1, 1)],
            ..STUCK
        };
        let reason = "Blue took the last hex of the others, so the game ended.";
        check(
            &conquered,
            0,
            ["Lost by four hexes", "Blue wins 4–0", reason],
        );
        let quiet = Finished {
            rules: Rules::Conquest,
            quiet: Some(16),
            ..STUCK
        };
        let reason =
            "Nobody attacked for too long, so the game ended. Most hexes win: you 3, Blue 1.";
        check(&quiet, 0, ["Won by two hexes", "You win 3–1", reason]);
    }
}
