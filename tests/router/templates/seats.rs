//! Human seats: links that open a seat, their QR codes, and options for inactive players.

use dice_of_doom::templates::qr::qr;

use crate::common::{Page, assert_contains};
use crate::templates::samples::pages::page;
use crate::templates::samples::seats::LINK;

#[test]
fn the_host_sees_links_and_their_options() {
    let page = page("hosting");
    assert!(page.contains("Blue’s seat is open"));
    assert!(page.seat_links().contains(&LINK.to_owned()));
    assert!(page.contains("Withdraw the link and make a new one"));
    assert!(page.contains("Make a link"));
    assert_contains(&page, &["open seat", "Yes, resign; that ends the game"]);
    // The seat to move is expanded, the other one is not.
    assert_eq!(page.count("details.seat[open]"), 1);
    assert!(!page.contains("Let a computer play for"));
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
    // One for the open seat with a link; the reader's own link has none.
    assert_eq!(page.count("svg.qr"), 1);
    assert!(page.contains(r#"aria-label="QR code of the link to Blue’s seat""#));
    assert_eq!(decode_qr_code(&page), LINK);
    for (button, times) in [
        (
            "button.btn.scripted[type=button][data-of=link-1][data-done=Copied]",
            1,
        ),
        (
            "button.btn.sharing[type=button][data-of=link-1][data-share]",
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
