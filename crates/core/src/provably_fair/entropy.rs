//! Words that people add to the dice, and when they may.

use thiserror::Error;

use super::{HexParseError, Sha256Digest};
use crate::game::Player;

/// Words that somebody at the table added to the dice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EntropyInput<'a> {
    /// Their number among the entries of the record.
    pub entry: u32,
    /// Who added them.
    pub player: Player,
    /// The words themselves.
    pub words: &'a str,
}

/// Why words are not added to dice of [`Protocol::ByPosition`](super::Protocol::ByPosition).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum EntropyRejection {
    /// Something was rolled.
    #[error("words are added before the first roll")]
    Rolled,
    /// The player has added words or none, or fixed some.
    #[error("each player adds words once, and fixes them once before")]
    Again,
    /// Words of another player are known.
    #[error("words of another player are known already, and these were not fixed before")]
    Known,
    /// They are not the words that the player has fixed.
    #[error("these are not the words that were fixed: their SHA-256 is another one")]
    Differ,
    /// Others may add words, too, and these are not fixed.
    #[error("others play here: words are fixed before they are told, by adding their SHA-256")]
    Unfixed,
    /// Others have neither fixed words nor said that they add none.
    #[error("others have neither fixed words yet nor said that they add none (\"-\")")]
    Awaited,
}

/// What an entry with words is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Said {
    /// 64 lower-case hexadecimal digits: the SHA-256 of words that the player tells later.
    Fixes(Sha256Digest),
    /// `-`: the player adds no words.
    Nothing,
    /// Any other words go into the dice.
    Tells,
}

impl Said {
    fn by(words: &str) -> Self {
        match words.parse() {
            Ok(fixed) => Said::Fixes(fixed),
            Err(HexParseError) if words == NO_ENTROPY => Said::Nothing,
            Err(HexParseError) => Said::Tells,
        }
    }
}

/// What a player adds who adds no words.
pub const NO_ENTROPY: &str = "-";

/// Whether words go into the dice: they neither fix others nor stand for none.
#[must_use]
pub fn is_revealed_entropy(words: &str) -> bool {
    Said::by(words) == Said::Tells
}

/// Whether words only fix others, which are told later.
#[must_use]
pub fn is_entropy_commitment(words: &str) -> bool {
    matches!(Said::by(words), Said::Fixes(_))
}

