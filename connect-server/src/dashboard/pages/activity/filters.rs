//! The filters of the list, as named in the address.

use std::borrow::Cow;

use chrono::NaiveDate;
use connect_core::{
    TrailFilter, UserRight, local_time,
    wire::{Id, Location},
};
use maud::{Markup, html};
use uuid::Uuid;

use super::{
    link::{OBJECT, PATH},
    words,
};
use crate::dashboard::{
    FormFields,
    fields::address,
    page_request::{AT, CURSOR, SignedIn},
    period::Period,
    period_choice,
    table::SORT,
};

const KIND: &str = "kind";
pub(super) const AUTHOR: &str = "author";
// The location of the other pages is no filter here: it would hide the changes of the account.
const LOCATION: &str = "location";

/// The authors without an id.
pub(super) const OPERATOR: &str = "operator";
pub(super) const SERVICE: &str = "service";

/// The kinds of objects to choose from.
const KINDS: [&str; 13] = [
    "product",
    "stock minimum",
    "category",
    "option group",
    "option",
    "location",
    "screen",
    "screen key",
    "token",
    "webhook",
    "single sign-on",
    "account",
    "sandbox",
];

/// The kinds for readers with the right to manage users.
const KINDS_OF_PEOPLE: [&str; 5] = ["user", "sign-in", "passkey", "invitation", "session"];

/// The filters of a page.
/// Unknown values of the address are left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Filters {
    pub(super) object: Option<Uuid>,
    kind: Option<&'static str>,
    /// [`OPERATOR`], [`SERVICE`], or the id of a user, a token or a screen.
    pub(super) author: Option<String>,
    location: Option<Id<Location>>,
    period: Option<Period>,
    /// The location kept for the way back; or "".
    at: String,
    /// The order of the rows, kept for the next page; or "".
    order: String,
}

impl Filters {
    /// Reads the address of a page.
    pub(super) fn of(to: &SignedIn<'_>) -> Self {
        let today = local_time(to.connect.now()).date();
        let locations = to.locations(UserRight::ReadTrail);
        let locations: Vec<_> = locations.iter().map(|location| location.id).collect();
        Self::read(&to.query, today, &locations, &kinds(to))
    }

