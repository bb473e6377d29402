//! Human seats: links that open a seat, their QR codes, and options for inactive players.

use dice_of_doom::templates::qr::qr;

use crate::common::{Page, assert_contains};
use crate::templates::samples::pages::page;
use crate::templates::samples::seats::LINK;

#[test]
fn the_host_sees_one_link_and_when_the_game_starts() {
    let page = page("hosting");
    assert_eq!(page.text("h1"), "Waiting for a player… 1 of 3");
    assert_eq!(page.seat_links()[0], LINK);
    assert!(page.has("svg.qr"));
    assert_contains(
        &page,
        &[
            "when 2 more people are here",
            "Withdraw the link and make a new one",
            "Start now, computers take the rest",
            "List it under Open tables",
            "Yes, leave; somebody else can take the seat",
        ],
    );
    // One golden button: what the host does next.
    assert_eq!(page.texts(".btn.main"), ["Copy"]);
    assert!(!page.has(".clock") && !page.has(".board a"));
}

#[test]
fn a_guest_sees_who_came_and_the_countdown() {
    let page = page("joined");
    assert_eq!(page.text("h1"), "Ken <b> is here. 2 of 2");
    assert!(page.contains("The game starts by itself in 5 seconds."));
    assert_eq!(page.text(".clock"), "0:05");
    assert!(page.contains("unless somebody joins"));
    assert!(!page.contains("Start now") && !page.contains("Wait for more people"));
}

#[test]
fn an_invited_program_can_be_replaced() {
    let page = page("inviting");
    assert!(page.contains("Deep is invited to play"));
    assert!(page.contains("Make a link") && page.has("[name=do][value=level]"));
    assert!(!page.contains("Let a computer play for"));
}

#[test]
fn a_departure_is_told_in_the_title_above_the_board_in_the_list_and_in_the_log() {
    let page = page("departed");
    assert!(
        page.text("title")
            .starts_with("Ken left. A computer plays on.")
    );
    assert!(
        page.text(".departed p")
            .contains("You can play on against computers")
    );
    assert!(page.contains("computer, was Ken"));
    assert!(page.text(".log li").contains("Ken left."));
}

#[test]
fn an_inactive_player_can_be_replaced_by_a_computer() {
    let page = page("slow");
    assert!(page.contains("Ada &lt;script&gt; has not moved for a while."));
    assert!(page.has("[name=do][value=replace]"));
    assert!(page.has("[name=ply][value='132']"));
    assert!(page.contains("Yes, resign; a computer plays on"));
    assert!(!page.contains("Withdraw the link and make a new one</button></form><form class"));
}

#[test]
fn a_join_page_has_one_button() {
    let page = page("join");
    assert!(page.contains("Ada &lt;b&gt; invites you to Dice of Doom"));
    assert_eq!(page.count("main button"), 1);
    assert_eq!(page.count("main form[method=post]:not([action])"), 1);
    assert!(page.contains("Take Blue’s seat"));
    assert!(page.contains("Only people with a seat see this game."));
    let back = self::page("join-back");
    assert!(back.contains("Back to your game") && !back.has("[name=name]"));
    let refused = self::page("join-refused");
    assert!(refused.contains("invited to Trilobite"));
}

/// The text of the first QR code of a page, decoded by a QR reader.
fn decode_qr_code(page: &Page) -> String {
    let frame = page.attr("svg.qr", "viewBox");
    let side = frame.rsplit(' ').next().expect("its side");
    let side: usize = side.parse().expect("a number");
    let path = page.attr("svg.qr path", "d");
    let mut dark = vec![false; side * side];
    for run in path.split_terminator('z') {
        let mut numbers = run[1..].split([' ', 'h', 'v']);
        let mut next = || numbers.next().expect("a run").parse().expect("a number");
        let (x, y, length): (usize, usize, usize) = (next(), next(), next());
        dark[y * side + x..y * side + x + length].fill(true);
    }
    let shade = |x: usize, y: usize| if dark[y / 4 * side + x / 4] { 0 } else { 255 };
    let mut image = rqrr::PreparedImage::prepare_from_greyscale(side * 4, side * 4, shade);
    let grids = image.detect_grids();
    assert_eq!(grids.len(), 1);
    grids[0].decode().expect("it can be read").1
}

#[test]
fn an_invitation_can_be_copied_shared_and_scanned() {
    let page = page("hosting");
    // One for the link of the table; the reader's own link has none.
    assert_eq!(page.count("svg.qr"), 1);
    assert!(page.contains(r#"aria-label="QR code of the link""#));
    assert_eq!(decode_qr_code(&page), LINK);
    for (button, times) in [
        (
            "button.btn.scripted[type=button][data-of=link][data-done=Copied]",
            1,
        ),
        (
            "button.btn.sharing[type=button][data-of=link][data-share]",
            1,
        ),
        ("[data-of=back-0]", 2),
    ] {
        assert_eq!(page.count(button), times, "{button}");
    }
}

#[test]
fn long_links_have_a_code_and_too_long_ones_have_none() {
    let link = format!(
        "https://{}.example/join/AAAAAAAAAAAAAAAAAAAAAA",
        "a".repeat(200)
    );
    let found = decode_qr_code(&Page(qr(&link, "a \"seat\"").into_string()));
    assert_eq!(found, link);
    assert_eq!(qr(&"a".repeat(4_000), "").into_string(), "");
}
