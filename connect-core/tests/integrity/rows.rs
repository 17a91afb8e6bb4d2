//! Rows that are not what their key says, and keys that nobody writes.

use connect_core::{ProblemKind, wire::Product};
use uuid::Uuid;

use super::{Stocked, family, find, journal};

#[tokio::test]
async fn a_row_that_does_not_parse_is_named() {
    for family in [
        family::CLOCK,
        family::CATEGORY,
        family::PRODUCT,
        family::PRODUCT_TOMBSTONE,
        family::PRODUCT_BY_EXTERNAL_ID,
        family::PRODUCT_BY_BARCODE,
        family::IMAGE_JOB,
        family::EVENT,
        family::ANSWER,
        family::TOKEN_BY_ID,
        family::SIGN_IN,
        family::ACCOUNT_OF_EMAIL,
        family::INVITATION,
        family::SESSION,
    ] {
        let stocked = Stocked::open().await;
        let (key, value) = stocked.first(family).await;
        let cut = value.len().saturating_sub(1);
        let wrong = if value.is_empty() {
            b"x"
        } else {
            &value[..cut]
        };
        stocked.put(&key, wrong).await;
        find(&stocked.check().await, ProblemKind::BadRow, &key);
    }
}

#[tokio::test]
async fn a_row_under_the_key_of_another_is_named() {
    for (family, expected) in [
        (family::CATEGORY, "which is another record"),
        (family::PRODUCT, "which is another record"),
        (
            family::PRODUCT_TOMBSTONE,
            "is not where its id and time say",
        ),
        (family::IMAGE_JOB, "which is another job"),
        (family::EVENT, ""),
        (
            family::TRANSACTION,
            "the row holds receipt 1, which is another",
        ),
        (family::ACCOUNT, "which is another account"),
    ] {
        let stocked = journal::open().await;
        let (mut key, value) = stocked.first(family).await;
        // The row of an account has no more than a partition and a family.
        let place = if family == family::ACCOUNT {
            15
        } else {
            key.len() - 1
        };
        key[place] ^= 0x40;
        stocked.put(&key, &value).await;
        let report = stocked.check().await;
        find(&report, ProblemKind::BadRow, &key);
        let mut messages = report.problems.iter().map(|problem| &problem.message);
        assert!(
            messages.any(|message| message.contains(expected)),
            "{report:?}"
        );
    }
}

#[tokio::test]
async fn keys_that_nobody_writes_are_named() {
    let stocked = Stocked::open().await;
    let location = stocked.location();
    let strange = [
        b"short".to_vec(),
        [location.as_bytes(), &[family::PRODUCT][..], b"no id"].concat(),
        [
            location.as_bytes(),
            &[family::ACCOUNT_LIST][..],
            location.as_bytes(),
        ]
        .concat(),
    ];
    for key in &strange {
        stocked.put(key, b"{}").await;
    }
    let report = stocked.check().await;
    for key in &strange {
        find(&report, ProblemKind::UnknownKey, key);
    }
    assert_eq!(report.problem_count, 3);
}

/// They are no damage: whoever takes them for it puts an old copy in place of a good store.
#[tokio::test]
async fn kinds_of_rows_of_a_newer_program_are_counted_and_no_problem() {
    let stocked = Stocked::open().await;
    let location = stocked.location();
    for (partition, family) in [
        (location, 0x7F),
        (location, 0xFE),
        (Uuid::nil(), 0x7F),
        (Uuid::from_u128(7), 0x7F),
    ] {
        let key = [partition.as_bytes(), &[family][..], b"?"].concat();
        stocked.put(&key, b"{}").await;
    }
    let report = stocked.check().await;
    assert_eq!(report.problems, []);
    assert_eq!(report.problem_count, 0);
    let newer = [("0x7F", 3), ("0xFE", 1)].map(|(kind, rows)| (kind.to_owned(), rows));
    assert_eq!(report.newer_kinds, newer.into());
    assert!(!report.is_clean());
}

#[tokio::test]
async fn a_record_that_is_deleted_and_there_is_named() {
    let stocked = Stocked::open().await;
    let (product_key, product) = stocked.first(family::PRODUCT).await;
    let product: Product = serde_json::from_slice(&product).unwrap();
    let (key, row) = stocked.first(family::PRODUCT_TOMBSTONE).await;
    let mut tombstone: serde_json::Value = serde_json::from_slice(&row).unwrap();
    tombstone["id"] = product.id.to_string().into();
    let doubled = [&key[..key.len() - 16], product.id.uuid().as_bytes()].concat();
    stocked
        .put(&doubled, tombstone.to_string().as_bytes())
        .await;
    let report = stocked.check().await;
    find(&report, ProblemKind::DeletedAndThere, &product_key);
    assert_eq!(report.problem_count, 1);
}

#[tokio::test]
async fn rows_of_nobodys_location_are_named() {
    let stocked = Stocked::open().await;
    let (account, mut row) = stocked.first(0x10).await;
    let mut text: serde_json::Value = serde_json::from_slice(&row).unwrap();
    text["locations"] = serde_json::json!([]);
    row = text.to_string().into_bytes().into();
    stocked.put(&account, &row).await;
    let report = stocked.check().await;
    let location = stocked.location();
    let key = [location.as_bytes(), &[family::CLOCK][..]].concat();
    find(&report, ProblemKind::NoOwner, &key);
    // Its screen and the token's grant now lead nowhere, too.
    assert_eq!(report.problem_count, 3, "{:#?}", report.problems);
}

#[tokio::test]
async fn more_problems_than_are_listed_are_counted() {
    let stocked = Stocked::open().await;
    let location = stocked.location();
    for number in 0u16..1200 {
        let key = [
            location.as_bytes(),
            &[family::PRODUCT][..],
            &number.to_be_bytes(),
        ]
        .concat();
        stocked.put(&key, b"").await;
    }
    let report = stocked.check().await;
    assert_eq!((report.problem_count, report.problems.len()), (1200, 1000));
}
