//! The catalogue of keys: every family of rows, and the shape of its keys.
//!
//! A key is its partition (a location, an account, a token, or [`GLOBAL`] for global rows), one
//! byte for the family, and then its parts, each encoded so that keys sort as their parts do:
//!
//! | part | encoding |
//! |---|---|
//! | time | microseconds, eight bytes, big-endian, sign flipped |
//! | number | eight bytes, big-endian |
//! | id | the sixteen bytes of the UUID |
//! | text | UTF-8, a zero byte as `00 FF`, ended by `00 00` |
//! | digest | its bytes |
//!
//! Records are stored under their id. A list in `updatedAt` order scans one index entry (time, id)
//! per record, joined with the records. An index with an id in its entries is followed in the same
//! read.

use uuid::Uuid;

use super::key_text;
use crate::{storage::Key, wire::Timestamp};

/// Reads the relation in a line of the table.
macro_rules! relation {
    () => {
        Relation::Own
    };
    (Numbered) => {
        Relation::Numbered
    };
    (Tombstone of $rows:ident) => {
        Relation::Tombstone(Family::$rows)
    };
    ($form:ident of each $rows:ident) => {
        Relation::Entry(EntryForm::$form, Family::$rows, true)
    };
    ($form:ident of $rows:ident) => {
        Relation::Entry(EntryForm::$form, Family::$rows, false)
    };
}

/// Makes the enum of families, their list, the shapes of keys and the relations.
/// A new family is in all of them.
macro_rules! families {
    ($(
        $(#[$doc:meta])*
        $name:ident = $byte:literal, $owner:ident, [$($part:ident),*]
        $(, $($relation:ident)+)?;
    )*) => {
        /// The family of a row.
        /// Its byte is part of every stored key: never reuse one.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Family {
            $($(#[$doc])* $name = $byte,)*
        }

        impl Family {
            /// All families, in the order of their lines.
            pub(crate) const ALL: &[Self] = &[$(Self::$name),*];

            /// Returns the owner of these rows.
            pub(crate) fn owner(self) -> PartitionOwner {
                match self {
                    $(Self::$name => PartitionOwner::$owner,)*
                }
            }

            /// Returns the parts of the keys behind partition and family.
            pub(crate) fn parts(self) -> &'static [PartKind] {
                match self {
                    $(Self::$name => &[$(PartKind::$part),*],)*
                }
            }

            /// Returns the relation of these rows to other rows.
            pub(crate) fn relation(self) -> Relation {
                match self {
                    $(Self::$name => relation!($($($relation)+)?),)*
                }
            }

            /// The name of the family.
            pub(crate) fn name(self) -> &'static str {
                match self {
                    $(Self::$name => stringify!($name),)*
                }
            }
        }
    };
}

/// The owner of a family's rows, as their partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PartitionOwner {
    /// The whole store: global rows.
    Global,
    /// An account.
    Account,
    /// A location.
    Location,
    /// The whole store, locations, accounts and webhooks.
    Any,
    /// A webhook.
    Webhook,
    /// Locations and webhooks.
    LocationOrWebhook,
    /// A token, or another caller.
    Caller,
}

/// The kind of a part of a key; see [`KeyPart`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PartKind {
    Time,
    Number,
    Id,
    Text,
    Digest,
}

/// The relation of a family's rows to other rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    /// Rows of their own.
    Own,
    /// Rows of their own, numbered from 1 without gaps and never deleted.
    /// Events are numbered the same way, but purged.
    Numbered,
    /// Index entries of the rows of another family.
    /// With `true`, every row of the partition has one.
    Entry(EntryForm, Family, bool),
    /// Tombstones of the rows of another family.
    Tombstone(Family),
}

/// The way from an index entry to its row.
/// Of a row in another partition, the entry also has the partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryForm {
    /// The key ends with the key of the row; the value is empty.
    Index,
    /// The key ends with the key of the row; the value is more about it.
    Field,
    /// The value is the end of the key of the row.
    Pointer,
}

