//! What all features share; it imports none of them: the state of the server, the reader and the display options of a
//! request, the layout of pages, errors as pages and as problems, limits and metrics.

pub(super) mod accept_language;
pub(super) mod app;
pub(super) mod browser_rows;
pub(super) mod cached_value;
pub(super) mod display_options;
pub mod error;
pub(super) mod form;
pub(super) mod identity;
pub(super) mod layout;
pub(super) mod limits;
pub mod link_origin;
pub(super) mod metrics;
pub(super) mod multipart;
pub mod networks;
pub(super) mod page_cache;
pub(super) mod rejections;
pub mod subscribers;
