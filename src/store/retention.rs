//! The times of last activity before which games are deleted.

/// Before which Unix times, in milliseconds, the last activity of a game must lie for it to go.
/// `None` keeps games of that kind for ever.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct RetentionCutoffs {
    /// Games whose record was brought here, over or not.
    pub uploaded_ms: Option<i64>,
    /// Games marked finished; the mark's time counts.
    pub finished_ms: Option<i64>,
    /// Unfinished games in which a person has played.
    pub abandoned_ms: Option<i64>,
    /// Games in which no person has played, with one person at most and no open seat.
    pub untouched_ms: Option<i64>,
    /// Games in which no person has played, but somebody may come late: a seat is open, or at least
    /// two are taken by people.
    pub awaited_ms: Option<i64>,
}
