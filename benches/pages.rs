//! What a page costs, from the request to the last byte of HTML, through every layer but without a
//! socket: `cargo bench --bench pages`.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, Response, header};
use criterion::{Criterion, criterion_group, criterion_main};
use dice_of_doom::archive;
use dice_of_doom::faces::{Registry, Start};
use dice_of_doom::games::dice_of_doom::{DiceOfDoom, Rules};
use dice_of_doom::level::Level;
use dice_of_doom::seats::SeatWord;
use dice_of_doom::service::{NewGame, Service, Settings};
use dice_of_doom::web::events::{Gallery, StreamLimits};
use dice_of_doom::web::guard::Guard;
use dice_of_doom::web::throttle::{Loopback, Throttle};
use dice_of_doom::web::{Throttles, router};
use http_body_util::BodyExt;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

fn pages(criterion: &mut Criterion) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let (app, id) = runtime.block_on(async {
        let archive = archive::open("memory:")
            .await
            .expect("memory is always there");
        let service = Service::new(Registry::house(), archive, Settings::default());
        let game = DiceOfDoom::new(Rules::V4, 5, 4, 5).expect("the book's own numbers");
        let game = Arc::new(game);
        let computers = vec![SeatWord::Level(Level::Book); 4];
        let created = service
            .create(NewGame::of(game, Start::Deal(7), computers))
            .await
            .expect("seed 7 deals a board");
        let id = created.snapshot.id.clone();
        // Four computers play to the end: a page with a full log and everything on the board.
        let over = service
            .wait(&id, Duration::from_secs(60), |now| now.live.is_over())
            .await;
        assert!(over.expect("the game is there").live.is_over());
        let throttle = || Arc::new(Throttle::new(1, Duration::from_secs(1), Loopback::Exempt));
        let throttles = Throttles {
            games: throttle(),
            moves: throttle(),
            gallery: Arc::new(Gallery::new(
                StreamLimits::default(),
                CancellationToken::new(),
            )),
        };
        (router(service, Guard::default(), &throttles), id)
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
                .expect("a whole page")
                .to_bytes()
                .len()
        }
    };
    for (name, path) in [
        ("board", format!("/g/{id}")),
        ("replay", format!("/g/{id}/20")),
        ("log", format!("/g/{id}/log")),
        ("start", "/".to_owned()),
        ("api look", format!("/api/v1/games/{id}")),
    ] {
        let bytes = runtime.block_on(get(path.clone()));
        criterion.bench_function(&format!("page: {name} ({bytes} bytes)"), |bench| {
            bench.iter(|| runtime.block_on(get(path.clone())));
        });
    }
}

criterion_group!(benches, pages);
criterion_main!(benches);
