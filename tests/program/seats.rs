//! Seats that people share, over real sockets: links, names, private tables, people who leave, and rematches. Browsers
//! are cookie jars, and one player is a program.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::common::{
    Event, Events, Form, HANG, Home, Page, Person, Program, Server, api_path, assert_contains,
    cookies_of, header_of, likely, number, problem, read_page,
};
use dice_of_doom::formats::JsonFields;
use dice_of_doom::games::StartPosition;
use dice_of_doom::seats::{ComputerPace, SeatSpec};
use dice_of_doom::secret::Secret;
use dice_of_doom::site::programs::hub;
use dice_of_doom::store::GameList;
use dice_of_doom::tables::{GameCreator, NewGame};
use reqwest::{Method, Response};
use serde_json::{Value, json};

fn token(link: &str) -> &str {
    link.rsplit('/').next().unwrap()
}

/// Two people, one of them invited by a link; a small board and no luck.
const TWO: &str = "rules=v2&seats=human&seats=open&seed=3";

/// The same board for two people at one screen.
const HOT_SEAT: &str = "rules=v2&seats=human&seats=human&seed=3";

fn kinds(game: &Value) -> Vec<String> {
    let seats = game["seats"].as_array().unwrap().iter();
    seats
        .map(|seat| seat["kind"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn three_browsers_and_a_program_play_one_game() {
    let server = Server::start().await;
    let url = server.url("");
    let [ada, bob, eve] = server.people();
    let game = ada
        .create(&[
            ("size", "3"),
            ("seats", "human"),
            ("seats", "open"),
            ("seats", "open"),
            ("seats", "open"),
            ("name", "  Ada <b> "),
            ("seed", "5"),
        ])
        .await;
    let links = ada.page(&game).await.seat_links();
    // The link for everybody, and Ada's own one.
    assert_eq!(links.len(), 2, "{links:?}");
    let link = &*links[0];
    assert!(link.starts_with(&url));

    // Reading an invitation does not take the seat, neither by a person nor by a link preview.
    let before = ada.state(&game).await;
    assert_eq!(kinds(&before), ["human", "open", "open", "open"]);
    for _ in 0..3 {
        let response = bob.get(link).await;
        assert_eq!(response.status(), 200);
        assert!(!response.headers().contains_key("set-cookie"));
        let page = response.text().await.unwrap();
        assert!(page.contains("Ada &lt;b&gt; invites you"), "{}", page);
        assert!(page.contains("Take Blue’s seat"), "{page}");
        assert!(!page.contains(token(link)), "no link in the page");
    }
    assert_eq!(ada.state(&game).await, before);

    // They take their seats; the same link redirects its user to the game again.
    assert_eq!(bob.done(link, "name=Bob").await, game);
    assert_eq!(bob.done(link, "").await, game);
    let again = bob.get(link).await;
    assert_eq!(again.headers()["location"], game.as_str());
    assert_eq!(eve.done(link, "").await, game);
    let program = server.api();
    let join = api_path(&game, "/join");
    let invite = json!({"invite": token(link), "name": "Robot"});
    let joined: Value = {
        let response = program.post(&join, &invite).await;
        assert_eq!(response.status(), 200);
        response.json().await.unwrap()
    };
    let seat = &joined["seats"][3];
    assert_eq!(
        (&seat["kind"], &seat["name"]),
        (&json!("human"), &json!("Robot"))
    );
    let bearer = seat["token"].as_str().unwrap().to_owned();
    program.refused(&join, &invite, 403).await;
    let page = eve.page(&game).await;
    assert!(page.contains("Bob") && page.contains("Robot") && page.contains("Ada &lt;b&gt;"));
    assert!(!page.contains("Ada <b>"));
    assert_eq!(page.seat_links().len(), 1, "only her own link");

    ada.start(&game).await;
    // A player cannot move for another seat, and a watcher cannot move at all.
    let people = [&ada, &bob, &eve];
    let stranger = Person::new(&url);
    let first = likely(&ada.moves(&game).await);
    assert_eq!(bob.play(&game, 0, &first).await.status(), 409);
    assert_eq!(stranger.play(&game, 0, &first).await.status(), 401);
    assert_eq!(ada.state(&game).await["ply"], 0);

    let mut plies = 0;
    let last = loop {
        let now = ada.state(&game).await;
        let Some(player) = now["player"].as_u64() else {
            break now;
        };
        let (ply, path) = (number(&now["ply"]), likely(&ada.moves(&game).await));
        let status = match people.get(player as usize) {
            Some(person) => person.play(&game, ply, &path).await.status(),
            None => {
                let body = json!({"ply": ply, "path": path});
                let moves = api_path(&game, "/moves");
                program.post_as(&bearer, &moves, &body).await.status()
            }
        };
        assert!(status == 303 || status == 200, "{status} at {ply}");
        plies += 1;
        assert!(plies < 1_001);
    };
    assert_eq!(last["over"], true);

    // The rematch keeps all seats, and the program's token.
    let mut stream = server.api().events(&format!("{game}/events")).await;
    stream.next("over").await;
    let rematch = bob.done(&format!("{game}/rematch"), "").await;
    assert_ne!(rematch, game);
    let event = stream.next("rematch").await;
    let event = event.data["id"].as_str().unwrap();
    assert_eq!(format!("/g/{event}"), rematch);
    for person in people {
        let page = person.page(&game).await;
        assert_contains(&page, &["To the rematch", &format!("href=\"{rematch}\"")]);
        assert_eq!(person.done(&format!("{game}/rematch"), "").await, rematch);
        assert!(person.page(&rematch).await.contains("Resign"));
    }
    let second = ada.state(&rematch).await;
    let names = second["seats"].as_array().unwrap().iter();
    let names: Vec<_> = names.map(|seat| seat["name"].clone()).collect();
    assert_eq!(
        names,
        [json!("Ada <b>"), json!("Bob"), Value::Null, json!("Robot")]
    );
    let same = eve.done(&format!("{game}/rematch"), "board=same").await;
    let moved = ada.state(&same).await;
    assert_eq!(
        moved["state"],
        ada.json(&api_path(&game, "?ply=0")).await["state"]
    );
    assert_eq!(moved["seats"][0]["name"], "Robot");
    assert_eq!(moved["seats"][1]["name"], "Ada <b>");
    let path = likely(&ada.moves(&same).await);
    let (moves, body) = (api_path(&same, "/moves"), json!({"ply": 0, "path": path}));
    assert_eq!(program.post_as(&bearer, &moves, &body).await.status(), 200);
    stranger.refused(&format!("{game}/rematch"), "", 403).await;
}

#[tokio::test]
async fn a_game_that_waits_for_an_open_seat_shows_it() {
    let server = Server::start().await;
    let [ada, watcher] = server.people();
    let game = ada
        .create("rules=v4&seats=random&seats=open&seats=human&seed=1")
        .await;
    // The computer before the open seat waits, too.
    let now = watcher.state(&game).await;
    assert_eq!(
        (&now["ply"], &now["waiting"]),
        (&json!(0), &json!(true)),
        "{now}"
    );
    for person in [&ada, &watcher] {
        let page = person.page(&game).await;
        assert!(page.contains("Waiting for a player… "), "{page}");
    }
    assert!(watcher.page(&game).await.seat_links().is_empty());
    let seats = format!("{game}/seats");
    // Only the host can give the seat to a level.
    let level = [("player", "1"), ("do", "level"), ("level", "random")];
    watcher.refused(&seats, &level, 401).await;
    ada.refused(&seats, "player=1&do=level&level=deep+blue", 422)
        .await;
    ada.refused(&seats, "player=9&do=level&level=book", 422)
        .await;
    ada.refused(&seats, "player=1&do=dance", 422).await;
    let link = ada.seat_link(&game).await;
    ada.done(&seats, &level).await;
    ada.done(&seats, &level).await;
    assert_eq!(watcher.get(&link).await.status(), 404, "the seat is gone");
    ada.refused(&seats, "player=1&do=level&level=book", 409)
        .await;
    let now = watcher.wait(&game, number(&now["ply"]) + 1).await;
    assert!(number(&now["ply"]) > 0);
    assert_eq!(now["seats"][1]["level"], "random");
}

/// The status, the body, and all headers that do not differ between identical responses.
async fn whole(response: Response) -> (u16, BTreeSet<(String, String)>, String) {
    let headers = response.headers().iter();
    let headers = headers
        .filter(|(name, _)| !["x-request-id", "date"].contains(&name.as_str()))
        .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()));
    let (status, headers) = (response.status().as_u16(), headers.collect());
    (status, headers, response.text().await.unwrap())
}

#[tokio::test]
async fn all_invalid_links_have_the_same_response() {
    let server = Server::start().await;
    let url = server.url("");
    let [ada, bob, eve] = server.people();
    let game = ada.create(TWO).await;
    let seats = format!("{game}/seats");
    let withdrawn = ada.seat_link(&game).await;
    eve.refused(&seats, "player=1&do=renew", 401).await;
    ada.done(&seats, "player=1&do=renew").await;
    let used = ada.seat_link(&game).await;
    assert_ne!(used, withdrawn);
    assert_eq!(
        used,
        ada.seat_link(&game).await,
        "it stays until it is renewed"
    );
    assert_eq!(bob.done(&used, "name=Bob").await, game);
    // Bob's browser now has a seat, but is not the host.
    bob.refused(&seats, "player=0&do=renew", 403).await;
    ada.refused(&seats, "player=1&do=renew", 409).await;

    let unknown = format!("{url}/join/AAAAAAAAAAAAAAAAAAAAAA");
    let expected = whole(eve.get(&unknown).await).await;
    assert_eq!(expected.0, 404);
    assert!(
        expected.2.contains("This link opens no seat"),
        "{}",
        expected.2
    );
    let malformed = [
        "x",
        "%FF",
        "AAAAAAAAAAAAAAAAAAAAAB",
        "<script>",
        "AAAAAAAAAAAAAAAAAAAAAAAA",
    ];
    let malformed = malformed.map(|token| format!("{url}/join/{token}"));
    for link in [&withdrawn, &used, &unknown].into_iter().chain(&malformed) {
        assert_eq!(whole(eve.get(link).await).await, expected, "{link}");
        let post = whole(eve.post(link, "name=Eve").await).await;
        assert_eq!(post, expected, "{link}");
    }
    // A link is valid for its own game only.
    let other = ada.create(TWO).await;
    let link = ada.seat_link(&other).await;
    let body = json!({"invite": token(&link)});
    let api = server.api();
    api.refused(&api_path(&game, "/join"), &body, 403).await;
    api.refused("/api/v1/games/00000000/join", &body, 404).await;
    for wrong in [json!({"invite": "x"}), json!({"invite": token(&withdrawn)})] {
        api.refused(&api_path(&other, "/join"), &wrong, 403).await;
    }
    for wrong in [
        json!({}),
        json!({"invite": 1}),
        json!({"invite": "x", "seat": 1}),
    ] {
        api.refused(&api_path(&other, "/join"), &wrong, 422).await;
    }
    let found = kinds(&api.json(&api_path(&other, "")).await);
    assert_eq!(found, ["human", "open"]);
}

#[tokio::test]
async fn of_a_hundred_browsers_one_gets_the_seat() {
    let server = Server::start().await;
    let ada = server.person();
    let game = ada.create(TWO).await;
    let link = ada.seat_link(&game).await;
    let mut racers = tokio::task::JoinSet::new();
    for number in 0..100 {
        let (person, link) = (server.person(), link.clone());
        racers.spawn(async move {
            let name = format!("Racer {number}");
            let response = person.post(&link, &[("name", &name)]).await;
            let cookie = response.headers().contains_key("set-cookie");
            (number, response.status().as_u16(), cookie)
        });
    }
    let answers = racers.join_all().await;
    let winners: Vec<_> = answers.iter().filter(|answer| answer.1 == 303).collect();
    assert_eq!(winners.len(), 1, "{answers:?}");
    assert!(winners[0].2, "the winner is recognised");
    for (_, status, cookie) in answers.iter().filter(|answer| answer.1 != 303) {
        assert_eq!((*status, *cookie), (404, false));
    }
    let seats = server.api().json(&api_path(&game, "")).await["seats"].clone();
    assert_eq!(seats[1]["name"], format!("Racer {}", winners[0].0));
}

#[tokio::test]
async fn names_have_only_visible_characters() {
    let server = Server::start().await;
    let [ada, bob] = server.people();
    let game = ada.create(TWO).await;
    let seats = format!("{game}/seats");
    let link = ada.seat_link(&game).await;
    let long = "ä".repeat(33);
    let bad = [
        &*long,
        "A\u{7}",
        "A\u{202e}b",
        "A\u{200b}b",
        "\u{feff}A",
        "a\nb",
    ];
    for name in bad {
        let page = ada
            .refused(
                &seats,
                &[("player", "0"), ("do", "name"), ("name", name)],
                422,
            )
            .await;
        assert!(page.text("[role=alert]").starts_with("A name "), "{page}");
        let page = bob.refused(&link, &[("name", name)], 422).await;
        assert!(page.text("[role=alert]").starts_with("A name "), "{page}");
        ada.refused("/games", &[("name", name)], 422).await;
        let body = json!({"invite": token(&link), "name": name});
        server
            .api()
            .refused(&api_path(&game, "/join"), &body, 422)
            .await;
    }
    assert_eq!(bob.get(&link).await.status(), 200, "the seat is still open");
    let html = "<img src=x>\"'& |b|";
    bob.done(&link, &[("name", html)]).await;
    ada.done(
        &seats,
        &[("player", "0"), ("do", "name"), ("name", &"ü".repeat(32))],
    )
    .await;
    let page = ada.page(&game).await;
    assert!(!page.contains("<img src=x>"), "{page}");
    assert!(page.contains("&lt;img src=x&gt;"), "{page}");
    assert!(bob.page(&game).await.contains(&"ü".repeat(32)));
    // A player cannot rename others, and an empty name restores the colour.
    bob.refused(&seats, "player=0&do=name&name=Fool", 403).await;
    ada.done(&seats, "player=0&do=name&name=+").await;
    assert_eq!(
        server.api().json(&api_path(&game, "")).await["seats"][0]["name"],
        Value::Null
    );
}

#[tokio::test]
async fn a_private_game_is_not_found_by_strangers() {
    let server = Server::start().await;
    let url = server.url("");
    let [ada, bob, eve] = server.people();
    let private = format!("{TWO}&private=1");
    let game = ada.create(&private).await;
    let public = ada.create(HOT_SEAT).await;
    let path = attack(&ada, &public).await.expect("an attack");
    let [from, to] = [0, 1].map(|end| path[end].to_string());
    let fields = [("ply", "0"), ("from", &from), ("to", &to)];
    ada.done(&format!("{public}/moves"), &fields).await;
    let link = ada.seat_link(&game).await;
    eve.create("").await;
    let unknown = "/g/00000000";
    let gets = [
        "",
        "/0",
        "/log",
        "/board.svg",
        "/board.svg?ply=0",
        "/board.png?ply=0",
        "/embed",
        "/film",
        "/game.gif",
        "/record.json",
        "/events",
    ];
    for rest in gets {
        let there = whole(eve.get(&format!("{game}{rest}")).await).await;
        assert_eq!(
            there,
            whole(eve.get(&format!("{unknown}{rest}")).await).await,
            "{rest}"
        );
        assert_eq!(there.0, 404, "{rest}");
    }
    let seat = "player=1&do=level&level=book";
    let posts = [
        ("/moves", "ply=0&pass=1"),
        ("/resign", "ply=0"),
        ("/rematch", ""),
        ("/seats", seat),
    ];
    for (rest, form) in posts {
        let there = whole(eve.post(&format!("{game}{rest}"), form).await).await;
        let nowhere = whole(eve.post(&format!("{unknown}{rest}"), form).await).await;
        assert_eq!(there, nowhere, "{rest}");
        assert_eq!(there.0, 404, "{rest}");
    }
    let api_client = server.api();
    let wrong = "AAAAAAAAAAAAAAAAAAAAAA";
    for rest in ["", "/moves", "/record", "/events", "?wait=1"] {
        let there = whole(api_client.get(&api_path(&game, rest)).await).await;
        let nowhere = whole(api_client.get(&api_path(unknown, rest)).await).await;
        assert_eq!((&there, there.0), (&nowhere, 404), "{rest}");
    }
    for (rest, body) in [
        ("/moves", json!({"ply": 0, "path": null})),
        ("/resign", json!({})),
        ("/join", json!({"invite": wrong})),
    ] {
        let there = api_path(&game, rest);
        let nowhere = api_path(unknown, rest);
        let there = whole(api_client.post_as(wrong, &there, &body).await).await;
        let nowhere = whole(api_client.post_as(wrong, &nowhere, &body).await).await;
        assert_eq!((&there, there.0), (&nowhere, 404), "{rest}");
    }

    // The holder of the link sees the game, and a former player even after resigning.
    let page = bob.page(&link).await;
    assert_contains(&page, &["Only people with a seat see this game"]);
    assert_eq!(bob.get(&game).await.status(), 404);
    bob.done(&link, "").await;
    assert_eq!(bob.get(&game).await.status(), 200);
    ada.start(&game).await;
    assert!(bob.page(&game).await.contains("a computer plays on"));
    bob.done(&format!("{game}/resign"), "ply=0").await;
    assert_eq!(bob.get(&game).await.status(), 200);
    assert!(ada.page(&game).await.contains("that ends the game"));

    // A program sees its own game by its token.
    let body = json!({"game": "dice", "rules": "v2", "private": true, "seats": ["human", "open"]});
    let table = api_client.create(body).await;
    assert_eq!(table.game["private"], true);
    problem(api_client.get(&table.path("")).await, 404).await;
    for rest in ["", "/moves", "/record"] {
        let request = api_client.client.get(format!("{url}{}", table.path(rest)));
        let response = request.bearer_auth(table.token(0)).send().await.unwrap();
        assert_eq!(response.status(), 200, "{rest}");
    }

    // The start page shows public games of others only.
    let start = bob.page("/").await;
    assert!(start.contains("Games to watch"), "{start}");
    let watch = start.split("Games to watch").nth(1).unwrap();
    assert!(watch.contains(&public));
    assert!(!watch.contains(&game) && !watch.contains(&table.id));
    let own = ada.page("/").await;
    let watch = own.split("Games to watch").nth(1).unwrap_or_default();
    assert!(!watch.contains(&public), "own games are not among them");
}

/// The names of a stream's events up to its end.
async fn remaining_events(mut stream: Events) -> Vec<String> {
    let mut names = Vec::new();
    while let Some(message) = stream.raw().await {
        names.push(Event::parse(&message).event);
    }
    names
}

/// A private game of Ada's that has started after Bob has taken the open seat.
async fn private_game_of_two(ada: &Person, bob: &Person) -> String {
    let private = format!("{TWO}&private=1");
    let game = ada.create(&private).await;
    let link = ada.seat_link(&game).await;
    bob.done(&link, "").await;
    ada.start(&game).await;
    game
}

#[tokio::test]
async fn the_streams_of_a_private_game_end_when_the_seat_is_lost() {
    let server = Server::start().await;
    let [ada, bob, eve] = server.people();
    let game = private_game_of_two(&ada, &bob).await;
    let public = ada.create(HOT_SEAT).await;
    let [id, public_id] = [&game, &public].map(|path| path.strip_prefix("/g/").unwrap());
    let open = async |path: String| Events::new(bob.get(&path).await);
    let mut page = open(format!("{game}/events")).await;
    let mut program = open(api_path(&game, "/events")).await;
    let mut tabs = open(format!("/events?game={id}.0&game={public_id}.0")).await;
    for stream in [&mut page, &mut program] {
        stream.next("seats").await;
    }
    tabs.next("about").await;
    tabs.next("about").await;
    let waiting = {
        let (bob, path) = (bob.clone(), api_path(&game, "?wait=1"));
        tokio::spawn(async move { bob.get(&path).await.status() })
    };

    let back = bob.seat_link(&game).await;
    eve.done(&back, "").await;
    assert_eq!(bob.get(&game).await.status(), 404);
    assert_eq!(remaining_events(page).await, ["seats", "bye"]);
    let rest = remaining_events(program).await;
    assert_eq!(rest[rest.len() - 2..], ["seats", "bye"]);
    assert!(!rest.contains(&"ply".to_owned()), "{rest:?}");
    // The other game goes on in the stream of all tabs.
    let lost = tabs.next("bye").await;
    assert_eq!(lost.data, json!({}));
    for path in [&game, &public] {
        let first = likely(&ada.moves(path).await);
        assert_eq!(ada.play(path, 0, &first).await.status(), 303);
    }
    assert_eq!(tabs.next("about").await.data["game"], public_id);
    tabs.next("ply").await;
    assert_eq!(waiting.await.unwrap(), 404);
    assert_eq!(ada.get(&game).await.status(), 200);
}

#[tokio::test]
async fn deleting_everything_closes_the_streams_of_the_browser() {
    let server = Server::start().await;
    let [ada, bob] = server.people();
    let private = private_game_of_two(&ada, &bob).await;
    let public = ada.create(TWO).await;
    let mut streams = Vec::new();
    for path in [&private, &public] {
        let mut stream = Events::new(bob.get(&format!("{path}/events")).await);
        stream.next("watchers").await;
        streams.push(stream);
    }
    let mut of_ada = Events::new(ada.get(&format!("{public}/events")).await);
    of_ada.next("watchers").await;
    bob.done("/me/delete", "").await;
    for stream in streams {
        let rest = remaining_events(stream).await;
        assert_eq!(rest.last().map(String::as_str), Some("bye"));
    }
    assert_eq!(server.gallery.open_streams(), 1, "Ada's goes on");
    of_ada.next("watchers").await;
}

#[tokio::test]
async fn a_program_that_declines_no_longer_follows_a_private_game() {
    let server = Server::start().await;
    let service = &server.service;
    let name = "Robot".parse().unwrap();
    let (program, token) = hub::add_program(service, &name, String::new())
        .await
        .unwrap();
    let setting = service.games().default_game();
    let setting = setting.configure(JsonFields::default().with("players", &2));
    let new = NewGame {
        creator: GameCreator::Browser(Secret::random()),
        private: true,
        ..NewGame::new(
            setting.unwrap(),
            StartPosition::Dealt(1),
            vec![SeatSpec::Human, SeatSpec::Open],
        )
    };
    let game = hub::invite(&server.app, &program, new).await;
    let game = game.unwrap().snapshot;
    let api = server.api();
    let (game, token) = (format!("/api/v1/games/{}", game.id), token.to_text());
    let request = api.client.get(server.url(&format!("{game}/events")));
    let mut stream = Events::new(request.bearer_auth(&token).send().await.unwrap());
    stream.next("game").await;
    let decline = format!("{game}/decline");
    let declined = api.post_as(&token, &decline, &json!({})).await;
    assert_eq!(declined.status(), 200);
    assert_eq!(remaining_events(stream).await, ["seats", "bye"]);
}

#[tokio::test]
async fn only_the_books_page_shows_its_game() {
    let server = Server::start().await;
    let reader = server.person();
    let deal = reader.page("/game.html").await;
    let choice = deal.attr("a[href^='/game.html?chosen=']", "href");
    reader.page(&choice).await;
    let service = &server.service;
    let games = service
        .store()
        .list_games(GameList::Unfinished(ComputerPace::OnRequest), None, 1);
    let id = games.await.unwrap().games.remove(0);
    for path in [format!("/g/{id}"), format!("/api/v1/games/{id}")] {
        assert_eq!(reader.get(&path).await.status(), 404, "{path}");
    }
    assert!(!server.person().page("/").await.contains(id.as_str()));
    reader.page("/game.html").await;
}

#[tokio::test]
async fn a_link_returns_the_seat_on_another_device() {
    let server = Server::start().await;
    let url = server.url("");
    let [desk, phone] = server.people();
    let game = desk
        .create("rules=v2&name=Ada&seats=human&seats=human")
        .await;
    let back = desk.seat_link(&game).await;
    let page = phone.page(&back).await;
    assert!(page.contains("Play Red here"), "{page}");
    let at = desk.get(&back).await;
    assert_eq!(
        at.headers()["location"],
        game.as_str(),
        "who sits there is led to the game"
    );
    assert_eq!(phone.done(&back, "").await, game);
    assert_eq!(phone.done(&back, "").await, game, "the same button twice");
    // A browser without cookies returns with the same link; the first browser could, too.
    let forgetful = Person::new(&url);
    assert_eq!(forgetful.done(&back, "").await, game);
    assert_eq!(phone.done(&back, "").await, game);
    assert_eq!(forgetful.get(&back).await.status(), 200);
    let first = likely(&phone.moves(&game).await);
    let status = desk.play(&game, 0, &first).await.status();
    assert_eq!(status, 409, "the seat has moved");
    assert_eq!(phone.play(&game, 0, &first).await.status(), 303);
    assert_eq!(phone.state(&game).await["seats"][0]["name"], "Ada");
    // The phone has a link of its own, and can revoke it.
    let link = phone.seat_link(&game).await;
    phone
        .done(&format!("{game}/seats"), "player=0&do=renew")
        .await;
    assert_eq!(desk.get(&link).await.status(), 404);
    assert_eq!(desk.get(&back).await.status(), 404, "it is revoked, too");
    assert_ne!(phone.page(&game).await.seat_links(), [link]);
}

#[tokio::test]
async fn a_player_who_does_not_move_can_be_replaced_after_a_time() {
    let server = Server::start().await;
    let [ada, bob, watcher] = server.people();
    let fields = format!("{TWO}&replace_after=1");
    let game = ada.create(&fields).await;
    bob.done(&ada.seat_link(&game).await, "").await;
    ada.start(&game).await;
    let seats = format!("{game}/seats");
    let replace = [("player", "0"), ("do", "replace"), ("ply", "0")];
    let page = bob.page(&game).await;
    assert!(!page.contains("Let a computer play"), "{page}");
    let page = bob.refused(&seats, &replace, 409).await;
    assert!(page.contains("Give them a little longer"), "{page}");
    tokio::time::sleep(Duration::from_millis(1_050)).await;
    for person in [&ada, &watcher] {
        assert!(!person.page(&game).await.contains("Let a computer play for"));
    }
    assert!(bob.page(&game).await.contains("Let a computer play for"));
    // Not one's own seat, not by a watcher, not at another ply, and not a player who is not to move.
    ada.refused(&seats, &replace, 403).await;
    watcher.refused(&seats, &replace, 401).await;
    bob.refused(&seats, "player=0&do=replace&ply=7", 409).await;
    bob.refused(&seats, "player=0&do=replace", 422).await;
    ada.refused(&seats, "player=1&do=replace&ply=0", 409).await;
    let found = kinds(&bob.state(&game).await);
    assert_eq!(found, ["human", "human"], "never by itself");
    bob.done(&seats, &replace).await;
    let now = server.api().json(&api_path(&game, "?wait=1")).await;
    assert_eq!(kinds(&now), ["level", "human"]);
    assert_eq!(ada.get(&game).await.status(), 200, "she may watch");

    // Without the setting no player is replaced.
    let game = ada.create(TWO).await;
    bob.done(&ada.seat_link(&game).await, "").await;
    ada.start(&game).await;
    bob.refused(&format!("{game}/seats"), &replace, 422).await;
    for wrong in ["0", "2592001", "-1", "soon"] {
        let form = format!("replace_after={wrong}");
        ada.refused("/games", form, 422).await;
    }
    let body = json!({"game": "trilobite", "replace_after_s": 0});
    server.api().refused("/api/v1/games", &body, 422).await;
}

#[tokio::test]
async fn all_rematch_requests_lead_to_the_same_game() {
    let server = Server::start().await;
    let [ada, bob] = server.people();
    for setup in [
        "game=dice&rules=v2&seats=human&seats=open",
        "game=trilobite&width=5&chips=human&chips=open",
    ] {
        let game = ada.create(setup).await;
        bob.done(&ada.seat_link(&game).await, "name=Bob").await;
        ada.start(&game).await;
        let again = format!("{game}/rematch");
        let page = ada.refused(&again, "", 409).await;
        assert!(page.contains("The game is still going on"), "{page}");
        ada.refused(&again, "board=other", 422).await;
        bob.done(&format!("{game}/resign"), "ply=0").await;
        // Bob's seat is a computer's now; Ada ends the game by resigning as the last person.
        let ply = number(&ada.state(&game).await["ply"]).to_string();
        ada.done(&format!("{game}/resign"), &format!("ply={ply}"))
            .await;
        let mut racers = tokio::task::JoinSet::new();
        for number in 0..20 {
            let (ada, again) = (ada.clone(), again.clone());
            let board = if number % 2 == 0 { "new" } else { "same" };
            racers.spawn(async move { (board, ada.done(&again, &format!("board={board}")).await) });
        }
        let made: BTreeSet<_> = racers.join_all().await.into_iter().collect();
        assert_eq!(made.len(), 2, "one of each kind: {made:?}");
        let same = &made.iter().find(|(board, _)| *board == "same").unwrap().1;
        let now = ada.state(same).await;
        // The seats rotate by one: the first player is now second.
        assert_eq!(kinds(&now), ["level", "human"], "{now}");
        bob.refused(&again, "", 403).await;
    }
}

/// The level of each seat, null for people.
async fn levels(person: &Person, game: &str) -> Vec<Value> {
    let now = person.state(game).await;
    let seats = now["seats"].as_array().unwrap().iter();
    seats.map(|seat| seat["level"].clone()).collect()
}

#[tokio::test]
async fn easier_and_harder_opponents_are_a_level_away() {
    let server = Server::start().await;
    let [ada, bob] = server.people();
    for (seats, easier, harder) in [
        (["human", "book"], Some("random"), Some("greedy")),
        // Named opponents are followed by the next named level.
        (["human", "novice"], None, Some("greedy")),
        (["human", "champion"], Some("master"), None),
        (["human", "perfect"], Some("champion"), None),
    ] {
        for (rules, field) in [(("rules", "v2"), "seats"), (("game", "trilobite"), "chips")] {
            let is_trilobite = field == "chips";
            if seats[1] == "perfect" && !is_trilobite {
                continue;
            }
            // Only Trilobite has a level above champion.
            let harder = match seats[1] == "champion" && is_trilobite {
                true => Some("perfect"),
                false => harder,
            };
            let game = ada
                .create(&[rules, (field, seats[0]), (field, seats[1])])
                .await;
            let again = format!("{game}/rematch");
            ada.refused(&again, "opponents=easier", 409).await;
            ada.done(&format!("{game}/resign"), "ply=0").await;
            let page = ada.page(&game).await;
            for (kind, label, level) in
                [("easier", ">Easier", easier), ("harder", ">Harder", harder)]
            {
                // A player who has lost is not offered stronger computers, but may request them.
                let offered = level.is_some() && kind == "easier";
                assert_eq!(page.contains(label), offered, "{seats:?} {kind}");
                let form = [("opponents", kind)];
                bob.refused(&again, &form, 403).await;
                let Some(level) = level else {
                    ada.refused(&again, &form, 422).await;
                    continue;
                };
                let made = ada.done(&again, &form).await;
                assert_eq!(ada.done(&again, &form).await, made, "only one is created");
                assert_eq!(levels(&ada, &made).await, [Value::Null, json!(level)]);
                let page = ada.page(&game).await;
                assert!(page.contains(&format!("href=\"{made}\"")), "{page}");
                assert!(!page.contains(label), "it is offered once");
            }
            let same = "board=same&opponents=easier";
            ada.refused(&again, same, 422).await;
            ada.refused(&again, "opponents=none", 422).await;
        }
    }
}

#[tokio::test]
async fn every_computer_changes_by_one_level_where_possible() {
    let server = Server::start().await;
    let ada = server.person();
    let seats = ["human", "random", "steady", "champion"].map(|seat| ("seats", seat));
    let game = ada.create(&seats).await;
    ada.done(&format!("{game}/resign"), "ply=0").await;
    let again = format!("{game}/rematch");
    for (kind, expected) in [
        ("easier", ["novice", "greedy", "master"]),
        ("harder", ["book", "advanced", "champion"]),
    ] {
        let mut racers = tokio::task::JoinSet::new();
        for _ in 0..10 {
            let (ada, again) = (ada.clone(), again.clone());
            racers.spawn(async move { ada.done(&again, &format!("opponents={kind}")).await });
        }
        let made: BTreeSet<_> = racers.join_all().await.into_iter().collect();
        assert_eq!(made.len(), 1, "{made:?}");
        let found = levels(&ada, made.first().unwrap()).await;
        let expected: Vec<_> = expected.iter().map(|level| json!(level)).collect();
        assert_eq!(found[1..], expected, "{kind}");
    }
}

#[tokio::test]
async fn invitations_outlive_a_restart() {
    let home = Home::new();
    let program = home.start();
    let host = program.person();
    let game = host.create(TWO).await;
    let tokens = async |url: &str| {
        let links = host.at(url).page(&game).await.seat_links();
        links
            .iter()
            .map(|link| token(link).to_owned())
            .collect::<Vec<_>>()
    };
    let before = tokens(&program.url).await;
    assert_eq!(before.len(), 2);
    program.kill();
    let program = home.start();
    assert_eq!(tokens(&program.url).await, before);
    let link = format!("/join/{}", before[0]);
    let bob = program.person();
    assert_eq!(bob.done(&link, "name=Bob").await, game);
    program.kill();
    let program = home.start();
    let now = program.api().json(&api_path(&game, "")).await;
    assert_eq!(
        (kinds(&now)[1].as_str(), &now["seats"][1]["name"]),
        ("human", &json!("Bob"))
    );
    assert_eq!(program.person().get(&link).await.status(), 404);
}

#[tokio::test]
async fn cross_site_requests_change_no_seat() {
    let server = Server::start().await;
    let ada = server.person();
    let game = ada.create(TWO).await;
    let link = ada.seat_link(&game).await;
    let seats = format!("{game}/seats");
    let port = server.address.port();
    let renew = "player=1&do=renew";
    let rematch = format!("{game}/rematch");
    let joins = api_path(&game, "/join");
    for (path, form) in [(&link, ""), (&seats, renew), (&rematch, ""), (&joins, "")] {
        // With Fetch Metadata, and with an Origin alone, as on a plain address in the LAN.
        for (name, value) in [
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-site", "same-site"),
            ("origin", "http://evil.example"),
            ("origin", "null"),
            (
                "origin",
                &*format!("http://localhost:{}", port.wrapping_add(1)),
            ),
        ] {
            for host in [format!("localhost:{port}"), format!("192.0.2.7:{port}")] {
                let request = form.fill(ada.request(Method::POST, path));
                let request = request.header("host", host).header(name, value);
                let response = request.send().await.unwrap();
                assert_eq!(response.status(), 403, "{path} {name}: {value}");
            }
        }
    }
    assert_eq!(ada.seat_link(&game).await, link, "nothing was changed");
    // A request from the page itself is accepted, with either header.
    let request = renew.fill(ada.request(Method::POST, &seats));
    let request = request.header("origin", server.url(""));
    assert_eq!(request.send().await.unwrap().status(), 303);
    assert_ne!(ada.seat_link(&game).await, link);
    assert_eq!(kinds(&ada.state(&game).await), ["human", "open"]);
}

/// Links use the origin that the browser sees.
#[tokio::test]
async fn links_use_the_origin_of_the_browser() {
    let server = Server::start().await;
    let ada = server.person();
    let game = ada.create(TWO).await;
    let port = server.address.port();
    // No proxy is trusted here, so its header is ignored.
    let ada = ada.with("x-forwarded-proto", "https");
    let ada = ada.with("host", &format!("localhost:{port}"));
    let link = ada.seat_link(&game).await;
    assert!(
        link.starts_with(&format!("http://localhost:{port}/join/")),
        "{link}"
    );
}

/// All responses during a whole game, and the log, contain no secret.
#[tokio::test]
async fn no_response_contains_a_secret() {
    let home = Home::new();
    let file = home.games();
    let program = home.start_with(&[("RUST_LOG", "trace")], &[]);
    let nobody = Person::without_cookies(&program.url);
    let (mut secrets, mut responses) = (Vec::new(), Vec::new());
    let mut add_cookie = |response: &Response| {
        let cookie = cookies_of(response);
        secrets.push(cookie.split('=').nth(1).unwrap().to_owned());
        nobody.with("cookie", &cookie)
    };
    let text = async |person: &Person, path: &str| {
        let response = person.get(path).await;
        response.text().await.unwrap()
    };
    let own_links = async |person: &Person, game: &str| {
        let links = person.page(game).await.seat_links();
        links
            .iter()
            .map(|link| token(link).to_owned())
            .collect::<Vec<_>>()
    };

    let fields = "size=2&players=2&seats=human&seats=open&name=Ada&private=1";
    let created = nobody.post("/games", fields).await;
    let game = header_of(&created, "location").to_owned();
    let ada = add_cookie(&created);
    let body = json!({"game": "dice", "size": 2, "players": 2, "seats": ["human", "open"]});
    let table = program.api().create(body).await;
    let robot = table.token(0).to_owned();
    let invite = table.game["seats"][1]["invite"]
        .as_str()
        .unwrap()
        .to_owned();

    // The host's own page may show her links; it is the only one that is not collected.
    let own = own_links(&ada, &game).await;
    assert_eq!(own.len(), 2);
    let join = format!("/join/{}", own[0]);
    responses.push(text(&nobody, &join).await);
    let bob = add_cookie(&nobody.post(&join, "name=Bob").await);
    responses.push(text(&nobody, &join).await);
    secrets.extend(own);
    secrets.extend(own_links(&bob, &game).await);
    ada.start(&game).await;
    let wrong = nobody.post(&join, "name=Eve").await;
    responses.push(wrong.text().await.unwrap());

    // The program's game: Bob takes the open seat by its invitation.
    let join = format!("/join/{invite}");
    let second = bob.done(&join, "name=Bob").await;
    assert_eq!(second, format!("/g/{}", table.id));
    secrets.extend([robot.clone(), invite]);
    secrets.extend(own_links(&bob, &second).await);

    for (game, seats) in [
        (&game, [Some(&ada), Some(&bob)]),
        (&second, [None, Some(&bob)]),
    ] {
        for _ in 0..400 {
            let now = bob.state(game).await;
            responses.push(now.to_string());
            if number(&now["ply"]) < 3 {
                // The pages in the middle of the game, without the reader's own links.
                for person in [&nobody, &bob, &ada] {
                    let page = Page(text(person, game).await);
                    let links = page.seat_links();
                    let remove = |page: String, link: &String| page.replace(link, "");
                    responses.push(links.iter().fold(page.0, remove));
                }
            }
            let Some(player) = now["player"].as_u64() else {
                break;
            };
            let (ply, path) = (number(&now["ply"]), likely(&bob.moves(game).await));
            let played = match seats[player as usize] {
                Some(person) => person.play(game, ply, &path).await,
                None => {
                    let (body, moves) = (json!({"ply": ply, "path": path}), table.path("/moves"));
                    program.api().post_as(&robot, &moves, &body).await
                }
            };
            responses.push(played.text().await.unwrap());
        }
        for rest in [
            "",
            "/0",
            "/log",
            "/record.json",
            "/board.svg",
            "/embed",
            "/film",
            "/seats",
        ] {
            for person in [&nobody, &bob, &ada] {
                // Both games are over, so no page shows a link any more.
                responses.push(text(person, &format!("{game}{rest}")).await);
            }
        }
        for rest in ["", "/record", "/moves", "/nothing"] {
            responses.push(text(&bob, &api_path(game, rest)).await);
        }
        // The stream of a finished game sends every ply and the end, and stays open.
        let mut stream = bob.events(&format!("{game}/events?from=0")).await;
        loop {
            let message = stream.raw().await.expect("the stream is open");
            responses.push(message);
            if responses.last().unwrap().contains("event: over") {
                break;
            }
        }
        let rematch = bob.post(&format!("{game}/rematch"), "").await;
        responses.push(rematch.text().await.unwrap());
        responses.push(text(&nobody, game).await);
    }
    for path in ["/", "/me", "/api", "/openapi.json", "/join/x", "/nothing"] {
        for person in [&ada, &bob, &nobody] {
            responses.push(text(person, path).await);
        }
    }
    responses.push(program.log());
    assert!(
        program.log().contains("DEBUG") || program.log().contains("TRACE"),
        "the log is awake"
    );
    program.terminate();

    for seed in dice_seeds(&file).await {
        use base64::Engine as _;
        secrets.push(seed.iter().map(|byte| format!("{byte:02x}")).collect());
        secrets.push(base64::engine::general_purpose::STANDARD_NO_PAD.encode(&seed));
        secrets.push(base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(&seed));
    }
    assert!(
        secrets.len() >= 12 && secrets.iter().all(|secret| secret.len() >= 22),
        "{}",
        secrets.len()
    );
    for text in &responses {
        for secret in &secrets {
            let found = text.to_lowercase().contains(&secret.to_lowercase());
            assert!(!found, "{secret} in {text}");
        }
    }
}

/// The seeds of running games; those of finished games are public (tests/program/seed_secrecy.rs).
async fn dice_seeds(file: &std::path::Path) -> Vec<Vec<u8>> {
    use sqlx::{ConnectOptions as _, Connection as _};
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(file);
    let mut connection = options.connect().await.unwrap();
    let seeds = sqlx::query_scalar("SELECT dice_seed FROM game WHERE finished_ms IS NULL")
        .fetch_all(&mut connection)
        .await;
    connection.close().await.unwrap();
    seeds.unwrap()
}

/// The levels of a game's computers, in the order of seats.
async fn computers(person: &Person, game: &str) -> Vec<String> {
    let game = person.state(game).await;
    let seats = game["seats"].as_array().unwrap().iter();
    let levels = seats.filter_map(|seat| seat["level"].as_str());
    levels.map(str::to_owned).collect()
}

#[tokio::test]
async fn one_click_starts_a_game_against_named_opponents() {
    let server = Server::start().await;
    let person = server.person();
    let start = person.page("/").await;
    let found = start.attrs("[name=opponents]", "value");
    assert_eq!(found, ["easy", "medium", "hard"]);
    assert_eq!(start.attrs("[name=opponents][checked]", "value"), ["easy"]);
    let cards = [
        ("easy", "Easy", vec!["novice"; 3]),
        ("medium", "Medium", vec!["greedy", "book", "book"]),
        ("hard", "Hard", vec!["steady", "greedy", "greedy"]),
    ];
    for (card, name, expected) in cards {
        let press = [("game", "dice"), ("opponents", card)];
        let game = person.create(&press).await;
        assert_eq!(computers(&person, &game).await, expected);
        let page = person.page(&game).await;
        assert!(page.contains(&format!("<small>{name} · ")), "{card}");
        assert!(!page.contains("<small>computer · "), "{card}");
    }
    // Without a choice of opponents these are of level book, as for programs.
    let game = person.create("game=dice").await;
    assert_eq!(computers(&person, &game).await, ["book"; 3]);
    let page = person.page(&game).await;
    assert!(page.contains("<small>computer · Book</small>"));
    // A form with seats overrides the choice of opponents.
    let named = "opponents=hard&seats=human&seats=greedy";
    let game = person.create(named).await;
    assert_eq!(computers(&person, &game).await, ["greedy", "book", "book"]);
    let refused = "game=dice&opponents=impossible";
    let page = person.refused("/games", refused, 422).await;
    assert!(page.contains("One of the choices does not exist here."));
}

/// The content of a meta tag for link previews.
fn tag(page: &Page, property: &str) -> Option<String> {
    let mut found = page.attrs(&format!("meta[property='{property}']"), "content");
    assert!(found.len() < 2, "{found:?}");
    found.pop()
}

/// An image that must be a PNG; returns its width, its height and its bytes.
async fn png(person: &Person, path: &str) -> (u32, u32, Vec<u8>) {
    let response = person.get(path).await;
    assert_eq!(response.status(), 200, "{path}");
    assert_eq!(response.headers()["content-type"], "image/png");
    assert_eq!(response.headers()["cache-control"], "public, max-age=60");
    let bytes = response.bytes().await.unwrap().to_vec();
    assert_eq!(bytes[..8], *b"\x89PNG\r\n\x1a\n", "{path}");
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    (number(16), number(20), bytes)
}

#[tokio::test]
async fn links_to_public_games_have_a_preview_with_the_board() {
    let server = Server::start().await;
    let host = server.person();
    let stranger = server.person();
    let game = host.create(TWO).await;
    for (path, picture) in [("/", "/board.png"), (&*game, &*format!("{game}/board.png"))] {
        let page = stranger.page(path).await;
        assert_eq!(tag(&page, "og:image"), Some(server.url(picture)));
        assert_eq!(tag(&page, "og:url"), Some(server.url(path)));
        assert!(tag(&page, "og:description").is_some_and(|words| !words.is_empty()));
        assert!(page.contains(r#"<meta name="twitter:card" content="summary_large_image">"#));
        let (width, height, bytes) = png(&stranger, picture).await;
        assert_eq!((width, height), (1200, 630));
        assert_eq!(png(&host, picture).await.2, bytes, "{picture}");
    }
    let page = stranger.page(&game).await;
    let title = tag(&page, "og:title");
    assert_eq!(title.as_deref(), Some("Red, Blue at Dice of Doom"));
    // An invitation has a preview without its URL, which is a secret.
    let invitation = host.seat_link(&game).await;
    let page = stranger.page(&invitation).await;
    let picture = server.url(&format!("{game}/board.png"));
    assert_eq!(tag(&page, "og:image"), Some(picture));
    assert_eq!(tag(&page, "og:url"), None);
    assert!(!page.contains(token(&invitation)));
    // The other game has one, too.
    let chips = host.create("game=trilobite").await;
    assert_eq!(png(&stranger, &format!("{chips}/board.png")).await.0, 1200);
    let private = format!("{TWO}&private=1");
    let hidden = host.create(&private).await;
    let page = host.page(&hidden).await;
    assert!(!page.contains("og:") && !page.contains("twitter:"));
    let invitation = page.seat_links().remove(0);
    assert!(!stranger.page(&invitation).await.contains("og:"));
    for person in [&host, &stranger] {
        let picture = person.get(&format!("{hidden}/board.png")).await;
        assert_eq!(picture.status(), 404);
    }
}

#[tokio::test]
async fn an_invitation_that_works_only_on_this_machine_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let program = Program::start("memory:", &folder.path().join("log"));
    let host = program.person();
    let game = host.create(TWO).await;
    let page = host.page(&game).await;
    let port = program.url.rsplit(':').next().unwrap();
    let open = format!("<code>dice-of-doom serve --listen 0.0.0.0:{port}</code>");
    assert_contains(&page, &["This link works only on this machine", &open]);
    assert!(page.seat_links()[0].starts_with(&program.url));
    // Addresses of this machine are not shown to clients that may be elsewhere, behind a proxy.
    let request = host
        .request(Method::GET, &game)
        .header("x-forwarded-for", "203.0.113.9");
    let page = request.send().await.unwrap().text().await.unwrap();
    assert!(page.contains(&open) && !page.contains("Others then find it at"));
    // A page without a link has no notice.
    let stranger = program.person();
    assert!(!stranger.page(&game).await.contains("only on this machine"));
}

/// An attack of the player to move, if there is one.
async fn attack(person: &Person, game: &str) -> Option<Value> {
    let moves = person.moves(game).await;
    let mut paths = moves["moves"].as_array().unwrap().iter();
    let path = paths.find(|one| !one["path"].is_null())?;
    Some(path["path"].clone())
}

#[tokio::test]
async fn the_first_turn_of_a_first_game_is_explained_until_it_is_done() {
    const ATTACK: &str = "Choose a red hex with a white rim, then a neighbour to attack.";
    const END: &str = "Attack again, or end your turn: then one new die comes for each hex of your largest cluster.";
    let server = Server::start().await;
    let person = server.person();
    // Two people at one screen, so that no computer moves in between.
    let form = "players=2&seats=human&seats=human&seed=5";
    let game = person.create(form).await;
    let page = person.page(&game).await;
    assert!(page.contains(ATTACK) && !page.contains(END), "{page}");
    let stranger = server.person();
    assert!(!stranger.page(&game).await.contains(ATTACK));
    let path = attack(&person, &game).await.unwrap();
    let chosen = person.page(&format!("{game}?from={}", path[0])).await;
    assert!(!chosen.contains(ATTACK) && chosen.contains("Choose a target"));
    assert_eq!(person.play(&game, 0, &path).await.status(), 303);
    let page = person.page(&game).await;
    let may_attack = attack(&person, &game).await.is_some();
    assert_eq!(page.contains(END), may_attack, "{page}");
    assert!(!page.contains(ATTACK));
    assert_eq!(person.play(&game, 1, &Value::Null).await.status(), 303);
    let page = person.page(&game).await;
    assert!(page.contains("Choose a blue hex with a white rim,"));
    // A player who has played before sees the ordinary sentence.
    let game = person.create(form).await;
    let page = person.page(&game).await;
    assert!(!page.contains(ATTACK) && page.contains("Hexes with a white rim can attack."));
}

#[tokio::test]
async fn a_player_who_would_lose_by_ending_the_first_turn_is_warned() {
    const FIRST: &str = "Choose a red hex with a white rim,";
    let server = Server::start().await;
    let person = server.person();
    // Red may end the turn at once. Then Blue, whose hexes have one die each, has no attack.
    let board = [[0, 5], [0, 5], [1, 1], [1, 1]];
    let start = json!({"board": board, "player": 0, "spare": 0, "first_move": false});
    let seats = ["open", "book"];
    let new = json!({"game": "dice", "rules": "v4", "size": 2, "players": 2, "seats": seats, "start": start});
    let request = person.request(Method::POST, "/api/v1/games").json(&new);
    let made: Value = request.send().await.unwrap().json().await.unwrap();
    let invite = made["seats"][0]["invite"].as_str().unwrap();
    let game = person.done(&format!("/join/{invite}"), "").await;
    let page = person.page(&game).await;
    assert!(page.contains(FIRST), "{page}");
    let page = person.page(&format!("{game}?end=1")).await;
    assert!(page.contains("if the game ends now."), "{page}");
    assert!(!page.contains(FIRST));
}

#[tokio::test]
async fn computers_play_on_the_start_page_while_it_is_viewed() {
    let home = tempfile::tempdir().unwrap();
    let program = Program::start("memory:", &home.path().join("log"));
    let person = program.person();
    assert!(person.page("/").await.has("div.live#live"));
    // The game is created in the background; the page does not wait for it.
    let deadline = std::time::Instant::now() + HANG;
    let live = loop {
        let answer = person.get("/onair").await;
        if answer.status() == 200 {
            break read_page(answer, 200, "/onair").await;
        }
        assert_eq!(answer.status(), 204);
        assert!(
            std::time::Instant::now() < deadline,
            "nothing is on the air"
        );
    };
    let game = |page: &Page| page.attr("a.btn", "href");
    assert!(live.contains("<b>Now playing.</b>"), "{live}");
    let start = person.page("/").await;
    let onair = start.part("#live");
    assert_eq!(game(&onair), game(&live), "all visitors see the same game");
    assert_eq!(computers(&person, &game(&live)).await.len(), 4);
    assert!(person.page(&game(&live)).await.contains("Watching"));
    assert!(!start.contains("Games to watch"), "it is offered once");
}

#[tokio::test]
async fn a_game_in_progress_is_continued_from_the_start_page() {
    let server = Server::start().await;
    let person = server.person();
    let continued = |page: &Page, game: &str| page.attrs("a.btn.main.huge", "href") == [game];
    let start = person.page("/").await;
    assert!(!start.contains("Continue your game"));
    let first = person.create(AGAINST_THE_BOOK).await;
    let second = person.create(AGAINST_THE_BOOK).await;
    let start = person.page("/").await;
    assert!(continued(&start, &second), "{start}");
    assert!(start.contains("It is your turn"));
    // The newest game is over, so an older one is offered.
    person.done(&format!("{second}/resign"), "ply=0").await;
    let start = person.page("/").await;
    assert!(continued(&start, &first), "{start}");
    person.done(&format!("{first}/resign"), "ply=0").await;
    let start = person.page("/").await;
    assert!(!start.contains("Continue your game"), "{start}");
    assert!(start.contains("Play now"));
}

/// A game of two, one of them a computer.
const AGAINST_THE_BOOK: &str = "rules=v2&seats=human&seats=book";
