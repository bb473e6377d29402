//! Entropy that players add to the dice, and the rules when they may do so.

use thiserror::Error;

use super::{HexParseError, Sha256Digest};
use crate::game::Player;

/// A text that a player added to the dice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EntropyInput<'a> {
    /// The number of its entry in the record.
    pub entry: u32,
    /// The player who added it.
    pub player: Player,
    /// The text that was added: entropy, a commitment or [`NO_ENTROPY`].
    pub text: &'a str,
}

/// Why a text is not accepted as entropy.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum EntropyRejection {
    /// The dice of this game are the same for several players.
    #[error("the dice of this game are the same for everybody, so nothing can be added to them")]
    Fixed,
    /// The game has a clock, which does not wait for entropy.
    #[error("nothing can be added to the dice of a game with a clock")]
    Clock,
    /// The dice have been rolled already.
    #[error("entropy text can be added only before the first roll")]
    AfterFirstRoll,
    /// The player did not reveal the committed text in time, so the server has declined in the player's name.
    #[error("the time to reveal this text is over: the game continues without it")]
    RevealedTooLate,
    /// The player has already added entropy, declined, or made a commitment that this text does not reveal.
    #[error("each player adds entropy text once, and commits to it at most once before")]
    AlreadyAdded,
    /// A text of another player is known already, and the player made no commitment before.
    #[error(
        "another player's entropy text is known already, and this text was not committed to before"
    )]
    OthersRevealed,
    /// The SHA-256 of the text is not the player's commitment.
    #[error("this is not the text that was committed to: its SHA-256 differs")]
    CommitmentMismatch,
    /// Other players take part, so the player must make a commitment first.
    #[error(
        "others play in this game: first commit to the text by adding its SHA-256, then reveal it"
    )]
    CommitmentRequired,
    /// Other players have neither made a commitment nor declined yet.
    #[error(
        "other players have neither committed to a text yet nor declared that they add none (\"-\")"
    )]
    AwaitingOthers,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum EntropyKind {
    /// 64 lower-case hexadecimal digits: the SHA-256 of a text that the player reveals later.
    Commitment(Sha256Digest),
    /// `-`: the player adds no entropy.
    Declined,
    /// Any other text is entropy.
    Entropy,
}

impl EntropyKind {
    fn parse(text: &str) -> Self {
        match text.parse() {
            Ok(digest) => EntropyKind::Commitment(digest),
            Err(HexParseError) if text == NO_ENTROPY => EntropyKind::Declined,
            Err(HexParseError) => EntropyKind::Entropy,
        }
    }
}

/// The text by which a player declines to add entropy.
pub const NO_ENTROPY: &str = "-";

/// Whether a text is entropy: neither a commitment nor [`NO_ENTROPY`].
#[must_use]
pub fn is_revealed_entropy(text: &str) -> bool {
    EntropyKind::parse(text) == EntropyKind::Entropy
}

/// Whether a text is a commitment to entropy that is revealed later.
#[must_use]
pub fn is_entropy_commitment(text: &str) -> bool {
    matches!(EntropyKind::parse(text), EntropyKind::Commitment(_))
}