/// Whether a player may add these words to dice of [`Protocol::ByPosition`](super::Protocol::ByPosition), after those that were added
/// before, where these people and programs (the player among them or not) play.
///
/// Whoever knows the seed must not be able to choose words that suit a roll. So they are added before the
/// first one, and nobody chooses them after having seen those of another player: everybody fixes words by
/// their SHA-256, and when all have, they are told. Who plays alone just tells them. Who plays is not in a
/// record: it is checked with nobody.
///
/// # Errors
/// Why they are not taken.
pub fn check_entropy(
    before: &[EntropyInput<'_>],
    was_rolled: bool,
    people: &[Player],
    player: Player,
    words: &str,
) -> Result<(), EntropyRejection> {
    let of = |player: Player| {
        let given = before.iter().filter(move |given| given.player == player);
        given.map(|given| Said::by(given.words))
    };
    let fixed = of(player).find_map(|said| match said {
        Said::Fixes(fixed) => Some(fixed),
        Said::Nothing | Said::Tells => None,
    });
    let is_done = of(player).any(|said| !matches!(said, Said::Fixes(_)));
    let is_known = before.iter().any(|given| is_revealed_entropy(given.words));
    let others_began = before
        .iter()
        .any(|given| given.player != player && given.words != NO_ENTROPY);
    let mut others = people.iter().filter(|other| **other != player);
    match (Said::by(words), fixed) {
        _ if was_rolled => Err(EntropyRejection::Rolled),
        _ if is_done => Err(EntropyRejection::Again),
        (Said::Fixes(_) | Said::Nothing, Some(_)) => Err(EntropyRejection::Again),
        (Said::Fixes(_), None) if is_known => Err(EntropyRejection::Known),
        (Said::Fixes(_) | Said::Nothing, None) => Ok(()),
        (Said::Tells, Some(fixed)) if fixed != Sha256Digest::of(words.as_bytes()) => {
            Err(EntropyRejection::Differ)
        }
        (Said::Tells, Some(_)) if others.any(|other| of(*other).next().is_none()) => {
            Err(EntropyRejection::Awaited)
        }
        (Said::Tells, Some(_)) => Ok(()),
        (Said::Tells, None) if others_began => Err(EntropyRejection::Known),
        (Said::Tells, None) if others.next().is_some() => Err(EntropyRejection::Unfixed),
        (Said::Tells, None) => Ok(()),
    }
}

/// Whether the game waits for words: somebody who plays has fixed some, and not everybody has fixed and told
/// theirs, or said that they add none.
#[must_use]
pub fn awaits_entropy(before: &[EntropyInput<'_>], people: &[Player]) -> bool {
    let of = |player: &Player| {
        let given = before.iter().filter(|given| given.player == *player);
        given.map(|given| Said::by(given.words)).next_back()
    };
    let fixes = |said| matches!(said, Some(Said::Fixes(_)));
    let began = before
        .iter()
        .any(|given| is_entropy_commitment(given.words) && people.contains(&given.player));
    began
        && people
            .iter()
            .map(of)
            .any(|said| said.is_none() || fixes(said))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_chosen_before_a_roll_and_without_knowing_those_of_others() {
        use EntropyRejection::{Again, Awaited, Differ, Known, Rolled, Unfixed};

        let fixing = Sha256Digest::of("чай".as_bytes()).to_string();
        let fixing = fixing.as_str();
        let [one, two] = [0, 1].map(Player::new);
        let both = [one, two];
        let given = |said: &[(Player, &'static str)]| -> Vec<(Player, String)> {
            let said = said.iter().map(|(player, words)| match *words {
                "fix" => (*player, fixing.to_owned()),
                words => (*player, words.to_owned()),
            });
            said.collect()
        };
        let check =
            |said: &[(Player, &'static str)], people: &[Player], player, words, expected| {
                let given = given(said);
                let before: Vec<_> = given
                    .iter()
                    .map(|(player, words)| EntropyInput {
                        entry: 0,
                        player: *player,
                        words,
                    })
                    .collect();
                let words = if words == "fix" { fixing } else { words };
                let admitted = check_entropy(&before, false, people, player, words);
                assert_eq!(admitted, expected, "{said:?} {words}");
                let late = check_entropy(&before, true, people, player, words);
                assert_eq!(late, Err(Rolled));
            };
        // Alone.
        check(&[], &[one], one, "tea", Ok(()));
        check(&[(one, "tea")], &[one], one, "more", Err(Again));
        check(&[(one, "tea")], &[one], one, "fix", Err(Again));
        // With others: first all fix, then all tell.
        check(&[], &both, one, "tea", Err(Unfixed));
        check(&[], &both, one, "fix", Ok(()));
        check(&[(one, "fix")], &both, one, "fix", Err(Again));
        check(&[(one, "fix")], &both, one, "-", Err(Again));
        check(&[(one, "fix")], &both, one, "чай", Err(Awaited));
        check(&[(one, "fix")], &both, two, "tea", Err(Known));
        check(&[(one, "fix")], &both, two, "fix", Ok(()));
        check(&[(one, "fix"), (two, "-")], &both, two, "fix", Err(Again));
        for two_said in ["fix", "-"] {
            check(&[(one, "fix"), (two, two_said)], &both, one, "чай", Ok(()));
            check(
                &[(one, "fix"), (two, two_said)],
                &both,
                one,
                "tea",
                Err(Differ),
            );
        }
        check(
            &[(one, "fix"), (two, "fix"), (one, "чай")],
            &both,
            two,
            "чай",
            Ok(()),
        );
        // Of a record nobody knows who played: what was told once the words of another were known is wrong.
        check(&[(one, "tea")], &[], two, "fix", Err(Known));
        check(&[(one, "tea")], &[], two, "tea", Err(Known));
        check(&[(one, "fix"), (one, "чай")], &[], two, "fix", Err(Known));
        check(&[(one, "tea")], &[], two, "-", Ok(()));
    }

    #[test]
    fn a_game_waits_until_all_words_are_told() {
        let fixing = Sha256Digest::of(b"tea").to_string();
        let both = [0, 1].map(Player::new);
        let awaits = |said: &[(u8, &str)], people: &[Player]| {
            let before: Vec<_> = said
                .iter()
                .map(|(who, said)| EntropyInput {
                    entry: 0,
                    player: Player::new(*who),
                    words: said,
                })
                .collect();
            awaits_entropy(&before, people)
        };
        let fixing = fixing.as_str();
        assert!(!awaits(&[], &both));
        assert!(!awaits(&[(0, "-")], &both), "nobody fixes any");
        assert!(awaits(&[(0, fixing)], &both));
        assert!(awaits(&[(0, fixing), (1, "-")], &both));
        assert!(!awaits(&[(0, fixing), (1, "-"), (0, "tea")], &both));
        assert!(awaits(&[(0, fixing), (1, fixing), (0, "tea")], &both));
        assert!(!awaits(
            &[(0, fixing), (1, fixing), (0, "tea"), (1, "tea")],
            &both
        ));
        // Whoever has left is not waited for.
        assert!(!awaits(&[(0, fixing)], &both[1..]));
        assert!(!awaits(&[(0, fixing), (0, "tea")], &both[..1]));
    }
}
