//! The page of one game's dice, `/g/{id}/dice`: the result, four verification steps, what the method cannot
//! prove, the rolls, and the face counts; and the link on the game page that leads to it.

use maud::{Markup, html};

use super::localization::Translations;
use super::page::{Refresh, SiteContext, page, sheet, titled};
use super::players::{PlayerNames, PlayerView};
use super::svg_symbols::glyph_icon;

mod face_counts;
mod rolls;
mod server;

pub use face_counts::FaceCountsView;
pub use rolls::{RollRow, SideView};
pub use server::{AttackOddsView, GameDiceView, ServerDiceView, all_dice_page};

/// View of the dice of one game.
#[derive(Clone, Debug)]
pub struct DiceAuditView {
    /// Public id of the game.
    pub id: String,
    /// The players, for their names.
    pub players: Vec<PlayerView>,
    /// Whether the game is an uploaded record.
    pub uploaded: bool,
    /// State of the game and result of the verification.
    pub state: DiceAuditState,
    /// The commitment, 64 hexadecimal digits, if the game has one.
    pub commitment: Option<String>,
    /// The entropy text that players added, oldest first.
    pub entropy: Vec<AddedEntropyView>,
    /// Whether and how the viewer can add entropy text.
    pub entropy_form: EntropyFormView,
    /// Message key of the reason why entropy text was rejected.
    pub problem: Option<&'static str>,
    /// Every roll, oldest first.
    pub rolls: Vec<RollRow>,
    /// Whether all rolls are shown, or only the first ones.
    pub shows_all_rolls: bool,
    /// Face counts of the game.
    pub faces: FaceCountsView,
}

/// State of a game and result of the verification.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DiceAuditState {
    /// The game has no commitment.
    Unsealed,
    /// The game is in progress.
    Running,
    /// The game is over, the seed is revealed and the rolls were verified.
    Opened {
        /// 64 hexadecimal digits.
        seed: String,
        /// 64 hexadecimal digits.
        salt: String,
        /// The HMAC message of the first roll and the number of its entry; `None` without rolls.
        message: Option<(u32, String)>,
        /// The first entry whose roll does not match the seed.
        wrong: Option<u32>,
    },
}

/// Entropy text that a player added.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AddedEntropyView {
    /// Number of its entry, counted from 0.
    pub entry: u32,
    /// The player who added it.
    pub player: u8,
    /// Whether it goes into the dice: neither a hash that commits to later text nor a refusal to add any.
    pub is_revealed: bool,
    /// The text.
    pub words: String,
}

/// Whether and how the viewer can add entropy text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EntropyFormView {
    /// Not possible: the game is over, or its dice take no entropy text.
    Closed,
    /// Not possible: the viewer has no seat.
    NoSeat,
    /// Not possible, for the reason with this message key.
    Refused(&'static str),
    /// Possible.
    Open {
        /// Number of the next entry.
        next: u32,
        /// The rules that apply.
        terms: EntropyTerms,
    },
}

/// The rules for adding entropy text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EntropyTerms {
    /// At any time, up to this number of further times: in games of earlier releases.
    Repeated(u32),
    /// Once, before the first roll: no other player can add any.
    Once,
    /// First the SHA-256 of the text, or none, because other players may add text, too.
    CommitFirst,
    /// The text whose hash was added before.
    Reveal,
}

/// Renders the page `/g/{id}/dice`.
#[must_use]
pub fn fair_page(site: &SiteContext<'_>, text: &Translations, view: &DiceAuditView) -> Markup {
    let names = PlayerNames::new(text, &view.players);
    let main = html! {
        main #main.fair-p data-plain {
            (sheet(site, "fair.css"))
            div.fair {
                (head(text, view))
                @if view.state == DiceAuditState::Unsealed { (unsealed(text, view, &names)) }
                @else { (sealed(text, view, &names)) }
            }
            @if let DiceAuditState::Opened { .. } = view.state {
                script type="module" src=(site.assets.url("fair.js")) {}
            }
        }
    };
    page(
        site,
        text,
        &titled(text, &text.say("fair-title")),
        &Refresh::Never,
        main,
    )
}