// Each line ends with the owner, the parts and the relation, as the code reads them.
families! {
    // Before the clock: the newest entry is beside a row of each commit, often in its page.
    /// all | number | the entry of the audit trail
    Trail = 0x00, Any, [Number];
    /// all | | the change clock: last `updatedAt`, last event sequence
    Clock = 0x01, Any, [];
    /// location | | the start of its complete record of tombstones
    TombstonesSince = 0x02, Location, [];
    /// global | | the time of the last maintenance
    Maintenance = 0x03, Global, [];
    /// global | | the unfinished import into this store
    Import = 0x04, Global, [];
    /// global | minute since 1970, caller, server | the caller's requests to the server
    RequestCount = 0x05, Global, [Number, Text, Id];
    /// global | | the restored backup, until deliveries are allowed
    Restored = 0x06, Global, [];
    /// global | | the lead of a sandbox's clock, in seconds
    ClockLead = 0x07, Global, [];
    /// global | | the last migration of the store's rows, and the progress of the next
    Migrated = 0x08, Global, [];
    /// global | partition | the erasure of a partition that no account has any more
    Erasing = 0x09, Global, [Id];
    /// global | file name | the time when a product with this image was erased
    ErasedImage = 0x0A, Global, [Text];

    /// account | | the account with its locations and screens
    Account = 0x10, Account, [];
    /// account | token id | the digest in the token's key
    TokenById = 0x11, Account, [Id], Pointer of Token;
    /// global | digest of the token's value | the token
    Token = 0x12, Global, [Digest];
    /// global | digest of the token's value | the key of the token's account
    AccountOfToken = 0x15, Global, [Digest], Field of Token;
    /// account | token id | the time of the token's last use
    TokenUse = 0x13, Account, [Id];
    /// global | account id | nothing; the list of accounts
    AccountList = 0x14, Global, [Id], Index of Account;

    /// global | digest of the key's value | the key of a screen
    ScreenKey = 0x16, Global, [Digest];
    /// global | digest of the key's value | the key of the account
    AccountOfScreenKey = 0x17, Global, [Digest], Field of ScreenKey;
    /// account | screen id | the digest in the screen key's key
    ScreenKeyById = 0x18, Account, [Id], Pointer of ScreenKey;

    /// account | user id | the e-mail address and the password of the user
    SignIn = 0x19, Account, [Id];
    /// global | folded e-mail address | the account and the id of the user
    UserOfEmail = 0x1A, Global, [Text], Pointer of SignIn;
    /// account | user id | the open invitation of the user
    Invitation = 0x1B, Account, [Id];
    /// account | digest of the session's value | the session
    Session = 0x1C, Account, [Digest];
    /// account | | the OpenID Connect provider for signing in
    SingleSignOn = 0x1D, Account, [];
    /// account | user id | the identity of the user at the provider
    ProviderIdentity = 0x1E, Account, [Id];

    /// location | id | the category
    Category = 0x20, Location, [Id];
    /// location | time, id | nothing; the categories by last change
    CategoryByChange = 0x21, Location, [Time, Id], Index of each Category;
    /// location | time, id | the tombstone of a category
    CategoryTombstone = 0x22, Location, [Time, Id], Tombstone of Category;
    /// location | folded name | id of the category
    CategoryByName = 0x23, Location, [Text], Pointer of each Category;
    /// location | category id | the folded name in the index
    CategoryFoldedName = 0x24, Location, [Id], Field of each Category;
    /// location | word of the name, id | nothing
    CategoryByWord = 0x25, Location, [Text, Id], Index of Category;

    /// location | id | the product
    Product = 0x30, Location, [Id];
    /// location | time, id | nothing; the products by last change
    ProductByChange = 0x31, Location, [Time, Id], Index of each Product;
    /// location | time, id | the tombstone of a product
    ProductTombstone = 0x32, Location, [Time, Id], Tombstone of Product;
    /// location | external id | id of the product
    ProductByExternalId = 0x33, Location, [Text], Pointer of Product;
    /// location | barcode, id | nothing
    ProductByBarcode = 0x34, Location, [Text, Id], Index of Product;
    /// location | category id, time, id | nothing
    ProductByCategory = 0x35, Location, [Id, Time, Id], Index of Product;
    /// location | option group id, id | nothing
    ProductByOptionGroup = 0x36, Location, [Id, Id], Index of Product;
    /// location | word of the name, id | nothing
    ProductByWord = 0x37, Location, [Text, Id], Index of Product;
    /// location | | the former values of the products of the last bulk change
    BulkBefore = 0x38, Location, [];
    /// location | | the last bulk change of products, without the former values
    BulkHead = 0x39, Location, [];

    /// location | job id | the image job
    ImageJob = 0x40, Location, [Id];
    /// location | product id | id of the product's image job
    ImageJobByProduct = 0x41, Location, [Id], Pointer of each ImageJob;
    /// location | time, id | nothing; the image jobs by creation
    ImageJobByCreation = 0x42, Location, [Time, Id], Index of each ImageJob;
    /// global | due time, location, job id | nothing; the queue of image jobs
    ImageJobByDue = 0x43, Global, [Time, Id, Id], Index of ImageJob;

    /// location | id | the option group
    OptionGroup = 0x70, Location, [Id];
    /// location | time, id | nothing; the option groups by last change
    OptionGroupByChange = 0x71, Location, [Time, Id], Index of each OptionGroup;
    /// location | time, id | the tombstone of an option group
    OptionGroupTombstone = 0x72, Location, [Time, Id], Tombstone of OptionGroup;
    /// location | external id | id of the option group
    OptionGroupByExternalId = 0x73, Location, [Text], Pointer of OptionGroup;
    /// location | word of the name, id | nothing
    OptionGroupByWord = 0x74, Location, [Text, Id], Index of OptionGroup;

    /// location | receipt number | the journal row
    Transaction = 0x80, Location, [Number], Numbered;
    /// location | id | receipt number of the journal row
    TransactionById = 0x81, Location, [Id], Pointer of each Transaction;
    /// location | day | the daily summary
    JournalDay = 0x82, Location, [Number];
    /// location | day | its first receipt number; only for days later than all days before
    ReceiptFrom = 0x83, Location, [Number], Pointer of Transaction;
    /// location | day | nothing; days with only later days' rows after their last row
    ReceiptUpTo = 0x84, Location, [Number], Index of JournalDay;
    /// location | screen id | the sums of a register since its last Z report
    RegisterPeriod = 0x85, Location, [Id];
    /// location | id | the Z report
    ZReport = 0x86, Location, [Id];
    /// location | time, id | nothing; the Z reports by closing time
    ZReportByClosing = 0x87, Location, [Time, Id], Index of each ZReport;
    /// location | day | the articles sold on the day, kept since first asked for
    DayArticles = 0x88, Location, [Number];
    /// location | id | the order
    Order = 0xA0, Location, [Id], Numbered;
    /// location | time, id | nothing; the orders by creation
    OrderByCreation = 0xA1, Location, [Time, Id], Index of each Order;
    /// location | time, id | nothing; the orders by last change
    OrderByUpdate = 0xA2, Location, [Time, Id], Index of each Order;
    /// location | screen id, order id | nothing; the orders of a screen
    OrderByScreen = 0xA3, Location, [Id, Id], Index of each Order;

    /// location | sequence | the event's envelope
    Event = 0x50, Location, [Number];

    /// location | product id | the stock level
    StockLevel = 0x90, Location, [Id];
    /// location | time, product id | nothing; the levels by last change
    StockLevelByChange = 0x91, Location, [Time, Id], Index of each StockLevel;
    /// location | time, product id | the tombstone of a level
    StockLevelTombstone = 0x92, Location, [Time, Id], Tombstone of StockLevel;
    /// location | id | the stock movement
    StockMovement = 0x93, Location, [Id];
    /// location | time, id | nothing; the movements by creation
    StockMovementByCreation = 0x94, Location, [Time, Id], Index of each StockMovement;
    /// location | product id, time, id | nothing
    StockMovementByProduct = 0x95, Location, [Id, Time, Id], Index of each StockMovement;
    /// location | product id | the minimum of the product's stock
    StockMinimum = 0x96, Location, [Id];

    /// account | | its webhooks
    Webhooks = 0xB0, Account, [];
    /// location, webhook | | the key of its account's webhooks
    WebhooksLink = 0xB1, LocationOrWebhook, [];
    /// webhook | | its lease, its due time, and its failures
    WebhookState = 0xB2, Webhook, [];
    /// webhook | due time, id | the delivery; the queue of a webhook
    DeliveryByDue = 0xB3, Webhook, [Time, Id];
    /// webhook | product id | the delivery of the product's latest `stock.changed`
    WaitingStock = 0xB4, Webhook, [Id];
    /// webhook | product id | the time of the product's last queued `stock.changed`
    SentStock = 0xB5, Webhook, [Id];
    /// webhook | id | the delivery after its last attempt
    Delivery = 0xB6, Webhook, [Id];
    /// global | webhook id | the last added event; webhooks with unseen work
    WebhookWoken = 0xB7, Global, [Id];
    /// global | due time, webhook id | nothing; webhooks with work to do later
    WebhookByDue = 0xB8, Global, [Time, Id], Field of WebhookState;

    /// all | | the number and the hash of the last entry removed for its age
    TrailAnchor = 0xC1, Any, [];

    /// global | due time, account, message id | the message; the queue of mail to users
    Mail = 0xD0, Global, [Time, Id, Id];

    /// account | token id, number | an answered request of the token
    Request = 0xE0, Account, [Id, Number];

    /// token | idempotency key | the stored answer
    Answer = 0x60, Caller, [Text];
    /// global | expiry, token id, idempotency key | the key of the answer
    AnswerByExpiry = 0x61, Global, [Time, Id, Text];
}

