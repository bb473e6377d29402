//! The page for uploading game records.

use maud::{Markup, html};

use super::localization::Translations;
use super::message::LocalizedMessage;
use super::page::{Refresh, SiteContext, page, page_title, stylesheet_link};
use super::players::PlayerNames;

/// View of the page `/upload`.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct UploadView {
    /// Why the last record was rejected.
    pub problem: Option<UploadProblem>,
    /// The pasted text.
    pub text: String,
    /// Maximum size of a record, in KiB.
    pub max_kib: u32,
    /// Number of days after which an uploaded game is deleted; `None` if it is not.
    pub days: Option<u32>,
}

/// Why a record was rejected.
#[derive(Clone, PartialEq, Debug)]
pub struct UploadProblem {
    /// What is wrong. If the rules give a reason, the message has the argument `why` for it.
    pub message: LocalizedMessage,
    /// The reason that the rules give.
    pub reason: Option<LocalizedMessage>,
    /// Technical detail for the author of the file, in English.
    pub detail: Option<String>,
}

/// Renders the page `/upload`.
#[must_use]
pub fn upload_page(site: &SiteContext<'_>, text: &Translations, view: &UploadView) -> Markup {
    let title = text.get("upload");
    let main = html! {
        main #main.page.upload data-plain {
            (stylesheet_link(site, "upload.css"))
            h1 { (title) }
            p.lead { (text.get("upload-lead")) }
            form.form method="post" action=(text.path("/upload")) enctype="multipart/form-data" {
                @if let Some(problem) = &view.problem { (result_notice(text, problem)) }
                label { (text.get("upload-file"))
                    input type="file" name="file" accept=".json,.txt,application/json,text/plain" aria-describedby="upload-limit";
                }
                p.hint #upload-limit { (text.get_with("upload-limit", &[("kb", view.max_kib.into())])) }
                label { (text.get("upload-paste"))
                    textarea name="text" rows="6" spellcheck="false" autocomplete="off" { (view.text) }
                }
                button.btn.main { (text.get("upload-button")) }
            }
            ul.notes {
                @for key in ["upload-checked", "upload-who", "upload-dice", "upload-rest"] { li { (text.get(key)) } }
                @if let Some(days) = view.days { li { (text.get_with("upload-days", &[("days", days.into())])) } }
            }
        }
    };
    page(site, text, &page_title(text, &title), &Refresh::Never, main)
}

fn result_notice(text: &Translations, problem: &UploadProblem) -> Markup {
    let names = PlayerNames::none(text);
    let reason = problem.reason.as_ref();
    let message = match reason.map(|reason| reason.render(text, &names)) {
        Some(why) => problem.message.clone().with_value("why", why),
        None => problem.message.clone(),
    };
    let names_a_ply = message.values.iter().any(|(name, _)| *name == "ply");
    html! {
        div.notice role="alert" tabindex="-1" autofocus {
            p { (message.render(text, &names)) }
            @if let Some(detail) = &problem.detail { p { code lang="en" { (detail) } } }
            p.sub { (text.get("upload-not-kept")) }
            @if names_a_ply { p.sub { (text.get("upload-numbers")) } }
        }
    }
}
