//! Two people at an open table with a clock: one browser with scripts, and one without.

use crate::harness::{BrowserSession, Motion, Scripts, Server};

#[tokio::test]
pub(crate) async fn an_open_table_is_joined_its_clock_runs_and_a_phrase_is_seen() {
    let server = Server::start("127.0.0.1:0", "memory:");
    let address = &server.address;
    let host = BrowserSession::open_at(address, Scripts::On, Motion::Reduced).await;
    let guest = BrowserSession::open_at(address, Scripts::Off, Motion::Reduced).await;

    host.goto("/tables").await;
    host.wait_for_element(".tables-none h2").await;
    host.click(".open-table > summary").await;
    let fill = "const form = document.querySelector('.open-table form');
        form.querySelector('[value=trilobite]').checked = true;
        form.querySelector('[name=turn]').value = '30';
        form.querySelector('[name=name]').value = 'Mika'";
    host.run(fill).await;
    host.click(".open-table form .btn").await;
    host.wait_for_element(".lobby-invite a[href$='/tables']")
        .await;
    let game = host.path().await;
    assert!(
        host.text_of("h1")
            .await
            .starts_with("Waiting for a player…")
    );
    host.run("window.sameWindow = true").await;

    // Without scripts: a name, and a press.
    guest.goto("/tables").await;
    guest.click(".table .ask > summary").await;
    let named = "document.querySelector('.table [name=name]').value = 'Ola'";
    guest.run(named).await;
    guest.click(".table .ask form .btn").await;
    guest.wait_for_text("h1", "Mika is here. 2 of 2").await;
    // The host is told on the page, in the title and by the live region, without a reload.
    host.wait_for_text("h1", "Ola is here. 2 of 2").await;
    host.wait_for_text("#say", "Ola is here. 2 of 2. The game starts by itself in")
        .await;
    let title = host.run("return document.title").await;
    let title = title.as_str().expect("a text");
    assert!(title.starts_with("Ola is here. 2 of 2"), "{title}");
    let countdown = "return document.querySelector('.lobby .time')?.textContent ?? null";
    let first = host.wait_for(countdown, "the countdown").await;
    let later = format!("return document.querySelector('.lobby .time')?.textContent !== {first}");
    host.wait_for(&later, "the next second").await;
    // Then the server starts the game; the page without scripts is loaded again by itself.
    guest.wait_for_text(".clock", "left for this turn").await;
    let text = guest.text_of(".clock").await;
    assert!(
        text.contains("left for this turn") && text.contains("the turn ends at "),
        "{text}"
    );
    assert_eq!(guest.path().await, game);

    // With scripts: the host's page has followed, and counts down.
    let seconds = "const [minutes, seconds] = document.querySelector('.clock .time')?.textContent.split(':') ?? [];
        return seconds === undefined ? null : 60 * minutes + Number(seconds)";
    host.wait_for_text(".clock", "left for this turn").await;
    let first = host.wait_for(seconds, "the clock").await;
    let first = first.as_i64().expect("a number");
    assert!((1..=30).contains(&first), "{first}");
    let later = format!(
        "const time = document.querySelector('.clock .time').textContent; return Number(time.split(':')[1]) < {first}"
    );
    host.wait_for(&later, "the next second").await;
    // The countdown does not follow the clock of the reader's machine.
    let set_back = "const now = Date.now; Date.now = () => now() - 3_600_000;
        const shown = document.querySelector('.clock').dataset.shown; return shown";
    let before = host.run(set_back).await;
    let before: i64 = before.as_str().expect("a text").parse().expect("a number");
    let later = format!(
        "const left = Number(document.querySelector('.clock').dataset.shown); return left !== {before} ? left : null"
    );
    let after = host.wait_for(&later, "the second after").await;
    let after = after.as_i64().expect("a number");
    assert!((0..before).contains(&after), "{before} s, then {after} s");

    // A phrase of the guest appears on the host's page, without a reload.
    guest.click("#say-luck").await;
    let bubble = "return document.querySelector('.bubble')?.textContent ?? null";
    assert_eq!(guest.wait_for(bubble, "the own phrase").await, "Good luck");
    assert_eq!(host.wait_for(bubble, "the phrase").await, "Good luck");
    let spoken = "return document.getElementById('say').textContent.includes('Good luck')";
    host.wait_for(spoken, "the spoken phrase").await;
    host.click("#say-thanks").await;
    let said = "return document.querySelector('.said li')?.textContent.includes('Thanks') ?? false";
    host.wait_for(said, "the host's phrase").await;
    assert!(host.is_true("window.sameWindow").await);
    guest.goto(&game).await;
    guest.wait_for(said, "the host's phrase").await;
    assert_eq!(host.console_errors().await, Vec::<String>::new());
}

