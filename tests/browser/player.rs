//! Somebody who plays: looks at the page, decides, and uses the mouse or the keyboard.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use fantoccini::key::Key;
use serde::Deserialize;

use crate::harness::BrowserSession;

/// A whole game takes no longer.
const GAME_TIMEOUT: Duration = Duration::from_secs(400);

/// How the sentence begins that refuses the second press of two.
const TOO_SOON: &str = "That came right after your last move";

/// After this time without an answer somebody clicks again.
const CLICK_TIMEOUT: Duration = Duration::from_secs(5);

/// So many sources are looked at for a ply.
const MAX_SOURCES: usize = 4;

/// What a player sees.
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
    /// What others have played is being shown.
    pub(crate) playing: bool,
    pub(crate) sources: Vec<HexState>,
    pub(crate) chosen: Option<HexState>,
    pub(crate) targets: Vec<HexState>,
    pub(crate) confirm: bool,
    pub(crate) pass: bool,
    pub(crate) notice: Option<String>,
    /// The hex that has the focus, `button`, or nothing.
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
    /// Everything but the focus: what a move changes.
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

    fn link(&self, id: &str) -> Option<&HexState> {
        let all = self.sources.iter().chain(&self.chosen).chain(&self.targets);
        all.into_iter().find(|hex| hex.id == id)
    }
}

/// With what somebody plays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum InputDevice {
    Mouse,
    Keyboard,
}

pub(crate) struct Player<'a> {
    pub(crate) world: &'a BrowserSession,
    pub(crate) hand: InputDevice,
    /// Own attacks.
    pub(crate) attacks: u32,
    /// Own ends of turns.
    pub(crate) passes: u32,
}

/// Where a hex takes the mouse: the middle of its tile, whatever stands before it.
pub(crate) fn tile_selector(hex: &str) -> String {
    format!(".tops [data-marks$='{hex}'], .board.flat #{hex} .inlay text")
}

impl<'a> Player<'a> {
    pub(crate) fn new(world: &'a BrowserSession, hand: InputDevice) -> Self {
        Player {
            world,
            hand,
            attacks: 0,
            passes: 0,
        }
    }

    pub(crate) async fn read_page(&self) -> PageState {
        let seen = self.world.wait_for(READ_PAGE, "a page").await;
        serde_json::from_value(seen).expect("the page says what was asked")
    }

    /// Waits until the board is another than the one seen.
    async fn wait_for_change(&self, seen: &PageState) -> PageState {
        let changed = self
            .wait_for_change_within(seen, crate::harness::TIMEOUT)
            .await;
        changed.unwrap_or_else(|| panic!("nothing changes any more after {seen:?}"))
    }

    async fn wait_for_change_within(
        &self,
        seen: &PageState,
        patience: Duration,
    ) -> Option<PageState> {
        let until = Instant::now() + patience;
        loop {
            let now = self.read_page().await;
            if !now.same_board(seen) {
                return Some(now);
            }
            if Instant::now() >= until {
                return None;
            }
            tokio::time::sleep(crate::harness::POLL_INTERVAL).await;
        }
    }

    /// Plays until the page of the winner is there, or `enough` says so.
    pub(crate) async fn play_until(&mut self, enough: impl Fn(&PageState) -> bool) -> PageState {
        let until = Instant::now() + GAME_TIMEOUT;
        let (mut tried, mut ply) = (HashSet::new(), -1);
        let mut seen = self.read_page().await;
        loop {
            assert!(Instant::now() < until, "the game does not end: {seen:?}");
            // No hand is as quick as this one: what came too soon is pressed again, on the page as it is.
            if seen
                .notice
                .as_deref()
                .is_some_and(|said| said.starts_with(TOO_SOON))
            {
                let game = seen.at.trim_end_matches("/moves").to_owned();
                self.world.goto(&game).await;
                seen = self.read_page().await;
                continue;
            }
            assert_eq!(
                seen.notice, None,
                "nothing is refused to somebody who follows the page"
            );
            if seen.over || enough(&seen) {
                return seen;
            }
            if seen.ply != ply {
                (tried, ply) = (HashSet::new(), seen.ply);
            }
            if !seen.can_act() {
                seen = self.wait_for_change(&seen).await;
                continue;
            }
            // Who cannot end the turn yet takes the best there is, whatever the odds.
            let must = !seen.pass && tried.len() >= MAX_SOURCES.min(seen.sources.len());
            let fresh = |hex: &&HexState| !tried.contains(&hex.id);
            seen = if seen.confirm {
                self.confirm(&seen).await
            } else if let Some(source) = seen.chosen.clone() {
                let best = seen
                    .targets
                    .iter()
                    .max_by_key(|hex| hex.odds)
                    .expect("a source has targets");
                if best.odds >= 50 || must {
                    let best = best.id.clone();
                    self.attack(&seen, &best).await
                } else {
                    tried.insert(source.id);
                    self.cancel_choice(&seen).await
                }
            } else if let Some(source) = seen
                .sources
                .iter()
                .filter(|hex| must || tried.len() < MAX_SOURCES && fresh(hex))
                .max_by_key(|hex| hex.dice)
            {
                let source = source.id.clone();
                self.choose_hex(&seen, &source).await
            } else {
                self.end_turn(&seen).await
            };
        }
    }