    fn read(
        query: &FormFields,
        today: NaiveDate,
        locations: &[Id<Location>],
        kinds: &[&'static str],
    ) -> Self {
        let id = |name| Uuid::try_parse(query.get(name)).ok();
        let author = match query.get(AUTHOR) {
            author @ (OPERATOR | SERVICE) => Some(author.to_owned()),
            _ => id(AUTHOR).map(|id| id.to_string()),
        };
        let mut kinds = kinds.iter().copied();
        let mut locations = locations.iter().copied();
        Self {
            object: id(OBJECT),
            kind: kinds.find(|kind| *kind == query.get(KIND)),
            author,
            location: locations.find(|location| Some(location.uuid()) == id(LOCATION)),
            period: Period::of(query, today),
            at: query.get(AT).to_owned(),
            order: query.get(SORT).to_owned(),
        }
    }

    /// Returns the filter of the core.
    pub(super) fn trail(&self) -> TrailFilter {
        let [since, until] = self.period.map(Period::times).unwrap_or_default();
        TrailFilter {
            object: self.object,
            kind: self.kind.map(str::to_owned),
            author: self.author.clone(),
            location: self.location,
            since,
            until,
        }
    }

    /// Returns the address of the page with this cursor.
    pub(super) fn next_page(&self, cursor: &str) -> String {
        self.address(self.period, cursor)
    }

    fn address(&self, period: Option<Period>, cursor: &str) -> String {
        let id = |id: Option<Uuid>| id.map(|id| id.to_string()).unwrap_or_default();
        let [unit, date] = period.map(Period::fields).unwrap_or_default();
        let fields = [
            (AT, self.at.clone()),
            (OBJECT, id(self.object)),
            (KIND, self.kind.unwrap_or_default().to_owned()),
            (AUTHOR, self.author.clone().unwrap_or_default()),
            (LOCATION, id(self.location.map(|id| id.uuid()))),
            unit,
            date,
            (SORT, self.order.clone()),
            (CURSOR, cursor.to_owned()),
        ];
        address(PATH, fields)
    }

    fn is_any(&self) -> bool {
        let none = Self {
            at: self.at.clone(),
            order: self.order.clone(),
            ..Self::default()
        };
        *self != none
    }

    /// Renders the form.
    /// An author to choose is an id and a name.
    pub(super) fn form(&self, to: &SignedIn<'_>, authors: &[(String, String)]) -> Markup {
        let kinds = kinds(to);
        let kinds = kinds.iter().map(|kind| (*kind, words::object(kind)));
        let authors = authors.iter().map(|(id, name)| (&**id, Cow::from(&**name)));
        let locations = to.locations(UserRight::ReadTrail);
        let ids: Vec<_> = locations.iter().map(|at| at.id.to_string()).collect();
        let names = locations.iter().map(|at| Cow::from(&*at.name));
        let places = ids.iter().map(|id| &**id).zip(names);
        let location = self.location.map(|id| id.to_string());
        html! {
            form.filter method="get" action=(PATH) {
                @if !self.at.is_empty() { input type="hidden" name=(AT) value=(self.at); }
                @if !self.order.is_empty() { input type="hidden" name=(SORT) value=(self.order); }
                @if let Some(id) = self.object { input type="hidden" name=(OBJECT) value=(id); }
                (choice(KIND, &text!("activity-kind"), &text!("activity-kind-any"), kinds, self.kind))
                (choice(
                    AUTHOR,
                    &text!("word-by"),
                    &text!("activity-author-any"),
                    authors,
                    self.author.as_deref(),
                ))
                @if locations.len() > 1 {
                    (choice(
                        LOCATION,
                        &text!("word-location"),
                        &text!("word-all"),
                        places,
                        location.as_deref(),
                    ))
                }
                (period_choice::fields(to, self.period, true))
                button.quiet { (text!("word-show")) }
                (period_choice::neighbors(to, self.period, |period| self.address(Some(period), "")))
                @if self.is_any() { a href=(PATH) { (text!("activity-all")) } }
            }
        }
    }
}

/// The kinds to choose from.
fn kinds(to: &SignedIn<'_>) -> Vec<&'static str> {
    let people = match to.session.has(UserRight::ManageUsers) {
        true => &KINDS_OF_PEOPLE[..],
        false => &[],
    };
    KINDS.iter().chain(people).copied().collect()
}

/// A choice of one value, or of any.
fn choice<'c>(
    name: &str,
    label: &str,
    any: &str,
    options: impl IntoIterator<Item = (&'c str, Cow<'c, str>)>,
    chosen: Option<&str>,
) -> Markup {
    html! {
        label for=(name) { (label) }
        select id=(name) name=(name) {
            option value="" { (any) }
            @for (value, words) in options {
                option value=(value) selected[chosen == Some(value)] { (words) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0199e3a1-7c00-7000-8000-000000000001";
    const OTHER: &str = "0199e3a1-7c00-7000-8000-000000000002";

    fn read(query: &str) -> Filters {
        let today = "2026-11-27".parse().unwrap();
        let location = ID.parse().unwrap();
        let query = FormFields::parse(query.as_bytes());
        Filters::read(&query, today, &[location], &KINDS)
    }

    #[test]
    fn an_address_has_the_known_filters_and_leaves_the_others_out() {
        let period = "period=week&date=2026-11-23";
        for (query, kept) in [
            (String::new(), String::new()),
            (
                "kind=x&author=x&location=x&object=x&period=x&date=x".into(),
                String::new(),
            ),
            (
                format!("location={OTHER}&kind=session&more=1"),
                String::new(),
            ),
            (format!("object={ID}"), format!("object={ID}&")),
            ("kind=option+group".into(), "kind=option+group&".into()),
            ("author=operator".into(), "author=operator&".into()),
            (
                format!("author={}", OTHER.to_uppercase()),
                format!("author={OTHER}&"),
            ),
            (
                format!("location={ID}&author=service&at=x"),
                format!("at=x&author=service&location={ID}&"),
            ),
            ("period=week&date=2026-11-27".into(), format!("{period}&")),
            ("period=week".into(), format!("{period}&")),
            (
                "kind=screen&sort=-time".into(),
                "kind=screen&sort=-time&".into(),
            ),
        ] {
            let filters = read(&query);
            let next = filters.next_page("7");
            assert_eq!(next, format!("{PATH}?{kept}cursor=7"), "{query}");
            let (_, again) = next.split_once('?').unwrap();
            assert_eq!(read(again), filters, "{query}");
            assert_eq!(filters.is_any(), !kept.is_empty(), "{query}");
        }
    }

    #[test]
    fn a_period_begins_and_ends_at_midnight() {
        let filter = read("period=month&date=2026-03-17").trail();
        let bounds = [filter.since, filter.until].map(|time| time.unwrap().to_string());
        assert_eq!(
            bounds,
            ["2026-02-28T23:00:00.000000Z", "2026-03-31T22:00:00.000000Z"]
        );
        assert_eq!(read("kind=x").trail(), TrailFilter::default());
    }
}
