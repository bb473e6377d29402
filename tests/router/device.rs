//! One record on several devices, `/device`: pairing codes, the joining of records, and the end of other devices.

use std::sync::atomic::Ordering;

use dice_of_doom::client_network::LoopbackPolicy;
use reqwest::StatusCode;

use crate::common::{Page, Person, Server, header_of, read_page};
use crate::daily::server;
use crate::feed::feed_path;
use crate::my_record::{SMALL, game_with, lost_game};

const MINUTE_MS: i64 = 60_000;

/// A new code of this browser, as its page shows it.
pub(crate) async fn new_code(browser: &Person) -> String {
    let answer = browser.post("/device/code", "").await;
    read_page(answer, 200, "/device/code")
        .await
        .attr("#code", "value")
}

/// The status and the page after a code was entered.
async fn enter(browser: &Person, code: &str, choice: &[(&str, &str)]) -> (StatusCode, Page) {
    let form = [&[("code", code)], choice].concat();
    let answer = browser.post("/device", &form).await;
    (answer.status(), Page(answer.text().await.unwrap()))
}

const JOIN: &[(&str, &str)] = &[("do", "join")];

/// Ends all other devices of this browser.
async fn end_others(browser: &Person) {
    let first = browser.post("/device/end", "").await;
    assert_eq!(first.status(), StatusCode::TEMPORARY_REDIRECT);
    let again = header_of(&first, "location").to_owned();
    let ended = browser.post(&again, "").await;
    assert_eq!(ended.status(), 303);
    let page = browser.page(header_of(&ended, "location")).await;
    assert!(
        page.contains("All other devices were disconnected."),
        "{page}"
    );
}

async fn has_game(browser: &Person, game: &str) -> bool {
    let page = browser.page("/me").await;
    page.has(&format!("[href='{game}']"))
}

#[tokio::test]
async fn a_code_is_valid_once_and_for_ten_minutes() {
    let (server, clock) = server().await;
    let [old, new, third] = server.people();
    let game = lost_game(&old).await;
    let code = new_code(&old).await;
    assert_eq!(code.len(), 9);
    assert!(code.chars().all(|symbol| !"0O1IlL".contains(symbol)));
    // A look at what would be joined does not use the code.
    assert_eq!(enter(&new, &code, &[]).await.0, 200);
    assert_eq!(enter(&new, &code, JOIN).await.0, 303);
    assert!(has_game(&new, &game).await);
    for choice in [&[][..], JOIN] {
        let (status, page) = enter(&third, &code, choice).await;
        assert_eq!(status, 422);
        assert!(page.contains("This code is not valid."), "{page}");
    }
    assert!(!has_game(&third, &game).await);

    // A newer code replaces an older one.
    let (first, second) = (new_code(&old).await, new_code(&old).await);
    assert_eq!(enter(&third, &first, &[]).await.0, 422);
    clock.fetch_add(10 * MINUTE_MS - 1, Ordering::SeqCst);
    assert_eq!(enter(&third, &second, &[]).await.0, 200);
    clock.fetch_add(1, Ordering::SeqCst);
    assert_eq!(enter(&third, &second, JOIN).await.0, 422);
    // The code of the record that the browser has is no other record.
    let own = new_code(&old).await;
    let (status, page) = enter(&new, &own, JOIN).await;
    assert_eq!(status, 200);
    assert!(page.contains("Enter it on the other device."), "{page}");
    assert!(has_game(&new, &game).await);
}

#[tokio::test]
async fn a_code_is_accepted_as_it_is_pasted() {
    let (server, _) = server().await;
    let [old, new] = server.people();
    lost_game(&old).await;
    let code = new_code(&old).await;
    let compact = code.replace('-', "");
    let full_width: String = code
        .chars()
        .filter_map(|symbol| char::from_u32(u32::from(symbol) + 0xfee0))
        .collect();
    for pasted in [
        code.to_lowercase(),
        format!(" {compact}\t"),
        compact.replace(&compact[4..], &format!("\u{2011}{} ", &compact[4..])),
        full_width,
        server.url(&format!("/device#{code}")),
    ] {
        assert_eq!(enter(&new, &pasted, &[]).await.0, 200, "{pasted:?}");
    }
}

#[tokio::test]
async fn ten_wrong_codes_of_a_network_a_minute_are_answered() {
    let server = Server::with(|config| {
        config.loopback = LoopbackPolicy::Limited;
        config.moves = 1_000;
    })
    .await;
    let [old, new] = server.people();
    lost_game(&old).await;
    let code = new_code(&old).await;
    for attempt in 0..10 {
        // Right codes do not count.
        assert_eq!(enter(&new, &code, &[]).await.0, 200, "{attempt}");
        let wrong = ["ABCD-2345", "nonsense"][attempt % 2];
        assert_eq!(enter(&new, wrong, JOIN).await.0, 422, "{attempt}");
    }
    for code in ["ABCD-2345", &code] {
        assert_eq!(enter(&new, code, &[]).await.0, 429);
    }
}

