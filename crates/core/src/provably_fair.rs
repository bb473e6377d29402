//! Provably fair dice: all rolls of a game follow from a secret that is committed to before the first roll, and from
//! entropy that the players add afterwards. The secret is revealed after the game, so that anyone can recompute every
//! die.
//!
//! The [`Commitment`] is the SHA-256 of seed and salt. The bytes of a roll come from HMAC-SHA256 (RFC 2104) with the
//! seed as key over a [message] that contains the game, its deal, the entropy added before, the context of the roll,
//! and the block number. The games reject bytes from 252 on, so every face is equally likely. The message layout of a
//! [`Protocol`] never changes: docs/fair-dice.md specifies it byte by byte, and independent programs compute it.
//!
//! Not here: generating, storing and revealing the secret. The deal of a board and the agents have
//! [generators](crate::rng) of their own, which do not depend on it.

use std::fmt::{self, Write as _};
use std::str::FromStr;

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::{Digest as _, Sha256};
use thiserror::Error;

use crate::rng::{DiceRng, DiceSeed};

mod entropy;

pub use entropy::{
    EntropyInput, EntropyRejection, NO_ENTROPY, awaits_entropy, check_entropy,
    is_entropy_commitment, is_revealed_entropy,
};

/// Which rolls share their dice, and until when entropy is accepted. Records contain its number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Protocol {
    /// Every entry of a record has its own dice, and entropy is accepted at any time. New games do not use it: a player
    /// who knows the seed could choose entropy that favours the next roll.
    ByEntry,
    /// The same action at the same position after the same number of plies has the same dice, and entropy is accepted
    /// before the first roll, as checked by [`check_entropy`].
    ByPosition,
}

impl Protocol {
    /// The number in records: 2 or 3.
    #[must_use]
    pub const fn number(self) -> u16 {
        match self {
            Protocol::ByEntry => 2,
            Protocol::ByPosition => 3,
        }
    }

    /// The protocol with this number, or `None` if it is unknown.
    #[must_use]
    pub const fn from_number(number: u16) -> Option<Self> {
        match number {
            2 => Some(Protocol::ByEntry),
            3 => Some(Protocol::ByPosition),
            _ => None,
        }
    }
}

/// The random salt of a commitment, which hides the seed and makes the commitments of equal seeds different. `Debug`
/// does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct Salt([u8; 32]);

impl Salt {
    /// Wraps salt bytes from the random generator of the operating system or from a store.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Salt(bytes)
    }

    /// The bytes to store.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for Salt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Salt(..)")
    }
}

/// A public SHA-256 digest. Its text form is 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Sha256Digest([u8; 32]);

impl Sha256Digest {
    /// Computes the digest of these bytes.
    #[must_use]
    pub fn compute(bytes: &[u8]) -> Self {
        Sha256Digest(Sha256::digest(bytes).into())
    }

    /// The bytes of the digest.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Sha256Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

/// The text is not 64 lower-case hexadecimal digits. The error does not contain the text, which may be secret.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("these are not 64 lower-case hexadecimal digits")]
pub struct HexParseError;

impl FromStr for Sha256Digest {
    type Err = HexParseError;
    fn from_str(text: &str) -> Result<Self, HexParseError> {
        parse_hex(text).map(Sha256Digest)
    }
}

/// Parses 64 lower-case hexadecimal digits.
///
/// # Errors
/// For any other text, for example upper-case digits.
pub fn parse_hex(text: &str) -> Result<[u8; 32], HexParseError> {
    let digits = text.as_bytes();
    let digit = |index: usize| match digits.get(index) {
        Some(digit @ b'0'..=b'9') => Ok(digit - b'0'),
        Some(digit @ b'a'..=b'f') => Ok(digit - b'a' + 10),
        _ => Err(HexParseError),
    };
    if digits.len() != 64 {
        return Err(HexParseError);
    }
    let mut bytes = [0; 32];
    for (index, byte) in bytes.iter_mut().enumerate() {
        *byte = digit(2 * index)? << 4 | digit(2 * index + 1)?;
    }
    Ok(bytes)
}

/// Formats bytes as lower-case hexadecimal digits.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The SHA-256 of seed and salt; after publishing it the seed can no longer be changed.
pub type Commitment = Sha256Digest;

/// The secret seed and salt of one game with their protocol. `Debug` does not show the secrets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CommittedSeed {
    /// The protocol that derives the rolls.
    pub protocol: Protocol,
    /// The HMAC key of all rolls.
    pub seed: DiceSeed,
    /// The salt of the commitment.
    pub salt: Salt,
}

