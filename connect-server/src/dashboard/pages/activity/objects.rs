//! The objects and authors of entries: their names and pages today.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
};

use connect_core::{
    Author, Error, Reach, Records, Resource, Token, TrailChange, TrailEntry, UserRight,
    wire::{Category, Id, OptionGroup, Product, limits::MAX_PAGE_SIZE},
};
use serde_json::Value;
use uuid::Uuid;

use super::{
    filters::{OPERATOR, SERVICE},
    words,
};
use crate::dashboard::page_request::{AT, SignedIn};

/// The changes shown of an entry. A batch has hundreds.
const MOST_CHANGES: usize = 10;

/// The kinds of objects with names.
const ACCOUNT: &str = "account";
const LOCATION: &str = "location";
const SCREEN: &str = "screen";
const USER: &str = "user";
const TOKEN: &str = "token";
const WEBHOOK: &str = "webhook";
const PRODUCT: &str = "product";
const CATEGORY: &str = "category";
const OPTION_GROUP: &str = "option group";

/// Returns the shown changes of an entry.
pub(super) fn shown(entry: &TrailEntry) -> impl Iterator<Item = &TrailChange> {
    entry.changes.iter().take(MOST_CHANGES)
}

/// The page of an object.
pub(super) enum ObjectPage {
    /// The address of the page.
    At(String),
    /// There is no page, or none for this reader.
    None,
    /// The object no longer exists.
    Gone,
}

/// The objects of a page of entries.
pub(super) struct Objects<'t> {
    to: &'t SignedIn<'t>,
    /// The names of the existing objects, by kind and id.
    names: HashMap<(&'static str, Uuid), String>,
    /// The ids of records looked up, existing or not.
    sought: HashSet<Uuid>,
    /// The tokens of the account, if the reader manages them.
    tokens: Vec<Token>,
}

impl<'t> Objects<'t> {
    /// Finds the objects of these entries.
    pub(super) async fn find(to: &'t SignedIn<'t>, entries: &[TrailEntry]) -> Result<Self, Error> {
        let account = to.account();
        let mut found = Self {
            to,
            names: HashMap::new(),
            sought: HashSet::new(),
            tokens: Vec::new(),
        };
        found.add(ACCOUNT, account.id, &account.name);
        for location in &account.locations {
            found.add(LOCATION, location.id, &location.name);
        }
        for screen in &account.screens {
            found.add(SCREEN, screen.id, &screen.name);
        }
        for user in &account.users {
            found.add(USER, user.id, &user.name);
        }
        if to.session.has(UserRight::ManageTokens) {
            let tokens = to.connect.tokens(account.id).await?;
            found.tokens = tokens.into_iter().map(|(token, _)| token).collect();
            let name = |token: &Token| ((TOKEN, token.id.uuid()), token.name.clone());
            found.names.extend(found.tokens.iter().map(name));
        }
        if to.session.has(UserRight::ManageWebhooks) {
            for (webhook, _) in to.connect.webhooks(account.id).await? {
                // A query may hold a secret: the trail leaves it out as well.
                let link = webhook.url.split(['?', '#']).next();
                found.add(WEBHOOK, webhook.id, link.unwrap_or_default());
            }
        }
        for location in to.locations(UserRight::ReadCatalog) {
            let mut ids = records_of(entries, location.id.uuid());
            if ids.is_empty() {
                continue;
            }
            let access = to.session.authorize(location.id, UserRight::ReadCatalog)?;
            let records = to.connect.location(&access);
            let mut ids = |kind: &str| ids.remove(kind).unwrap_or_default();
            let (products, categories, groups) = (ids(PRODUCT), ids(CATEGORY), ids(OPTION_GROUP));
            let name = |product: Product| (product.id, product.name);
            found
                .look_up(PRODUCT, &records.products(), products, name)
                .await?;
            let name = |category: Category| (category.id, category.name);
            found
                .look_up(CATEGORY, &records.categories(), categories, name)
                .await?;
            let name = |group: OptionGroup| (group.id, group.name);
            found
                .look_up(OPTION_GROUP, &records.option_groups(), groups, name)
                .await?;
        }
        Ok(found)
    }

    fn add<T>(&mut self, kind: &'static str, id: Id<T>, name: &str) {
        self.names.insert((kind, id.uuid()), name.to_owned());
    }

