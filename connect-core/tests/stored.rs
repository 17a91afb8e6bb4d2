//! The rows of a store, as tests read and damage them behind the back of the core.

use connect_core::storage::{Commit, Entry, Key, Storage, Value, Write};

use crate::faulty;

/// The bytes that say which family a key is of, as the catalogue of keys has them.
pub(crate) mod family {
    pub(crate) const CLOCK: u8 = 0x01;
    pub(crate) const TOMBSTONES_SINCE: u8 = 0x02;
    pub(crate) const MAINTENANCE: u8 = 0x03;
    pub(crate) const ACCOUNT: u8 = 0x10;
    pub(crate) const TOKEN_BY_ID: u8 = 0x11;
    pub(crate) const ACCOUNT_LIST: u8 = 0x14;
    pub(crate) const ACCOUNT_OF_TOKEN: u8 = 0x15;
    pub(crate) const SIGN_IN: u8 = 0x19;
    pub(crate) const ACCOUNT_OF_EMAIL: u8 = 0x1A;
    pub(crate) const INVITATION: u8 = 0x1B;
    pub(crate) const SESSION: u8 = 0x1C;
    pub(crate) const CATEGORY: u8 = 0x20;
    pub(crate) const CATEGORY_BY_CHANGE: u8 = 0x21;
    pub(crate) const CATEGORY_TOMBSTONE: u8 = 0x22;
    pub(crate) const CATEGORY_BY_NAME: u8 = 0x23;
    pub(crate) const CATEGORY_FOLDED_NAME: u8 = 0x24;
    pub(crate) const PRODUCT: u8 = 0x30;
    pub(crate) const PRODUCT_BY_CHANGE: u8 = 0x31;
    pub(crate) const PRODUCT_TOMBSTONE: u8 = 0x32;
    pub(crate) const PRODUCT_BY_EXTERNAL_ID: u8 = 0x33;
    pub(crate) const PRODUCT_BY_BARCODE: u8 = 0x34;
    pub(crate) const PRODUCT_BY_CATEGORY: u8 = 0x35;
    pub(crate) const PRODUCT_BY_WORD: u8 = 0x37;
    pub(crate) const BULK_BEFORE: u8 = 0x38;
    pub(crate) const BULK_HEAD: u8 = 0x39;
    pub(crate) const IMAGE_JOB: u8 = 0x40;
    pub(crate) const IMAGE_JOB_BY_PRODUCT: u8 = 0x41;
    pub(crate) const IMAGE_JOB_BY_DUE: u8 = 0x43;
    pub(crate) const EVENT: u8 = 0x50;
    pub(crate) const ANSWER: u8 = 0x60;
    pub(crate) const ANSWER_BY_EXPIRY: u8 = 0x61;
    pub(crate) const TRAIL: u8 = 0x00;
    pub(crate) const TRAIL_ANCHOR: u8 = 0xC1;
    pub(crate) const TRANSACTION: u8 = 0x80;
    pub(crate) const TRANSACTION_BY_ID: u8 = 0x81;
    pub(crate) const JOURNAL_DAY: u8 = 0x82;
    pub(crate) const RECEIPT_FROM: u8 = 0x83;
    pub(crate) const RECEIPT_UP_TO: u8 = 0x84;
    pub(crate) const REGISTER_PERIOD: u8 = 0x85;
    pub(crate) const Z_REPORT: u8 = 0x86;
    pub(crate) const Z_REPORT_BY_CLOSING: u8 = 0x87;
    pub(crate) const LEVEL: u8 = 0x90;
    pub(crate) const LEVEL_BY_CHANGE: u8 = 0x91;
    pub(crate) const MOVEMENT: u8 = 0x93;
    pub(crate) const MOVEMENT_BY_CREATION: u8 = 0x94;
    pub(crate) const MOVEMENT_BY_PRODUCT: u8 = 0x95;
    pub(crate) const MINIMUM: u8 = 0x96;
    pub(crate) const REQUEST: u8 = 0xE0;
    pub(crate) const ORDER: u8 = 0xA0;
    pub(crate) const ORDER_BY_CREATION: u8 = 0xA1;
    pub(crate) const ORDER_BY_UPDATE: u8 = 0xA2;
    pub(crate) const ORDER_BY_SCREEN: u8 = 0xA3;
    pub(crate) const WEBHOOKS: u8 = 0xB0;
    pub(crate) const WEBHOOKS_LINK: u8 = 0xB1;
    pub(crate) const WEBHOOK_STATE: u8 = 0xB2;
    pub(crate) const DELIVERY_BY_DUE: u8 = 0xB3;
    pub(crate) const WAITING_STOCK: u8 = 0xB4;
    pub(crate) const DELIVERY: u8 = 0xB6;
    pub(crate) const WEBHOOK_WOKEN: u8 = 0xB7;
    pub(crate) const WEBHOOK_BY_DUE: u8 = 0xB8;
}

/// The rows of a family, in the order of their keys.
pub(crate) async fn of_family(storage: &dyn Storage, family: u8) -> Vec<Entry> {
    let mut rows = faulty::rows(storage).await;
    rows.retain(|(key, _)| key[16] == family);
    rows
}

/// Writes or removes a row.
pub(crate) async fn write(storage: &dyn Storage, key: &[u8], write: Write) {
    write_all(storage, vec![(key.into(), write)]).await;
}

/// Writes or removes rows.
pub(crate) async fn write_all(storage: &dyn Storage, writes: Vec<(Key, Write)>) {
    let commit = Commit {
        writes,
        ..Commit::default()
    };
    storage.commit(commit).await.unwrap();
}

/// What nobody can parse.
pub(crate) fn garbage() -> Write {
    Write::Put(Value::from(&b"garbage"[..]))
}
