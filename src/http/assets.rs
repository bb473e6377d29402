//! The files of `static/`, embedded in the program.
//!
//! `/assets/{build}/{name}` can be cached forever: the build is a hash of all files, so the contents under it never
//! change, and modules that import each other by relative names (`from "./live.js"`) stay in the folder that the page
//! started with. `/assets/{name}` serves the same file with revalidation, for clients that do not know the build. Files
//! are compressed at build time.
//!
//! A page that was served before an upgrade refers to the folder of an old build. Such requests are redirected to the
//! same file of this build instead of a 404, because a game's page stays open for hours and loads its sounds on demand.
//! A page never gets two copies of a module this way: the modules that a page starts with are loaded together, and
//! those that it loads later import nothing.

use std::sync::LazyLock;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use axum_extra::TypedHeader;
use axum_extra::headers::{ETag, HeaderMapExt, IfNoneMatch};
use sha2::{Digest, Sha256};

use super::base_path::BasePath;
use super::encoding::takes_gzip;

struct Asset {
    name: &'static str,
    mime: &'static str,
    plain: &'static [u8],
    /// The compressed contents, if smaller.
    gzip: Option<&'static [u8]>,
}

/// All files, sorted by name.
static ASSETS: &[Asset] = &include!(concat!(env!("OUT_DIR"), "/assets.rs"));

static BUILD: LazyLock<AssetBuild> = LazyLock::new(|| {
    let hash = hash(ASSETS);
    let tag = format!("W/\"{hash}\"").parse();
    AssetBuild {
        tag: tag.expect("a quoted hexadecimal number is an ETag"),
        hash,
    }
});

struct AssetBuild {
    /// The first 16 hexadecimal digits of a SHA-256 over all names and contents.
    hash: String,
    /// The hash as an ETag. Weak, because it covers both the compressed and the plain bytes.
    tag: ETag,
}

fn find(name: &str) -> Option<&'static Asset> {
    let found = ASSETS.binary_search_by_key(&name, |asset| asset.name);
    found.ok().map(|index| &ASSETS[index])
}

