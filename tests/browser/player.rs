//! A simulated player of Dice of Doom, who reads the page, decides, and uses the mouse or the keyboard.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use fantoccini::key::Key;
use serde::Deserialize;

use crate::harness::{BrowserSession, TIMEOUT};

/// The longest duration of a game.
const GAME_TIMEOUT: Duration = Duration::from_secs(400);

/// The beginning of the message that rejects a second click as accidental.
const TOO_SOON: &str = "That came right after your last move";

/// The time after which a click without effect is repeated.
const CLICK_TIMEOUT: Duration = Duration::from_secs(5);

/// The maximum number of sources to try for a ply.
const MAX_SOURCES: usize = 4;

/// A script that returns the state of the page as a [`PageState`].
const READ_PAGE: &str = r#"
    const main = document.getElementById("main");
    if (!main || document.readyState !== "complete") return null;
    const hexes = (css) => [...main.querySelectorAll(css)].map((hex) => ({
        id: hex.id,
        x: +hex.dataset.x, y: +hex.dataset.y,
        dice: +hex.querySelector(".inlay text").textContent,
        odds: +(hex.getAttribute("aria-label").match(/(\d+)%/)?.[1] ?? 100),
    }));
    return {
        at: location.pathname + location.search,
        ply: +(main.dataset.ply ?? -1),
        over: Boolean(main.querySelector(".res")),
        playing: main.matches(".playing"),
        sources: hexes("a.can"),
        chosen: hexes("a.src")[0] ?? null,
        targets: hexes("a.tgt"),
        confirm: Boolean(main.querySelector(".acts input[name=to]")),
        pass: Boolean(main.querySelector("form[data-key=e]")),
        notice: main.querySelector(".notice")?.textContent ?? null,
        focus: document.activeElement.closest?.("a.hex")?.id
            ?? (document.activeElement.matches?.(".acts button") ? "button" : ""),
    };"#;

#[derive(Clone, PartialEq, Debug, Deserialize)]
pub(crate) struct PageState {
    pub(crate) at: String,
    pub(crate) ply: i64,
    pub(crate) over: bool,
    /// Whether the page is showing the plies of others.
    pub(crate) playing: bool,
    pub(crate) sources: Vec<HexState>,
    pub(crate) chosen: Option<HexState>,
    pub(crate) targets: Vec<HexState>,
    pub(crate) confirm: bool,
    pub(crate) pass: bool,
    pub(crate) notice: Option<String>,
    /// The ID of the hex that has the focus, `button`, or empty.
    pub(crate) focus: String,
}

#[derive(Clone, PartialEq, Debug, Deserialize)]
pub(crate) struct HexState {
    pub(crate) id: String,
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) dice: u8,
    pub(crate) odds: u8,
}

impl PageState {
    /// Compares everything but the focus.
    fn same_board(&self, other: &PageState) -> bool {
        let PageState { focus: _, .. } = self;
        PageState {
            focus: String::new(),
            ..self.clone()
        } == PageState {
            focus: String::new(),
            ..other.clone()
        }
    }

    fn can_act(&self) -> bool {
        let something =
            self.pass || self.confirm || self.chosen.is_some() || !self.sources.is_empty();
        something && !self.playing
    }

    fn linked_hex(&self, id: &str) -> Option<&HexState> {
        let all = self.sources.iter().chain(&self.chosen).chain(&self.targets);
        all.into_iter().find(|hex| hex.id == id)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum InputDevice {
    Mouse,
    Keyboard,
}

pub(crate) struct Player<'a> {
    pub(crate) browser: &'a BrowserSession,
    pub(crate) device: InputDevice,
    /// The number of attacks that this player has made.
    pub(crate) attacks: u32,
    /// The number of turns that this player has ended.
    pub(crate) passes: u32,
}

/// A CSS selector for the element of a hex to click on: the middle of its tile, even if a pile covers it.
pub(crate) fn tile_selector(hex: &str) -> String {
    format!(".tops [data-marks$='{hex}'], .board.flat #{hex} .inlay text")
}

impl<'a> Player<'a> {
    pub(crate) fn new(browser: &'a BrowserSession, device: InputDevice) -> Self {
        Player {
            browser,
            device,
            attacks: 0,
            passes: 0,
        }
    }

