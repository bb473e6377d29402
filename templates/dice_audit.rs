//! The page of one game's dice, `/g/{id}/dice`: the result, four verification steps, what the method cannot
//! prove, the rolls, and the face counts; and the link on the game page that leads to it.

use maud::{Markup, html};

use super::localization::Translations;
use super::page::{Refresh, SiteContext, page, page_title, stylesheet_link};
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
    /// An uploaded game without a commitment.
    NoCommitment,
    /// The game is in progress.
    InProgress,
    /// The game is over, the seed is revealed and the rolls were verified.
    Revealed {
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
    pub text: String,
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
            (stylesheet_link(site, "fair.css"))
            div.fair {
                (head(text, view))
                @if view.state == DiceAuditState::NoCommitment { (uncommitted_dice(text, view, &names)) }
                @else { (committed_dice(text, view, &names)) }
            }
            @if let DiceAuditState::Revealed { .. } = view.state {
                script type="module" src=(site.assets.url("fair.js")) {}
            }
        }
    };
    page(
        site,
        text,
        &page_title(text, &text.get("fair-title")),
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
            a href={ (text.path("/g/")) (id) "/dice" } { (text.get("fair-check")) }
        } @else if let Some(short) = commitment.and_then(|commitment| commitment.get(..4)) {
            a href={ (text.path("/g/")) (id) "/dice" } title=(text.get("fair-line-help")) { (text.get_with("fair-line", &[("short", short.into())])) }
        }
    }
}

fn head(text: &Translations, view: &DiceAuditView) -> Markup {
    let id = view.id.as_str();
    let rolls = view.rolls.len() as u32;
    let (class, title, lead) = match &view.state {
        DiceAuditState::NoCommitment => (
            "still",
            text.get("fair-head-uncommitted"),
            "fair-lead-uncommitted",
        ),
        DiceAuditState::InProgress => ("still", text.get("fair-head-running"), "fair-lead-running"),
        DiceAuditState::Revealed { wrong: Some(_), .. } => {
            ("bad", text.get("fair-head-bad"), "fair-lead-bad")
        }
        DiceAuditState::Revealed { .. } => {
            let title = text.get_with("fair-head-good", &[("rolls", rolls.into())]);
            let lead = if view.uploaded {
                "fair-lead-uploaded"
            } else if view.committed_before_rolls() {
                "fair-lead-good"
            } else {
                "fair-lead-alone"
            };
            ("good", title, lead)
        }
    };
    let mut values = vec![("id", id.into())];
    if let DiceAuditState::Revealed {
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
                p.lead { (text.get_with(lead, &values)) }
                p.links { a href={ (text.path("/g/")) (id) } { (text.get("fair-back")) } }
            }
        }
    }
}

