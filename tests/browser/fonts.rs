//! The fonts of the tests' browsers. They come from npm, and the browsers read no other settings of fonts, so that pages
//! look the same on every machine.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::harness::BrowserSession;

/// The fonts that a reader's system has for `system-ui`, `sans-serif` and `serif`. DejaVu's letters are the widest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fonts {
    DejaVu,
    /// Arimo and Tinos. Their letters are as wide as those of Arial, Liberation Sans and Times New Roman.
    Arial,
    Noto,
}

impl Fonts {
    pub(crate) const ALL: [Fonts; 3] = [Fonts::DejaVu, Fonts::Arial, Fonts::Noto];

    pub(crate) fn sans_and_serif(self) -> [&'static str; 2] {
        match self {
            Fonts::DejaVu => ["DejaVu Sans", "DejaVu Serif"],
            Fonts::Arial => ["Arimo", "Tinos"],
            Fonts::Noto => ["Noto Sans", "Noto Serif"],
        }
    }

    /// The packages of the fonts. Arial and Times New Roman have two weights, so other weights of Arimo are left out.
    fn folders(self) -> &'static [&'static str] {
        match self {
            Fonts::DejaVu => &[],
            Fonts::Arial => &[
                "@expo-google-fonts/arimo/400Regular",
                "@expo-google-fonts/arimo/400Regular_Italic",
                "@expo-google-fonts/arimo/700Bold",
                "@expo-google-fonts/arimo/700Bold_Italic",
                "@expo-google-fonts/tinos",
            ],
            Fonts::Noto => &[
                "@expo-google-fonts/noto-sans",
                "@expo-google-fonts/noto-serif",
            ],
        }
    }

    /// Writes the settings for fontconfig and returns their file.
    pub(crate) fn settings(self) -> PathBuf {
        let packages = PACKAGES.display();
        let folders = self.folders().iter().chain(&FALLBACK_FOLDERS);
        let folders: String = folders
            .map(|folder| format!("<dir>{packages}/{folder}</dir>"))
            .collect();
        let [sans, serif] = self.sans_and_serif();
        let settings = format!(
            r#"<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
{folders}
<cachedir>{packages}/../fontconfig</cachedir>
<alias binding="same"><family>serif</family><prefer><family>{serif}</family></prefer></alias>
<alias binding="same"><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
<match target="pattern">
<edit name="family" mode="append_last"><string>{sans}</string><string>BIZ UDGothic</string><string>DejaVu Sans</string></edit>
<edit name="hintstyle"><const>hintslight</const></edit>
</match>
</fontconfig>
"#
        );
        let file = PACKAGES.with_file_name(format!("{self:?}.conf"));
        std::fs::write(&file, settings)
            .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        file
    }
}

/// The fonts for letters and signs that the others lack: Japanese and symbols.
const FALLBACK_FOLDERS: [&str; 2] = ["@expo-google-fonts/biz-udgothic", "dejavu-fonts-ttf/ttf"];

/// The folder of the packages that `tests/browser/fetch` has fetched.
pub(crate) static PACKAGES: LazyLock<PathBuf> = LazyLock::new(|| {
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    let fetch = project.join("tests/browser/fetch");
    let fetched = Command::new(&fetch).status();
    assert!(
        fetched.is_ok_and(|status| status.success()),
        "{} fails",
        fetch.display()
    );
    project.join("target/browser/node_modules")
});

/// The families of the fonts that an element's own text is rendered with.
pub(crate) async fn rendered_families(browser: &BrowserSession, css: &str) -> Vec<Value> {
    browser.devtools("DOM.enable", json!({})).await;
    browser.devtools("CSS.enable", json!({})).await;
    let document = browser.devtools("DOM.getDocument", json!({})).await;
    let within = json!({ "nodeId": document["root"]["nodeId"], "selector": css });
    let node = browser.devtools("DOM.querySelector", within).await;
    let fonts = browser.devtools("CSS.getPlatformFontsForNode", node).await;
    // Otherwise the browser would report every style sheet of the pages that follow.
    browser.devtools("CSS.disable", json!({})).await;
    browser.devtools("DOM.disable", json!({})).await;
    let fonts = fonts["fonts"].as_array().expect("a list").iter();
    fonts.map(|font| font["familyName"].clone()).collect()
}
