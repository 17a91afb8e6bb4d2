//! Records in the key space, and the unit of work.
//!
//! Handles keys, rows and indexes, but no rules and no HTTP. Every change of a location is a
//! [`UnitOfWork`], committed at once: the rows with all their indexes, the events, the idempotency record
//! and the location's clock together.

mod account;
mod account_usage;
mod answered_request;
mod author;
mod clock;
mod contended;
mod delivery;
pub mod environment;
mod erasing;
mod error;
mod event_id;
mod fault;
mod key_parts;
mod key_range;
mod key_text;
pub(crate) mod keys;
mod kind;
mod lenient_reader;
mod list;
mod mail;
mod outbox;
mod parse_cache;
mod privacy;
mod reads;
mod row;
mod sealed;
mod sign_in;
mod single_sign_on;
mod sort_key;
mod store;
mod stored;
mod subscribers;
mod table;
mod trail;
mod transact;
mod unit;
mod usage;
mod usage_cache;
mod user;
mod webhook;
mod writes;

pub(crate) use account::SecretRow;
pub use account::{Account, AccountLocation, Grant, Screen, ScreenKey, ScreenType, Token};
pub use answered_request::AnsweredRequest;
pub(crate) use author::Authorship;
pub use author::{Author, BrowserCookie, Origin};
pub(crate) use clock::{ChangeClock, Retained, clock_key};
pub use delivery::{Delivery, DeliveryAttempt, DeliveryStatus};
pub(crate) use delivery::{EventRef, log_key, waiting_stock_key, woken_key};
pub(crate) use erasing::{ErasedKind, Erasing, JOURNAL, image_key_in, image_name_in};
pub use error::{Cause, Error, Reason, Refusal};
pub(crate) use event_id::number_in;
pub(crate) use fault::Fault;
pub(crate) use key_parts::ReadKey;
pub(crate) use key_range::KeyRange;
pub(crate) use kind::{
    Index, IndexKind, Indexed, Record, Reference, WordIndex, index, nth, only, reference,
};
pub(crate) use lenient_reader::{Chunk, LenientReader, Lookup};
pub(crate) use list::{
    AccessPath, CompleteSince, Keyed, ListPart, ListRead, MAX_WORD, SoughtWord, WordPlace,
    tombstones_since_key,
};
pub(crate) use mail::{QueuedMail, UserMessage};
pub(crate) use parse_cache::ParseCache;
pub use privacy::{PlannedErasure, Retention};
pub(crate) use reads::Reads;
pub(crate) use row::{Row, changed_in, created_in, keys_of};
pub(crate) use sealed::{OpenSecret, Sealed, SealedRow, SecretPlace, SecretSealer, Unopened};
pub(crate) use sign_in::{
    BegunPasskey, Invitation, KnownBrowser, PasswordHash, Session, SignIn, StoredPasskey, Totp,
};
pub(crate) use single_sign_on::{ProviderIdentity, StoredProvider};
pub(crate) use sort_key::{SortKey, TimeKey};
pub(crate) use store::{Store, committed};
pub(crate) use stored::{Relations, Stored, StoredKind, another};
pub(crate) use table::change_key;
pub use trail::{TrailChange, TrailEntry, TrailHash};
pub(crate) use trail::{TrailHead, trail_anchor_key, trail_key};
pub(crate) use transact::End;
pub(crate) use unit::{MOST_HOLDERS, UnitOfWork};
pub use usage::StorageLimits;
pub(crate) use usage::{Usage, UsageRule, counted};
pub use user::{Language, Role, User, UserRole};
pub(crate) use webhook::{FormerSecret, OwnWebhook, Webhooks};
pub use webhook::{OwnerMail, SwitchOffReason, SwitchedOff, Webhook};