    pub(crate) async fn read_page(&self) -> PageState {
        let state = self.browser.wait_for(READ_PAGE, "a page").await;
        serde_json::from_value(state).expect("the state of the page")
    }

    /// Waits until the page differs from the given state.
    async fn wait_for_change(&self, state: &PageState) -> PageState {
        let changed = self
            .wait_for_change_within(state, crate::harness::TIMEOUT)
            .await;
        changed.unwrap_or_else(|| panic!("the page does not change after {state:?}"))
    }

    async fn wait_for_change_within(
        &self,
        state: &PageState,
        timeout: Duration,
    ) -> Option<PageState> {
        let until = Instant::now() + timeout;
        loop {
            let now = self.read_page().await;
            if !now.same_board(state) {
                return Some(now);
            }
            if Instant::now() >= until {
                return None;
            }
            tokio::time::sleep(crate::harness::POLL_INTERVAL).await;
        }
    }

    /// Plays until the game is over or `enough` returns true.
    pub(crate) async fn play_until(&mut self, enough: impl Fn(&PageState) -> bool) -> PageState {
        let until = Instant::now() + GAME_TIMEOUT;
        let (mut tried, mut ply) = (HashSet::new(), -1);
        let mut state = self.read_page().await;
        loop {
            assert!(Instant::now() < until, "the game does not end: {state:?}");
            // The test clicks faster than a person: a click that was rejected as too soon is repeated.
            if state
                .notice
                .as_deref()
                .is_some_and(|said| said.starts_with(TOO_SOON))
            {
                let game = state.at.trim_end_matches("/moves").to_owned();
                self.browser.goto(&game).await;
                state = self.read_page().await;
                continue;
            }
            assert_eq!(
                state.notice, None,
                "an action that the page offers was rejected"
            );
            if state.over || enough(&state) {
                return state;
            }
            if state.ply != ply {
                (tried, ply) = (HashSet::new(), state.ply);
            }
            if !state.can_act() {
                state = self.wait_for_change(&state).await;
                continue;
            }
            // If the turn cannot be ended yet, the best attack is made regardless of its odds.
            let must_attack = !state.pass && tried.len() >= MAX_SOURCES.min(state.sources.len());
            let fresh = |hex: &&HexState| !tried.contains(&hex.id);
            state = if state.confirm {
                self.confirm(&state).await
            } else if let Some(source) = state.chosen.clone() {
                let best = state
                    .targets
                    .iter()
                    .max_by_key(|hex| hex.odds)
                    .expect("a source has targets");
                if best.odds >= 50 || must_attack {
                    let best = best.id.clone();
                    self.attack(&state, &best).await
                } else {
                    tried.insert(source.id);
                    self.cancel_choice(&state).await
                }
            } else if let Some(source) = state
                .sources
                .iter()
                .filter(|hex| must_attack || tried.len() < MAX_SOURCES && fresh(hex))
                .max_by_key(|hex| hex.dice)
            {
                let source = source.id.clone();
                self.choose_hex(&state, &source).await
            } else {
                self.end_turn(&state).await
            };
        }
    }

    /// Resigns at this player's next turn: during other turns a page without scripts reloads itself, which closes the
    /// question whether to resign.
    pub(crate) async fn resign(&mut self) {
        self.play_until(|state| state.chosen.is_none() && !state.sources.is_empty())
            .await;
        self.confirm_resignation().await;
        self.browser
            .wait_for("return document.querySelector('.res') !== null", "the end")
            .await;
    }

