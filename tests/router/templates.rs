//! Page templates, rendered from the values in `samples`. Each submodule tests one part of the pages.
//!
//! `DOD_PAGES=dir cargo test --test router templates::` also writes the pages to that folder, for viewing in a
//! browser.

use std::fs;
use std::path::Path;

use dice_of_doom::templates::board_svg;

use samples::boards::idle_board;
use samples::chips::line;
use samples::pages::pages;

mod around;
mod boards;
mod chips;
mod daily;
mod forms;
mod html;
mod over;
mod samples;
mod seats;
mod turns;
mod words;

#[test]
fn pages_can_be_written_to_a_folder() {
    let Ok(folder) = std::env::var("DOD_PAGES") else {
        return;
    };
    let folder = Path::new(&folder);
    fs::create_dir_all(folder).expect("the folder can be made");
    for (name, page) in pages() {
        fs::write(folder.join(name).with_extension("html"), &*page).expect("a page can be written");
    }
    fs::write(
        folder.join("board.svg"),
        board_svg(&idle_board()).into_string(),
    )
    .expect("a picture can be written");
    fs::write(
        folder.join("columns.svg"),
        board_svg(&*line().board).into_string(),
    )
    .expect("a picture can be written");
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("static"))
        .expect("static files are there")
    {
        let file = entry.expect("a file").path();
        fs::copy(&file, folder.join(file.file_name().expect("a name")))
            .expect("a file can be copied");
    }
}
