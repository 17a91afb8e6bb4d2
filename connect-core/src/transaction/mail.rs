//! Mail to users, waiting in its queue.

use std::net::IpAddr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    Account, Language, Sealed, SecretPlace,
    keys::{Family, GLOBAL, KeyPart, key},
};
use crate::{
    storage::Key,
    wire::{Id, Timestamp},
};

/// A message to a user until it is sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct QueuedMail {
    /// The address.
    pub(crate) to: String,
    /// The language of the user.
    pub(crate) language: Language,
    /// The name of the account.
    pub(crate) business: String,
    /// The content.
    pub(crate) message: UserMessage,
    /// The secret in its link, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) secret: Option<Sealed>,
    /// The time of its event.
    pub(crate) created_at: Timestamp,
    /// The number of attempts to send it.
    pub(crate) attempts: u32,
}

/// The content of a message to a user, without the secret in its link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    tag = "kind",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
pub(crate) enum UserMessage {
    /// An invitation to set a first or new password.
    Invitation { until: Timestamp },
    /// A link to set another password, asked for on the sign-in page.
    ForgottenPassword { until: Timestamp },
    /// A sign-in with a browser not seen before.
    NewDevice {
        device: Option<String>,
        address: Option<IpAddr>,
    },
    /// The user has another password.
    PasswordChanged,
    /// The user signs in with another address. Sent to the former one.
    EmailChanged { email: String },
    /// A second factor was added or removed.
    FactorChanged { is_on: bool },
    /// A passkey was added or removed.
    PasskeyChanged { name: String, is_added: bool },
    /// The account has another sign-in provider, or none.
    ProviderChanged { issuer: Option<String> },
    /// Someone with the password gave wrong codes.
    WrongCodes,
    /// The account, or a location of this name, is erased unless this is taken back.
    ErasurePlanned {
        location: Option<String>,
        erase_at: Timestamp,
    },
    /// A token expires soon.
    TokenExpires {
        name: String,
        /// The first characters of its value.
        prefix: String,
        expires_at: Timestamp,
    },
}

impl QueuedMail {
    /// The key of a message at its due time.
    pub(crate) fn key(due: Timestamp, account: Id<Account>, id: Uuid) -> Key {
        let place = [
            KeyPart::Time(due),
            KeyPart::Id(account.uuid()),
            KeyPart::Id(id),
        ];
        key(GLOBAL, Family::Mail, &place)
    }

    /// The place of the secret of a message.
    pub(crate) fn place(id: Uuid) -> SecretPlace {
        SecretPlace {
            kind: "mail",
            of: id,
        }
    }

    /// The time from when the message is of no use.
    pub(crate) fn ends_at(&self) -> Timestamp {
        /// A day of attempts.
        const MOST_SECONDS: i64 = 24 * 3600;

        let most = self.created_at.plus_seconds(MOST_SECONDS);
        match &self.message {
            UserMessage::Invitation { until } | UserMessage::ForgottenPassword { until } => {
                most.min(*until)
            }
            _ => most,
        }
    }
}
