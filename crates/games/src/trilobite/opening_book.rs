//! Opening books: proven bounds of positions near the start of the game, made by the [solver](super::solver) with the
//! command `dice-of-doom-lab book`.

use std::collections::{BTreeMap, HashSet};
use std::sync::LazyLock;

use super::bits::BitSet;
use super::board::Column;
use super::position::Position;
use super::rules::Trilobite;
use super::solver::{ScoreBounds, score};
use dice_of_doom_core::game::Game;

/// docs/solver.md has the command for each file.
const FILES: [&[u8]; 1] = [include_bytes!("opening_book/7x6n4.book")];

static BUILTIN: LazyLock<[OpeningBook; FILES.len()]> = LazyLock::new(|| {
    FILES.map(|file| OpeningBook::from_bytes(file).expect("a valid book file, as tested"))
});

/// The beginning of a file: a name and a version of the format.
const MAGIC: [u8; 5] = *b"DoDb1";

/// The width, height and line length of the board follow.
const HEADER_BYTES: usize = MAGIC.len() + 3;

/// A key, little-endian, and the bounds.
const ENTRY_BYTES: usize = size_of::<u64>() + 2;

/// Proven bounds of positions of one board. A position and its mirror image share an entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OpeningBook {
    game: Trilobite,
    entries: BTreeMap<u64, ScoreBounds>,
}

/// Why there is no book.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpeningBookError {
    /// The keys have 64 bits.
    #[error("a book takes boards with width × (height + 1) up to 64")]
    BoardTooLarge,
    /// The file does not begin like a book.
    #[error("this is not an opening book")]
    NoBook,
    /// The file ends within an entry, or contains impossible bounds.
    #[error("the opening book is damaged")]
    Damaged,
}

impl OpeningBook {
    /// An empty book.
    ///
    /// # Errors
    /// If the board is too large.
    pub const fn new(game: &Trilobite) -> Result<Self, OpeningBookError> {
        if !game.is_narrow() {
            return Err(OpeningBookError::BoardTooLarge);
        }
        Ok(OpeningBook {
            game: *game,
            entries: BTreeMap::new(),
        })
    }

    /// The built-in book of this board, if there is one.
    #[must_use]
    pub fn builtin(game: &Trilobite) -> Option<&'static Self> {
        BUILTIN.iter().find(|book| book.game == *game)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// If it is not a book.
    pub fn from_bytes(file: &[u8]) -> Result<Self, OpeningBookError> {
        let Some((header, entries)) = file.split_at_checked(HEADER_BYTES) else {
            return Err(OpeningBookError::NoBook);
        };
        let Some(&[width, height, win]) = header.strip_prefix(&MAGIC) else {
            return Err(OpeningBookError::NoBook);
        };
        let game = Trilobite::new(width, height, win).map_err(|_| OpeningBookError::Damaged)?;
        let mut book = Self::new(&game)?;
        let (entries, rest) = entries.as_chunks::<ENTRY_BYTES>();
        if !rest.is_empty() {
            return Err(OpeningBookError::Damaged);
        }
        for &[key @ .., lower, upper] in entries {
            let (lower, upper) = (i32::from(lower as i8), i32::from(upper as i8));
            if lower > upper {
                return Err(OpeningBookError::Damaged);
            }
            let bounds = ScoreBounds { lower, upper };
            book.entries.insert(u64::from_le_bytes(key), bounds);
        }
        Ok(book)
    }

    /// The file of this book.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let (width, height, win) = (self.game.width(), self.game.height(), self.game.win());
        let mut file = [&MAGIC[..], &[width, height, win]].concat();
        for (key, bounds) in &self.entries {
            file.extend(key.to_le_bytes());
            file.extend([bounds.lower as u8, bounds.upper as u8]);
        }
        file
    }

    /// The game whose positions it contains.
    #[must_use]
    pub const fn game(&self) -> &Trilobite {
        &self.game
    }

    /// The number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no entry.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// What is known of a position: the bounds of its entry; without one, the score if the game is over or the mover
    /// wins at once, and otherwise [`ScoreBounds::UNKNOWN`].
    #[must_use]
    pub fn bounds(&self, position: &Position) -> ScoreBounds {
        match self.entries.get(&self.key(position)) {
            Some(&bounds) => bounds,
            None => known_without_search(&self.game, position).unwrap_or(ScoreBounds::UNKNOWN),
        }
    }

    /// Adds what has been proven about a position.
    pub fn insert(&mut self, position: &Position, proven: ScoreBounds) {
        let entry = self.entries.entry(self.key(position));
        let bounds = entry.or_insert(ScoreBounds::UNKNOWN);
        *bounds = bounds.and(proven);
    }

    /// Adds what follows from the positions after the moves of a position.
    pub fn insert_from_moves(&mut self, position: &Position) {
        let moves = self.game.legal_actions(position);
        let moves = moves.map(|column| {
            let after = self.game.apply(position, column, ());
            self.bounds(&after).negated()
        });
        if let Some(bounds) = ScoreBounds::of_best(moves) {
            self.insert(position, bounds);
        }
    }

    /// The unfinished positions after each number of plies from 0 to `plies`, in the order of the moves that lead to
    /// them. There is one of each pair of mirror images, and none whose mover wins at once.
    #[must_use]
    pub fn positions(&self, plies: u32) -> Vec<Vec<Position>> {
        let mut levels = vec![vec![self.game.empty()]];
        for _ in 0..plies {
            let before = levels.last().into_iter().flatten();
            let after = before.flat_map(|position| self.successors(position));
            let after = self.without_duplicates(after);
            levels.push(after);
        }
        levels
    }

    /// The positions after the moves of a position, those in the middle first, without the moves that end the game or let
    /// the opponent win at once.
    #[must_use]
    pub fn successors(&self, position: &Position) -> Vec<Position> {
        let width = self.game.width();
        let moves = self.game.legal_actions(position);
        let mut moves: Vec<Column> = moves.collect();
        moves.sort_by_key(|column| (column.distance_from_middle(width), *column));
        let after = moves
            .into_iter()
            .map(|column| self.game.apply(position, column, ()));
        let open = after.filter(|after| known_without_search(&self.game, after).is_none());
        open.collect()
    }

    /// The first of equal positions and mirror images.
    pub fn without_duplicates(
        &self,
        positions: impl IntoIterator<Item = Position>,
    ) -> Vec<Position> {
        let mut seen = HashSet::new();
        let positions = positions.into_iter();
        let positions = positions.filter(|position| seen.insert(self.key(position)));
        positions.collect()
    }

    /// The key of a position and of its mirror image.
    fn key(&self, position: &Position) -> u64 {
        let masks = self.game.masks::<u64>();
        let (own, all) = (
            u64::from_chips(position.own),
            u64::from_chips(position.all()),
        );
        masks.symmetric_key(own, all).0
    }
}

/// The score of a position that is over or whose mover wins at once.
fn known_without_search(game: &Trilobite, position: &Position) -> Option<ScoreBounds> {
    let empty = u32::from(game.cells()) - game.chips(position);
    if game.mover_has_lost(position) {
        return Some(ScoreBounds::exact(score(empty, 0)));
    }
    if game.is_full(position) {
        return Some(ScoreBounds::exact(0));
    }
    let mover = position.player();
    let mut columns = game.columns();
    let wins = columns.any(|column| game.completes(position, column, mover));
    wins.then(|| ScoreBounds::exact(score(empty, 1)))
}