    /// Looks up records of a location.
    async fn look_up<R: Resource>(
        &mut self,
        kind: &'static str,
        records: &Records<R>,
        ids: BTreeSet<Uuid>,
        name: fn(R) -> (Id<R>, String),
    ) -> Result<(), Error> {
        let ids: Vec<Id<R>> = ids.into_iter().map(Id::new).collect();
        for some in ids.chunks(MAX_PAGE_SIZE) {
            for record in records.get_many(some).await? {
                let (id, name) = name(record);
                self.add(kind, id, &name);
            }
        }
        self.sought.extend(ids.iter().map(|id| id.uuid()));
        Ok(())
    }

    /// Returns whether this object would have a name here if it existed.
    fn knows(&self, kind: &str, id: Uuid) -> bool {
        let (account, user) = (self.to.account(), self.to.user());
        let everywhere = |right| matches!(account.reach(user, right), Ok(Reach::Account));
        match kind {
            LOCATION | SCREEN | USER => true,
            TOKEN => everywhere(UserRight::ManageTokens),
            WEBHOOK => everywhere(UserRight::ManageWebhooks),
            PRODUCT | CATEGORY | OPTION_GROUP => self.sought.contains(&id),
            _ => false,
        }
    }

    /// Returns the name of an object in a value; its id if the reader cannot know it.
    pub(super) fn name(&self, kind: &str, id: &str) -> String {
        let Ok(uuid) = Uuid::try_parse(id) else {
            return id.to_owned();
        };
        match self.names.get(&(named(kind), uuid)) {
            Some(name) => name.clone(),
            None if self.knows(kind, uuid) => text!("problem-gone").into_owned(),
            None => id.to_owned(),
        }
    }

    /// Returns the kind and the name of the object of a change.
    pub(super) fn title(&self, change: &TrailChange) -> String {
        let object = words::object(&change.object);
        let kind = named(&change.object);
        let name = change.name.as_ref();
        // The account is that of the page: its name says nothing.
        let today = self.names.get(&(kind, change.id));
        match name.or(today.filter(|_| kind != ACCOUNT)) {
            Some(name) => format!("{object} {name}"),
            None => object.into_owned(),
        }
    }

    /// Returns the page of the object of a change.
    pub(super) fn page(&self, entry: &TrailEntry, change: &TrailChange) -> ObjectPage {
        let (kind, id, chain) = (named(&change.object), change.id, entry.chain);
        if !self.names.contains_key(&(kind, id)) {
            return match self.knows(kind, id) {
                true => ObjectPage::Gone,
                false => ObjectPage::None,
            };
        }
        let (right, path) = match kind {
            PRODUCT => {
                let path = format!("/dashboard/stock/{id}?{AT}={chain}");
                (UserRight::ReadCatalog, path)
            }
            CATEGORY => {
                let path = format!("/dashboard/products?{AT}={chain}&category={id}");
                (UserRight::ReadCatalog, path)
            }
            LOCATION => (UserRight::ReadSales, format!("/dashboard?{AT}={id}")),
            SCREEN => (
                UserRight::ManageScreens,
                format!("/dashboard/screens#screen-{id}"),
            ),
            TOKEN => (UserRight::ManageTokens, format!("/dashboard/tokens/{id}")),
            WEBHOOK => (
                UserRight::ManageWebhooks,
                format!("/dashboard/webhooks/{id}"),
            ),
            USER => (UserRight::ManageUsers, format!("/dashboard/users/{id}")),
            ACCOUNT => (UserRight::ManageAccount, page_of_account(&change.object)),
            _ => return ObjectPage::None,
        };
        let is_demo = self.to.sandbox().is_some();
        match self.to.session.has(right) && (change.object != "sandbox" || is_demo) {
            true => ObjectPage::At(path),
            false => ObjectPage::None,
        }
    }

