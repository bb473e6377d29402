//! The accessibility checker axe-core, downloaded once.

use std::path::PathBuf;
use std::process::Command;

use serde_json::json;

use crate::harness::BrowserSession;

/// Adds axe-core to every page that is loaded in this tab from now on.
pub(crate) async fn add_to_new_documents(browser: &BrowserSession) {
    let source = json!({ "source": script() });
    let load = "Page.addScriptToEvaluateOnNewDocument";
    browser.devtools(load, source).await;
}

/// The source of axe-core: the file `AXE_JS`, or the file in `target/axe`, which is downloaded with npm if missing.
fn script() -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("target/axe");
    let cached = folder.join("package/axe.min.js");
    let file = std::env::var_os("AXE_JS").map_or(cached, PathBuf::from);
    if !file.exists() {
        std::fs::create_dir_all(&folder).expect("target/axe can be created");
        let fetch = "npm pack axe-core@4 --silent && tar xzf axe-core-*.tgz package/axe.min.js";
        let fetched = Command::new("sh")
            .args(["-c", fetch])
            .current_dir(&folder)
            .status();
        assert!(
            fetched.is_ok_and(|status| status.success()),
            "axe-core cannot be fetched: run `{fetch}` in {}, or set AXE_JS",
            folder.display()
        );
    }
    std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}