#[tokio::test]
async fn nothing_is_joined_by_one_press() {
    let (server, _) = server().await;
    let [attacker, me] = server.people();
    let seats = format!("{SMALL}&name=Mallory");
    let theirs = attacker.create(&seats).await;
    attacker.resign(&theirs).await;
    let named = "player=0&do=name&name=Mallory";
    let open = attacker.create(SMALL).await;
    attacker.done(&format!("{open}/seats"), named).await;
    let mine = [lost_game(&me).await, lost_game(&me).await];
    let code = new_code(&attacker).await;

    let (status, page) = enter(&me, &code, &[]).await;
    assert_eq!(status, 200);
    for sentence in [
        "2 games of this browser will belong to",
        "Mallory",
        "who can play them",
        "2 games, 0 boards of the day, 0 answers to puzzles",
    ] {
        assert!(page.contains(sentence), "{sentence}: {page}");
    }
    let found = page.attrs("[name=do][checked]", "value");
    assert_eq!(found, ["keep"], "{page}");
    // What the page proposes.
    assert_eq!(enter(&me, &code, &[("do", "keep")]).await.0, 303);
    for game in &mine {
        assert!(has_game(&me, game).await && !has_game(&attacker, game).await);
    }
    assert!(!has_game(&me, &theirs).await);
    // Reading an address joins nothing.
    for address in [
        format!("/device?code={code}&do=join"),
        format!("/device?code={code}"),
    ] {
        me.get(&address).await;
        assert!(!has_game(&me, &theirs).await, "{address}");
    }
}

#[tokio::test]
async fn other_devices_are_ended() {
    let (server, _) = server().await;
    let [me, phone, guest] = server.people();
    let played = lost_game(&me).await;
    let shared = game_with(&me, &guest).await;
    let private = SMALL.replace("novice", "open") + "&private=1";
    let private = me.create(&private).await;
    me.done("/settings/feed", "").await;
    let feed = async || feed_path(&me).await.expect("a feed");
    let address = feed().await;
    let code = new_code(&me).await;
    assert_eq!(enter(&phone, &code, JOIN).await.0, 303);
    let back = phone.page(&private).await.attr("#back-0", "value");
    let left = new_code(&me).await;
    let mut streams = Vec::new();
    for game in [&private, &shared] {
        let mut stream = phone.events(&format!("{game}/events")).await;
        stream.next("watchers").await;
        streams.push(stream);
    }

    end_others(&me).await;
    // The secret of the phone gives access to nothing.
    for stream in &mut streams {
        stream.next("bye").await;
    }
    let page = phone.page("/me").await;
    assert!(page.contains("You have not played here yet."), "{page}");
    phone.page_with_status(&private, 404).await;
    let page = phone.page(&shared).await;
    assert!(!page.has("[action$='/resign']"), "{page}");
    phone.page_with_status(&address, 404).await;
    assert_eq!(enter(&phone, &left, &[]).await.0, 422);
    assert_ne!(
        phone.get(&back).await.status(),
        200,
        "the link by which it came back"
    );
    // This browser has everything, its private game as its host too.
    for game in [&played, &shared, &private] {
        assert!(has_game(&me, game).await, "{game}");
    }
    let page = me.page(&private).await;
    assert!(page.has("[action$='/resign']"), "{page}");
    assert!(page.has("[value=level]"), "the host fills seats: {page}");
    assert_ne!(feed().await, address);
    assert_eq!(me.get(&feed().await).await.status(), 200);
    // Ending them again changes nothing for this browser, and another device can be added.
    end_others(&me).await;
    let code = new_code(&me).await;
    assert_eq!(enter(&phone, &code, JOIN).await.0, 303);
    for browser in [&me, &phone] {
        assert!(has_game(browser, &played).await);
    }
}

#[tokio::test]
async fn an_interrupted_end_of_other_devices_loses_nothing() {
    let (server, _) = server().await;
    let me = server.person();
    let played = lost_game(&me).await;
    let open = me.create(SMALL).await;
    // The redirect is not followed: the browser has the new secret and the present one.
    let first = me.post("/device/end", "").await;
    assert_eq!(first.status(), StatusCode::TEMPORARY_REDIRECT);
    let later = lost_game(&me).await;
    for game in [&played, &open, &later] {
        assert!(has_game(&me, game).await, "{game}");
    }
    let page = me.page(&open).await;
    assert!(page.has("[action$='/resign']"), "{page}");
    end_others(&me).await;
    for game in [&played, &open, &later] {
        assert!(has_game(&me, game).await, "{game}");
    }
}
