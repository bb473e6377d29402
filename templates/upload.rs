//! The page on which records are brought here.

use maud::{Markup, html};

use super::localization::Translations;
use super::message::LocalizedMessage;
use super::page::{Refresh, SiteContext, page, sheet, titled};
use super::players::PlayerNames;

/// The page `/upload`.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct UploadView {
    /// Why the last record was not kept.
    pub problem: Option<UploadProblem>,
    /// The text that was pasted.
    pub text: String,
    /// The largest record, in units of 1,024 bytes.
    pub most_kb: u32,
    /// After so many days the game is forgotten, if it is.
    pub days: Option<u32>,
}

/// Why a record was not kept.
#[derive(Clone, PartialEq, Debug)]
pub struct UploadProblem {
    /// What is wrong. Where the rules say why, it has a value `why` for that.
    pub said: LocalizedMessage,
    /// What the rules say.
    pub reason: Option<LocalizedMessage>,
    /// What whoever wrote the file can use, in English.
    pub detail: Option<String>,
}

/// The page `/upload`.
#[must_use]
pub fn upload_page(site: &SiteContext<'_>, text: &Translations, view: &UploadView) -> Markup {
    let title = text.say("upload");
    let main = html! {
        main #main.page.upload data-plain {
            (sheet(site, "upload.css"))
            h1 { (title) }
            p.lead { (text.say("upload-lead")) }
            form.form method="post" action="/upload" enctype="multipart/form-data" {
                @if let Some(problem) = &view.problem { (told(text, problem)) }
                label { (text.say("upload-file"))
                    input type="file" name="file" accept=".json,.txt,application/json,text/plain" aria-describedby="upload-limit";
                }
                p.hint #upload-limit { (text.say_with("upload-limit", &[("kb", view.most_kb.into())])) }
                label { (text.say("upload-paste"))
                    textarea name="text" rows="6" spellcheck="false" autocomplete="off" { (view.text) }
                }
                button.btn.main { (text.say("upload-button")) }
            }
            ul.notes {
                @for key in ["upload-checked", "upload-who", "upload-dice", "upload-rest"] { li { (text.say(key)) } }
                @if let Some(days) = view.days { li { (text.say_with("upload-days", &[("days", days.into())])) } }
            }
        }
    };
    page(site, text, &titled(text, &title), &Refresh::Never, main)
}

fn told(text: &Translations, problem: &UploadProblem) -> Markup {
    let cast = PlayerNames::nobody(text);
    let reason = problem.reason.as_ref();
    let said = match reason.map(|reason| reason.told(text, &cast)) {
        Some(why) => problem.said.clone().with("why", why),
        None => problem.said.clone(),
    };
    let names_a_ply = said.values.iter().any(|(name, _)| *name == "ply");
    html! {
        div.notice role="alert" tabindex="-1" autofocus {
            p { (said.told(text, &cast)) }
            @if let Some(detail) = &problem.detail { p { code lang="en" { (detail) } } }
            p.sub { (text.say("upload-not-kept")) }
            @if names_a_ply { p.sub { (text.say("upload-numbers")) } }
        }
    }
}
