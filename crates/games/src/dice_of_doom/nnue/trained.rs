//! The file format of a network with the games that it was trained for.

use super::super::preset::Rules;
use super::super::rules::DiceOfDoom;
use super::codec::{NnueFileError, NnueFileKind, NnueFileReader, NnueFileWriter};
use super::features::{DICE, SIDES};
use super::quantized::QuantizedNetwork;

/// The format of a file of weights.
const KIND: NnueFileKind = NnueFileKind {
    letters: *b"DODoDnet",
    name: "weights for Dice of Doom",
    version: 2,
};

/// The length of the longest preset name.
const NAME_LEN: usize = 8;

/// A network and the games that it was trained for.
#[derive(Clone, PartialEq, Debug)]
pub struct TrainedNetwork {
    rules: Rules,
    sides: Vec<u8>,
    net: QuantizedNetwork,
}

impl TrainedNetwork {
    /// A network trained on these boards, which must have the same rules and number of players.
    ///
    /// # Panics
    /// If there is no board.
    #[must_use]
    pub fn new(boards: &[DiceOfDoom], net: QuantizedNetwork) -> Self {
        let mut sides: Vec<u8> = boards.iter().map(DiceOfDoom::side).collect();
        sides.sort_unstable();
        sides.dedup();
        let first = boards.first().expect("at least one board");
        debug_assert_eq!(first.players(), net.players());
        TrainedNetwork {
            rules: first.rules(),
            sides,
            net,
        }
    }

    /// The network.
    #[must_use]
    pub const fn network(&self) -> &QuantizedNetwork {
        &self.net
    }

    /// Whether the network was trained for this game.
    #[must_use]
    pub fn supports(&self, game: &DiceOfDoom) -> bool {
        self.rules == game.rules()
            && self.net.players() == game.player_count()
            && self.sides.contains(&game.side())
            && game.max_dice() == DICE as u8
    }

    /// The games that the network was trained for.
    pub fn boards(&self) -> impl Iterator<Item = DiceOfDoom> + '_ {
        self.sides.iter().filter_map(|&side| {
            DiceOfDoom::new(self.rules, side, self.net.players(), DICE as u8).ok()
        })
    }

    /// A short description of the games that the network was trained for.
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

    /// The contents of the file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut name = [0; NAME_LEN];
        name[..self.rules.name().len()].copy_from_slice(self.rules.name().as_bytes());
        let mut to = NnueFileWriter::new(KIND);
        to.write_number(u64::from_le_bytes(name));
        to.write_number(self.sides.len() as u64);
        self.sides
            .iter()
            .for_each(|&side| to.write_number(side.into()));
        self.net.write(&mut to);
        to.finish()
    }

    /// Parses a file.
    ///
    /// # Errors
    /// If the file is not a weights file, has another version or shape, contains unsupported sides, or is
    /// damaged.
    pub fn from_bytes(file: &[u8]) -> Result<Self, NnueFileError> {
        let mut from = NnueFileReader::new(file, KIND)?;
        let name = from.read_number()?.to_le_bytes();
        let rules = Rules::ALL.into_iter().find(|rules| {
            let (letters, rest) = name.split_at(rules.name().len());
            letters == rules.name().as_bytes() && rest.iter().all(|&letter| letter == 0)
        });
        let sides = (0..from.read_number()?)
            .map(|_| u8::try_from(from.read_number()?).map_err(|_| NnueFileError::Damaged))
            .collect::<Result<Vec<u8>, _>>()?;
        let is_valid = !sides.is_empty() && sides.is_sorted_by(|one, next| one < next);
        if !is_valid || !sides.iter().all(|side| SIDES.contains(side)) {
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
