//! Query parameters as values.
//! The server reads them from a query string, a client writes them.
//!
//! Each query has one list, [`Query::PARAMETERS`]. Reading, writing, the names in messages and the
//! API document come from it.

mod paging;
mod parameter;
mod period;
mod rows;
mod setters;

use std::borrow::Cow;

use paging::page_parameters;
pub use paging::{ListQuery, PageQuery, Paging};
pub(in crate::wire) use parameter::Word;
use parameter::{Flag, IdOf, Text, Time, parameter};
pub use parameter::{Parameter, ParameterKind};
use percent_encoding::percent_decode_str;
pub use period::{Moment, NotAMoment, Period};
pub use rows::{
    DailySummaryQuery, EventQuery, ImageJobQuery, StockMovementQuery, TransactionQuery,
    ZReportQuery,
};
use setters::setters;

use super::{
    Category, Id, OrderSource, OrderStatus, Timestamp,
    json_name::json_name,
    limits::{MAX_BARCODE, MAX_EXTERNAL_ID, MAX_SEARCH},
    read::{Faults, Invalid, clip, unknown},
};

/// Query parameters, read from and written to a query string.
pub trait Query: Default + 'static {
    /// The parameters.
    const PARAMETERS: &'static [Parameter<Self>];

    /// Returns the set parameters, as names and values.
    fn pairs(&self) -> Vec<(&'static str, String)> {
        let pair = |p: &Parameter<Self>| Some((p.name, p.get(self)?));
        Self::PARAMETERS.iter().filter_map(pair).collect()
    }

    /// Reads the query string of a request, without its question mark.
    ///
    /// # Errors
    /// A parameter is unknown, given twice, or has an invalid value.
    fn parse(query: &str) -> Result<Self, Invalid> {
        let mut parsed = Self::default();
        let mut seen: Vec<Cow<'_, str>> = Vec::new();
        let mut faults = Faults::default();
        check_escapes(query)?;
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            if seen.contains(&name) {
                faults.add(Invalid::new(clip(&name), "is given more than once"));
            } else if let Some(known) = Self::PARAMETERS.iter().find(|p| p.name == name) {
                faults.extend(known.set(&mut parsed, &value));
            } else {
                let names: Vec<_> = Self::PARAMETERS.iter().map(|p| p.name).collect();
                let problem = unknown("query parameter", &name, &names);
                faults.add(Invalid::new(clip(&name), problem));
            }
            if faults.is_full() {
                break;
            }
            seen.push(name);
        }
        match faults.into_first() {
            None => Ok(parsed),
            Some(first) => Err(first),
        }
    }

    /// Writes the query string, without a question mark; empty when nothing is set.
    fn to_query(&self) -> String {
        form_urlencoded::Serializer::new(String::new())
            .extend_pairs(self.pairs())
            .finish()
    }
}

/// Refuses text other than UTF-8, and a stray `%`.
/// The decoder would replace the one and keep the other; an error is better than a silently changed
/// filter.
fn check_escapes(query: &str) -> Result<(), Invalid> {
    let bytes = query.as_bytes();
    let broken = bytes.iter().enumerate().any(|(at, byte)| {
        let hex = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_hexdigit);
        *byte == b'%' && !(hex(at + 1) && hex(at + 2))
    });
    if broken {
        return Err(Invalid::new(
            "query",
            "has a % that is not followed by two hex digits",
        ));
    }
    // Separators are ASCII, so the whole is UTF-8 exactly when each part is.
    if percent_decode_str(query).decode_utf8().is_err() {
        return Err(Invalid::new(
            "query",
            "is not UTF-8 once its %-escapes are decoded",
        ));
    }
    Ok(())
}

/// A request without query parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoQuery;

impl Query for NoQuery {
    const PARAMETERS: &'static [Parameter<Self>] = &[];
}

