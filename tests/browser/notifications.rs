//! Two browsers at one table: the title, the badge and a notification say whose turn it is.

use serde_json::{Value, json};

use crate::harness::{BrowserSession, Motion, Scripts, Server};
use crate::shared_game::{drop_with_scripts, invite, start, wait_for_ply};

/// Records what the page shows outside of itself, and whether it is in front is up to the test.
const RECORD: &str = r#"
    window.told = JSON.parse(sessionStorage.told ?? "[]");
    window.isFocused = true;
    document.hasFocus = () => window.isFocused;
    const tell = (what) => { told.push(what); sessionStorage.told = JSON.stringify(told); };
    navigator.setAppBadge = async (count) => tell(`badge ${count}`);
    navigator.clearAppBadge = async () => tell("no badge");
    window.Notification = class extends Notification {
        constructor(title, options) {
            super(title, options);
            tell(`${title}: ${options.body}`);
        }
        close() {
            super.close();
            tell("closed");
        }
    };
"#;

/// What the page has shown outside of itself since the last call.
async fn told(browser: &BrowserSession) -> Value {
    let script = "delete sessionStorage.told; return told.splice(0)";
    browser.run(script).await
}

async fn title(browser: &BrowserSession) -> String {
    let title = browser.eval("document.title").await;
    title.as_str().expect("a title").to_owned()
}

/// Allows notifications, and turns them on in the settings.
async fn turn_on_notifications(browser: &BrowserSession) {
    let permissions = json!({ "permissions": ["notifications"] });
    browser
        .devtools("Browser.grantPermissions", permissions)
        .await;
    browser.goto("/settings").await;
    let state = "return document.getElementById('notify-state').textContent.includes('allows them for this site') && !document.getElementById('notify-on').checked";
    browser.wait_for(state, "the state of notifications").await;
    browser.click(".look summary").await;
    browser.click("#notify-on").await;
    browser.click(".looks .btn.main").await;
    let is_on = "return document.documentElement.dataset.notify === 'on'";
    browser.wait_for(is_on, "the saved setting").await;
}

#[tokio::test]
async fn the_browser_says_when_others_wait() {
    let server = Server::start("127.0.0.1:0", "memory:");
    let host = BrowserSession::open_at(&server.address, Scripts::On, Motion::Reduced).await;
    let record = json!({ "source": RECORD });
    host.devtools("Page.addScriptToEvaluateOnNewDocument", record)
        .await;
    turn_on_notifications(&host).await;
    let (game, join) = invite(&host).await;
    let guest = BrowserSession::open_at(&server.address, Scripts::On, Motion::Reduced).await;
    guest.goto(&join).await;
    guest.click(".join form .btn").await;
    wait_for_ply(&guest, 0).await;
    assert_eq!(guest.path().await, game);
    start(&host).await;
    guest.wait_for_element("main .stage").await;

    assert!(
        title(&host).await.starts_with("Your turn · "),
        "{}",
        title(&host).await
    );
    assert!(
        !title(&guest).await.starts_with("Your turn"),
        "{}",
        title(&guest).await
    );
    // Before the start nobody waits for the host. The event and the response to the form may each show the page.
    let mut at_start = told(&host).await;
    at_start.as_array_mut().expect("a list").dedup();
    assert_eq!(at_start, json!(["no badge", "badge 1"]));
    drop_with_scripts(&host, 'd', 1).await;
    assert!(!title(&host).await.starts_with("Your turn"));
    assert_eq!(told(&host).await, json!(["no badge"]));

    // While the page is in front, it shows no notification.
    wait_for_ply(&guest, 1).await;
    assert!(title(&guest).await.starts_with("Your turn · "));
    drop_with_scripts(&guest, 'e', 2).await;
    wait_for_ply(&host, 2).await;
    assert_eq!(told(&host).await, json!(["badge 1"]));
    drop_with_scripts(&host, 'd', 3).await;
    told(&host).await;

    host.run("window.isFocused = false").await;
    wait_for_ply(&guest, 3).await;
    drop_with_scripts(&guest, 'e', 4).await;
    wait_for_ply(&host, 4).await;
    let notification = format!("{}: Blue: e", title(&host).await);
    assert_eq!(told(&host).await, json!(["badge 1", notification]));
    drop_with_scripts(&host, 'd', 5).await;
    assert_eq!(told(&host).await, json!(["no badge", "closed"]));

    assert_eq!(host.console_errors().await, Vec::<String>::new());
    host.devtools("Browser.resetPermissions", json!({})).await;
}

#[tokio::test]
async fn games_against_computers_show_no_badge() {
    let browser = BrowserSession::open(Scripts::On).await;
    let record = json!({ "source": RECORD });
    browser
        .devtools("Page.addScriptToEvaluateOnNewDocument", record)
        .await;
    crate::set_up_game(&browser, "game=trilobite").await;
    wait_for_ply(&browser, 0).await;
    assert_eq!(told(&browser).await, json!([]));
}
