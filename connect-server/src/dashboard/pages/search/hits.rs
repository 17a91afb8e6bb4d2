//! The hits of a search, in a group for each kind.

use std::borrow::Cow;

use maud::{Markup, html};

/// The most hits shown of a kind.
pub(super) const MOST_HITS: usize = 10;

/// A found record.
pub(super) struct Hit {
    title: String,
    /// The address of its page; "" for a record without one.
    address: String,
    /// Marks to recognize it by; may be empty.
    detail: String,
    /// Set if the text is its id, its number or its code.
    is_exact: bool,
}

impl Hit {
    /// A record with its page.
    pub(super) fn new(title: impl Into<String>, address: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            address: address.into(),
            detail: String::new(),
            is_exact: false,
        }
    }

    /// The same with marks to recognize it by, without the empty ones.
    pub(super) fn with<'d>(mut self, details: impl IntoIterator<Item = &'d str>) -> Self {
        let details = details.into_iter().filter(|detail| !detail.is_empty());
        self.detail = details.collect::<Vec<_>>().join(" · ");
        self
    }

    /// The same, found exactly or not.
    pub(super) fn exact(mut self, is_exact: bool) -> Self {
        self.is_exact = is_exact;
        self
    }
}

/// The hits of one list.
struct HitList {
    hits: Vec<Hit>,
    /// The name of its location, for an account with several.
    location: Option<String>,
    /// The address of the whole list, if it has a page.
    whole: Option<String>,
    /// Set when the list has more than these hits.
    is_cut: bool,
}

/// The hits of one kind, from one or more lists.
pub(super) struct HitGroup {
    title: Cow<'static, str>,
    lists: Vec<HitList>,
}

impl HitGroup {
    /// A group with lists to be added.
    pub(super) fn new(title: Cow<'static, str>) -> Self {
        let lists = Vec::new();
        Self { title, lists }
    }

    /// A group of one list, with the address of its page.
    pub(super) fn of(title: Cow<'static, str>, hits: Vec<Hit>, whole: Option<&str>) -> Self {
        let mut group = Self::new(title);
        group.add(None, hits, whole.map(str::to_owned), false);
        group
    }

    /// Adds the hits of a list.
    pub(super) fn add(
        &mut self,
        location: Option<&str>,
        hits: Vec<Hit>,
        whole: Option<String>,
        is_cut: bool,
    ) {
        let location = location.map(str::to_owned);
        self.lists.push(HitList {
            hits,
            location,
            whole,
            is_cut,
        });
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lists.iter().all(|list| list.hits.is_empty())
    }

    /// Returns whether a hit is exact.
    pub(super) fn has_exact(&self) -> bool {
        let mut hits = self.lists.iter().flat_map(|list| &list.hits);
        hits.any(|hit| hit.is_exact)
    }

    /// Returns the shown hits with the places of their lists.
    /// Exact ones come first.
    fn shown(&self) -> Vec<(usize, &Hit)> {
        let lists = self.lists.iter().enumerate();
        let hits = lists.flat_map(|(place, list)| list.hits.iter().map(move |hit| (place, hit)));
        let mut shown: Vec<_> = hits.collect();
        shown.sort_by_key(|(_, hit)| !hit.is_exact);
        shown.truncate(MOST_HITS);
        shown
    }

    /// Renders the hits, with links to the lists having more.
    pub(super) fn render(&self) -> Markup {
        let shown = self.shown();
        let more = self.lists.iter().enumerate().filter_map(|(place, list)| {
            let here = shown.iter().filter(|(of, _)| *of == place).count();
            let has_more = list.is_cut || here < list.hits.len();
            let whole = list.whole.as_deref().filter(|_| has_more)?;
            Some((whole, list.location.as_deref()))
        });
        html! {
            h2 { (self.title) }
            ul.rows {
                @for (place, hit) in &shown {
                    li {
                        span {
                            @if hit.address.is_empty() { (hit.title) }
                            @else { a href=(hit.address) { (hit.title) } }
                            @if !hit.detail.is_empty() { " " span.hint { (hit.detail) } }
                        }
                        @if let Some(location) = self.lists.get(*place).and_then(|list| list.location.as_ref()) {
                            span.hint { (location) }
                        }
                    }
                }
            }
            @for (whole, location) in more {
                p {
                    a href=(whole) {
                        @match location {
                            Some(location) => (text!("search-whole-at", kind = &*self.title, location = location)),
                            None => (text!("search-whole", kind = &*self.title)),
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hits(name: &str, count: usize) -> Vec<Hit> {
        let hit = |number| Hit::new(format!("{name} {number}"), format!("/{name}/{number}"));
        (0..count).map(hit).collect()
    }

    #[test]
    fn ten_hits_are_shown_and_lists_with_more_are_linked() {
        let mut group = HitGroup::new("Things".into());
        assert!(group.is_empty());
        group.add(Some("Market"), hits("a", 8), Some("/a".into()), false);
        group.add(Some("Station"), hits("b", 4), Some("/b".into()), false);
        group.add(Some("Harbour"), hits("c", 1), Some("/c".into()), true);
        let exact = vec![Hit::new("<b>", "/d").with(["", "x", "y"]).exact(true)];
        group.add(Some("Mill"), exact, None, true);
        assert!(!group.is_empty() && group.has_exact());
        let page = group.render().into_string();
        assert_eq!(page.matches("<li>").count(), MOST_HITS);
        let (_, rest) = page.split_once("<li>").unwrap_or_default();
        assert!(rest.contains("<a href=\"/d\">&lt;b&gt;</a> <span class=\"hint\">x · y</span>"));
        for (address, is_linked) in [("/a", false), ("/b", true), ("/c", true)] {
            let link = format!("<p><a href=\"{address}\">");
            assert_eq!(page.contains(&link), is_linked, "{address}: {page}");
        }
        let one = HitGroup::of("Things".into(), hits("e", 11), Some("/e"));
        let page = one.render().into_string();
        assert!(page.contains("<p><a href=\"/e\">") && !one.has_exact());
    }
}
