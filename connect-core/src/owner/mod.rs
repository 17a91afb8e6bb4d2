//! Accounts: users, sign-in, locations, screens, tokens and webhooks.

mod account_changes;
mod accounts;
mod emails;
mod owned;
mod privacy;
mod requests;
mod screens;
mod secret_rows;
mod sign_in;
mod stored;
mod tokens;
mod trail;
mod users;
mod webhooks;

pub(crate) use webhooks::{Failing, LEASE, WebhookLease, WebhookState, due_key, test_body};
pub use {
    account_changes::{AccountChange, LocationChange},
    accounts::{NewAccount, NewLocation},
    privacy::{AccountPiece, Blanked, Person},
    requests::{RequestFilter, RequestOutcome},
    screens::NewScreen,
    sign_in::{
        AWAITING_SECONDS, AwaitingSignIn, Invited, IssuedInvitation, IssuedSession, NewPasskey,
        NewProvider, NewSecondFactor, OpenSession, Passkey, PasskeyClaim, Provider, ProviderUser,
        SESSION_IDLE_SECONDS, SESSION_SECONDS, SecondFactor, SignInStatus, UserSession,
    },
    stored::{AccountStored, LocationStored, StoredTotals},
    tokens::{IssuedToken, NewToken},
    trail::{TrailFilter, TrailPage, TrailPiece, TrailPlace, TrailScope},
    users::{NewUser, UserChange},
    webhooks::{
        AttemptStats, DeliveryFilter, DeliveryPage, DeliveryStats, FailedAttempt, IssuedWebhook,
        MOST_RESENT, MOST_WAITING_COUNTED, NewWebhook, Resent, RolledSecret, WaitingEvents,
        WebhookChange, WebhookHealth,
    },
};

use crate::transaction::{Account, ScreenKey, SignIn, StoredKind, Token};

/// The kinds of rows with index entries.
pub(crate) static STORED: [StoredKind; 4] = [
    StoredKind::of::<Account>(),
    StoredKind::of::<Token>(),
    StoredKind::of::<ScreenKey>(),
    StoredKind::of::<SignIn>(),
];
