//! Fair dice: every roll of a game follows from a secret that was sealed before the first one, and from
//! words that the people at the table add after that. When the game is over the secret is opened, and
//! anybody can compute every face again.
//!
//! The seal is the [`Commitment`], SHA-256 of seed and salt. A roll is drawn from bytes of HMAC-SHA256
//! (RFC 2104) with the seed as its key, over a [message] that names the game, its deal, the
//! words that were added before, what was rolled for, and the number of the block. The games throw
//! bytes from 252 on away, so every face is equally likely. The layout of a [`Protocol`] never changes:
//! docs/fair-dice.md tells it byte by byte, and programs of other people compute it.
//!
//! Not here: where the secret is drawn, kept and shown. The deal of a board and the variety of computers
//! have [streams](crate::rng) of their own and never see it.

use std::fmt::{self, Write as _};
use std::str::FromStr;

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::{Digest as _, Sha256};
use thiserror::Error;

use crate::rng::{DiceRng, DiceSeed};

mod entropy;

pub use entropy::{
    EntropyInput, NO_ENTROPY, EntropyRejection, check_entropy, awaits_entropy, is_entropy_commitment, is_revealed_entropy,
};

/// Which rolls have the same dice, and until when words are taken. Records name it by its number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Protocol {
    /// Every entry of a record has its own dice, and words may be added at any time. New games are
    /// no longer played so: who knows the seed and sits at the table can choose words that suit the
    /// next roll.
    ByEntry,
    /// The same action at the same position, after as many plies, has the same dice, and words are
    /// added before the first roll, as [`check_entropy`] has it.
    ByPosition,
}

impl Protocol {
    /// The number by which records name it: 2 or 3.
    #[must_use]
    pub const fn number(self) -> u16 {
        match self {
            Protocol::ByEntry => 2,
            Protocol::ByPosition => 3,
        }
    }

    /// The protocol with this number, if there is one.
    #[must_use]
    pub const fn from_number(number: u16) -> Option<Self> {
        match number {
            2 => Some(Protocol::ByEntry),
            3 => Some(Protocol::ByPosition),
            _ => None,
        }
    }
}

/// What goes into the commitment beside the seed, so that equal seeds would not be seen to be equal.
/// `Debug` shows none of it.
#[derive(Clone, PartialEq, Eq)]
pub struct Salt([u8; 32]);

impl Salt {
    /// The salt that these bytes are: drawn from the system's randomness, or read from an archive.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Salt(bytes)
    }

    /// The bytes that an archive stores.
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

/// A SHA-256 that everybody may see. Its text form is 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Sha256Digest([u8; 32]);

impl Sha256Digest {
    /// The fingerprint of these bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Sha256Digest(Sha256::digest(bytes).into())
    }

    /// The bytes themselves.
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

/// The text is not 64 lower-case hexadecimal digits. It is not repeated here: it may be a secret.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("these are not 64 lower-case hexadecimal digits")]
pub struct HexParseError;

impl FromStr for Sha256Digest {
    type Err = HexParseError;
    fn from_str(text: &str) -> Result<Self, HexParseError> {
        parse_hex(text).map(Sha256Digest)
    }
}

/// The 32 bytes of their only text form.
///
/// # Errors
/// For every other text, such as upper-case digits.
pub fn parse_hex(text: &str) -> Result<[u8; 32], HexParseError> {
    let digits = text.as_bytes();
    let digit = |at: usize| match digits.get(at) {
        Some(digit @ b'0'..=b'9') => Ok(digit - b'0'),
        Some(digit @ b'a'..=b'f') => Ok(digit - b'a' + 10),
        _ => Err(HexParseError),
    };
    if digits.len() != 64 {
        return Err(HexParseError);
    }
    let mut bytes = [0; 32];
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = digit(2 * at)? << 4 | digit(2 * at + 1)?;
    }
    Ok(bytes)
}

/// Bytes as lower-case hexadecimal digits.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// SHA-256 of seed and salt: whoever has shown it cannot take another seed any more.
pub type Commitment = Sha256Digest;

/// The secret of one game's dice. `Debug` shows none of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CommittedSeed {
    /// How rolls follow from it.
    pub protocol: Protocol,
    /// The key of every roll.
    pub seed: DiceSeed,
    /// What the commitment hides the seed with.
    pub salt: Salt,
}