impl Family {
    /// The family with this byte.
    pub(crate) fn of(byte: u8) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|family| *family as u8 == byte)
    }

    /// The families with as many index entries as rows, with the index.
    pub(crate) fn complete_indexes() -> impl Iterator<Item = (Self, Self)> {
        Self::ALL.iter().filter_map(|index| match index.relation() {
            Relation::Entry(_, rows, true) => Some((rows, *index)),
            _ => None,
        })
    }

    /// The families of tombstones, of every kind of record.
    pub(crate) fn tombstones() -> impl Iterator<Item = Self> {
        let all = Self::ALL.iter().copied();
        all.filter(|family| matches!(family.relation(), Relation::Tombstone(_)))
    }

    /// The length of a key behind partition and family; `None` with a text.
    pub(super) fn key_len(self) -> Option<usize> {
        let part = |part: &PartKind| match part {
            PartKind::Time | PartKind::Number => Some(8),
            PartKind::Id => Some(16),
            PartKind::Digest => Some(32),
            PartKind::Text => None,
        };
        self.parts().iter().map(part).sum()
    }
}

/// The key of the row in `rows` with an index entry.
/// `None` for an entry without such a key.
pub(crate) fn row_of_entry(
    (entry, value): (&[u8], &[u8]),
    form: EntryForm,
    rows: Family,
) -> Option<Key> {
    let (own, behind) = entry.split_at_checked(16)?;
    let is_global = own == GLOBAL.as_bytes();
    let is_of_global = rows.owner() == PartitionOwner::Global;
    let len = rows.key_len()? + if is_global && !is_of_global { 16 } else { 0 };
    let place = match form {
        EntryForm::Pointer => Some(value).filter(|value| value.len() == len)?,
        EntryForm::Index | EntryForm::Field => &behind[behind.len().checked_sub(len)?..],
    };
    let (partition, place) = match (is_global, is_of_global) {
        (_, true) => (&GLOBAL.as_bytes()[..], place),
        (false, false) => (own, place),
        (true, false) => place.split_at_checked(16)?,
    };
    Some([partition, &[rows as u8], place].concat().into())
}

