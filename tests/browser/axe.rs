//! The accessibility checker axe-core.

use serde_json::json;

use crate::fonts::PACKAGES;
use crate::harness::BrowserSession;

/// Adds axe-core to every page that is loaded in this tab from now on.
pub(crate) async fn add_to_new_documents(browser: &BrowserSession) {
    let file = PACKAGES.join("axe-core/axe.min.js");
    let source = std::fs::read_to_string(&file);
    let source = source.unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let load = "Page.addScriptToEvaluateOnNewDocument";
    browser.devtools(load, json!({ "source": source })).await;
}