/// The link next to the board that leads to the page.
pub(super) fn dice_link(
    text: &Translations,
    id: &str,
    commitment: Option<&str>,
    is_over: bool,
) -> Markup {
    html! {
        @if is_over && commitment.is_some() {
            a href={ "/g/" (id) "/dice" } { (text.say("fair-check")) }
        } @else if let Some(short) = commitment.and_then(|commitment| commitment.get(..4)) {
            a href={ "/g/" (id) "/dice" } title=(text.say("fair-line-help")) { (text.say_with("fair-line", &[("short", short.into())])) }
        }
    }
}

fn head(text: &Translations, view: &DiceAuditView) -> Markup {
    let id = view.id.as_str();
    let rolls = view.rolls.len() as u32;
    let (class, title, lead) = match &view.state {
        DiceAuditState::Unsealed if view.uploaded => {
            ("still", text.say("fair-head-old"), "fair-lead-uploaded-old")
        }
        DiceAuditState::Unsealed => ("still", text.say("fair-head-old"), "fair-lead-old"),
        DiceAuditState::Running => ("still", text.say("fair-head-running"), "fair-lead-running"),
        DiceAuditState::Opened { wrong: Some(_), .. } => {
            ("bad", text.say("fair-head-bad"), "fair-lead-bad")
        }
        DiceAuditState::Opened { .. } => {
            let title = text.say_with("fair-head-good", &[("rolls", rolls.into())]);
            let lead = if view.uploaded {
                "fair-lead-uploaded"
            } else if view.covered() {
                "fair-lead-good"
            } else {
                "fair-lead-alone"
            };
            ("good", title, lead)
        }
    };
    let mut values = vec![("id", id.into())];
    if let DiceAuditState::Opened {
        wrong: Some(entry), ..
    } = view.state
    {
        values.push(("entry", entry.into()));
    }
    html! {
        div.head {
            svg class={ "sealed " (class) } viewBox="0 0 76 76" aria-hidden="true" {
                circle cx="38" cy="38" r="36" {}
                @match class {
                    "good" => { path d="M22 39.5 33.5 51 55 27" {} }
                    "bad" => { path d="M26 26 50 50M50 26 26 50" {} }
                    _ => { path d="M28 35v-6a10 10 0 0 1 20 0v6M24 35h28v19h-28Z" {} }
                }
            }
            div {
                h1 { (title) }
                p.lead { (text.say_with(lead, &values)) }
                p.links { a href={ "/g/" (id) } { (text.say("fair-back")) } }
            }
        }
    }
}

impl DiceAuditView {
    /// Whether entropy text was added before the first roll, so that the seed could not have been searched
    /// for favourable rolls.
    fn covered(&self) -> bool {
        match (self.first_words(), self.rolls.first()) {
            (Some(added), Some(roll)) => added.entry < roll.entry,
            (_, None) => true,
            (None, Some(_)) => false,
        }
    }

    /// The first text that goes into the dice.
    fn first_words(&self) -> Option<&AddedEntropyView> {
        self.entropy.iter().find(|added| added.is_revealed)
    }
}

fn unsealed(text: &Translations, view: &DiceAuditView, names: &PlayerNames<'_>) -> Markup {
    html! {
        div.p-gap { (rolls::panel(text, view, names)) }
        div.p-gap { (face_counts::panel(text, &view.faces)) }
    }
}

fn sealed(text: &Translations, view: &DiceAuditView, names: &PlayerNames<'_>) -> Markup {
    html! {
        section.panel.how {
            header {
                h2 { (text.say("fair-how")) }
                @if let DiceAuditState::Opened { .. } = view.state { small { (text.say("fair-checked")) } }
            }
            ol.steps {
                (seal(text, view))
                (entropy_step(text, view, names))
                (rolls_step(text, view))
                (reveal_step(text, view))
            }
            (browser_messages(text, view))
            (limitations(text, view))
        }
        div.p-gap {
            (entropy_panel(text, view))
            (offline_verification(text, view))
            (rolls::panel(text, view, names))
            (face_counts::panel(text, &view.faces))
        }
    }
}

/// Result of a verification step.
enum CheckResult {
    Good(String),
    Bad(String),
    Later(String),
}

fn step(number: u8, title: &str, finding: &CheckResult, why: &str, hash: &Markup) -> Markup {
    let (class, mark, found) = match finding {
        CheckResult::Good(found) => ("okay", "✓ ", found),
        CheckResult::Bad(found) => ("okay wrong", "✗ ", found),
        CheckResult::Later(found) => ("okay later", "", found),
    };
    html! {
        li {
            span.no aria-hidden="true" { (number) }
            div {
                h3 { (title) span class=(class) { (mark) (found) } }
                p { (why) }
                (hash)
            }
        }
    }
}