impl CommittedSeed {
    /// What is shown from the start.
    #[must_use]
    pub fn commitment(&self) -> Commitment {
        let digest = Sha256::new()
            .chain_update(self.seed.as_bytes())
            .chain_update(self.salt.as_bytes())
            .finalize();
        Sha256Digest(digest.into())
    }
}

/// The secret of one game's dice, as an archive keeps it. `Debug` shows none of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DiceSecret {
    /// A seed alone, which nothing was shown of: records of format 1.
    Unsealed(DiceSeed),
    /// Seed and salt, whose commitment everybody sees: records of formats 2 and 3.
    Sealed(CommittedSeed),
}

impl DiceSecret {
    /// The version of the dice, as an archive keeps it: 1, or the number of their [`Protocol`].
    #[must_use]
    pub const fn format(&self) -> u16 {
        match self {
            DiceSecret::Unsealed(_) => 1,
            DiceSecret::Sealed(sealed) => sealed.protocol.number(),
        }
    }

    /// The seed.
    #[must_use]
    pub const fn seed(&self) -> &DiceSeed {
        match self {
            DiceSecret::Unsealed(seed) | DiceSecret::Sealed(CommittedSeed { seed, .. }) => seed,
        }
    }

    /// The salt, where there is one.
    #[must_use]
    pub const fn salt(&self) -> Option<&Salt> {
        match self {
            DiceSecret::Unsealed(_) => None,
            DiceSecret::Sealed(sealed) => Some(&sealed.salt),
        }
    }
}

/// What everybody may see of a game's dice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DiceDisclosure {
    /// Nothing was ever shown: records of format 1.
    Nothing,
    /// The game goes on: the commitment alone.
    Committed(Protocol, Commitment),
    /// The game is over: the secret is nobody's advantage any more.
    Opened(CommittedSeed),
}

impl DiceDisclosure {
    /// What is shown while the game goes on.
    #[must_use]
    pub fn of(secret: &DiceSecret) -> Self {
        match secret {
            DiceSecret::Unsealed(_) => DiceDisclosure::Nothing,
            DiceSecret::Sealed(sealed) => {
                DiceDisclosure::Committed(sealed.protocol, sealed.commitment())
            }
        }
    }

    /// How the rolls follow from what is sealed, where something is.
    #[must_use]
    pub const fn protocol(&self) -> Option<Protocol> {
        match self {
            DiceDisclosure::Nothing => None,
            DiceDisclosure::Committed(protocol, _) => Some(*protocol),
            DiceDisclosure::Opened(sealed) => Some(sealed.protocol),
        }
    }

    /// The commitment, where there is one.
    #[must_use]
    pub fn commitment(&self) -> Option<Commitment> {
        match self {
            DiceDisclosure::Nothing => None,
            DiceDisclosure::Committed(_, commitment) => Some(*commitment),
            DiceDisclosure::Opened(sealed) => Some(sealed.commitment()),
        }
    }
}

/// A game, as the messages of its rolls name it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RollContext {
    /// Its public id: letters and digits.
    pub game: String,
    /// The fingerprint of its parameters and its start.
    pub deal: Sha256Digest,
}

/// What is rolled for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Throw<'a> {
    /// The number of the entry.
    pub entry: u32,
    /// How many plies stand before it.
    pub plies: u32,
    /// The position at which it is played, in notation.
    pub position: &'a str,
    /// The action, in notation.
    pub action: &'a str,
    /// The words that were added before, in order.
    pub words: &'a [EntropyInput<'a>],
}

/// The message from which a block of 32 bytes is made for a throw: lines of text, each with its end.
///
/// ```
/// use dice_of_doom_core::fair::{Entropy, Fingerprint, Protocol, Table, Throw, message};
/// use dice_of_doom_core::game::Player;
///
/// let table = Table { game: "abcdefgh".to_owned(), deal: Fingerprint::of(b"{}") };
/// let tea = Entropy { entry: 0, player: Player::FIRST, words: "tea" };
/// let throw = Throw { entry: 3, plies: 2, position: "a3b1/a1b2 a 0 1", action: "0-1", words: &[tea] };
/// assert_eq!(
///     message(&table, Protocol::ByPosition, &throw, 0),
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
///     message(&table, Protocol::ByEntry, &throw, 0),
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
pub fn message(table: &RollContext, protocol: Protocol, throw: &Throw<'_>, block: u32) -> String {
    format!("{}block {block}\n", message_prefix(table, protocol, throw))
}