/// The parameters of every list by `updatedAt`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SyncQuery {
    /// Records per page, 1 to 200; 50 unless given.
    pub limit: Option<usize>,
    /// The `nextCursor` of the page before; keep the other parameters the same.
    pub cursor: Option<String>,
    /// Only records changed at or after this time.
    pub updated_since: Option<Timestamp>,
    /// `true` also lists deleted records, as tombstones in their place.
    pub include_deleted: bool,
}

/// The parameters of a list by `updatedAt`: common and own ones.
macro_rules! list_parameters {
    ($($own:expr),* $(,)?) => {
        page_parameters![
            sync;
            parameter!(
                "updatedSince", sync.updated_since, Time,
                "Only records changed at or after this time. Any offset is fine; write a `+` in a \
                 query as `%2B`. Digits beyond microseconds are dropped."
            ),
            parameter!(
                "includeDeleted", sync.include_deleted, Flag,
                "`true` also lists deleted records, as tombstones in their place in the order. \
                 Tombstones are kept for 90 days, so an older `updatedSince` is refused together \
                 with this: start over without it."
            ),
            $($own,)*
        ]
    };
}

/// Declares the parameters of a list by `updatedAt`.
/// Each line declares a filter: its description for code and for the API document, its field, and
/// after the arrow the kind of its values. Each field has a setter of its name.
macro_rules! list_query {
    (
        $(#[$meta:meta])*
        pub struct $query:ident;

        $(#[doc = $about:literal] $field:ident: $type:ty => $parameter:ty;)*
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct $query {
            /// Pages and synchronisation.
            pub sync: SyncQuery,
            $(#[doc = $about] pub $field: Option<$type>,)*
        }

        setters!($query { $($field: $type,)* });

        impl Query for $query {
            const PARAMETERS: &'static [Parameter<Self>] = list_parameters![
                // A doc comment begins with a blank.
                $(parameter!(json_name!($field), $field, $parameter, $about.trim_ascii())),*
            ];
        }

        impl ListQuery for $query {
            fn sync(&self) -> &SyncQuery {
                &self.sync
            }

            fn sync_mut(&mut self) -> &mut SyncQuery {
                &mut self.sync
            }
        }
    };
}

list_query! {
    /// The parameters of the list of categories.
    pub struct CategoryQuery;

    /// Only records whose name has all these words, best first. Case and accents do not matter, and the last word may be the beginning of one. Not together with `updatedSince` and `includeDeleted`.
    search: String => Text<MAX_SEARCH>;
}

list_query! {
    /// The parameters of the list of option groups.
    pub struct OptionGroupQuery;

    /// Only the group with exactly this external id.
    external_id: String => Text<MAX_EXTERNAL_ID>;
    /// Only records whose name has all these words, best first. Case and accents do not matter, and the last word may be the beginning of one. Not together with `updatedSince` and `includeDeleted`.
    search: String => Text<MAX_SEARCH>;
}

list_query! {
    /// The parameters of the list of products. Filters narrow it down together.
    pub struct ProductQuery;

    /// Only products with exactly this barcode.
    barcode: String => Text<MAX_BARCODE>;
    /// Only products in this category.
    category_id: Id<Category> => IdOf<Category>;
    /// Only the product with exactly this external id.
    external_id: String => Text<MAX_EXTERNAL_ID>;
    /// Only records whose name has all these words, best first. Case and accents do not matter, and the last word may be the beginning of one. Not together with `updatedSince` and `includeDeleted`.
    search: String => Text<MAX_SEARCH>;
}

list_query! {
    /// The parameters of the list of stock levels.
    pub struct StockLevelQuery;
}

list_query! {
    /// The parameters of the list of orders. Filters narrow it down together.
    /// The list is in order of creation; with `updatedSince`, in order of change.
    pub struct OrderQuery;

    /// Only orders made from this day (in the location's time zone) or this time on.
    from: Moment => Moment;
    /// Only orders made before this time, or up to this day inclusive. Not earlier than `from`.
    to: Moment => Moment;
    /// Only orders in this state.
    status: OrderStatus => OrderStatus;
    /// Only orders of this kind of screen.
    source: OrderSource => OrderSource;
}
