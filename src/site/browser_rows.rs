//! What is done with the rows of a feature that belong to browsers, besides what the feature itself does. When a browser's
//! data is deleted, so are the rows of all tables with a column `browser`, as the schema describes them.

/// Statements of a feature; [`browser_data`](super::browser_data) lists the features.
pub(super) struct BrowserRows {
    /// Copy what the browser `$1` has to the browser `$2`, before that of `$1` is deleted.
    pub(super) copy: &'static [&'static str],
    /// Delete what is older than the Unix time `$1` in milliseconds.
    pub(super) delete_old: &'static [&'static str],
    /// Delete the hashes of client networks of the days before `$1`.
    pub(super) forget_networks: &'static [&'static str],
}

impl BrowserRows {
    pub(super) const NONE: Self = BrowserRows {
        copy: &[],
        delete_old: &[],
        forget_networks: &[],
    };
}
