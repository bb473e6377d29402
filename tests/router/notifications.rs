//! What a browser needs to say that it is the reader's turn, and to install the site.

use dice_of_doom::http::headers::POLICY;
use serde_json::Value;

use crate::common::{Server, read_page};

#[tokio::test]
async fn the_pages_of_games_with_others_are_marked() {
    let server = Server::start().await;
    for (other, is_shared) in [("open", true), ("human", false), ("book", false)] {
        let form = [
            ("game", "dice"),
            ("players", "2"),
            ("seats", "human"),
            ("seats", other),
        ];
        let [browser, guest] = server.people();
        let game = browser.create(&form).await;
        if other == "open" {
            guest.done(&browser.seat_link(&game).await, "").await;
            assert!(
                !browser.page(&game).await.has("[data-yours]"),
                "not before the start"
            );
            browser.start(&game).await;
        }
        let page = browser.page(&game).await;
        assert!(page.has("[data-yours]"), "{form:?}");
        assert_eq!(page.has("[data-shared]"), is_shared, "{form:?}");
    }
}

#[tokio::test]
async fn the_site_can_be_installed() {
    let server = Server::start().await;
    let browser = server.person();
    let russian = browser.with("accept-language", "ru");
    let answer = russian.get("/manifest.webmanifest").await;
    assert_eq!(
        answer.headers()["content-type"],
        "application/manifest+json"
    );
    let manifest: Value = answer.json().await.unwrap();
    assert_eq!(manifest["lang"], "ru");
    assert_eq!(
        (&manifest["start_url"], &manifest["display"]),
        (&"/".into(), &"standalone".into())
    );
    let icons = manifest["icons"].as_array().unwrap();
    let mut sizes = Vec::new();
    for icon in icons {
        let file = browser.get(icon["src"].as_str().unwrap()).await;
        let file = file.bytes().await.unwrap();
        // The width and height of a PNG.
        let [width, height] =
            [16..20, 20..24].map(|at| u32::from_be_bytes(file[at].try_into().unwrap()));
        assert_eq!(icon["sizes"], format!("{width}x{height}"));
        sizes.push((width, icon["purpose"].as_str().unwrap().to_owned()));
    }
    let expected = [(192, "any"), (512, "any"), (512, "maskable")];
    assert_eq!(
        sizes,
        expected.map(|(size, purpose)| (size, purpose.to_owned()))
    );
    let page = browser.get("/").await;
    assert_eq!(page.headers()["content-security-policy"], POLICY);
    assert!(POLICY.contains("manifest-src 'self';"));
    let page = read_page(page, 200, "/").await;
    // Without the attribute, browsers fetch a manifest without the password of a proxy.
    let link = "link[rel=manifest][href='/manifest.webmanifest'][crossorigin=use-credentials]";
    assert!(page.has(link));
}
