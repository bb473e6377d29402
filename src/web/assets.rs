//! The files of `static/`, carried in the program.
//!
//! `/assets/{name}.{hash}.{ext}` names contents and may be kept for ever. `/assets/{name}.{ext}`
//! serves the same file, to be asked for again each time: for who names files without knowing
//! hashes. Compression is a layer elsewhere.
//!
//! Modules import each other by their plain names (`from "./live.js"`), so that an editor and a type
//! checker follow them; what is served names hashes instead. A module's hash is taken after that, so
//! it changes with everything it imports. (An import map would be an inline script, which the
//! content security policy forbids.)

use std::collections::HashMap;
use std::sync::LazyLock;

use axum::Router;
use axum::body::Bytes;
use axum::extract::Path;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use rust_embed::RustEmbed;
use sha2::{Digest, Sha256};

#[derive(RustEmbed)]
#[folder = "static/"]
struct Files;

struct Asset {
    contents: Bytes,
    /// 16 hexadecimal digits of the contents' SHA-256.
    hash: String,
    mime: String,
}

/// Read once, so that a page and its files agree also in debug builds, which read the disk.
static ASSETS: LazyLock<HashMap<String, Asset>> = LazyLock::new(|| {
    let mut assets = HashMap::new();
    for name in Files::iter() {
        read(&name, &mut assets, &mut Vec::new());
    }
    assets
});

/// Reads a file after the modules that it imports. Modules on `path` are being read: importing one of
/// them would be a circle, in which no hash can be the first, so that import keeps its plain name.
fn read(name: &str, assets: &mut HashMap<String, Asset>, path: &mut Vec<String>) {
    if assets.contains_key(name) || path.iter().any(|above| above == name) {
        return;
    }
    let Some(file) = Files::get(name) else { return };
    let mut contents = file.data.into_owned();
    if name.ends_with(".js")
        && let Ok(script) = String::from_utf8(contents.clone())
    {
        path.push(name.to_owned());
        for import in imports(&script) {
            read(import, assets, path);
        }
        path.pop();
        contents = with_hashes(&script, assets).into_bytes();
    }
    let hash = Sha256::digest(&contents)[..8]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let asset = Asset {
        mime: mime(name, file.metadata.mimetype()),
        contents: contents.into(),
        hash,
    };
    assets.insert(name.to_owned(), asset);
}

/// How an import of a neighbour begins; our modules use these quotes for nothing else.
const NEIGHBOUR: &str = "\"./";

/// The files that a module imports, by their plain names.
fn imports(script: &str) -> impl Iterator<Item = &str> {
    script
        .split(NEIGHBOUR)
        .skip(1)
        .filter_map(|rest| Some(rest.split_once('"')?.0))
}

/// The module, with hashed names where it imports.
fn with_hashes(script: &str, assets: &HashMap<String, Asset>) -> String {
    let mut parts = script.split(NEIGHBOUR);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str(NEIGHBOUR);
        let name = part.split('"').next().unwrap_or_default();
        match assets.get(name) {
            Some(asset) => {
                out.push_str(&hashed(name, &asset.hash));
                out.push_str(&part[name.len()..]);
            }
            None => out.push_str(part),
        }
    }
    out
}

/// `board.css` → `board.0123456789abcdef.css`.
fn hashed(name: &str, hash: &str) -> String {
    match name.rsplit_once('.') {
        Some((stem, extension)) => format!("{stem}.{hash}.{extension}"),
        None => format!("{name}.{hash}"),
    }
}

/// The address of a file of `static/`, with its hash: `board.css` → `/assets/board.0123456789abcdef.css`.
///
/// A name that no file has gives `/assets/name`, which is answered 404.
#[must_use]
pub fn url(name: &str) -> String {
    match ASSETS.get(name) {
        Some(asset) => format!("/assets/{}", hashed(name, &asset.hash)),
        None => format!("/assets/{name}"),
    }
}

/// The embedded files, as templates ask for them.
pub struct Assets;

impl crate::templates::AssetUrls for Assets {
    fn url(&self, name: &str) -> String {
        url(name)
    }
}

/// `/assets/…`, `/robots.txt` and `/favicon.ico`.
pub fn router<S: Clone + Send + Sync + 'static>() -> Router<S> {
    Router::new()
        .route("/assets/{*name}", get(asset))
        .route("/robots.txt", get(robots))
        .route("/favicon.ico", get(favicon))
}

async fn asset(Path(name): Path<String>, headers: HeaderMap) -> Response {
    if let Some(asset) = ASSETS.get(&name) {
        return asset.checked_each_time(&headers);
    }
    match without_hash(&name).and_then(|(name, hash)| Some((ASSETS.get(&name)?, hash))) {
        Some((asset, hash)) if asset.hash == hash => asset.kept_for_ever(),
        _ => (StatusCode::NOT_FOUND, "There is no such file.").into_response(),
    }
}