/// Checks whether a player may add this text. `before` are the earlier texts, and `people` are the players that are people
/// or programs, with or without `player`.
///
/// A player who knows the seed must not be able to choose entropy that favours a roll. So entropy is added before the
/// first roll, and no player chooses it after seeing that of another: every player first commits to a text by its
/// SHA-256, and reveals it when all have committed. A single player adds a text directly.
///
/// Records do not contain which players are people; they are checked with an empty `people`. Only there can a player
/// decline after a commitment: the server does so in the player's name when the time to reveal the text is over.
///
/// # Errors
/// Why the text is not accepted.
pub fn check_entropy(
    before: &[EntropyInput<'_>],
    was_rolled: bool,
    people: &[Player],
    player: Player,
    text: &str,
) -> Result<(), EntropyRejection> {
    let kinds_of = |player: Player| {
        let inputs = before.iter().filter(move |input| input.player == player);
        inputs.map(|input| EntropyKind::parse(input.text))
    };
    let commitment = kinds_of(player).find_map(|kind| match kind {
        EntropyKind::Commitment(commitment) => Some(commitment),
        EntropyKind::Declined | EntropyKind::Entropy => None,
    });
    let is_done = kinds_of(player).any(|kind| !matches!(kind, EntropyKind::Commitment(_)));
    let is_expired =
        commitment.is_some() && kinds_of(player).next_back() == Some(EntropyKind::Declined);
    let is_any_revealed = before.iter().any(|input| is_revealed_entropy(input.text));
    let others_took_part = before
        .iter()
        .any(|input| input.player != player && input.text != NO_ENTROPY);
    let mut others = people.iter().filter(|other| **other != player);
    match (EntropyKind::parse(text), commitment) {
        _ if was_rolled => Err(EntropyRejection::AfterFirstRoll),
        _ if is_expired => Err(EntropyRejection::RevealedTooLate),
        _ if is_done => Err(EntropyRejection::AlreadyAdded),
        // The server has declined in the player's name.
        (EntropyKind::Declined, Some(_)) if people.is_empty() => Ok(()),
        (EntropyKind::Commitment(_) | EntropyKind::Declined, Some(_)) => {
            Err(EntropyRejection::AlreadyAdded)
        }
        (EntropyKind::Commitment(_), None) if is_any_revealed => {
            Err(EntropyRejection::OthersRevealed)
        }
        (EntropyKind::Commitment(_) | EntropyKind::Declined, None) => Ok(()),
        (EntropyKind::Entropy, Some(commitment))
            if commitment != Sha256Digest::compute(text.as_bytes()) =>
        {
            Err(EntropyRejection::CommitmentMismatch)
        }
        (EntropyKind::Entropy, Some(_))
            if others.any(|other| kinds_of(*other).next().is_none()) =>
        {
            Err(EntropyRejection::AwaitingOthers)
        }
        (EntropyKind::Entropy, Some(_)) => Ok(()),
        (EntropyKind::Entropy, None) if others_took_part => Err(EntropyRejection::OthersRevealed),
        (EntropyKind::Entropy, None) if others.next().is_some() => {
            Err(EntropyRejection::CommitmentRequired)
        }
        (EntropyKind::Entropy, None) => Ok(()),
    }
}

/// The texts that a game waits for before its next ply, and the players who owe them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AwaitedEntropy {
    /// Others have made a commitment; these players have neither made one nor declined.
    Commitments(Vec<Player>),
    /// Everybody has made a commitment or declined; these players have not revealed theirs.
    Reveals(Vec<Player>),
}

impl AwaitedEntropy {
    /// The players who owe a text.
    #[must_use]
    pub fn players(&self) -> &[Player] {
        let (AwaitedEntropy::Commitments(players) | AwaitedEntropy::Reveals(players)) = self;
        players
    }
}