fn hash(assets: &[Asset]) -> String {
    let mut hasher = Sha256::new();
    for asset in assets {
        // Length prefixes keep names and contents apart.
        for part in [asset.name.as_bytes(), asset.plain] {
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
    }
    hasher.finalize()[..8]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// The URL of a file of `static/` in this build: `board.css` → `/assets/0123456789abcdef/board.css`.
///
/// An unknown name gives `/assets/name`, which responds with 404.
#[must_use]
pub fn url(base: &BasePath, name: &str) -> String {
    if find(name).is_some() {
        format!("{base}/assets/{}/{name}", BUILD.hash)
    } else {
        format!("{base}/assets/{name}")
    }
}

/// `/assets/…`, `/robots.txt` and `/favicon.ico`.
pub fn router(base: BasePath) -> Router {
    Router::new()
        .route("/assets/{name}", get(newest))
        .route("/assets/{build}/{*name}", get(of_build))
        .route("/robots.txt", get(robots))
        .route("/favicon.ico", get(favicon))
        .with_state(base)
}

async fn newest(Path(name): Path<String>, headers: HeaderMap) -> Response {
    match find(&name) {
        Some(asset) => asset.revalidated_response(&headers),
        None => missing(),
    }
}

async fn of_build(
    State(base): State<BasePath>,
    Path((build, name)): Path<(String, String)>,
    headers: HeaderMap,
) -> Response {
    match find(&name) {
        Some(asset) if build == BUILD.hash => asset.immutable_response(&headers),
        Some(_) if is_hash(&build) => Redirect::temporary(&url(&base, &name)).into_response(),
        _ => missing(),
    }
}

/// Whether a folder name has the form of a build hash.
fn is_hash(folder: &str) -> bool {
    folder.len() == 16 && folder.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn missing() -> Response {
    (StatusCode::NOT_FOUND, "There is no such file.").into_response()
}

async fn robots(headers: HeaderMap) -> Response {
    newest(Path("robots.txt".to_owned()), headers).await
}

/// Browsers request this path by default, and log an error when it is missing.
async fn favicon(State(base): State<BasePath>) -> Response {
    const ICON: &str = "favicon.svg";
    if find(ICON).is_some() {
        Redirect::temporary(&url(&base, ICON)).into_response()
    } else {
        StatusCode::NO_CONTENT.into_response()
    }
}

impl Asset {
    fn immutable_response(&self, request: &HeaderMap) -> Response {
        const FOR_EVER: &str = "public, max-age=31536000, immutable";
        ([(header::CACHE_CONTROL, FOR_EVER)], self.contents(request)).into_response()
    }

    fn revalidated_response(&self, request: &HeaderMap) -> Response {
        let known = request.typed_get::<IfNoneMatch>();
        let headers = (
            TypedHeader(BUILD.tag.clone()),
            [(header::CACHE_CONTROL, "no-cache")],
        );
        if known.is_some_and(|known| !known.precondition_passes(&BUILD.tag)) {
            return (StatusCode::NOT_MODIFIED, headers).into_response();
        }
        (headers, self.contents(request)).into_response()
    }

    fn contents(&self, request: &HeaderMap) -> Response {
        let mime = (header::CONTENT_TYPE, self.mime);
        match self.gzip {
            None => ([mime], self.plain).into_response(),
            Some(gzip) => {
                let vary = (header::VARY, "accept-encoding");
                if takes_gzip(request) {
                    let encoding = (header::CONTENT_ENCODING, "gzip");
                    ([mime, vary, encoding], gzip).into_response()
                } else {
                    ([mime, vary], self.plain).into_response()
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use axum::body::{Body, to_bytes};
    use axum::http::Request;
    use tower::ServiceExt;

    fn url(name: &str) -> String {
        super::url(&BasePath::default(), name)
    }

    async fn fetch(path: &str) -> Response {
        let request = Request::get(path).body(Body::empty()).unwrap();
        router(BasePath::default()).oneshot(request).await.unwrap()
    }

    #[tokio::test]
    async fn files_of_this_build_are_immutable() {
        let response = fetch(&url("robots.txt")).await;
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(
            response.headers()[header::CONTENT_TYPE],
            "text/plain; charset=utf-8"
        );
        let policy = response.headers()[header::CACHE_CONTROL].to_str().unwrap();
        assert!(policy.contains("immutable"), "{policy}");
    }

    #[tokio::test]
    async fn files_of_another_build_redirect_to_this_build() {
        let response = fetch("/assets/0123456789abcdef/sound.js").await;
        assert_eq!(response.status(), StatusCode::TEMPORARY_REDIRECT);
        assert_eq!(
            response.headers()[header::LOCATION].to_str().unwrap(),
            url("sound.js")
        );
        assert!(!response.headers().contains_key(header::CACHE_CONTROL));
    }

    #[tokio::test]
    async fn unknown_paths_are_not_found() {
        for path in [
            "/assets/nothing.js",
            "/assets/0123456789abcdef/nothing.js",
            "/assets/static/sound.js",
            "/assets/0123456789abcdef/deeper/sound.js",
            "/assets/../Cargo.toml",
            &format!("{}/", url("sound.js")),
        ] {
            assert_eq!(fetch(path).await.status(), StatusCode::NOT_FOUND, "{path}");
        }
    }

    #[tokio::test]
    async fn names_without_build_are_revalidated() {
        let response = fetch("/assets/robots.txt").await;
        assert_eq!(response.headers()[header::CACHE_CONTROL], "no-cache");
        let tag = response.headers()[header::ETAG].clone();
        let again = Request::get("/assets/robots.txt")
            .header(header::IF_NONE_MATCH, tag)
            .body(Body::empty())
            .unwrap();
        let response = router(BasePath::default()).oneshot(again).await.unwrap();
        assert_eq!(response.status(), StatusCode::NOT_MODIFIED);
    }

    #[tokio::test]
    async fn robots_and_favicon_are_answered() {
        assert_eq!(fetch("/robots.txt").await.status(), StatusCode::OK);
        assert!(fetch("/favicon.ico").await.status().as_u16() < 400);
    }

    #[tokio::test]
    async fn gzip_responses_decompress_to_the_same_file() {
        use std::io::Read as _;

        for asset in ASSETS {
            let request = Request::get(url(asset.name)).header(header::ACCEPT_ENCODING, "br, gzip");
            let response =
                router(BasePath::default()).oneshot(request.body(Body::empty()).unwrap());
            let (head, body) = response.await.unwrap().into_parts();
            let body = to_bytes(body, usize::MAX).await.unwrap();
            if asset.gzip.is_none() {
                assert_eq!(body, asset.plain, "{}", asset.name);
                continue;
            }
            assert_eq!(
                head.headers[header::CONTENT_ENCODING],
                "gzip",
                "{}",
                asset.name
            );
            assert_eq!(
                head.headers[header::VARY],
                "accept-encoding",
                "{}",
                asset.name
            );
            assert!(body.len() < asset.plain.len(), "{}", asset.name);
            let mut plain = Vec::new();
            let mut decoder = flate2::read::GzDecoder::new(&*body);
            decoder.read_to_end(&mut plain).unwrap();
            assert_eq!(plain, asset.plain, "{}", asset.name);
        }
        let response = fetch(&url("style.css")).await;
        assert!(!response.headers().contains_key(header::CONTENT_ENCODING));
        let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        assert_eq!(body, find("style.css").unwrap().plain);
    }

    #[test]
    fn files_are_found_by_name() {
        for asset in ASSETS {
            assert_eq!(find(asset.name).unwrap().name, asset.name);
        }
        assert!(find("").is_none() && find("style").is_none());
    }

    /// The quoted texts in a module that follow `prefix`, up to the next quote.
    fn quoted_after<'s>(script: &'s str, prefix: &'s str) -> impl Iterator<Item = &'s str> {
        let rest = script.split(prefix).skip(1);
        rest.filter_map(|rest| Some(rest.split_once('"')?.0))
    }

    fn modules() -> impl Iterator<Item = (&'static str, &'static str)> {
        let modules = ASSETS.iter().filter(|asset| asset.name.ends_with(".js"));
        modules.map(|asset| (asset.name, std::str::from_utf8(asset.plain).unwrap()))
    }

    #[test]
    fn every_import_leads_to_a_file() {
        let mut imports = 0;
        for (name, script) in modules() {
            for import in quoted_after(script, "\"./") {
                assert!(find(import).is_some(), "{name}: {import}");
                imports += 1;
            }
        }
        assert!(imports > 0, "no module imports another");
    }

    /// Otherwise a page that is older than the server would load their imports twice.
    #[test]
    fn modules_that_are_loaded_later_import_nothing() {
        let scripts: BTreeMap<_, _> = modules().collect();
        let mut late = 0;
        for (name, script) in &scripts {
            for import in quoted_after(script, "import(\"./") {
                let imports = quoted_after(scripts[import], "\"./").count();
                assert_eq!(imports, 0, "{name} loads {import} later");
                late += 1;
            }
        }
        assert!(late > 0, "no module is loaded later");
    }

    #[test]
    fn every_change_changes_the_hash() {
        let hash_of = |files: &[(&'static str, &'static str)]| {
            let files = files.iter().map(|&(name, contents)| Asset {
                name,
                mime: "",
                plain: contents.as_bytes(),
                gzip: None,
            });
            hash(&files.collect::<Vec<_>>())
        };
        let one = hash_of(&[("a.js", "1"), ("b.js", "2")]);
        assert!(is_hash(&one), "{one}");
        for other in [
            &[("a.js", "1"), ("b.js", "3")][..],
            &[("a.js", "1"), ("c.js", "2")],
            &[("a.js", "1b.js2")],
            &[("a.js", "1")],
        ] {
            assert_ne!(one, hash_of(other), "{other:?}");
        }
    }

    #[test]
    fn unknown_names_get_a_url_without_build() {
        assert_eq!(url("no-such-file.css"), "/assets/no-such-file.css");
    }
}
