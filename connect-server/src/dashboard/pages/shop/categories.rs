//! The categories of a location, to choose from.

use std::{
    borrow::Cow,
    collections::{BTreeSet, HashMap},
};

use connect_core::{
    Error,
    wire::{Category, Id, limits::MAX_PAGE_SIZE, query::CategoryQuery},
};
use maud::{Markup, html};

use super::PageLocation;

/// The most categories read. A shop has a few dozen.
const MOST: usize = 1000;

/// The categories on offer, in the order of the shop.
pub(super) struct Categories {
    sorted: Vec<Category>,
    /// The place of each in this order.
    places: HashMap<Id<Category>, usize>,
    /// Set when there are more.
    is_cut: bool,
}

/// Finds up to 1,000 categories of a location, plus the named ones.
pub(super) async fn find(
    shop: &PageLocation,
    named: impl Iterator<Item = Id<Category>>,
) -> Result<Categories, Error> {
    let records = shop.records.categories();
    let mut query = CategoryQuery::default();
    query.sync.limit = Some(MAX_PAGE_SIZE);
    let mut sorted: Vec<Category> = Vec::new();
    loop {
        let page = records.list(&query).await?;
        sorted.extend(page.data);
        query.sync.cursor = page.next_cursor;
        if query.sync.cursor.is_none() || sorted.len() >= MOST {
            break;
        }
    }
    let is_cut = query.sync.cursor.is_some();
    if is_cut {
        let mut missing: BTreeSet<_> = named.collect();
        for one in &sorted {
            missing.remove(&one.id);
        }
        let missing: Vec<_> = missing.into_iter().collect();
        for ids in missing.chunks(MAX_PAGE_SIZE) {
            sorted.extend(records.get_many(ids).await?);
        }
    }
    sorted.sort_by(|one, other| (one.position, &one.name).cmp(&(other.position, &other.name)));
    let places = sorted.iter().zip(0..).map(|(one, place)| (one.id, place));
    Ok(Categories {
        places: places.collect(),
        sorted,
        is_cut,
    })
}

impl Categories {
    /// Returns the name of one.
    pub(super) fn name(&self, id: Id<Category>) -> Option<&str> {
        let found = self.sorted.get(*self.places.get(&id)?);
        found.map(|one| &*one.name)
    }

    /// Renders the options of a field, with the chosen one selected.
    pub(super) fn options(&self, chosen: &str) -> Markup {
        html! {
            @for one in &self.sorted {
                @let id = one.id.to_string();
                option value=(id) selected[id == chosen] { (one.name) }
            }
        }
    }

    /// Returns the note about categories left out, if any.
    pub(super) fn hint(&self) -> Option<Cow<'static, str>> {
        let hint = || text!("products-categories-cut", most = MOST.to_string());
        self.is_cut.then(hint)
    }
}