/// The texts that the game waits for: one of `people` has made a commitment, and not all of them have revealed their
/// entropy or declined. `None` if it does not wait.
#[must_use]
pub fn awaited_entropy(before: &[EntropyInput<'_>], people: &[Player]) -> Option<AwaitedEntropy> {
    let last_kind_of = |player: Player| {
        let inputs = before.iter().filter(|input| input.player == player);
        inputs
            .map(|input| EntropyKind::parse(input.text))
            .next_back()
    };
    let is_commitment = |kind| matches!(kind, Some(EntropyKind::Commitment(_)));
    let who = |owes: &dyn Fn(Option<EntropyKind>) -> bool| {
        let people = people.iter().copied();
        let owing: Vec<_> = people
            .filter(|player| owes(last_kind_of(*player)))
            .collect();
        (!owing.is_empty()).then_some(owing)
    };
    let has_commitment = before
        .iter()
        .any(|input| is_entropy_commitment(input.text) && people.contains(&input.player));
    if !has_commitment {
        return None;
    }
    let uncommitted = who(&|kind| kind.is_none()).map(AwaitedEntropy::Commitments);
    uncommitted.or_else(|| who(&is_commitment).map(AwaitedEntropy::Reveals))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entropy_is_chosen_before_a_roll_and_without_knowing_that_of_others() {
        use EntropyRejection::{
            AfterFirstRoll, AlreadyAdded, AwaitingOthers, CommitmentMismatch, CommitmentRequired,
            OthersRevealed, RevealedTooLate,
        };

        let commitment = Sha256Digest::compute("чай".as_bytes()).to_string();
        let commitment = commitment.as_str();
        let [one, two] = [0, 1].map(Player::new);
        let both = [one, two];
        let inputs = |earlier: &[(Player, &'static str)]| -> Vec<(Player, String)> {
            let earlier = earlier.iter().map(|(player, text)| match *text {
                "fix" => (*player, commitment.to_owned()),
                text => (*player, text.to_owned()),
            });
            earlier.collect()
        };
        let check =
            |earlier: &[(Player, &'static str)], people: &[Player], player, text, expected| {
                let inputs = inputs(earlier);
                let before: Vec<_> = inputs
                    .iter()
                    .map(|(player, text)| EntropyInput {
                        entry: 0,
                        player: *player,
                        text,
                    })
                    .collect();
                let text = if text == "fix" { commitment } else { text };
                let result = check_entropy(&before, false, people, player, text);
                assert_eq!(result, expected, "{earlier:?} {text}");
                let late = check_entropy(&before, true, people, player, text);
                assert_eq!(late, Err(AfterFirstRoll));
            };
        // A single player.
        check(&[], &[one], one, "tea", Ok(()));
        check(&[(one, "tea")], &[one], one, "more", Err(AlreadyAdded));
        check(&[(one, "tea")], &[one], one, "fix", Err(AlreadyAdded));
        // Several players: all commit before any reveals.
        check(&[], &both, one, "tea", Err(CommitmentRequired));
        check(&[], &both, one, "fix", Ok(()));
        check(&[(one, "fix")], &both, one, "fix", Err(AlreadyAdded));
        check(&[(one, "fix")], &both, one, "-", Err(AlreadyAdded));
        check(&[(one, "fix")], &both, one, "чай", Err(AwaitingOthers));
        check(&[(one, "fix")], &both, two, "tea", Err(OthersRevealed));
        check(&[(one, "fix")], &both, two, "fix", Ok(()));
        check(
            &[(one, "fix"), (two, "-")],
            &both,
            two,
            "fix",
            Err(AlreadyAdded),
        );
        for second in ["fix", "-"] {
            check(&[(one, "fix"), (two, second)], &both, one, "чай", Ok(()));
            check(
                &[(one, "fix"), (two, second)],
                &both,
                one,
                "tea",
                Err(CommitmentMismatch),
            );
        }
        check(
            &[(one, "fix"), (two, "fix"), (one, "чай")],
            &both,
            two,
            "чай",
            Ok(()),
        );
        // Without the list of people, as for a record: revealing without a commitment is rejected after another reveal.
        check(&[(one, "tea")], &[], two, "fix", Err(OthersRevealed));
        check(&[(one, "tea")], &[], two, "tea", Err(OthersRevealed));
        check(
            &[(one, "fix"), (one, "чай")],
            &[],
            two,
            "fix",
            Err(OthersRevealed),
        );
        check(&[(one, "tea")], &[], two, "-", Ok(()));
        // Only the server declines after a commitment, and then the text comes too late.
        check(&[(one, "fix"), (two, "-")], &[], one, "-", Ok(()));
        for people in [&both[..], &[]] {
            let expired = [(one, "fix"), (two, "-"), (one, "-")];
            for text in ["чай", "tea", "fix", "-"] {
                check(&expired, people, one, text, Err(RevealedTooLate));
            }
        }
    }

    #[test]
    fn a_game_waits_until_all_commitments_are_revealed() {
        let commitment = Sha256Digest::compute(b"tea").to_string();
        let both = [0, 1].map(Player::new);
        let awaits = |given: &[(u8, &str)], people: &[Player]| {
            let before: Vec<_> = given
                .iter()
                .map(|(player, given)| EntropyInput {
                    entry: 0,
                    player: Player::new(*player),
                    text: given,
                })
                .collect();
            awaited_entropy(&before, people)
        };
        let fix = commitment.as_str();
        let commitments = |player| Some(AwaitedEntropy::Commitments(vec![player]));
        let reveals = |players: &[Player]| Some(AwaitedEntropy::Reveals(players.to_vec()));
        let [one, two] = both;
        assert_eq!(awaits(&[], &both), None);
        assert_eq!(awaits(&[(0, "-")], &both), None, "no commitment");
        assert_eq!(awaits(&[(0, fix)], &both), commitments(two));
        assert_eq!(awaits(&[(1, fix)], &both), commitments(one));
        assert_eq!(awaits(&[(0, fix), (1, "-")], &both), reveals(&[one]));
        assert_eq!(awaits(&[(0, fix), (1, "-"), (0, "tea")], &both), None);
        assert_eq!(awaits(&[(0, fix), (1, fix)], &both), reveals(&both));
        let one_left = [(0, fix), (1, fix), (0, "tea")];
        assert_eq!(awaits(&one_left, &both), reveals(&[two]));
        for last in ["tea", "-"] {
            assert_eq!(awaits(&[&one_left[..], &[(1, last)]].concat(), &both), None);
        }
        // A player who has left is not waited for.
        assert_eq!(awaits(&[(0, fix)], &both[1..]), None);
        assert_eq!(awaits(&[(0, fix), (0, "tea")], &both[..1]), None);
    }
}