/// The next free block of family bytes, for a new kind of record.
///
/// A new family of an existing kind takes the next byte of its block instead. After taking this
/// block, raise the constant by 0x10.
#[cfg(test)]
const NEXT_FREE: u8 = 0xF0;

/// The partition of global rows, of no account or location.
pub(crate) const GLOBAL: Uuid = Uuid::nil();

/// One part of a key.
#[derive(Clone, Copy, Debug)]
pub(crate) enum KeyPart<'a> {
    Time(Timestamp),
    Number(u64),
    Id(Uuid),
    Text(&'a str),
    Digest(&'a [u8; 32]),
}

impl KeyPart<'_> {
    /// The room for the part in a key.
    fn len(self) -> usize {
        match self {
            Self::Time(_) | Self::Number(_) => 8,
            Self::Id(_) => 16,
            // Zero bytes take one more each. They are too rare to look for them here.
            Self::Text(text) => text.len() + 2,
            Self::Digest(digest) => digest.len(),
        }
    }

    fn write(self, key: &mut Vec<u8>) {
        match self {
            Self::Time(time) => key.extend_from_slice(&time_bytes(time)),
            Self::Number(number) => key.extend_from_slice(&number.to_be_bytes()),
            Self::Id(id) => key.extend_from_slice(id.as_bytes()),
            Self::Text(text) => key_text::write(text, key),
            Self::Digest(digest) => key.extend_from_slice(digest),
        }
    }
}