/// All lines of a message but the last one.
fn message_prefix(table: &RollContext, protocol: Protocol, throw: &Throw<'_>) -> String {
    let (RollContext { game, deal }, number) = (table, protocol.number());
    let mut text = format!("dice-of-doom dice {number}\ngame {game}\ndeal {deal}\n");
    for given in throw.words {
        let (player, words) = (given.player.number(), hex(given.words.as_bytes()));
        let _ = match protocol {
            Protocol::ByEntry => writeln!(text, "entropy {} {player} {words}", given.entry),
            Protocol::ByPosition if is_revealed_entropy(given.words) => {
                writeln!(text, "words {player} {words}")
            }
            Protocol::ByPosition => Ok(()),
        };
    }
    let Throw {
        entry,
        plies,
        position,
        action,
        ..
    } = throw;
    let _ = match protocol {
        Protocol::ByEntry => writeln!(text, "entry {entry}"),
        Protocol::ByPosition => {
            writeln!(text, "plies {plies}\nposition {position}\naction {action}")
        }
    };
    text
}

/// What all dice of one game come from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GameDice {
    /// A stream for each entry, as records of format 1 have it.
    Streams(DiceSeed),
    /// A sealed secret.
    Fair(CommittedSeed, RollContext),
}

impl GameDice {
    /// The dice of a game with this secret.
    #[must_use]
    pub fn new(secret: DiceSecret, table: RollContext) -> Self {
        match secret {
            DiceSecret::Unsealed(seed) => GameDice::Streams(seed),
            DiceSecret::Sealed(sealed) => GameDice::Fair(sealed, table),
        }
    }

    /// What is shown of them when the game is over.
    #[must_use]
    pub fn revealed(&self) -> DiceDisclosure {
        match self {
            GameDice::Streams(_) => DiceDisclosure::Nothing,
            GameDice::Fair(sealed, _) => DiceDisclosure::Opened(sealed.clone()),
        }
    }

    /// The dice of a throw.
    #[must_use]
    pub fn of_throw(&self, throw: &Throw<'_>) -> DiceRng {
        match self {
            GameDice::Streams(seed) => crate::rng::dice_rng(seed, throw.entry),
            GameDice::Fair(sealed, table) => {
                debug_assert!(throw.words.iter().all(|words| words.entry < throw.entry));
                let beginning = message_prefix(table, sealed.protocol, throw);
                DiceRng::of_blocks(HmacByteStream::new(&sealed.seed, beginning))
            }
        }
    }
}

/// The bytes of one entry, block after block.
#[derive(Clone)]
pub(crate) struct HmacByteStream {
    key: Hmac<Sha256>,
    beginning: String,
    next: u32,
    block: [u8; 32],
    used: usize,
}

impl HmacByteStream {
    fn new(seed: &DiceSeed, beginning: String) -> Self {
        let key = Hmac::new_from_slice(seed.as_bytes()).expect("HMAC takes keys of any length");
        HmacByteStream {
            key,
            beginning,
            next: 0,
            block: [0; 32],
            used: 32,
        }
    }

