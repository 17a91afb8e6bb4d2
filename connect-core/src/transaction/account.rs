//! Accounts, locations, screens and tokens as stored.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    PlannedErasure, ReadKey, Relations, Retention, Stored, User,
    keys::{Family, GLOBAL, KeyPart, key},
};
use crate::{
    storage::Value,
    wire::{
        Id, Location, Scope, Timestamp, VatRate,
        limits::{DELIVERY_DAYS, EVENT_DAYS},
    },
};

/// A customer of the service, with its locations and screens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", from = "StoredAccount")]
pub struct Account {
    /// Its id.
    pub id: Id<Self>,
    /// The name of the business.
    pub name: String,
    /// Set for an account of the sandbox. Its tokens start with `ck_test_`.
    pub sandbox: bool,
    /// Its locations, in the order of their creation.
    pub locations: Vec<AccountLocation>,
    /// Its screens. Without any, the API is not available.
    pub screens: Vec<Screen>,
    /// Its users, in the order of their creation; at least one owner.
    pub users: Vec<User>,
    /// Set when users without a second factor have no rights until they add one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub requires_second_factor: bool,
    /// The planned erasures of the account and its locations.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub erasures: Vec<PlannedErasure>,
    /// The days to keep personal data.
    #[serde(skip_serializing_if = "Retention::is_default")]
    pub retention: Retention,
}

/// An account as stored, also by a program before users.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct StoredAccount {
    id: Id<Account>,
    name: String,
    /// The owner's address, before users.
    owner_email: Option<String>,
    sandbox: bool,
    locations: Vec<AccountLocation>,
    screens: Vec<Screen>,
    #[serde(default)]
    users: Vec<User>,
    #[serde(default)]
    requires_second_factor: bool,
    #[serde(default)]
    erasures: Vec<PlannedErasure>,
    #[serde(default)]
    retention: Retention,
}

impl From<StoredAccount> for Account {
    fn from(stored: StoredAccount) -> Self {
        // The owner has the id of the account, here as after the migration.
        let owner = |email| User::owner(stored.id.uuid().into(), email);
        let owner = stored.owner_email.map(owner);
        Self {
            id: stored.id,
            name: stored.name,
            sandbox: stored.sandbox,
            locations: stored.locations,
            screens: stored.screens,
            users: stored.users.into_iter().chain(owner).collect(),
            requires_second_factor: stored.requires_second_factor,
            erasures: stored.erasures,
            retention: stored.retention,
        }
    }
}

/// A location in the list of its account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AccountLocation {
    /// Its id.
    pub id: Id<Location>,
    /// Its name.
    pub name: String,
    /// The ISO code of its currency.
    pub currency: String,
    /// The VAT rate of products created without one.
    pub default_vat_rate: VatRate,
}

/// A till, a kiosk, or a Scan & Order page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Screen {
    /// Its id.
    pub id: Id<Self>,
    /// Its location.
    pub location_id: Id<Location>,
    /// The type.
    #[serde(rename = "type")]
    pub kind: ScreenType,
    /// Its name.
    pub name: String,
}

/// The type of a screen.
/// Every type makes the API available to its account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScreenType {
    /// A till.
    Pos,
    /// A kiosk for orders by customers.
    OrderKiosk,
    /// Ordering from a table by phone.
    ScanAndOrder,
}

/// The key of a screen, without its value.
/// Only a digest of the value is stored. A screen has at most one key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ScreenKey {
    /// The screen.
    pub screen_id: Id<Screen>,
    /// The account of the screen.
    pub account_id: Id<Account>,
    /// The first characters of its value, for its owner to recognize.
    pub prefix: String,
    /// The time of its creation.
    pub created_at: Timestamp,
}

/// A token, without its value.
/// Only a digest of the value is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Token {
    /// Its id.
    pub id: Id<Self>,
    /// The account it belongs to.
    pub account_id: Id<Account>,
    /// Its name; changes made with it are attributed to `API: <name>`.
    pub name: String,
    /// The first characters of its value, for its owner to recognize.
    pub prefix: String,
    /// The rights it has, per location.
    pub grants: Vec<Grant>,
    /// The time of its creation.
    pub created_at: Timestamp,
    /// The time of its expiry, if any.
    pub expires_at: Option<Timestamp>,
    /// The time of its revocation.
    pub revoked_at: Option<Timestamp>,
    /// The time of the mail to users about its expiry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expiry_warned_at: Option<Timestamp>,
}

