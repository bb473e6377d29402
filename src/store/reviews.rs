//! What an archive keeps of reviews. They follow from records, so all of them may be forgotten at any
//! time.

/// What is kept of a game's review.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StoredReview {
    /// Whether somebody asked for it and it is not made since then.
    pub is_wanted: bool,
    /// The newest one, as it was given.
    pub review: Option<String>,
}

/// A change of what is kept of a review.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReviewChange {
    /// It is wanted, since this Unix time in milliseconds unless it was before.
    Want(i64),
    /// It was made.
    Keep(String),
    /// It cannot be made: nobody waits for it any more.
    Unwant,
}
