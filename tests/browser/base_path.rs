//! A game is played where the server is shown under a path.

use crate::harness::{BrowserSession, Motion, Scripts, Server};
use crate::undo;

#[tokio::test]
async fn a_game_is_played_under_a_path() {
    let options = [
        "--listen",
        "127.0.0.1:0",
        "--database",
        "memory:",
        "--base-path",
        "/dice",
    ];
    let server = Server::start_with(&options);
    let start = format!("{}/dice", server.address);
    for scripts in [Scripts::On, Scripts::Off] {
        let world = BrowserSession::open_at(&start, scripts, Motion::Reduced).await;
        let take_back = async || {
            world.try_click("#undo").await;
        };
        undo::check_takeback(&world, take_back).await;
        let path = world.path().await;
        assert!(path.starts_with("/dice/g/"), "{path}");
        if scripts == Scripts::On {
            // Scripts, too, ask for nothing outside.
            let outside = "return performance.getEntriesByType('resource').map((one) => new URL(one.name).pathname).filter((path) => !path.startsWith('/dice/'))";
            assert_eq!(
                world.run_script(outside, vec![]).await,
                serde_json::json!([])
            );
        }
    }
}