impl CommittedSeed {
    /// The commitment, which is public from the start.
    #[must_use]
    pub fn commitment(&self) -> Commitment {
        let digest = Sha256::new()
            .chain_update(self.seed.as_bytes())
            .chain_update(self.salt.as_bytes())
            .finalize();
        Sha256Digest(digest.into())
    }
}

/// The secret of the dice of one game, as stored. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DiceSecret {
    /// A seed without a published commitment: records of format 1.
    Uncommitted(DiceSeed),
    /// A seed and salt with a published commitment: records of formats 2 and 3.
    Committed(CommittedSeed),
}

impl DiceSecret {
    /// The stored version of the dice: 1, or the number of the [`Protocol`].
    #[must_use]
    pub const fn format(&self) -> u16 {
        match self {
            DiceSecret::Uncommitted(_) => 1,
            DiceSecret::Committed(committed) => committed.protocol.number(),
        }
    }

    /// The seed of the dice.
    #[must_use]
    pub const fn seed(&self) -> &DiceSeed {
        match self {
            DiceSecret::Uncommitted(seed) | DiceSecret::Committed(CommittedSeed { seed, .. }) => {
                seed
            }
        }
    }

    /// The salt, if there is a commitment.
    #[must_use]
    pub const fn salt(&self) -> Option<&Salt> {
        match self {
            DiceSecret::Uncommitted(_) => None,
            DiceSecret::Committed(committed) => Some(&committed.salt),
        }
    }
}

/// What is public about the dice of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DiceDisclosure {
    /// No commitment exists: records of format 1.
    Nothing,
    /// The game is in progress: only the commitment is public.
    Committed(Protocol, Commitment),
    /// The game is over: the secret is public.
    Revealed(CommittedSeed),
}

impl DiceDisclosure {
    /// The disclosure while the game is in progress.
    #[must_use]
    pub fn from_secret(secret: &DiceSecret) -> Self {
        match secret {
            DiceSecret::Uncommitted(_) => DiceDisclosure::Nothing,
            DiceSecret::Committed(committed) => {
                DiceDisclosure::Committed(committed.protocol, committed.commitment())
            }
        }
    }

    /// The protocol, if there is a commitment.
    #[must_use]
    pub const fn protocol(&self) -> Option<Protocol> {
        match self {
            DiceDisclosure::Nothing => None,
            DiceDisclosure::Committed(protocol, _) => Some(*protocol),
            DiceDisclosure::Revealed(committed) => Some(committed.protocol),
        }
    }

    /// The commitment, if there is one.
    #[must_use]
    pub fn commitment(&self) -> Option<Commitment> {
        match self {
            DiceDisclosure::Nothing => None,
            DiceDisclosure::Committed(_, commitment) => Some(*commitment),
            DiceDisclosure::Revealed(committed) => Some(committed.commitment()),
        }
    }
}

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

/// The source of all dice of one game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GameDice {
    /// A ChaCha stream for each entry: records of format 1.
    PerEntryStreams(DiceSeed),
    /// HMAC blocks with a committed secret.
    Committed(CommittedSeed, RollContext),
}

impl GameDice {
    /// The dice of a game with this secret.
    #[must_use]
    pub fn new(secret: DiceSecret, context: RollContext) -> Self {
        match secret {
            DiceSecret::Uncommitted(seed) => GameDice::PerEntryStreams(seed),
            DiceSecret::Committed(committed) => GameDice::Committed(committed, context),
        }
    }

    /// The disclosure after the end of the game.
    #[must_use]
    pub fn revealed(&self) -> DiceDisclosure {
        match self {
            GameDice::PerEntryStreams(_) => DiceDisclosure::Nothing,
            GameDice::Committed(committed, _) => DiceDisclosure::Revealed(committed.clone()),
        }
    }

