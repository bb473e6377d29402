//! Stored reviews. They are derived from records and may be deleted at any time.

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StoredReview {
    /// Whether a review is requested and not yet finished.
    pub is_wanted: bool,
    /// The latest review.
    pub review: Option<String>,
}

/// A change of a stored review.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReviewChange {
    /// Requests a review at this Unix time in milliseconds; an earlier pending request keeps its time.
    Request(i64),
    /// Stores a finished review.
    Store(String),
    /// Cancels the request because the review cannot be computed.
    Cancel,
}
