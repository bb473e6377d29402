//! The times of last activity before which games are deleted.

/// Unix times in milliseconds; a game expires if its last activity lies before the cutoff of its kind. `None`
/// keeps games of that kind forever.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct RetentionCutoffs {
    /// Games whose record was uploaded, finished or not.
    pub uploaded_ms: Option<i64>,
    /// Finished games; the time of the finish mark counts.
    pub finished_ms: Option<i64>,
    /// Unfinished games in which a person has played.
    pub abandoned_ms: Option<i64>,
    /// Games in which no person has played, with at most one person and no open seat.
    pub untouched_ms: Option<i64>,
    /// Games in which no person has played yet but people may still come: with an open seat or at least two
    /// people.
    pub awaited_ms: Option<i64>,
}