    /// The generator that rolls the dice of a roll.
    #[must_use]
    pub fn rng_for_roll(&self, roll: &RollInput<'_>) -> DiceRng {
        match self {
            GameDice::PerEntryStreams(seed) => crate::rng::dice_rng(seed, roll.entry),
            GameDice::Committed(committed, context) => {
                debug_assert!(roll.entropy.iter().all(|input| input.entry < roll.entry));
                let prefix = message_prefix(context, committed.protocol, roll);
                DiceRng::from_hmac(HmacByteStream::new(&committed.seed, prefix))
            }
        }
    }
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
    fn new(seed: &DiceSeed, prefix: String) -> Self {
        let key = Hmac::new_from_slice(seed.as_bytes()).expect("HMAC accepts keys of any length");
        HmacByteStream {
            key,
            prefix,
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
mod tests {
    use rand::Rng as _;

    use super::*;
    use crate::game::Player;

    fn committed() -> CommittedSeed {
        CommittedSeed {
            protocol: Protocol::ByEntry,
            seed: DiceSeed::from_bytes(std::array::from_fn(|index| index as u8)),
            salt: Salt::from_bytes([0xab; 32]),
        }
    }

    fn roll<'a>(entropy: &'a [EntropyInput<'a>], entry: u32) -> RollInput<'a> {
        RollInput {
            entry,
            plies: 3,
            position: "a3b1/a1b2 a 0 1",
            action: "0-1",
            entropy,
        }
    }

    fn context() -> RollContext {
        RollContext {
            game: "0123456789".to_owned(),
            deal: Sha256Digest::compute(b"a deal"),
        }
    }

    #[test]
    fn the_message_layout_by_entry_never_changes() {
        // The values of docs/fair-dice.md, computed in Python with hashlib and hmac alone.
        let dice = GameDice::Committed(committed(), context());
        let entropy = [input(0, 0, "tea at five, 1987"), input(4, 2, "чай")];
        let mut bytes = [0; 70];
        dice.rng_for_roll(&roll(&entropy, 7)).fill_bytes(&mut bytes);
        assert_eq!(
            [
                committed().commitment().to_string(),
                hex(&bytes[..32]),
                hex(&bytes[32..64]),
                hex(&bytes[64..])
            ],
            [
                "824d1063a4344ac4b4a0668cff2c692e6066c79c65c010498dd5ad0eba34d985",
                "714abf19bc30c53c102f91cace4a515fa530189a081dfbd6f2b889d96aabd771",
                "31cb60cceac65003fd5664677adc66a85e5fbf4f46a1f4f03914f8f22d955cdc",
                "8e787cdb5854"
            ]
        );
    }

    #[test]
    fn the_message_layout_by_position_never_changes() {
        let committed = CommittedSeed {
            protocol: Protocol::ByPosition,
            ..committed()
        };
        let dice = GameDice::Committed(committed, context());
        let entropy = [input(0, 0, "tea at five, 1987"), input(1, 2, "чай")];
        let mut bytes = [0; 40];
        dice.rng_for_roll(&roll(&entropy, 7)).fill_bytes(&mut bytes);
        assert_eq!(
            [hex(&bytes[..32]), hex(&bytes[32..])],
            [
                "bb177cb1bd0e09435203974ca0d23881c4d91273079c9c4775befc0d8dfacb4c",
                "46cc5303662d33a9"
            ]
        );
    }

    fn input(entry: u32, player: u8, text: &str) -> EntropyInput<'_> {
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

    #[test]
    fn hexadecimal_digits_have_one_form() {
        let digest = Sha256Digest::compute(b"");
        let text = digest.to_string();
        assert_eq!(text.parse(), Ok(digest));
        for bad in [
            text.to_uppercase(),
            text[1..].to_owned(),
            format!("{text}0"),
            text.replace('e', "é"),
            String::new(),
        ] {
            assert_eq!(bad.parse::<Sha256Digest>(), Err(HexParseError), "{bad}");
        }
    }

    #[test]
    fn debug_does_not_show_secrets() {
        let dice = GameDice::Committed(committed(), context());
        let shown = format!("{dice:?} {:?}", dice.rng_for_roll(&roll(&[], 0)));
        assert!(shown.contains("DiceSeed(..)") && shown.contains("Salt(..)"));
        assert!(!shown.contains("171") && !shown.contains("ab, "), "{shown}");
    }
}
