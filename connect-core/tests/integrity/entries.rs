//! Index entries that are missing, lead nowhere or are too many.

use connect_core::{Problem, ProblemKind, storage::Write};

use super::{Stocked, family, find, journal};

#[tokio::test]
async fn a_missing_index_entry_is_named() {
    for (family, whose) in [
        (family::ACCOUNT_LIST, "account "),
        (family::TOKEN_BY_ID, "token "),
        (family::ACCOUNT_OF_TOKEN, "token "),
        (
            family::ACCOUNT_OF_EMAIL,
            "the address of a user of account ",
        ),
        (family::CATEGORY_BY_CHANGE, "category "),
        (family::CATEGORY_BY_NAME, "category "),
        (family::CATEGORY_FOLDED_NAME, "category "),
        (family::PRODUCT_BY_CHANGE, "product "),
        (family::PRODUCT_BY_EXTERNAL_ID, "product "),
        (family::PRODUCT_BY_BARCODE, "product "),
        (family::PRODUCT_BY_CATEGORY, "product "),
        (family::IMAGE_JOB_BY_PRODUCT, "image job "),
        (family::IMAGE_JOB_BY_DUE, "image job "),
        (family::ANSWER_BY_EXPIRY, "answer"),
        (family::TRANSACTION_BY_ID, "transaction "),
    ] {
        let stocked = journal::open().await;
        let (key, _) = stocked.first(family).await;
        stocked.write(&key, Write::Remove).await;
        let report = stocked.check().await;
        let message = &find(&report, ProblemKind::MissingEntry, &key).message;
        assert!(message.contains(whose), "{message}");
    }
}

#[tokio::test]
async fn an_entry_without_its_row_is_named() {
    for (rows, index) in [
        (family::SIGN_IN, family::ACCOUNT_OF_EMAIL),
        (family::CATEGORY, family::CATEGORY_BY_CHANGE),
        (family::CATEGORY, family::CATEGORY_FOLDED_NAME),
        (family::PRODUCT, family::PRODUCT_BY_CHANGE),
        (family::PRODUCT, family::PRODUCT_BY_EXTERNAL_ID),
        (family::PRODUCT, family::PRODUCT_BY_BARCODE),
        (family::PRODUCT, family::PRODUCT_BY_CATEGORY),
        (family::IMAGE_JOB, family::IMAGE_JOB_BY_PRODUCT),
        (family::IMAGE_JOB, family::IMAGE_JOB_BY_DUE),
        (family::ANSWER, family::ANSWER_BY_EXPIRY),
    ] {
        let stocked = Stocked::open().await;
        for (key, _) in stocked.rows(rows).await {
            stocked.write(&key, Write::Remove).await;
        }
        let report = stocked.check().await;
        for (entry, _) in stocked.rows(index).await {
            find(&report, ProblemKind::StrayEntry, &entry);
        }
    }
}

#[tokio::test]
async fn an_entry_too_many_is_named() {
    let stocked = Stocked::open().await;
    let products = stocked.rows(family::PRODUCT_BY_EXTERNAL_ID).await;
    // A second external id of the first product, and a second place in change order.
    let mut second = products[0].0.to_vec();
    let end = second.len() - 3;
    second[end] = b'9';
    stocked.put(&second, &products[0].1).await;
    let mut moved = stocked.first(family::PRODUCT_BY_CHANGE).await.0;
    moved[24] ^= 1;
    stocked.put(&moved, b"").await;
    // A name that no category has.
    let (name, id) = stocked.first(family::CATEGORY_BY_NAME).await;
    let other = [&name[..name.len() - 2], b"s\0\0"].concat();
    stocked.put(&other, &id).await;
    let report = stocked.check().await;
    for key in [&second[..], &moved, &other] {
        let problem = find(&report, ProblemKind::StrayEntry, key);
        assert_eq!(problem.location, Some(stocked.location()));
    }
    // One place in change order, and one name, are more than there are rows.
    let counts = report
        .problems
        .iter()
        .filter(|problem| problem.kind == ProblemKind::Count);
    assert_eq!(counts.count(), 2, "{:#?}", report.problems);
}

#[tokio::test]
async fn a_reference_that_leads_nowhere_is_named() {
    let stocked = Stocked::open().await;
    let (product_key, _) = stocked.first(family::PRODUCT).await;
    let referred = [
        family::CATEGORY,
        family::IMAGE_JOB,
        family::IMAGE_JOB_BY_PRODUCT,
    ];
    for family in referred {
        for (key, _) in stocked.rows(family).await {
            stocked.write(&key, Write::Remove).await;
        }
    }
    let report = stocked.check().await;
    let of_product = |problem: &&Problem| {
        problem.kind == ProblemKind::MissingReference && problem.key == hex::encode(&product_key)
    };
    // Its category, and the job that it waits for.
    assert_eq!(report.problems.iter().filter(of_product).count(), 2);
}