    /// Takes a hex's link in the middle of its tile, whatever stands before it.
    pub(crate) async fn choose_hex(&self, seen: &PageState, hex: &str) -> PageState {
        match self.hand {
            InputDevice::Mouse => {
                let place = tile_selector(hex);
                self.world.try_click(&place).await;
                // A click may fall on a picture that is being replaced: who sees nothing clicks again.
                if let Some(now) = self.wait_for_change_within(seen, CLICK_TIMEOUT).await {
                    return now;
                }
                self.world.try_click(&place).await;
            }
            InputDevice::Keyboard => {
                self.move_focus_to(hex).await;
                self.world.press_keys([Key::Enter.into()]).await;
            }
        }
        self.wait_for_change(seen).await
    }

    async fn attack(&mut self, seen: &PageState, target: &str) -> PageState {
        let now = self.choose_hex(seen, target).await;
        if !now.confirm {
            self.attacks += 1;
            self.check_focus(&now);
        }
        now
    }

    async fn confirm(&mut self, seen: &PageState) -> PageState {
        self.attacks += 1;
        self.world.try_click(".acts button").await;
        self.wait_for_change(seen).await
    }

    /// Puts the dice back.
    pub(crate) async fn cancel_choice(&self, seen: &PageState) -> PageState {
        match self.hand {
            InputDevice::Mouse => drop(self.world.try_click("[data-back]").await),
            InputDevice::Keyboard => self.world.press_keys([Key::Escape.into()]).await,
        }
        let now = self.wait_for_change(seen).await;
        assert_eq!(now.chosen, None, "the dice are put back");
        self.check_focus(&now);
        now
    }

    async fn end_turn(&mut self, seen: &PageState) -> PageState {
        self.passes += 1;
        match self.hand {
            InputDevice::Mouse => drop(self.world.try_click("form[data-key=e] button").await),
            InputDevice::Keyboard => self.world.press_keys(['e']).await,
        }
        let mut now = self.wait_for_change(seen).await;
        while !now.over && !now.can_act() {
            now = self.wait_for_change(&now).await;
        }
        self.check_focus(&now);
        now
    }

    /// Who plays with keys is never thrown back to the top of the page.
    fn check_focus(&self, now: &PageState) {
        if self.hand == InputDevice::Keyboard && now.can_act() {
            let links = now.sources.len() + now.targets.len();
            let held = if links > 0 {
                now.focus.starts_with('h')
            } else {
                now.focus == "button"
            };
            assert!(held, "the focus is lost: {now:?}");
        }
    }

    /// Tabs to the board, then arrows to the hex; where the arrows do not lead there, page keys do.
    async fn move_focus_to(&self, hex: &str) {
        let mut been = HashSet::new();
        for step in 0..200 {
            let seen = self.read_page().await;
            if seen.focus == hex {
                return;
            }
            let goal = seen
                .link(hex)
                .unwrap_or_else(|| panic!("{hex} is no link: {seen:?}"));
            let key = match seen.link(&seen.focus) {
                Some(at) if step < 20 && been.insert(at.id.clone()) => {
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
            self.world.press_keys([key.into()]).await;
        }
        panic!("no keys lead to {hex}");
    }
}