    /// Returns an author's id in filters, and the name.
    pub(super) fn author<'a>(&'a self, author: &'a Author) -> (String, Cow<'a, str>) {
        match author {
            Author::Operator { .. } => (OPERATOR.to_owned(), text!("activity-operator")),
            Author::User { id } => {
                let name = self.names.get(&(USER, id.uuid()));
                let name = name.map(|name| Cow::from(&**name));
                let name = name.unwrap_or_else(|| text!("activity-former-user"));
                (id.to_string(), name)
            }
            Author::Token { id, name } => (id.to_string(), text!("activity-token", name = name)),
            Author::Screen { id, name } => (id.to_string(), text!("activity-screen", name = name)),
            _ => (SERVICE.to_owned(), text!("activity-service")),
        }
    }

    /// Returns the authors to choose from: their ids and names.
    /// They are the people, tokens and screens of today within reach, and the authors of these entries.
    pub(super) fn authors(
        &self,
        entries: &[TrailEntry],
        chosen: Option<&str>,
    ) -> Vec<(String, String)> {
        let to = self.to;
        let may = |right| to.session.has(right);
        let users = to.account().users.iter();
        // Only a reader with the right to manage users sees all of them.
        let users = users.filter(|user| may(UserRight::ManageUsers) || user.id == to.user().id);
        let users = users.map(|user| Author::User { id: user.id });
        let tokens = self.tokens.iter();
        let tokens = tokens.filter(|token| !to.connect.has_ended(token));
        let tokens = tokens.map(|token| Author::Token {
            id: token.id,
            name: token.name.clone(),
        });
        let screens = to.screens().into_iter();
        let screens = screens.map(|screen| Author::Screen {
            id: screen.id,
            name: screen.name.clone(),
        });
        let rest = [Author::Operator { name: None }, Author::Service];
        let rest = rest.into_iter();
        let of_entries = entries.iter().map(|entry| entry.author.clone());
        let all = users
            .chain(tokens)
            .chain(screens)
            .chain(rest)
            .chain(of_entries);
        let mut seen = HashSet::new();
        let mut authors = Vec::new();
        for author in all {
            let (id, name) = self.author(&author);
            if seen.insert(id.clone()) {
                authors.push((id, name.into_owned()));
            }
        }
        if let Some(chosen) = chosen.filter(|id| !seen.contains(*id)) {
            let name = text!("activity-author-unknown").into_owned();
            authors.push((chosen.to_owned(), name));
        }
        authors
    }
}

/// The kind of the named object with the same id.
/// A key has the id of its screen, and a session the id of its user.
fn named(object: &str) -> &'static str {
    match object {
        "account" | "sandbox" | "single sign-on" => ACCOUNT,
        "location" => LOCATION,
        "screen" | "screen key" => SCREEN,
        "user" | "sign-in" | "invitation" | "session" => USER,
        "token" => TOKEN,
        "webhook" => WEBHOOK,
        "product" | "stock minimum" => PRODUCT,
        "category" => CATEGORY,
        "option group" => OPTION_GROUP,
        _ => "",
    }
}

/// The page about a part of the account.
fn page_of_account(object: &str) -> String {
    let path = match object {
        "sandbox" => "/dashboard/sandbox",
        "single sign-on" => "/dashboard/account/single-sign-on",
        _ => "/dashboard/account",
    };
    path.to_owned()
}

/// The ids of records in the shown changes, by kind.
fn records_of(entries: &[TrailEntry], chain: Uuid) -> BTreeMap<&'static str, BTreeSet<Uuid>> {
    let mut found: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    let here = entries.iter().filter(|entry| entry.chain == chain);
    for change in here.flat_map(shown) {
        let kind = named(&change.object);
        if [PRODUCT, CATEGORY, OPTION_GROUP].contains(&kind) {
            found.entry(kind).or_default().insert(change.id);
        }
        for (field, kind) in [("categoryId", CATEGORY), ("optionGroupIds", OPTION_GROUP)] {
            for values in [&change.before, &change.after] {
                let ids = ids_in(values.get(field));
                // Without an id there is nothing to look up.
                if !ids.is_empty() {
                    found.entry(kind).or_default().extend(ids);
                }
            }
        }
    }
    found
}

/// The ids in a value: one, or a list of them.
fn ids_in(value: Option<&Value>) -> Vec<Uuid> {
    let one = value.and_then(Value::as_str);
    let many = value.and_then(Value::as_array).into_iter().flatten();
    let all = one.into_iter().chain(many.filter_map(Value::as_str));
    all.filter_map(|id| Uuid::try_parse(id).ok()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ids_are_found_in_values() {
        const ID: &str = "0199e3a1-7c00-7000-8000-000000000001";
        for (value, count) in [
            (json!(null), 0),
            (json!("x"), 0),
            (json!(ID), 1),
            (json!([ID, 7, "x", ID]), 2),
        ] {
            assert_eq!(ids_in(Some(&value)).len(), count, "{value}");
        }
        assert_eq!(ids_in(None).len(), 0);
    }
}
