//! A page as a browser without scripts reads it, queried with CSS selectors.

use std::fmt::{self, Debug, Display, Formatter};
use std::ops::Deref;

use html5ever::tendril::TendrilSink as _;
use html5ever::{ParseOpts, parse_document};
use scraper::{ElementRef, Html, HtmlTreeSink, Selector};

/// The source of a page. Its elements are those of the parsed document.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Page(pub(crate) String);

impl Page {
    /// What a function returns for each element, in the order of the document.
    pub(crate) fn map<T>(&self, selector: &str, of: impl FnMut(ElementRef<'_>) -> T) -> Vec<T> {
        let mut options = ParseOpts::default();
        options.tree_builder.scripting_enabled = false;
        let document = HtmlTreeSink::new(Html::new_document());
        let document = parse_document(document, options).one(&*self.0);
        let selector = Selector::parse(selector).unwrap();
        document.select(&selector).map(of).collect()
    }

    pub(crate) fn count(&self, selector: &str) -> usize {
        self.map(selector, |_| ()).len()
    }

    pub(crate) fn has(&self, selector: &str) -> bool {
        self.count(selector) > 0
    }

    /// The texts of the elements, with single spaces.
    pub(crate) fn texts(&self, selector: &str) -> Vec<String> {
        self.map(selector, |element| {
            let text: String = element.text().collect();
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        })
    }

    /// The text of the first element.
    #[track_caller]
    pub(crate) fn text(&self, selector: &str) -> String {
        self.first(selector, self.texts(selector))
    }

    /// The values of an attribute of the elements that have it.
    pub(crate) fn attrs(&self, selector: &str, name: &str) -> Vec<String> {
        let values = self.map(selector, |element| element.attr(name).map(str::to_owned));
        values.into_iter().flatten().collect()
    }

    /// The attribute of the first element that has it.
    #[track_caller]
    pub(crate) fn attr(&self, selector: &str, name: &str) -> String {
        self.first(selector, self.attrs(selector, name))
    }

    /// The address of the first link with this text.
    #[track_caller]
    pub(crate) fn link(&self, text: &str) -> String {
        let links = self
            .texts("a[href]")
            .into_iter()
            .zip(self.attrs("a[href]", "href"));
        let found = links.filter(|(own, _)| own == text).map(|(_, href)| href);
        self.first(text, found.collect())
    }

    /// The first element as a page of its own.
    #[track_caller]
    pub(crate) fn part(&self, selector: &str) -> Page {
        Page(self.first(selector, self.map(selector, |element| element.html())))
    }

    /// The links to seats that a page shows: invitations, and the reader's own.
    pub(crate) fn seat_links(&self) -> Vec<String> {
        self.attrs("input[value*='/join/']", "value")
    }

    #[track_caller]
    fn first<T>(&self, selector: &str, found: Vec<T>) -> T {
        let mut found = found.into_iter();
        found
            .next()
            .unwrap_or_else(|| panic!("no {selector} in {self}"))
    }
}

impl Deref for Page {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

/// The beginning of the main part, for messages.
impl Display for Page {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let main = self.find("<main").map_or(&**self, |main| &self[main..]);
        main.chars()
            .take(700)
            .try_for_each(|c| write!(formatter, "{c}"))
    }
}

impl Debug for Page {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(self, formatter)
    }
}
