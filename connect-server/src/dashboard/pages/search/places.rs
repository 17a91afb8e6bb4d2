//! The locations of a search, beginning with the chosen one.

use std::borrow::Cow;

use connect_core::{AccountLocation, Error, LocationHandle, UserRight, wire::query::SyncQuery};
use futures_util::future;

use super::hits::MOST_HITS;
use crate::dashboard::{
    components, fields,
    page_request::{AT, SignedIn},
};

/// The most locations searched.
const MOST: usize = 20;

/// A location with its records.
pub(super) struct Place {
    pub(super) location: AccountLocation,
    pub(super) records: LocationHandle,
}

/// The locations at which a user has a right.
pub(super) struct Places {
    all: Vec<Place>,
    /// Set if there are several, to be told apart by their names.
    is_named: bool,
    /// Set when others are left out.
    is_cut: bool,
}

/// Checks the location in the address.
///
/// # Errors
/// [`Error::NotFound`]: it is none of the account.
pub(super) fn check_named(to: &SignedIn<'_>) -> Result<(), Error> {
    let named = to.query.get(AT);
    let mut locations = to.account().locations.iter();
    match named.is_empty() || locations.any(|at| at.id.to_string() == named) {
        true => Ok(()),
        false => Err(components::gone()),
    }
}

impl Places {
    /// Finds the locations with a right of the user.
    /// The one in the address comes first.
    ///
    /// # Errors
    /// The user has lost the right meanwhile.
    pub(super) fn find(to: &SignedIn<'_>, right: UserRight) -> Result<Self, Error> {
        let mut locations = to.locations(right);
        let named = to.query.get(AT);
        locations.sort_by_key(|at| at.id.to_string() != named);
        let all = locations.iter().take(MOST).map(|at| {
            let access = to.session.authorize(at.id, right)?;
            Ok(Place {
                location: (*at).clone(),
                records: to.connect.location(&access),
            })
        });
        Ok(Self {
            all: all.collect::<Result<_, Error>>()?,
            is_named: locations.len() > 1,
            is_cut: locations.len() > MOST,
        })
    }

    /// Returns these locations, or those of `second` without any.
    pub(super) fn or(self, second: Self) -> Self {
        if self.all.is_empty() { second } else { self }
    }

    /// Finds hits at all locations at the same time.
    ///
    /// # Errors
    /// Those of `find`.
    pub(super) async fn each<'p, T, F>(
        &'p self,
        find: impl Fn(&'p Place) -> F,
    ) -> Result<Vec<(&'p Place, T)>, Error>
    where
        F: Future<Output = Result<T, Error>>,
    {
        let found = future::try_join_all(self.all.iter().map(find)).await?;
        Ok(self.all.iter().zip(found).collect())
    }

    /// Returns the name of a location, one of several, for hits.
    pub(super) fn name<'p>(&self, place: &'p Place) -> Option<&'p str> {
        self.is_named.then_some(&*place.location.name)
    }

    /// Names the location searched first, if there are several.
    pub(super) fn hint(&self) -> Option<Cow<'static, str>> {
        let first = self.all.first()?;
        let name = self.name(first)?;
        Some(match self.is_cut {
            true => text!("search-first-of-many", location = name, most = MOST),
            false => text!("search-first", location = name),
        })
    }
}

impl Place {
    /// The address of a page of this location.
    pub(super) fn at(&self, path: &str, more: &[(&str, &str)]) -> String {
        let id = self.location.id.to_string();
        fields::address(path, [(AT, &*id)].into_iter().chain(more.iter().copied()))
    }
}

/// The first records of a list, for the hits at one location.
pub(super) fn first_hits() -> SyncQuery {
    SyncQuery {
        limit: Some(MOST_HITS),
        ..SyncQuery::default()
    }
}
