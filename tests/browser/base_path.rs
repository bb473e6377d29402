//! A game at a server with a base path.

use crate::harness::{BrowserSession, Motion, Scripts, Server};
use crate::undo;

#[tokio::test]
async fn a_game_is_played_under_a_base_path() {
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
        let browser = BrowserSession::open_at(&start, scripts, Motion::Reduced).await;
        let take_back = async || {
            browser.try_click("#undo").await;
        };
        undo::check_takeback(&browser, take_back).await;
        let path = browser.path().await;
        assert!(path.starts_with("/dice/g/"), "{path}");
        if scripts == Scripts::On {
            // Scripts request nothing outside the base path.
            let outside = "return performance.getEntriesByType('resource').map((one) => new URL(one.name).pathname).filter((path) => !path.startsWith('/dice/'))";
            assert_eq!(browser.run(outside).await, serde_json::json!([]));
            let manifest =
                "const answer = await fetch(document.querySelector('link[rel=manifest]').href);
                const { start_url, icons } = await answer.json();
                const found = await Promise.all(icons.map(({ src }) => fetch(src)));
                return [start_url, found.every((icon) => icon.ok && icon.url.includes('/dice/'))]";
            let actual = browser.run(manifest).await;
            assert_eq!(actual, serde_json::json!(["/dice/", true]));
        }
    }
}
