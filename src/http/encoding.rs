//! Which content encodings a client accepts.

use axum::http::{HeaderMap, header};

/// Whether a request accepts gzip. An encoding with a quality value (`gzip;q=0.5`) does not count: such a client gets
/// the plain bytes, or what the compression layer makes of them.
pub(crate) fn takes_gzip(request: &HeaderMap) -> bool {
    let lists = request.get_all(header::ACCEPT_ENCODING).iter();
    let mut names = lists
        .filter_map(|list| list.to_str().ok())
        .flat_map(|list| list.split(','));
    names.any(|name| name.trim().eq_ignore_ascii_case("gzip"))
}