/// The page of a player whose seat the host frees says so by itself, also where the player may no longer see the game.
#[tokio::test]
pub(crate) async fn a_player_whose_seat_was_freed_is_told_without_reloading() {
    let server = Server::start("127.0.0.1:0", "memory:");
    let address = &server.address;
    let [host, guest] = [
        BrowserSession::open_at(address, Scripts::On, Motion::Reduced).await,
        BrowserSession::open_at(address, Scripts::On, Motion::Reduced).await,
    ];
    for (privacy, told) in [
        ("", "The host of this game has freed your seat"),
        ("1", "The host of this private game has freed your seat"),
    ] {
        host.goto("/").await;
        let create = "const form = document.createElement('form');
            form.method = 'post';
            form.action = '/games';
            const fields = [['seats', 'human'], ['seats', 'open'], ['private', arguments[0]]];
            for (const [name, value] of fields) {
                const input = document.createElement('input');
                [input.name, input.value] = [name, value];
                form.append(input);
            }
            document.body.append(form);
            form.submit()";
        host.run_script(create, vec![privacy.into()]).await;
        guest
            .goto(&crate::shared_game::join_path(&host).await)
            .await;
        guest.click(".join form .btn").await;
        guest.wait_for_element("main[data-game] details.own").await;
        let unmoved = "const free = document.querySelector('[name=do][value=free]');
            if (free) free.closest('details').open = true;
            return free !== null";
        host.wait_for(unmoved, "the button of the host").await;
        host.click("form:has(> [value=free]) .btn").await;
        guest.wait_for_text("main", told).await;
    }
}

/// From the open tables to the first ply: the presses of both, without scripts at either.
#[tokio::test]
pub(crate) async fn two_people_without_scripts_play_the_first_ply() {
    let server = Server::start("127.0.0.1:0", "memory:");
    let address = &server.address;
    let [host, guest] = [
        BrowserSession::open_at(address, Scripts::Off, Motion::Reduced).await,
        BrowserSession::open_at(address, Scripts::Off, Motion::Reduced).await,
    ];
    host.goto("/tables").await;
    host.click(".open-table > summary").await;
    host.run("document.querySelector('.open-table [name=name]').value = 'Mika'")
        .await;
    host.click(".open-table form .btn").await;
    host.wait_for_text("h1", "Waiting for a player… 1 of 2")
        .await;
    let game = host.path().await;
    assert_eq!(host.count_elements(".lobby-people li").await, 4);

    guest
        .goto(&crate::shared_game::join_path(&host).await)
        .await;
    guest
        .run("document.querySelector('.join [name=name]').value = 'Ola'")
        .await;
    guest.click(".join form .btn").await;
    guest.wait_for_text("h1", "Mika is here. 2 of 2").await;
    host.goto(&game).await;
    host.wait_for_text("h1", "Ola is here. 2 of 2").await;
    host.click("[name=do][value=start]").await;
    host.wait_for_element(".board a.can").await;
    host.wait_for_text(".log", "Ola has joined.").await;
    guest.wait_for_text(".log", "You have joined.").await;
    let source = "return document.querySelector('.board a.can').getAttribute('href')";
    let source = host.run(source).await;
    host.goto(source.as_str().expect("a link")).await;
    host.wait_for_element(".board a.tgt").await;
    let target = "return document.querySelector('.board a.tgt').getAttribute('href')";
    let target = host.run(target).await;
    host.goto(target.as_str().expect("a link")).await;
    host.click(".acts form .btn").await;
    crate::shared_game::wait_for_ply(&host, 1).await;
}