impl DiceAuditView {
    /// Whether entropy text was added before the first roll, so that the seed could not have been searched
    /// for favourable rolls.
    fn committed_before_rolls(&self) -> bool {
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

fn uncommitted_dice(text: &Translations, view: &DiceAuditView, names: &PlayerNames<'_>) -> Markup {
    html! {
        div.p-gap { (rolls::panel(text, view, names)) }
        div.p-gap { (face_counts::panel(text, &view.faces)) }
    }
}

fn committed_dice(text: &Translations, view: &DiceAuditView, names: &PlayerNames<'_>) -> Markup {
    html! {
        section.panel.how {
            header {
                h2 { (text.get("fair-how")) }
                @if let DiceAuditState::Revealed { .. } = view.state { small { (text.get("fair-checked")) } }
            }
            ol.steps {
                (commitment_line(text, view))
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

enum CheckResult {
    Passed(String),
    Failed(String),
    Pending(String),
}

fn step(number: u8, title: &str, result: &CheckResult, why: &str, hash: &Markup) -> Markup {
    let (class, mark, result_text) = match result {
        CheckResult::Passed(result_text) => ("okay", "✓ ", result_text),
        CheckResult::Failed(result_text) => ("okay wrong", "✗ ", result_text),
        CheckResult::Pending(result_text) => ("okay later", "", result_text),
    };
    html! {
        li {
            span.no aria-hidden="true" { (number) }
            div {
                h3 { (title) span class=(class) { (mark) (result_text) } }
                p { (why) }
                (hash)
            }
        }
    }
}

fn is_open(view: &DiceAuditView) -> bool {
    matches!(view.state, DiceAuditState::Revealed { .. })
}

fn commitment_line(text: &Translations, view: &DiceAuditView) -> Markup {
    let finding = if is_open(view) {
        CheckResult::Passed(text.get("fair-sealed-ok").into_owned())
    } else {
        CheckResult::Pending(text.get("fair-sealed-now").into_owned())
    };
    let commitment = view.commitment.as_deref().unwrap_or_default();
    let hash = html! { dl.hash { dt { (text.get("fair-commitment")) } dd { (commitment) } } };
    let (title, why) = match view.uploaded {
        true => ("fair-sealed-uploaded", "fair-sealed-uploaded-why"),
        false => ("fair-sealed", "fair-sealed-why"),
    };
    step(1, &text.get(title), &finding, &text.get(why), &hash)
}

fn entropy_step(text: &Translations, view: &DiceAuditView, names: &PlayerNames<'_>) -> Markup {
    let Some(first) = view.first_words() else {
        let key = if is_open(view) {
            "fair-none-ok"
        } else {
            "fair-none-now"
        };
        let finding = CheckResult::Pending(text.get(key).into_owned());
        let why = text.get("fair-none-why");
        return step(2, &text.get("fair-none"), &finding, &why, &html! {});
    };
    let from = [("entry", (first.entry + 1).into())];
    let finding = CheckResult::Passed(text.get_with("fair-added-from", &from).into_owned());
    let hash = html! {
        dl.hash.words {
            @for added in &view.entropy {
                dt {
                    (glyph_icon(added.player))
                    (text.get_with(if added.is_revealed { "fair-added-words" } else { "fair-added-fixed" }, &[("who", names.name(added.player).into()), ("entry", added.entry.into())]))
                }
                dd { (added.text) }
            }
        }
    };
    let why = text.get("fair-added-why");
    step(2, &text.get("fair-added"), &finding, &why, &hash)
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
        DiceAuditState::Revealed {
            wrong: Some(_),
            message,
            ..
        } => {
            let result_text = text.get_with("fair-follows-bad", &counts);
            (
                CheckResult::Failed(result_text.into_owned()),
                message.as_ref(),
            )
        }
        DiceAuditState::Revealed { message, .. } => {
            let result_text = text.get_with("fair-follows-ok", &counts);
            (
                CheckResult::Passed(result_text.into_owned()),
                message.as_ref(),
            )
        }
        DiceAuditState::InProgress | DiceAuditState::NoCommitment => (
            CheckResult::Pending(text.get("fair-follows-now").into_owned()),
            None,
        ),
    };
    let hash = html! {
        @if let Some((entry, message)) = message {
            dl.hash {
                dt { (text.get_with("fair-message", &[("entry", (*entry).into())])) }
                dd.lines { (message.trim_end()) }
            }
        }
    };
    let why = text.get("fair-follows-why");
    step(3, &text.get("fair-follows"), &finding, &why, &hash)
}

fn reveal_step(text: &Translations, view: &DiceAuditView) -> Markup {
    let why = text.get("fair-opened-why");
    let title = text.get("fair-opened");
    match &view.state {
        DiceAuditState::Revealed { seed, salt, .. } => {
            let finding = CheckResult::Passed(text.get("fair-opened-ok").into_owned());
            let hash = html! {
                dl.hash {
                    dt { (text.get("fair-seed")) } dd { (seed) }
                    dt { (text.get("fair-salt")) } dd { (salt) }
                }
            };
            step(4, &title, &finding, &why, &hash)
        }
        DiceAuditState::InProgress | DiceAuditState::NoCommitment => {
            let finding = CheckResult::Pending(text.get("fair-opened-now").into_owned());
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
                data-record={ (text.path("/g/")) (view.id) "/record.json" }
                data-wait=(text.get("fair-browser-wait"))
                data-good=(text.get_with("fair-browser-good", &[("rolls", rolls.into())]))
                data-bad=(text.get_with("fair-browser-bad", &[("entry", "%".into())]))
                data-seal=(text.get("fair-browser-seal"))
                data-none=(text.get("fair-browser-none")) {}
        }
    }
}

fn limitations(text: &Translations, view: &DiceAuditView) -> Markup {
    let choose = match view.first_words() {
        Some(_) if view.committed_before_rolls() => None,
        Some(first) => {
            let from = [("entry", (first.entry + 1).into())];
            Some(text.get_with("fair-cannot-before", &from))
        }
        None if is_open(view) || matches!(view.entropy_form, EntropyFormView::Refused(_)) => {
            Some(text.get("fair-cannot-choose"))
        }
        None => Some(text.get("fair-cannot-choose-now")),
    };
    html! {
        div.honest {
            h3 { (text.get("fair-cannot")) }
            ul {
                @if let Some(choose) = choose { li { (choose) } }
                @for key in ["fair-cannot-know", "fair-cannot-stop", "fair-cannot-note"] { li { (text.get(key)) } }
            }
        }
    }
}

fn entropy_panel(text: &Translations, view: &DiceAuditView) -> Markup {
    let inside = match view.entropy_form {
        EntropyFormView::Closed => return html! {},
        EntropyFormView::NoSeat => html! { p.note { (text.get("fair-add-none")) } },
        EntropyFormView::Refused(why) => html! { p.note { (text.get(why)) } },
        EntropyFormView::Open { next, terms } => html! {
            form method="post" action={ (text.path("/g/")) (view.id) "/entropy" } {
                label for="words" { (text.get("fair-add-label")) }
                input #words type="text" name="words" required maxlength="64" autocomplete="off" aria-describedby="words-hint";
                input type="hidden" name="ply" value=(next);
                p.hint #words-hint {
                    @match terms {
                        EntropyTerms::Once => { (text.get("fair-add-once")) }
                        EntropyTerms::CommitFirst => { (text.get("fair-add-once")) (text.get("sentence-gap")) (text.get("fair-add-fix")) }
                        EntropyTerms::Reveal => { (text.get("fair-add-fixed")) }
                    }
                }
                @if terms == EntropyTerms::CommitFirst { pre.cmd tabindex="0" { i { "$ " } "printf %s 'tea at five' | sha256sum" } }
                button.btn.main { (text.get("fair-add-button")) }
            }
            @if terms == EntropyTerms::CommitFirst {
                form method="post" action={ (text.path("/g/")) (view.id) "/entropy" } {
                    input type="hidden" name="words" value="-";
                    input type="hidden" name="ply" value=(next);
                    button.btn { (text.get("fair-add-nothing")) }
                }
            }
        },
    };
    html! {
        section.panel.adding {
            header { h2 { (text.get("fair-add")) } }
            @if let Some(problem) = view.problem { p.notice role="alert" { (text.get(problem)) } }
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
                header { h2 { (text.get("fair-without")) } }
                pre.cmd tabindex="0" {
                    i { "$ " } "dice-of-doom verify " (file) "\n"
                    (file) ": " (text.get_with("fair-says", &rolls)) "\n\n"
                    i { "$ " } "python3 verify.py " (file) "   " i { "# " (text.get("fair-python")) } "\n"
                    (file) ": " (text.get_with("fair-says-python", &rolls))
                }
                p.note.links {
                    a href={ (text.path("/g/")) (view.id) "/record.json" } download=(file) { (text.get("fair-record")) }
                    a href=(text.path("/verify.py")) download="verify.py" { (text.get("fair-script")) }
                }
                p.note { (text.get("fair-layout")) }
            }
        }
    }
}
