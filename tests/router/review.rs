//! The page of a review, and the pages of its decisions.

use serde_json::json;

use crate::common::{Page, Person, Server, api_path, assert_contains};
use crate::my_record::SMALL;

/// Requests the review of a finished game, and returns its page.
async fn reviewed(browser: &Person, game: &str) -> Page {
    let page = browser.page_after(&format!("{game}/review"), "").await;
    assert!(page.has("[data-wait], .praise"), "{page}");
    let review = api_path(game, "/review");
    while browser.get(&review).await.status() == 202 {
        tokio::task::yield_now().await;
    }
    browser.page(&format!("{game}/review")).await
}

/// A finished game between computers; the level `random` makes mistakes.
async fn game_of_computers(server: &Server, new: serde_json::Value) -> String {
    let table = server.api().create(new).await;
    assert_eq!(table.wait(10_000).await["over"], true);
    format!("/g/{}", table.id)
}

/// Follows the golden button through all mistakes and back to the card of the last one.
async fn go_through_mistakes(browser: &Person, review: &Page, mark: &str) -> usize {
    let mistakes = review.count(".triple .decision");
    let mut path = review.attr(".praise .btn.main", "href");
    for number in 1..=mistakes {
        let page = browser.page(&path).await;
        let place = format!("Mistake {number} of {mistakes}: cost");
        assert_contains(&page, &[&place, "Better: ", "Played: "]);
        assert_eq!(page.texts(".hops [aria-current]"), [number.to_string()]);
        assert!(page.has(mark), "the better action is on the board: {page}");
        let off = page.count(".hops .off");
        let outer = usize::from(number == 1) + usize::from(number == mistakes);
        assert_eq!((off, page.count(".hops .btn")), (outer, 2), "{page}");
        let back = page.attr("[data-back]", "href");
        let (card_page, card) = back.split_once('#').expect("a card");
        let card_page = browser.page(card_page).await;
        assert!(card_page.has(&format!("#{card}.decision")), "{back}");
        if number < mistakes {
            path = page.attr(".hops [data-ply=next]", "href");
            continue;
        }
        let ply = page.attr(".compared [name=ply]", "value");
        let game = browser
            .done(&page.attr(".compared form", "action"), format!("ply={ply}"))
            .await;
        assert!(!path.starts_with(&game), "{game} is a new game");
    }
    mistakes
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_review_praises_and_leads_through_the_mistakes() {
    let server = Server::start().await;
    let browser = server.person();
    let new =
        json!({"game": "dice", "size": 3, "players": 2, "seats": ["random", "greedy"], "seed": 5});
    let game = game_of_computers(&server, new).await;
    let look = format!("{game}/review/0");
    assert_eq!(browser.redirected(&look).await, format!("{game}/review"));
    reviewed(&browser, &game).await;
    let sides = ["?player=0", "?player=1"];
    let mut mistakes = 0;
    for side in sides {
        let page = browser.page(&format!("{game}/review{side}")).await;
        let headline = page.texts("h1").remove(0);
        assert!(
            headline.contains("accuracy") && headline.ends_with('%'),
            "{headline}"
        );
        assert!(
            !page.contains("reviewed games is"),
            "of the reader's own games: {page}"
        );
        assert_eq!(page.count(".mk.fine"), page.count(".decision.fine"));
        mistakes += match page.has(".triple") {
            true => go_through_mistakes(&browser, &page, ".pointer.first, .soon").await,
            false => 0,
        };
        for path in page.attrs(".decision.fine a", "href") {
            let page = browser.page(&path).await;
            assert_contains(&page, &["Well played: ", "Next best: "]);
        }
    }
    assert!(mistakes > 0, "the level random makes mistakes");
    for ply in ["9999", "x"] {
        let path = format!("{game}/review/{ply}");
        browser.page_with_status(&path, 404).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_review_of_trilobite_leads_through_the_mistakes() {
    let server = Server::start().await;
    let browser = server.person();
    let new = json!({"game": "trilobite", "width": 4, "height": 4, "win": 3, "seats": ["random", "random"], "seed": 3});
    let game = game_of_computers(&server, new).await;
    let page = reviewed(&browser, &game).await;
    assert!(!page.contains("Against the odds"), "{page}");
    let page = browser.page(&format!("{game}/review?player=1")).await;
    assert!(
        go_through_mistakes(&browser, &page, ".verdict.first").await > 0,
        "{page}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn moves_are_numbered_like_the_pages_of_the_game_after_a_takeback() {
    let server = Server::start().await;
    let me = server.person();
    let game = "game=trilobite&width=4&height=4&win=3&seats=human&seats=human";
    let game = me.create(game).await;
    let drop = async |ply: u32, column: &str| {
        let form = format!("ply={ply}&column={column}");
        me.done(&format!("{game}/moves"), form).await
    };
    drop(0, "a").await;
    me.done(&format!("{game}/undo"), "ply=1").await;
    // The first line of three.
    for (ply, column) in (2..).zip(["a", "b", "a", "b", "a"]) {
        drop(ply, column).await;
    }
    let page = reviewed(&me, &game).await;
    assert_eq!(page.text(".praise .eyebrow"), "Review");
    assert_eq!(page.text(".praise .whose"), "Red won after 7 moves.");
    let rows = page.texts(".chances tbody th");
    assert_eq!(rows, ["0", "3", "4", "5", "6", "7"]);
    let axis = page.texts(".chances text.ax:not(.at)");
    assert_eq!(axis.last().map(String::as_str), Some("7"), "{axis:?}");
    // The chances stay the same while a move is taken back.
    let line = page.attr(".chances polyline", "points");
    let points: Vec<(&str, &str)> = line
        .split(' ')
        .filter_map(|point| point.split_once(','))
        .collect();
    assert_eq!(points.len(), 8);
    assert!(points[..3].iter().all(|point| point.1 == points[0].1));
    // A marker stands at the number of its card.
    let cards = page.texts(".decision p:not(.pts)").into_iter();
    let moves = cards.filter_map(|line| {
        let number = line.strip_prefix("Move ")?.split('.').next()?;
        number.parse::<usize>().ok()
    });
    let mut moves: Vec<&str> = moves.map(|page| points[page].0).collect();
    let markers = page.attrs(".chances .mk", "transform");
    let mut markers: Vec<&str> = markers
        .iter()
        .filter_map(|at| at.strip_prefix("translate(")?.split(' ').next())
        .collect();
    moves.sort_unstable();
    markers.sort_unstable();
    assert!(!moves.is_empty());
    assert_eq!(markers, moves);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_review_compares_with_the_readers_last_games() {
    let server = Server::start().await;
    let me = server.person();
    let game = me.create(SMALL).await;
    me.resign(&game).await;
    let page = reviewed(&me, &game).await;
    assert!(page.texts("h1")[0].starts_with("Accuracy "), "{page}");
    assert!(
        !page.has(".share-bar path"),
        "one game has no average: {page}"
    );
    let next = me.create(SMALL).await;
    me.resign(&next).await;
    let page = reviewed(&me, &next).await;
    assert_contains(&page, &["The average of your last 2 reviewed games is"]);
    assert!(page.has(".praise .share-bar path"), "{page}");
}