/// The rights of a token at one location.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Grant {
    /// The location.
    pub location_id: Id<Location>,
    /// The scopes the token has there; at least one.
    pub scopes: Vec<Scope>,
}

/// A secret of an account, in a row by its digest.
pub(crate) trait SecretRow: Stored + Serialize {
    /// The family of the links to the account, by the same digest.
    const ACCOUNTS: Family;

    /// The family of the account's entries, from an id to the digest.
    const BY_ID: Family;
}

impl SecretRow for Token {
    const ACCOUNTS: Family = Family::AccountOfToken;
    const BY_ID: Family = Family::TokenById;
}

impl SecretRow for ScreenKey {
    const ACCOUNTS: Family = Family::AccountOfScreenKey;
    const BY_ID: Family = Family::ScreenKeyById;
}

impl Account {
    /// The user with this id.
    pub fn user(&self, id: Id<User>) -> Option<&User> {
        self.users.iter().find(|user| user.id == id)
    }

    /// The owners, in the order of their creation.
    pub fn owners(&self) -> impl Iterator<Item = &User> {
        self.users.iter().filter(|user| user.is_owner())
    }

    /// The first owner. Only a damaged account has none.
    pub fn first_owner(&self) -> Option<&User> {
        self.owners().next()
    }

    /// The e-mail address of the first owner.
    pub fn owner_email(&self) -> &str {
        self.first_owner().map_or("", |owner| &owner.email)
    }

    /// The days to keep events. They hold the names of persons.
    pub(crate) fn event_days(&self) -> i64 {
        let Retention {
            event_days,
            person_days,
            ..
        } = self.retention;
        fewest(EVENT_DAYS, [event_days, person_days])
    }

    /// The days to keep deliveries, no more than their events.
    pub(crate) fn kept_delivery_days(&self) -> i64 {
        fewest(
            DELIVERY_DAYS.min(self.event_days()),
            [self.retention.delivery_days],
        )
    }

    /// The planned erasure of a location, or of the account.
    pub fn planned_erasure(&self, location: Option<Id<Location>>) -> Option<PlannedErasure> {
        let mut planned = self.erasures.iter();
        planned.find(|of| of.location_id == location).copied()
    }

    /// Returns whether a location is one of the account.
    pub(crate) fn has_location(&self, id: Id<Location>) -> bool {
        self.locations.iter().any(|location| location.id == id)
    }
}

fn fewest<const N: usize>(own: i64, set: [Option<u32>; N]) -> i64 {
    let set = set.into_iter().flatten().map(i64::from);
    set.fold(own, i64::min)
}

impl Stored for Account {
    const FAMILY: Family = Family::Account;

    fn relations(&self, at: &ReadKey) -> Relations {
        let id = self.id.uuid();
        let listed = key(GLOBAL, Family::AccountList, &[KeyPart::Id(id)]);
        Relations {
            misplaced: (id != at.partition)
                .then(|| format!("the row holds {id}, which is another account")),
            entries: vec![(listed, Value::default())],
            ..Relations::named(format!("account {id}"))
        }
    }
}

impl Stored for Token {
    const FAMILY: Family = Family::Token;

    fn relations(&self, at: &ReadKey) -> Relations {
        let name = format!("token {}", self.id);
        of_secret::<Self>(name, self.account_id, self.id.uuid(), at)
    }
}

impl Stored for ScreenKey {
    const FAMILY: Family = Family::ScreenKey;

    fn relations(&self, at: &ReadKey) -> Relations {
        let name = format!("the key of screen {}", self.screen_id);
        of_secret::<Self>(name, self.account_id, self.screen_id.uuid(), at)
    }
}

/// The relations of a row under the digest of a secret.
/// It has entries by its id, and from the digest to its account.
fn of_secret<S: SecretRow>(
    name: String,
    account: Id<Account>,
    id: Uuid,
    at: &ReadKey,
) -> Relations {
    let account = account.uuid();
    let entries = at.digest().map(|digest| {
        let by_id = key(account, S::BY_ID, &[KeyPart::Id(id)]);
        let account_of = key(GLOBAL, S::ACCOUNTS, &[KeyPart::Digest(digest)]);
        let account = key(account, Family::Account, &[]);
        vec![
            (by_id, digest.as_slice().into()),
            (account_of, account.into()),
        ]
    });
    Relations {
        entries: entries.unwrap_or_default(),
        ..Relations::named(name)
    }
}