    /// The next byte.
    pub(crate) fn byte(&mut self) -> u8 {
        if self.used == self.block.len() {
            let mut mac = self.key.clone();
            mac.update(self.beginning.as_bytes());
            mac.update(format!("block {}\n", self.next).as_bytes());
            self.block = mac.finalize().into_bytes().into();
            // A roll takes a few blocks; 2^32 of them are never drawn.
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

    fn sealed() -> CommittedSeed {
        CommittedSeed {
            protocol: Protocol::ByEntry,
            seed: DiceSeed::from_bytes(std::array::from_fn(|index| index as u8)),
            salt: Salt::from_bytes([0xab; 32]),
        }
    }

    fn throw<'a>(words: &'a [EntropyInput<'a>], entry: u32) -> Throw<'a> {
        Throw {
            entry,
            plies: 3,
            position: "a3b1/a1b2 a 0 1",
            action: "0-1",
            words,
        }
    }

    fn table() -> RollContext {
        RollContext {
            game: "0123456789".to_owned(),
            deal: Sha256Digest::of(b"a deal"),
        }
    }

    #[test]
    fn the_layout_never_changes() {
        // python3: the values of docs/fair-dice.md, computed with hashlib and hmac alone.
        let dice = GameDice::Fair(sealed(), table());
        let entropy = [words(0, 0, "tea at five, 1987"), words(4, 2, "чай")];
        let mut drawn = [0; 70];
        dice.of_throw(&throw(&entropy, 7)).fill_bytes(&mut drawn);
        assert_eq!(
            [
                sealed().commitment().to_string(),
                hex(&drawn[..32]),
                hex(&drawn[32..64]),
                hex(&drawn[64..])
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
    fn the_layout_by_position_never_changes() {
        let sealed = CommittedSeed {
            protocol: Protocol::ByPosition,
            ..sealed()
        };
        let dice = GameDice::Fair(sealed, table());
        let entropy = [words(0, 0, "tea at five, 1987"), words(1, 2, "чай")];
        let mut drawn = [0; 40];
        dice.of_throw(&throw(&entropy, 7)).fill_bytes(&mut drawn);
        assert_eq!(
            [hex(&drawn[..32]), hex(&drawn[32..])],
            [
                "bb177cb1bd0e09435203974ca0d23881c4d91273079c9c4775befc0d8dfacb4c",
                "46cc5303662d33a9"
            ]
        );
    }

    fn words(entry: u32, player: u8, words: &str) -> EntropyInput<'_> {
        EntropyInput {
            entry,
            player: Player::new(player),
            words,
        }
    }

    #[test]
    fn everything_in_a_message_counts() {
        let other = |game: &str, deal: &[u8]| RollContext {
            game: game.to_owned(),
            deal: Sha256Digest::of(deal),
        };
        let of = |table: &RollContext, protocol, given: &[EntropyInput<'_>], entry, block| {
            message(table, protocol, &throw(given, entry), block)
        };
        let by_position = |change: fn(&mut Throw<'_>)| {
            let mut throw = throw(&[], 1);
            change(&mut throw);
            message(&table(), Protocol::ByPosition, &throw, 0)
        };
        let by_entry = Protocol::ByEntry;
        let messages = [
            of(&table(), by_entry, &[], 1, 0),
            of(&table(), by_entry, &[], 1, 1),
            of(&table(), by_entry, &[], 11, 0),
            of(&other("012345678", b"a deal"), by_entry, &[], 1, 0),
            of(&other("0123456789", b"another deal"), by_entry, &[], 1, 0),
            of(&table(), by_entry, &[words(0, 0, "a")], 1, 0),
            of(&table(), by_entry, &[words(0, 1, "a")], 1, 0),
            of(&table(), by_entry, &[words(0, 0, "b")], 1, 0),
            of(
                &table(),
                by_entry,
                &[words(0, 0, "a\nentropy 1 0 62")],
                2,
                0,
            ),
            of(
                &table(),
                by_entry,
                &[words(0, 0, "a"), words(1, 0, "b")],
                2,
                0,
            ),
            of(&table(), by_entry, &[words(0, 0, "")], 2, 0),
            by_position(|_| ()),
            by_position(|throw| throw.plies = 4),
            by_position(|throw| throw.position = "a3b1/a1b1 a 0 1"),
            by_position(|throw| throw.action = "0-2"),
            of(&table(), Protocol::ByPosition, &[words(0, 0, "a")], 1, 0),
            of(&table(), Protocol::ByPosition, &[words(0, 1, "a")], 1, 0),
        ];
        for (at, message) in messages.iter().enumerate() {
            assert!(!messages[..at].contains(message), "{message}");
        }
        // Which entry it is counts no more: what is done again after a takeback meets the same dice.
        assert_eq!(by_position(|throw| throw.entry = 9), by_position(|_| ()));
        let fixing = Sha256Digest::of(b"tea").to_string();
        let fixing = [words(0, 0, &fixing)];
        let fixed = of(&table(), Protocol::ByPosition, &fixing, 1, 0);
        assert_eq!(fixed, by_position(|_| ()));
    }

    #[test]
    fn hexadecimal_digits_have_one_form() {
        let fingerprint = Sha256Digest::of(b"");
        let text = fingerprint.to_string();
        assert_eq!(text.parse(), Ok(fingerprint));
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
    fn debug_shows_nothing() {
        let dice = GameDice::Fair(sealed(), table());
        let shown = format!("{dice:?} {:?}", dice.of_throw(&throw(&[], 0)));
        assert!(shown.contains("DiceSeed(..)") && shown.contains("Salt(..)"));
        assert!(!shown.contains("171") && !shown.contains("ab, "), "{shown}");
    }
}