fn is_open(view: &DiceAuditView) -> bool {
    matches!(view.state, DiceAuditState::Opened { .. })
}

fn seal(text: &Translations, view: &DiceAuditView) -> Markup {
    let finding = if is_open(view) {
        CheckResult::Good(text.say("fair-sealed-ok").into_owned())
    } else {
        CheckResult::Later(text.say("fair-sealed-now").into_owned())
    };
    let commitment = view.commitment.as_deref().unwrap_or_default();
    let hash = html! { dl.hash { dt { (text.say("fair-commitment")) } dd { (commitment) } } };
    let (title, why) = match view.uploaded {
        true => ("fair-sealed-uploaded", "fair-sealed-uploaded-why"),
        false => ("fair-sealed", "fair-sealed-why"),
    };
    step(1, &text.say(title), &finding, &text.say(why), &hash)
}

fn entropy_step(text: &Translations, view: &DiceAuditView, names: &PlayerNames<'_>) -> Markup {
    let Some(first) = view.first_words() else {
        let key = if is_open(view) {
            "fair-none-ok"
        } else {
            "fair-none-now"
        };
        let finding = CheckResult::Later(text.say(key).into_owned());
        let why = text.say("fair-none-why");
        return step(2, &text.say("fair-none"), &finding, &why, &html! {});
    };
    let from = [("entry", (first.entry + 1).into())];
    let finding = CheckResult::Good(text.say_with("fair-added-from", &from).into_owned());
    let hash = html! {
        dl.hash.words {
            @for added in &view.entropy {
                dt {
                    (glyph_icon(added.player))
                    (text.say_with(if added.is_revealed { "fair-added-words" } else { "fair-added-fixed" }, &[("who", names.name(added.player).into()), ("entry", added.entry.into())]))
                }
                dd { (added.words) }
            }
        }
    };
    let why = text.say("fair-added-why");
    step(2, &text.say("fair-added"), &finding, &why, &hash)
}

fn rolls_step(text: &Translations, view: &DiceAuditView) -> Markup {
    let all = view.rolls.len() as u32;
    let good = view
        .rolls
        .iter()
        .filter(|roll| roll.agrees == Some(true))
        .count() as u32;
    let counts = [("good", good.into()), ("all", all.into())];
    let (finding, message) = match &view.state {
        DiceAuditState::Opened {
            wrong: Some(_),
            message,
            ..
        } => {
            let found = text.say_with("fair-follows-bad", &counts);
            (CheckResult::Bad(found.into_owned()), message.as_ref())
        }
        DiceAuditState::Opened { message, .. } => {
            let found = text.say_with("fair-follows-ok", &counts);
            (CheckResult::Good(found.into_owned()), message.as_ref())
        }
        DiceAuditState::Running | DiceAuditState::Unsealed => (
            CheckResult::Later(text.say("fair-follows-now").into_owned()),
            None,
        ),
    };
    let hash = html! {
        @if let Some((entry, message)) = message {
            dl.hash {
                dt { (text.say_with("fair-message", &[("entry", (*entry).into())])) }
                dd.lines { (message.trim_end()) }
            }
        }
    };
    let why = text.say("fair-follows-why");
    step(3, &text.say("fair-follows"), &finding, &why, &hash)
}

fn reveal_step(text: &Translations, view: &DiceAuditView) -> Markup {
    let why = text.say("fair-opened-why");
    let title = text.say("fair-opened");
    match &view.state {
        DiceAuditState::Opened { seed, salt, .. } => {
            let finding = CheckResult::Good(text.say("fair-opened-ok").into_owned());
            let hash = html! {
                dl.hash {
                    dt { (text.say("fair-seed")) } dd { (seed) }
                    dt { (text.say("fair-salt")) } dd { (salt) }
                }
            };
            step(4, &title, &finding, &why, &hash)
        }
        DiceAuditState::Running | DiceAuditState::Unsealed => {
            let finding = CheckResult::Later(text.say("fair-opened-now").into_owned());
            step(4, &title, &finding, &why, &html! {})
        }
    }
}

