//! The longest texts that a client may send: every backend takes their keys.

use connect_core::{
    Request,
    storage::MAX_KEY_LEN,
    wire::{
        CategoryInput, Field, Product, ProductInput,
        limits::{MAX_BARCODE, MAX_CATEGORY_NAME, MAX_EXTERNAL_ID, MAX_IDEMPOTENCY_KEY_LEN},
    },
};

use crate::{
    faulty::rows,
    shop::{Shop, keyed},
};

#[tokio::test]
async fn every_backend_takes_the_keys_of_the_longest_texts() {
    let shop = Shop::open().await;
    // A musical note: folding makes three characters of it, each as long as it was.
    let name = "\u{1D160}".repeat(MAX_CATEGORY_NAME);
    shop.categories()
        .create(CategoryInput::named(name))
        .await
        .unwrap();
    let input = ProductInput {
        external_id: Field::Value("x".repeat(MAX_EXTERNAL_ID)),
        barcode: Field::Value("\u{1D160}".repeat(MAX_BARCODE)),
        ..ProductInput::named("Bread")
    };
    let key = "k".repeat(MAX_IDEMPOTENCY_KEY_LEN);
    let made = shop
        .connect
        .location(&shop.at)
        .json::<Product>()
        .create(keyed(Request::from(input), &key))
        .await;
    made.unwrap();
    let rows = rows(&*shop.storage).await;
    let longest = rows.iter().map(|(key, _)| key.len()).max().unwrap();
    assert!(longest <= MAX_KEY_LEN, "a key of {longest} bytes");
}
