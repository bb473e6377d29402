//! The HMAC messages of the rolls.

use std::fmt::Write as _;

use super::{EntropyInput, Sha256Digest, hex, is_revealed_entropy};

/// The game, as identified in the HMAC messages of its rolls.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RollContext {
    /// The public id of the game: letters and digits.
    pub game: String,
    /// The digest of the parameters and the start position.
    pub deal: Sha256Digest,
}

/// The input of one roll.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RollInput<'a> {
    /// The number of the entry in the record.
    pub entry: u32,
    /// The number of plies on the mainline before it.
    pub plies: u32,
    /// The position before the action, in notation.
    pub position: &'a str,
    /// The action, in notation.
    pub action: &'a str,
    /// The entropy that was added before, in order.
    pub entropy: &'a [EntropyInput<'a>],
}

/// The HMAC message of a block of 32 bytes of a roll: lines of text, each with a line feed.
///
/// ```
/// use dice_of_doom_core::provably_fair::{EntropyInput, RollContext, Sha256Digest, RollInput, message};
/// use dice_of_doom_core::game::Player;
///
/// let context = RollContext { game: "abcdefgh".to_owned(), deal: Sha256Digest::compute(b"{}") };
/// let tea = EntropyInput { entry: 0, player: Player::FIRST, text: "tea" };
/// let roll = RollInput { entry: 3, plies: 2, position: "a3b1/a1b2 a 0 1", action: "0-1", entropy: &[tea] };
/// assert_eq!(
///     message(&context, &roll, 0),
///     "dice-of-doom dice 3
/// game abcdefgh
/// deal 44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a
/// words 0 746561
/// plies 2
/// position a3b1/a1b2 a 0 1
/// action 0-1
/// block 0
/// "
/// );
/// ```
#[must_use]
pub fn message(context: &RollContext, roll: &RollInput<'_>, block: u32) -> String {
    format!("{}block {block}\n", message_prefix(context, roll))
}

/// All lines of a message except the last.
pub(super) fn message_prefix(context: &RollContext, roll: &RollInput<'_>) -> String {
    let RollContext { game, deal } = context;
    let mut text = format!("dice-of-doom dice 3\ngame {game}\ndeal {deal}\n");
    let revealed = roll.entropy.iter();
    for input in revealed.filter(|input| is_revealed_entropy(input.text)) {
        let (player, digits) = (input.player.number(), hex(input.text.as_bytes()));
        let _ = writeln!(text, "words {player} {digits}");
    }
    let RollInput {
        plies,
        position,
        action,
        ..
    } = roll;
    let _ = writeln!(text, "plies {plies}\nposition {position}\naction {action}");
    text
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::game::Player;

    pub(in super::super) fn roll<'a>(entropy: &'a [EntropyInput<'a>], entry: u32) -> RollInput<'a> {
        RollInput {
            entry,
            plies: 3,
            position: "a3b1/a1b2 a 0 1",
            action: "0-1",
            entropy,
        }
    }

    pub(in super::super) fn context() -> RollContext {
        RollContext {
            game: "0123456789".to_owned(),
            deal: Sha256Digest::compute(b"a deal"),
        }
    }

    pub(in super::super) fn input(entry: u32, player: u8, text: &str) -> EntropyInput<'_> {
        EntropyInput {
            entry,
            player: Player::new(player),
            text,
        }
    }

    #[test]
    fn every_field_changes_the_message() {
        let other = |game: &str, deal: &[u8]| RollContext {
            game: game.to_owned(),
            deal: Sha256Digest::compute(deal),
        };
        let message_of = |context: &RollContext, entropy: &[EntropyInput<'_>], block| {
            message(context, &roll(entropy, 1), block)
        };
        let changed = |change: fn(&mut RollInput<'_>)| {
            let mut roll = roll(&[], 1);
            change(&mut roll);
            message(&context(), &roll, 0)
        };
        let messages = [
            message_of(&context(), &[], 0),
            message_of(&context(), &[], 1),
            message_of(&other("012345678", b"a deal"), &[], 0),
            message_of(&other("0123456789", b"another deal"), &[], 0),
            message_of(&context(), &[input(0, 0, "a")], 0),
            message_of(&context(), &[input(0, 1, "a")], 0),
            message_of(&context(), &[input(0, 0, "b")], 0),
            message_of(&context(), &[input(0, 0, "a\nwords 0 62")], 0),
            message_of(&context(), &[input(0, 0, "a"), input(0, 0, "b")], 0),
            message_of(&context(), &[input(0, 0, "")], 0),
            changed(|roll| roll.plies = 4),
            changed(|roll| roll.position = "a3b1/a1b1 a 0 1"),
            changed(|roll| roll.action = "0-2"),
        ];
        for (index, message) in messages.iter().enumerate() {
            assert!(!messages[..index].contains(message), "{message}");
        }
        // The entry number is not part of the message: repeating an action after a takeback gives the same dice.
        assert_eq!(changed(|roll| roll.entry = 9), messages[0]);
        let commitment = Sha256Digest::compute(b"tea").to_string();
        let commitment = [input(0, 0, &commitment)];
        assert_eq!(message_of(&context(), &commitment, 0), messages[0]);
    }
}