/// The messages of `fair.js`, which verifies the record in the browser: they are rendered into `data-`
/// attributes.
fn browser_messages(text: &Translations, view: &DiceAuditView) -> Markup {
    let rolls = view.rolls.len() as u32;
    html! {
        @if is_open(view) {
            p #browser.note.browser role="status" hidden
                data-record={ "/g/" (view.id) "/record.json" }
                data-wait=(text.say("fair-browser-wait"))
                data-good=(text.say_with("fair-browser-good", &[("rolls", rolls.into())]))
                data-bad=(text.say_with("fair-browser-bad", &[("entry", "%".into())]))
                data-seal=(text.say("fair-browser-seal"))
                data-none=(text.say("fair-browser-none")) {}
        }
    }
}

fn limitations(text: &Translations, view: &DiceAuditView) -> Markup {
    let choose = match view.first_words() {
        Some(_) if view.covered() => None,
        Some(first) => {
            let from = [("entry", (first.entry + 1).into())];
            Some(text.say_with("fair-cannot-before", &from))
        }
        None if is_open(view) || matches!(view.entropy_form, EntropyFormView::Refused(_)) => {
            Some(text.say("fair-cannot-choose"))
        }
        None => Some(text.say("fair-cannot-choose-now")),
    };
    html! {
        div.honest {
            h3 { (text.say("fair-cannot")) }
            ul {
                @if let Some(choose) = choose { li { (choose) } }
                @for key in ["fair-cannot-know", "fair-cannot-stop", "fair-cannot-note"] { li { (text.say(key)) } }
            }
        }
    }
}

fn entropy_panel(text: &Translations, view: &DiceAuditView) -> Markup {
    let inside = match view.entropy_form {
        EntropyFormView::Closed => return html! {},
        EntropyFormView::NoSeat => html! { p.note { (text.say("fair-add-none")) } },
        EntropyFormView::Refused(why) => html! { p.note { (text.say(why)) } },
        EntropyFormView::Open { next, terms } => html! {
            form method="post" action={ "/g/" (view.id) "/entropy" } {
                label for="words" { (text.say("fair-add-label")) }
                input #words type="text" name="words" required maxlength="64" autocomplete="off" aria-describedby="words-hint";
                input type="hidden" name="ply" value=(next);
                p.hint #words-hint {
                    @match terms {
                        EntropyTerms::Repeated(left) => { (text.say_with("fair-add-hint", &[("left", left.into())])) }
                        EntropyTerms::Once => { (text.say("fair-add-once")) }
                        EntropyTerms::CommitFirst => { (text.say("fair-add-once")) " " (text.say("fair-add-fix")) }
                        EntropyTerms::Reveal => { (text.say("fair-add-fixed")) }
                    }
                }
                @if terms == EntropyTerms::CommitFirst { pre.cmd tabindex="0" { i { "$ " } "printf %s 'tea at five' | sha256sum" } }
                button.btn.main { (text.say("fair-add-button")) }
            }
            @if terms == EntropyTerms::CommitFirst {
                form method="post" action={ "/g/" (view.id) "/entropy" } {
                    input type="hidden" name="words" value="-";
                    input type="hidden" name="ply" value=(next);
                    button.btn { (text.say("fair-add-nothing")) }
                }
            }
        },
    };
    html! {
        section.panel.adding {
            header { h2 { (text.say("fair-add")) } }
            @if let Some(problem) = view.problem { p.notice role="alert" { (text.say(problem)) } }
            (inside)
        }
    }
}

fn offline_verification(text: &Translations, view: &DiceAuditView) -> Markup {
    let file = format!("{}.json", view.id);
    let rolls = [("rolls", (view.rolls.len() as u32).into())];
    html! {
        @if is_open(view) {
            section.panel {
                header { h2 { (text.say("fair-without")) } }
                pre.cmd tabindex="0" {
                    i { "$ " } "dice-of-doom verify " (file) "\n"
                    (file) ": " (text.say_with("fair-says", &rolls)) "\n\n"
                    i { "$ " } "python3 verify.py " (file) "   " i { "# " (text.say("fair-python")) } "\n"
                    (file) ": " (text.say_with("fair-says-python", &rolls))
                }
                p.note.links {
                    a href={ "/g/" (view.id) "/record.json" } download=(file) { (text.say("fair-record")) }
                    a href="/verify.py" download="verify.py" { (text.say("fair-script")) }
                }
                p.note { (text.say("fair-layout")) }
            }
        }
    }
}
