//! Tells the program which commit it was built from, and embeds the files of `static/`, the OpenAPI document and the
//! migrations.

use std::error::Error;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use flate2::Compression;
use flate2::write::GzEncoder;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    name_version();
    let out = env::var("OUT_DIR")?;
    let out = Path::new(&out);
    convert_openapi(Path::new("docs/openapi.yaml"), &out.join("openapi.json"))?;
    for database in ["sqlite", "postgres"] {
        embed_migrations(&Path::new("migrations").join(database), &out.join(database))?;
    }
    embed_assets(Path::new("static"), out)
}

/// The files of a folder, sorted by name.
fn files(folder: &Path) -> Result<Vec<(String, PathBuf)>, Box<dyn Error>> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files = Vec::new();
    for file in fs::read_dir(folder)? {
        let file = file?;
        let name = file.file_name().into_string();
        let name = name.map_err(|_| "names of files are UTF-8")?;
        files.push((name, fs::canonicalize(file.path())?));
    }
    files.sort();
    Ok(files)
}

/// Writes the list of a database's migrations: the name of each file without its ending, and its SQL.
fn embed_migrations(folder: &Path, list: &Path) -> Result<(), Box<dyn Error>> {
    let mut migrations = String::from("[\n");
    for (name, path) in files(folder)? {
        let name = name
            .strip_suffix(".sql")
            .ok_or("a migration is an SQL file")?;
        writeln!(migrations, "({name:?}, include_str!({path:?})),")?;
    }
    migrations.push(']');
    Ok(fs::write(list.with_extension("rs"), migrations)?)
}

/// Writes `assets.rs`, the list of the files with their media types and contents, plain and compressed.
fn embed_assets(folder: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    let mut list = String::from("[\n");
    for (name, path) in files(folder)? {
        let extension = name.rsplit('.').next().unwrap_or_default();
        let mime = match extension {
            "css" => "text/css; charset=utf-8",
            "js" => "text/javascript; charset=utf-8",
            "png" => "image/png",
            "svg" => "image/svg+xml; charset=utf-8",
            "txt" => "text/plain; charset=utf-8",
            _ => return Err(format!("static/{name}: build.rs has no media type for it").into()),
        };
        let mut path = path;
        if let "css" | "js" = extension {
            let code = fs::read_to_string(&path)?;
            path = out.join(&name);
            let code = match extension {
                "css" => style_without_layout(&code),
                _ => script_without_layout(&code),
            };
            fs::write(&path, code)?;
        }
        let gzip = match extension {
            "png" => "None".to_owned(), // compressed by itself
            _ => {
                let compressed = out.join(format!("{name}.gz"));
                let mut encoder =
                    GzEncoder::new(fs::File::create(&compressed)?, Compression::best());
                encoder.write_all(&fs::read(&path)?)?;
                encoder.finish()?;
                format!("Some(include_bytes!({compressed:?}))")
            }
        };
        writeln!(
            list,
            "Asset {{ name: {name:?}, mime: {mime:?}, plain: include_bytes!({path:?}), gzip: {gzip} }},"
        )?;
    }
    list.push(']');
    Ok(fs::write(out.join("assets.rs"), list)?)
}

/// A style sheet without comments, indentation and line breaks.
fn style_without_layout(css: &str) -> String {
    let code = without_comments(css, "/*");
    let mut style = String::with_capacity(code.len());
    for line in code.lines().map(str::trim) {
        if !style.is_empty() && !style.ends_with(['{', '}', ';', ',']) {
            style.push(' ');
        }
        style.push_str(line);
    }
    style
}

/// A script without indentation, types and comments, which begin with `/**` or are lines of their own. Line breaks stay,
/// because they may end statements.
fn script_without_layout(script: &str) -> String {
    let code = without_comments(script, "/**");
    let lines = code.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Text without the parts from `start` to the next `*/`.
fn without_comments(text: &str, start: &str) -> String {
    let parts = text.split(start);
    parts
        .map(|part| part.split_once("*/").map_or(part, |(_, code)| code))
        .collect()
}

/// Writes the OpenAPI document as JSON.
fn convert_openapi(yaml: &Path, json: &Path) -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={}", yaml.display());
    let document: serde_json::Value = serde_saphyr::from_str(&fs::read_to_string(yaml)?)?;
    Ok(fs::write(json, document.to_string())?)
}

fn name_version() {
    let release = env::var("CARGO_PKG_VERSION").unwrap_or_default();
    // A build for development would be made anew with each commit, for a word that nobody asks for.
    let is_release = env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let commit = is_release.then(commit).flatten();
    let version = match commit {
        Some(commit) => format!("{release} ({commit})"),
        None => release,
    };
    println!("cargo::rustc-env=DOD_VERSION={version}");
    if is_release && let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]) {
        println!("cargo::rerun-if-changed={log}");
    }
}

/// The commit of this source, where it is in a repository of its own.
fn commit() -> Option<String> {
    let top = git(&["rev-parse", "--show-toplevel"])?;
    let is_own = env::var("CARGO_MANIFEST_DIR").is_ok_and(|here| here == top);
    is_own
        .then(|| git(&["rev-parse", "--short", "HEAD"]))
        .flatten()
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let line = String::from_utf8(output.stdout).ok()?;
    let line = line.trim();
    (output.status.success() && !line.is_empty()).then(|| line.to_owned())
}
