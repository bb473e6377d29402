//! The fonts of the tests' browsers. They come from npm, and the browsers read no other settings of fonts, so that pages
//! look the same on every machine.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use crate::harness::{BrowserSession, Server};

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
<alias binding="same"><family>system-ui</family><prefer><family>{sans}</family></prefer></alias>
<alias binding="same"><family>sans-serif</family><prefer><family>{sans}</family></prefer></alias>
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
        write_settings(&file, &settings);
        file
    }
}

/// Writes a settings file, which another browser may be reading.
pub(crate) fn write_settings(file: &Path, settings: &str) {
    let folder = file.parent().expect("a folder");
    let written = std::fs::create_dir_all(folder).and_then(|()| {
        let mut new = tempfile::NamedTempFile::new_in(folder)?;
        new.write_all(settings.as_bytes())?;
        new.persist(file)?;
        Ok(())
    });
    written.unwrap_or_else(|error| panic!("{}: {error}", file.display()));
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

/// Whether the text of an element is as wide as in this family, and not as in the font of missing families.
async fn is_rendered_in(browser: &BrowserSession, css: &str, family: &str) -> bool {
    let script = r#"
        const [css, family] = arguments;
        const { fontWeight, fontSize, fontFamily } = getComputedStyle(document.querySelector(css));
        const pen = document.createElement("canvas").getContext("2d");
        const width = (families) => {
            pen.font = `${fontWeight} ${fontSize} ${families}`;
            return pen.measureText("The dice fall where they may: 0123456789 %").width;
        };
        return width(fontFamily) === width(`"${family}", monospace`) && width(fontFamily) !== width("monospace");
    "#;
    browser
        .run_script(script, vec![css.into(), family.into()])
        .await
        == true
}

#[tokio::test]
pub(crate) async fn pages_are_rendered_in_the_fonts_of_the_reader() {
    let server = Server::start("127.0.0.1:0", "memory:");
    for fonts in Fonts::ALL {
        let browser = BrowserSession::open_with_fonts_at(&server.address, fonts).await;
        browser.goto("/rules").await;
        let [sans, serif] = fonts.sans_and_serif();
        assert!(is_rendered_in(&browser, "main p", sans).await, "{sans}");
        assert!(is_rendered_in(&browser, "main h1", serif).await, "{serif}");
    }
}
