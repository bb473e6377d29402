//! Measures the cost of a page from the request to the last byte of HTML, through every layer except the socket:
//! `cargo bench --bench pages`. The game is an uploaded record of the tests, so that two builds can be compared.

use std::sync::Arc;

use axum::body::Body;
use axum::http::{Request, Response, header};
use criterion::{Criterion, criterion_group, criterion_main};
use dice_of_doom::games::Registry;
use dice_of_doom::http::guard::RequestGuard;
use dice_of_doom::site::upload::record::upload;
use dice_of_doom::site::{self, RateLimits};
use dice_of_doom::store::sqlite::SqliteStore;
use dice_of_doom::tables::{ClientNetwork, Service, ServiceSettings};
use http_body_util::BodyExt;
use tower::ServiceExt;

/// A finished game of four with 91 plies: a page with a full log.
const RECORD: &str = include_str!("../tests/golden/finished/v4.json");

fn pages(criterion: &mut Criterion) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let (app, game) = runtime.block_on(async {
        let store = Arc::new(SqliteStore::in_memory());
        let service = Service::new(Registry::builtin(), store, ServiceSettings::default());
        let uploaded = upload(&service, RECORD.to_owned(), None, ClientNetwork::UNKNOWN);
        let game = uploaded.await.expect("a valid record").snapshot.id.clone();
        let (_, app) = site::serve(service, RateLimits::unlimited(), RequestGuard::default());
        (app, game)
    });
    let get = |path: String| {
        let app = app.clone();
        async move {
            let request = Request::get(path)
                .header(header::HOST, "localhost")
                .body(Body::empty());
            let response: Response<Body> = app
                .oneshot(request.expect("a request"))
                .await
                .expect("the router never fails");
            assert!(response.status().is_success());
            response
                .into_body()
                .collect()
                .await
                .expect("a complete page")
                .to_bytes()
                .len()
        }
    };
    for (name, path) in [
        ("board", format!("/g/{game}")),
        ("replay", format!("/g/{game}/20")),
        ("log", format!("/g/{game}/log")),
        ("start", "/".to_owned()),
        ("api look", format!("/api/v1/games/{game}")),
    ] {
        let bytes = runtime.block_on(get(path.clone()));
        criterion.bench_function(&format!("page: {name} ({bytes} bytes)"), |bench| {
            bench.iter(|| runtime.block_on(get(path.clone())));
        });
    }
}

criterion_group!(benches, pages);
criterion_main!(benches);