async fn robots(headers: HeaderMap) -> Response {
    match ASSETS.get("robots.txt") {
        Some(asset) => asset.checked_each_time(&headers),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

/// Browsers ask for this name unasked, and log an error when it is missing.
async fn favicon() -> Response {
    const ICON: &str = "favicon.svg";
    if ASSETS.contains_key(ICON) {
        Redirect::temporary(&url(ICON)).into_response()
    } else {
        StatusCode::NO_CONTENT.into_response()
    }
}

impl Asset {
    fn kept_for_ever(&self) -> Response {
        const FOR_EVER: &str = "public, max-age=31536000, immutable";
        let headers = [
            (header::CONTENT_TYPE, self.mime.as_str()),
            (header::CACHE_CONTROL, FOR_EVER),
        ];
        (headers, self.contents.clone()).into_response()
    }

    fn checked_each_time(&self, request: &HeaderMap) -> Response {
        // Weak, because the compression layer changes the bytes and not the tag.
        let tag = format!("W/\"{}\"", self.hash);
        let known = request
            .get_all(header::IF_NONE_MATCH)
            .iter()
            .filter_map(|line| line.to_str().ok())
            .any(|line| line.contains(&self.hash));
        let headers = [
            (header::ETAG, tag.as_str()),
            (header::CACHE_CONTROL, "no-cache"),
        ];
        if known {
            return (StatusCode::NOT_MODIFIED, headers).into_response();
        }
        let mime = [(header::CONTENT_TYPE, self.mime.as_str())];
        (headers, mime, self.contents.clone()).into_response()
    }
}

/// `board.0123456789abcdef.css` → (`board.css`, the hash).
fn without_hash(name: &str) -> Option<(String, &str)> {
    let is_hash = |text: &str| text.len() == 16 && text.bytes().all(|b| b.is_ascii_hexdigit());
    let (front, extension) = name.rsplit_once('.')?;
    if is_hash(extension) {
        return Some((front.to_owned(), extension));
    }
    let (stem, hash) = front.rsplit_once('.')?;
    is_hash(hash).then(|| (format!("{stem}.{extension}"), hash))
}

/// Text is UTF-8, and says so.
fn mime(name: &str, guessed: &str) -> String {
    let extension = name.rsplit('.').next().unwrap_or_default();
    match extension {
        "js" | "mjs" => "text/javascript; charset=utf-8".to_owned(),
        "webmanifest" => "application/manifest+json; charset=utf-8".to_owned(),
        "svg" | "json" => format!("{guessed}; charset=utf-8"),
        _ if guessed.starts_with("text/") => format!("{guessed}; charset=utf-8"),
        _ => guessed.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;
    use axum::http::Request;
    use tower::ServiceExt;

    async fn fetch(path: &str) -> Response {
        let request = Request::get(path).body(Body::empty()).unwrap();
        router::<()>().oneshot(request).await.unwrap()
    }

    #[tokio::test]
    async fn a_hashed_name_is_kept_for_ever() {
        let response = fetch(&url("robots.txt")).await;
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(
            response.headers()[header::CONTENT_TYPE],
            "text/plain; charset=utf-8"
        );
        let kept = response.headers()[header::CACHE_CONTROL].to_str().unwrap();
        assert!(kept.contains("immutable"), "{kept}");
    }

    #[tokio::test]
    async fn a_wrong_hash_is_not_found() {
        let response = fetch("/assets/robots.0123456789abcdef.txt").await;
        assert_eq!(response.status(), StatusCode::NOT_FOUND);
        let response = fetch("/assets/../Cargo.toml").await;
        assert_eq!(response.status(), StatusCode::NOT_FOUND);
    }

    #[tokio::test]
    async fn a_plain_name_is_checked_each_time() {
        let response = fetch("/assets/robots.txt").await;
        assert_eq!(response.headers()[header::CACHE_CONTROL], "no-cache");
        let tag = response.headers()[header::ETAG].clone();
        let again = Request::get("/assets/robots.txt")
            .header(header::IF_NONE_MATCH, tag)
            .body(Body::empty())
            .unwrap();
        let response = router::<()>().oneshot(again).await.unwrap();
        assert_eq!(response.status(), StatusCode::NOT_MODIFIED);
    }

    #[tokio::test]
    async fn browsers_get_an_answer_for_what_they_ask_unasked() {
        assert_eq!(fetch("/robots.txt").await.status(), StatusCode::OK);
        assert!(fetch("/favicon.ico").await.status().as_u16() < 400);
    }

    #[tokio::test]
    async fn every_import_leads_to_a_file_that_is_kept_for_ever() {
        let mut modules = 0;
        for (name, asset) in ASSETS.iter().filter(|(name, _)| name.ends_with(".js")) {
            let script = std::str::from_utf8(&asset.contents).unwrap();
            for import in imports(script) {
                let response = fetch(&format!("/assets/{import}")).await;
                assert_eq!(response.status(), StatusCode::OK, "{name}: {import}");
                let kept = response.headers()[header::CACHE_CONTROL].to_str().unwrap();
                assert!(kept.contains("immutable"), "{name}: {import} in a circle?");
                modules += 1;
            }
        }
        assert!(modules > 0, "no module imports another");
    }

    #[test]
    fn a_module_is_named_after_what_it_imports_too() {
        let asset = |hash: &str| Asset {
            contents: Bytes::new(),
            hash: hash.to_owned(),
            mime: String::new(),
        };
        let script = r#"import { a } from "./a.js"; const b = () => import("./b.js"); say("./c");"#;
        assert_eq!(imports(script).collect::<Vec<_>>(), ["a.js", "b.js", "c"]);
        let assets =
            [("a.js", "12"), ("b.js", "34")].map(|(name, hash)| (name.to_owned(), asset(hash)));
        assert_eq!(
            with_hashes(script, &assets.into()),
            r#"import { a } from "./a.12.js"; const b = () => import("./b.34.js"); say("./c");"#
        );
    }

    #[test]
    fn an_unknown_name_is_no_reason_to_panic() {
        assert_eq!(url("no-such-file.css"), "/assets/no-such-file.css");
    }
}
