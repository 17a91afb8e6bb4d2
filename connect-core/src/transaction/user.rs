//! Users of an account as stored: people, and their roles.

use serde::{Deserialize, Serialize};

use crate::wire::{Id, Location};

/// A person with access to an account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct User {
    /// The id.
    pub id: Id<Self>,
    /// The person's name.
    pub name: String,
    /// The e-mail address, for sign-in and for mail.
    pub email: String,
    /// The language of pages and mail.
    pub language: Language,
    /// The roles: one for the whole account, or one for each of some locations.
    pub roles: Vec<UserRole>,
    /// Set for a user with a second factor.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub second_factor: bool,
    /// Set for a user with an identity at the account's provider.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub single_sign_on: bool,
}

impl User {
    /// Makes an owner, with the name to be changed later.
    pub(crate) fn owner(id: Id<Self>, email: String) -> Self {
        Self {
            id,
            name: "Owner".to_owned(),
            email,
            language: Language::default(),
            roles: vec![UserRole {
                location_id: None,
                role: Role::Owner,
            }],
            second_factor: false,
            single_sign_on: false,
        }
    }

    /// Returns whether the user signs in through the account's provider alone.
    /// An owner may use the own password as well, so that a provider out of order locks nobody out.
    pub fn needs_provider(&self) -> bool {
        self.single_sign_on && !self.is_owner()
    }

    /// Returns whether the user is an owner of the account.
    pub fn is_owner(&self) -> bool {
        self.roles.iter().any(|of| of.role == Role::Owner)
    }
}

/// A role of a user, and its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UserRole {
    /// The location; `None` for the whole account.
    pub location_id: Option<Id<Location>>,
    /// The role.
    pub role: Role,
}

/// The role of a user, with its [rights](crate::UserRight).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Everything. An owner is one for the whole account.
    Owner,
    /// The daily work: sales, catalog, stock and screens, but no people.
    Manager,
    /// Reading and exporting.
    Accountant,
    /// Tokens, webhooks, their requests, and the sandbox.
    Developer,
}

/// The language of a user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Language {
    /// English.
    #[default]
    En,
    /// Dutch.
    Nl,
}
