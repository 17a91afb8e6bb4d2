//! The choice of entries to read.

use memchr::memmem;
use uuid::Uuid;

use crate::{
    transaction::{Account, Author, TrailChange, TrailEntry},
    wire::{Id, Location, Timestamp},
};

/// The chains to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrailScope {
    /// The store, and all accounts with their locations: for the operator.
    Everything,
    /// The store alone.
    Store,
    /// An account with its locations.
    Account(Id<Account>),
}

/// A filter of entries. `None` lets every entry pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrailFilter {
    /// Entries about the object with this id.
    pub object: Option<Uuid>,
    /// Entries about objects of this kind, such as `product`.
    pub kind: Option<String>,
    /// Entries of an author: `service`, `operator`, or the id of a user, a token or a screen.
    pub author: Option<String>,
    /// Entries of a location.
    pub location: Option<Id<Location>>,
    /// Entries since this time.
    pub since: Option<Timestamp>,
    /// Entries before this time.
    pub until: Option<Timestamp>,
}

/// The kinds of objects for those alone who manage users.
const PEOPLE: [&str; 5] = ["user", "sign-in", "passkey", "invitation", "session"];

impl TrailFilter {
    /// Returns whether the bytes of an entry hold what the filter wants.
    /// Most entries are about other objects, and need not be parsed.
    pub(super) fn may_match(&self, row: &[u8]) -> bool {
        let holds = |text: &str| memmem::find(row, text.as_bytes()).is_some();
        self.object.is_none_or(|id| holds(&id.to_string()))
            && self.kind.as_ref().is_none_or(|kind| holds(kind))
    }

    /// Takes the other changes out of an entry; `false` if none is left or the author is another.
    pub(super) fn reduce(&self, entry: &mut TrailEntry, with_people: bool) -> bool {
        let is_wanted = |change: &TrailChange| {
            self.object.is_none_or(|id| change.id == id)
                && (with_people || !PEOPLE.contains(&&*change.object))
                && self.kind.as_ref().is_none_or(|kind| change.object == *kind)
        };
        let is_author = self
            .author
            .as_ref()
            .is_none_or(|author| is(&entry.author, author));
        entry.changes.retain(is_wanted);
        is_author && !entry.changes.is_empty()
    }
}

/// Returns whether an author is the wanted one.
fn is(author: &Author, wanted: &str) -> bool {
    let is_id = |id: Uuid| Uuid::try_parse(wanted).is_ok_and(|wanted| wanted == id);
    match author {
        Author::Service => wanted == "service",
        Author::Operator { .. } => wanted == "operator",
        Author::User { id } => is_id(id.uuid()),
        Author::Token { id, .. } => is_id(id.uuid()),
        Author::Screen { id, .. } => is_id(id.uuid()),
    }
}