    /// Opens the question whether to resign, which closes when the page is replaced, and answers it.
    pub(crate) async fn confirm_resignation(&self) {
        let until = Instant::now() + TIMEOUT;
        while !self.browser.try_click(".resign[open] button").await {
            assert!(Instant::now() < until, "the game cannot be resigned");
            for closed in ["#more:not([open]) > summary", ".resign:not([open]) summary"] {
                self.browser.try_click(closed).await;
            }
        }
    }

    /// Chooses a hex by its link.
    pub(crate) async fn choose_hex(&self, state: &PageState, hex: &str) -> PageState {
        match self.device {
            InputDevice::Mouse => {
                let place = tile_selector(hex);
                self.browser.try_click(&place).await;
                // A click may be lost while the board is being replaced, so it is repeated if nothing changes.
                if let Some(now) = self.wait_for_change_within(state, CLICK_TIMEOUT).await {
                    return now;
                }
                self.browser.try_click(&place).await;
            }
            InputDevice::Keyboard => {
                self.move_focus_to(hex).await;
                self.browser.press_keys([Key::Enter.into()]).await;
            }
        }
        self.wait_for_change(state).await
    }

    async fn attack(&mut self, state: &PageState, target: &str) -> PageState {
        let now = self.choose_hex(state, target).await;
        if !now.confirm {
            self.attacks += 1;
            self.check_focus(&now);
        }
        now
    }

    async fn confirm(&mut self, state: &PageState) -> PageState {
        self.attacks += 1;
        self.browser.try_click(".acts button").await;
        self.wait_for_change(state).await
    }

    /// Cancels the choice of a source.
    pub(crate) async fn cancel_choice(&self, state: &PageState) -> PageState {
        match self.device {
            InputDevice::Mouse => drop(self.browser.try_click("[data-back]").await),
            InputDevice::Keyboard => self.browser.press_keys([Key::Escape.into()]).await,
        }
        let now = self.wait_for_change(state).await;
        assert_eq!(now.chosen, None, "the choice is cancelled");
        self.check_focus(&now);
        now
    }

    async fn end_turn(&mut self, state: &PageState) -> PageState {
        self.passes += 1;
        match self.device {
            InputDevice::Mouse => drop(self.browser.try_click("form[data-key=e] button").await),
            InputDevice::Keyboard => self.browser.press_keys(['e']).await,
        }
        let mut now = self.wait_for_change(state).await;
        while !now.over && !now.can_act() {
            now = self.wait_for_change(&now).await;
        }
        self.check_focus(&now);
        now
    }

    /// Checks that a keyboard player has not lost the focus.
    fn check_focus(&self, now: &PageState) {
        if self.device == InputDevice::Keyboard && now.can_act() {
            let links = now.sources.len() + now.targets.len();
            let held = if links > 0 {
                now.focus.starts_with('h')
            } else {
                now.focus == "button"
            };
            assert!(held, "the focus is lost: {now:?}");
        }
    }

    /// Moves the focus to the board with Tab, then to the hex with arrow keys, or with Page Down if those fail.
    async fn move_focus_to(&self, hex: &str) {
        let mut visited = HashSet::new();
        for step in 0..200 {
            let state = self.read_page().await;
            if state.focus == hex {
                return;
            }
            let goal = state
                .linked_hex(hex)
                .unwrap_or_else(|| panic!("{hex} is no link: {state:?}"));
            let key = match state.linked_hex(&state.focus) {
                Some(at) if step < 20 && visited.insert(at.id.clone()) => {
                    let (dx, dy) = (goal.x - at.x, (goal.y - at.y) * 1.73);
                    match (dx.abs() > dy.abs(), dx > 0.0, dy > 0.0) {
                        (true, true, _) => Key::Right,
                        (true, false, _) => Key::Left,
                        (false, _, true) => Key::Down,
                        (false, _, false) => Key::Up,
                    }
                }
                Some(_) => Key::PageDown,
                None => Key::Tab,
            };
            self.browser.press_keys([key.into()]).await;
        }
        panic!("no keys lead to {hex}");
    }
}