/// The key of a row, or a prefix of several keys.
pub(crate) fn key(partition: Uuid, family: Family, parts: &[KeyPart<'_>]) -> Key {
    let len = 17 + parts.iter().map(|part| part.len()).sum::<usize>();
    let mut key = Vec::with_capacity(len);
    key.extend_from_slice(partition.as_bytes());
    key.push(family as u8);
    for part in parts {
        part.write(&mut key);
    }
    key.into_boxed_slice()
}

/// The first key behind all keys with this prefix.
pub(crate) fn after_prefix(prefix: &[u8]) -> Key {
    let mut end = prefix.to_vec();
    while end.last() == Some(&0xFF) {
        end.pop();
    }
    // Every key starts with a partition and a family, so there is a byte that can be raised.
    if let Some(last) = end.last_mut() {
        *last += 1;
    }
    end.into_boxed_slice()
}

/// The bytes of a time in a key.
pub(crate) fn time_bytes(time: Timestamp) -> [u8; 8] {
    ((time.micros() as u64) ^ (1 << 63)).to_be_bytes()
}

/// Reads the time written by [`time_bytes`].
pub(crate) fn time_from(bytes: [u8; 8]) -> Timestamp {
    Timestamp::from_micros((u64::from_be_bytes(bytes) ^ (1 << 63)) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_sort_as_their_parts_do() {
        let id = Uuid::from_u128;
        let text = |text| key(id(7), Family::ProductByExternalId, &[KeyPart::Text(text)]);
        assert!(text("a") < text("ab"));
        assert!(text("a\0") > text("a"));
        assert!(text("a\0") < text("aa"));
        let time = |micros| {
            key(
                id(7),
                Family::Product,
                &[
                    KeyPart::Time(Timestamp::from_micros(micros)),
                    KeyPart::Id(id(1)),
                ],
            )
        };
        assert!(time(-5) < time(0) && time(0) < time(5) && time(255) < time(256));
    }

    #[test]
    fn every_family_has_a_byte_of_its_own() {
        for family in Family::ALL {
            assert_eq!(
                Family::of(*family as u8),
                Some(*family),
                "{}",
                family.name()
            );
        }
        assert_eq!(Family::of(0xFF), None);
    }

    #[test]
    fn the_next_free_byte_is_behind_all_others() {
        let highest = Family::ALL.iter().map(|family| *family as u8).max();
        let block = highest.unwrap_or_default() & 0xF0;
        assert_eq!(
            NEXT_FREE,
            block + 0x10,
            "set NEXT_FREE to the block after the last"
        );
    }

    #[test]
    fn an_entry_leads_to_its_row() {
        let (at, id, time) = (Uuid::from_u128(7), Uuid::from_u128(1), Timestamp::EPOCH);
        let [account, own, time] = [KeyPart::Id(at), KeyPart::Id(id), KeyPart::Time(time)];
        let (digest, text) = (KeyPart::Digest(&[3; 32]), KeyPart::Text("a"));
        let entry = |partition, family: Family, parts: &[_], value: &[u8]| {
            let Relation::Entry(form, rows, _) = family.relation() else {
                panic!("{family:?}");
            };
            row_of_entry((&key(partition, family, parts), value), form, rows)
        };
        let product = Some(key(at, Family::Product, &[own]));
        let token = Some(key(GLOBAL, Family::Token, &[digest]));
        let by_category = [account, time, own];
        let found = entry(at, Family::ProductByCategory, &by_category, &[]);
        assert_eq!(found, product);
        let found = entry(at, Family::ProductByExternalId, &[text], id.as_bytes());
        assert_eq!(found, product);
        let found = entry(GLOBAL, Family::ImageJobByDue, &[time, account, own], &[]);
        assert_eq!(found, Some(key(at, Family::ImageJob, &[own])));
        let found = entry(at, Family::TokenById, &[own], &[3; 32]);
        assert_eq!(found, token);
        assert_eq!(entry(at, Family::TokenById, &[own], &[3; 31]), None);
        let found = entry(GLOBAL, Family::AccountOfToken, &[digest], b"any");
        assert_eq!(found, token);
        let user = [*at.as_bytes(), *id.as_bytes()].concat();
        let found = entry(GLOBAL, Family::UserOfEmail, &[text], &user);
        assert_eq!(found, Some(key(at, Family::SignIn, &[own])));
    }

    #[test]
    fn what_follows_a_prefix_is_beyond_all_its_keys() {
        assert_eq!(*after_prefix(b"a\xFF\xFF"), *b"b");
        assert_eq!(*after_prefix(b"ab"), *b"ac");
    }
}
