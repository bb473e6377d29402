//! Stored cards: what lists show of a game. They are derived from records and may be deleted at any time.

use super::GameHeader;
use crate::seats::Seats;

/// A game without its entries.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredCard {
    pub header: GameHeader,
    pub seats: Seats,
    /// The number of entries, the ending included.
    pub entries: u32,
    /// The card that was stored last, which may belong to an earlier number of entries.
    pub card: Option<String>,
}
