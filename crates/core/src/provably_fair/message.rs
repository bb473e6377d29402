//! The HMAC messages of the rolls, and the bytes computed from them.

use std::fmt::Write as _;

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use super::{CommittedSeed, EntropyInput, Protocol, Sha256Digest, hex, is_revealed_entropy};

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
/// use dice_of_doom_core::provably_fair::{EntropyInput, Protocol, RollContext, Sha256Digest, RollInput, message};
/// use dice_of_doom_core::game::Player;
///
/// let context = RollContext { game: "abcdefgh".to_owned(), deal: Sha256Digest::compute(b"{}") };
/// let tea = EntropyInput { entry: 0, player: Player::FIRST, text: "tea" };
/// let roll = RollInput { entry: 3, plies: 2, position: "a3b1/a1b2 a 0 1", action: "0-1", entropy: &[tea] };
/// assert_eq!(
///     message(&context, Protocol::ByPosition, &roll, 0),
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
/// assert_eq!(
///     message(&context, Protocol::ByEntry, &roll, 0),
///     "dice-of-doom dice 2
/// game abcdefgh
/// deal 44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a
/// entropy 0 0 746561
/// entry 3
/// block 0
/// "
/// );
/// ```
#[must_use]
pub fn message(
    context: &RollContext,
    protocol: Protocol,
    roll: &RollInput<'_>,
    block: u32,
) -> String {
    format!("{}block {block}\n", message_prefix(context, protocol, roll))
}

/// All lines of a message except the last.
fn message_prefix(context: &RollContext, protocol: Protocol, roll: &RollInput<'_>) -> String {
    let (RollContext { game, deal }, number) = (context, protocol.number());
    let mut text = format!("dice-of-doom dice {number}\ngame {game}\ndeal {deal}\n");
    for input in roll.entropy {
        let (player, digits) = (input.player.number(), hex(input.text.as_bytes()));
        let _ = match protocol {
            Protocol::ByEntry => writeln!(text, "entropy {} {player} {digits}", input.entry),
            Protocol::ByPosition if is_revealed_entropy(input.text) => {
                writeln!(text, "words {player} {digits}")
            }
            Protocol::ByPosition => Ok(()),
        };
    }
    let RollInput {
        entry,
        plies,
        position,
        action,
        ..
    } = roll;
    let _ = match protocol {
        Protocol::ByEntry => writeln!(text, "entry {entry}"),
        Protocol::ByPosition => {
            writeln!(text, "plies {plies}\nposition {position}\naction {action}")
        }
    };
    text
}

/// The HMAC bytes of one roll, in blocks of 32.
#[derive(Clone)]
pub(crate) struct HmacByteStream {
    key: Hmac<Sha256>,
    prefix: String,
    next: u32,
    block: [u8; 32],
    used: usize,
}

impl HmacByteStream {
    pub(super) fn new(
        committed: &CommittedSeed,
        context: &RollContext,
        roll: &RollInput<'_>,
    ) -> Self {
        let key = Hmac::new_from_slice(committed.seed.as_bytes());
        HmacByteStream {
            key: key.expect("HMAC accepts keys of any length"),
            prefix: message_prefix(context, committed.protocol, roll),
            next: 0,
            block: [0; 32],
            used: 32,
        }
    }

    pub(crate) fn byte(&mut self) -> u8 {
        if self.used == self.block.len() {
            let mut mac = self.key.clone();
            mac.update(self.prefix.as_bytes());
            mac.update(format!("block {}\n", self.next).as_bytes());
            self.block = mac.finalize().into_bytes().into();
            // A roll needs a few blocks, so the counter never reaches 2^32.
            self.next = self.next.wrapping_add(1);
            self.used = 0;
        }
        self.used += 1;
        self.block[self.used - 1]
    }
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
        let by_protocol =
            |context: &RollContext, protocol, entropy: &[EntropyInput<'_>], entry, block| {
                message(context, protocol, &roll(entropy, entry), block)
            };
        let by_position = |change: fn(&mut RollInput<'_>)| {
            let mut roll = roll(&[], 1);
            change(&mut roll);
            message(&context(), Protocol::ByPosition, &roll, 0)
        };
        let by_entry = Protocol::ByEntry;
        let messages = [
            by_protocol(&context(), by_entry, &[], 1, 0),
            by_protocol(&context(), by_entry, &[], 1, 1),
            by_protocol(&context(), by_entry, &[], 11, 0),
            by_protocol(&other("012345678", b"a deal"), by_entry, &[], 1, 0),
            by_protocol(&other("0123456789", b"another deal"), by_entry, &[], 1, 0),
            by_protocol(&context(), by_entry, &[input(0, 0, "a")], 1, 0),
            by_protocol(&context(), by_entry, &[input(0, 1, "a")], 1, 0),
            by_protocol(&context(), by_entry, &[input(0, 0, "b")], 1, 0),
            by_protocol(
                &context(),
                by_entry,
                &[input(0, 0, "a\nentropy 1 0 62")],
                2,
                0,
            ),
            by_protocol(
                &context(),
                by_entry,
                &[input(0, 0, "a"), input(1, 0, "b")],
                2,
                0,
            ),
            by_protocol(&context(), by_entry, &[input(0, 0, "")], 2, 0),
            by_position(|_| ()),
            by_position(|roll| roll.plies = 4),
            by_position(|roll| roll.position = "a3b1/a1b1 a 0 1"),
            by_position(|roll| roll.action = "0-2"),
            by_protocol(&context(), Protocol::ByPosition, &[input(0, 0, "a")], 1, 0),
            by_protocol(&context(), Protocol::ByPosition, &[input(0, 1, "a")], 1, 0),
        ];
        for (index, message) in messages.iter().enumerate() {
            assert!(!messages[..index].contains(message), "{message}");
        }
        // The entry number is not part of the message: repeating an action after a takeback gives the same dice.
        assert_eq!(by_position(|roll| roll.entry = 9), by_position(|_| ()));
        let commitment = Sha256Digest::compute(b"tea").to_string();
        let commitment = [input(0, 0, &commitment)];
        let with_commitment = by_protocol(&context(), Protocol::ByPosition, &commitment, 1, 0);
        assert_eq!(with_commitment, by_position(|_| ()));
    }
}
