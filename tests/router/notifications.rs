//! What a browser needs to say that it is the reader's turn, and to install the site.

use dice_of_doom::http::headers::POLICY;
use reqwest::Client;
use serde_json::Value;

use crate::common::Server;

async fn game_page(server: &Server, form: &[(&str, &str)]) -> String {
    let browser = Client::builder().cookie_store(true).build().unwrap();
    let created = browser.post(server.url("/games")).form(form).send().await;
    created.unwrap().text().await.unwrap()
}

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
        let page = game_page(&server, &form).await;
        assert!(page.contains("data-yours"), "{form:?}");
        assert_eq!(page.contains("data-shared"), is_shared, "{form:?}");
    }
}

#[tokio::test]
async fn the_site_can_be_installed() {
    let server = Server::start().await;
    let client = Client::new();
    let request = client.get(server.url("/manifest.webmanifest"));
    let answer = request
        .header("accept-language", "ru")
        .send()
        .await
        .unwrap();
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
        let file = client.get(server.url(icon["src"].as_str().unwrap()));
        let file = file.send().await.unwrap().bytes().await.unwrap();
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
    let page = client.get(server.url("/")).send().await.unwrap();
    assert_eq!(page.headers()["content-security-policy"], POLICY);
    assert!(POLICY.contains("manifest-src 'self';"));
    let page = page.text().await.unwrap();
    // Without the attribute, browsers fetch a manifest without the password of a proxy.
    let link =
        r#"<link rel="manifest" href="/manifest.webmanifest" crossorigin="use-credentials">"#;
    assert!(page.contains(link));
}
