//! A network with the games that it was trained for, as a file.

use super::super::preset::Rules;
use super::super::rules::DiceOfDoom;
use super::codec::{NnueFileError, NnueFileKind, NnueFileReader, NnueFileWriter};
use super::features::{DICE, SIDES};
use super::quantized::QuantizedNetwork;

/// A file of weights.
const KIND: NnueFileKind = NnueFileKind {
    letters: *b"DODoDnet",
    name: "weights for Dice of Doom",
    version: 2,
};

/// Letters of the longest name of rules.
const NAME: usize = 8;

/// A network, and the games that it was trained for.
#[derive(Clone, PartialEq, Debug)]
pub struct TrainedNetwork {
    rules: Rules,
    sides: Vec<u8>,
    net: QuantizedNetwork,
}

impl TrainedNetwork {
    /// A network that was trained on these boards, all with the same rules and number of players.
    ///
    /// # Panics
    /// When there is no board.
    #[must_use]
    pub fn new(boards: &[DiceOfDoom], net: QuantizedNetwork) -> Self {
        let mut sides: Vec<u8> = boards.iter().map(DiceOfDoom::side).collect();
        sides.sort_unstable();
        sides.dedup();
        let first = boards.first().expect("a board to train on");
        debug_assert_eq!(first.players(), net.players());
        TrainedNetwork {
            rules: first.rules(),
            sides,
            net,
        }
    }

    /// The network.
    #[must_use]
    pub const fn net(&self) -> &QuantizedNetwork {
        &self.net
    }

    /// Whether it was trained for this game.
    #[must_use]
    pub fn supports(&self, game: &DiceOfDoom) -> bool {
        self.rules == game.rules()
            && self.net.players() == game.player_count()
            && self.sides.contains(&game.side())
            && game.max_dice() == DICE as u8
    }

    /// The boards of the games that it was trained for.
    pub fn boards(&self) -> impl Iterator<Item = DiceOfDoom> + '_ {
        self.sides.iter().filter_map(|&side| {
            DiceOfDoom::new(self.rules, side, self.net.players(), DICE as u8).ok()
        })
    }

    /// What it was trained for, in a few words.
    #[must_use]
    pub fn description(&self) -> String {
        let sides: Vec<String> = self.sides.iter().map(u8::to_string).collect();
        format!(
            "{} with {} players on boards of side {}",
            self.rules,
            self.net.players(),
            sides.join(", ")
        )
    }

    /// As a file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut name = [0; NAME];
        name[..self.rules.name().len()].copy_from_slice(self.rules.name().as_bytes());
        let mut to = NnueFileWriter::new(KIND);
        to.number(u64::from_le_bytes(name));
        to.number(self.sides.len() as u64);
        self.sides.iter().for_each(|&side| to.number(side.into()));
        self.net.write(&mut to);
        to.finish()
    }

    /// Reads a file.
    ///
    /// # Errors
    /// When it is no file of weights, of another version or shape, for boards of other sides than networks read, or
    /// damaged.
    pub fn from_bytes(file: &[u8]) -> Result<Self, NnueFileError> {
        let mut from = NnueFileReader::new(file, KIND)?;
        let name = from.number()?.to_le_bytes();
        let rules = Rules::ALL.into_iter().find(|rules| {
            let (letters, rest) = name.split_at(rules.name().len());
            letters == rules.name().as_bytes() && rest.iter().all(|&letter| letter == 0)
        });
        let sides = (0..from.number()?)
            .map(|_| u8::try_from(from.number()?).map_err(|_| NnueFileError::Damaged))
            .collect::<Result<Vec<u8>, _>>()?;
        let may_be = !sides.is_empty() && sides.is_sorted_by(|one, next| one < next);
        if !may_be || !sides.iter().all(|side| SIDES.contains(side)) {
            return Err(NnueFileError::Damaged);
        }
        let net = QuantizedNetwork::read(&mut from)?;
        from.finish()?;
        Ok(TrainedNetwork {
            rules: rules.ok_or(NnueFileError::Damaged)?,
            sides,
            net,
        })
    }
}
