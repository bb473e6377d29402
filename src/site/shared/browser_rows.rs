//! What is done with the rows of a feature that belong to browsers, besides what the feature itself does. When a browser's
//! data is deleted, so are the rows of all tables with a column `browser`, as the schema describes them.

/// Statements of a feature; [`browser_data`](crate::site::browser_data) lists the features.
pub(in crate::site) struct BrowserRows {
    /// Copy what the browser `$1` has to the browser `$2`, before that of `$1` is deleted.
    pub(in crate::site) copy: &'static [&'static str],
    /// Delete what is older than the Unix time `$1` in milliseconds.
    pub(in crate::site) delete_old: &'static [&'static str],
    /// Delete the hashes of client networks of the days before `$1`.
    pub(in crate::site) forget_networks: &'static [&'static str],
}

impl BrowserRows {
    pub(in crate::site) const NONE: Self = BrowserRows {
        copy: &[],
        delete_old: &[],
        forget_networks: &[],
    };
}
