//! Searches by words, held against a look at every name.

use std::collections::BTreeSet;

use connect_core::{
    Error,
    storage::{Value, Write},
    wire::{
        CategoryInput, Field, Id, OptionGroupInput, OptionInput, Product, ProductInput, Timestamp,
        query::{CategoryQuery, OptionGroupQuery, ProductQuery},
    },
};
use proptest::prelude::*;

use uuid::Uuid;

use crate::{
    properties::shop::Shop as AnyShop,
    shop::Shop,
    stored::{
        self,
        family::{PRODUCT, PRODUCT_BY_WORD},
    },
};

on_each_store!(names_are_found_by_their_words);

/// Words of names; some begin others, and some differ by case and accents alone.
const WORDS: [&str; 10] = [
    "Brood", "brood", "broodje", "bro", "Crème", "creme", "cremeux", "kaas", "2", "25",
];

/// The words as they are compared.
const FOLDED: [&str; 10] = [
    "brood", "brood", "broodje", "bro", "creme", "creme", "cremeux", "kaas", "2", "25",
];

/// Some words, by their places in the list.
fn words(most: usize) -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(0..WORDS.len(), 1..=most)
}

fn text(words: &[usize]) -> String {
    let words: Vec<_> = words.iter().map(|word| WORDS[*word]).collect();
    words.join(" ")
}

/// Returns whether each word of a search is one of a name, and the last the beginning of one.
fn is_found(search: &[usize], name: &[usize]) -> bool {
    let last = search.len() - 1;
    search.iter().enumerate().all(|(place, sought)| {
        name.iter().any(|word| match place == last {
            true => FOLDED[*word].starts_with(FOLDED[*sought]),
            false => FOLDED[*word] == FOLDED[*sought],
        })
    })
}

/// Walks through a search in pages of so many.
async fn walk(shop: &AnyShop, query: &ProductQuery, limit: usize) -> Vec<Id<Product>> {
    let here = shop.connect.location(&shop.at).products();
    let mut query = query.clone();
    query.sync.limit = Some(limit);
    let mut found = Vec::new();
    loop {
        let page = here.list(&query).await.unwrap();
        assert!(page.data.len() <= limit);
        found.extend(page.data.iter().map(|product| product.id));
        query.sync.cursor = page.next_cursor;
        if query.sync.cursor.is_none() {
            return found;
        }
    }
}

async fn names_are_found_by_their_words(shop: AnyShop) {
    use proptest::{strategy::ValueTree as _, test_runner::TestRunner};
    let mut runner = TestRunner::deterministic();
    let mut any = |most| words(most).new_tree(&mut runner).unwrap().current();
    let here = shop.connect.location(&shop.at).products();
    let mut names = Vec::new();
    for _ in 0..60 {
        let name = any(4);
        let made = here.create(ProductInput::named(text(&name))).await.unwrap();
        names.push((made.id, name));
    }
    // Some are renamed, or change otherwise; some are deleted.
    for place in (0..60).step_by(3) {
        let (id, name) = &mut names[place];
        let mut change = ProductInput::default();
        if place % 2 == 0 {
            *name = any(4);
            change.name = Field::Value(text(name));
        } else {
            change.price_cents = Field::Value(100);
        }
        here.update(*id, change).await.unwrap();
    }
    for (id, _) in names.split_off(50) {
        here.delete(id).await.unwrap();
    }
    for _ in 0..60 {
        let search = any(3);
        let query = ProductQuery::default().search(text(&search));
        let found = walk(&shop, &query, 200).await;
        let expected = names.iter().filter(|(_, name)| is_found(&search, name));
        let expected: BTreeSet<_> = expected.map(|(id, _)| *id).collect();
        let different: BTreeSet<_> = found.iter().copied().collect();
        assert_eq!(
            (different.len(), &different),
            (found.len(), &expected),
            "{search:?}"
        );
        for limit in [1, 3, 7] {
            assert_eq!(
                walk(&shop, &query, limit).await,
                found,
                "{search:?} by {limit}"
            );
        }
    }
    let report = shop.connect.check(&mut |_| {}).await.unwrap();
    assert!(report.is_clean(), "{report:?}");
}

#[tokio::test]
async fn the_very_word_comes_first_and_filters_go_along() {
    let shop = Shop::open().await;
    let here = shop.here();
    let bread = here
        .categories()
        .create(CategoryInput::named("Vers brood"))
        .await
        .unwrap();
    for name in ["Broodje kaas", "Kaas", "Kaasbrood", "Kaas en brood"] {
        let product = ProductInput {
            category_id: Field::Value(bread.id),
            ..ProductInput::named(name)
        };
        here.products().create(product).await.unwrap();
        here.products()
            .create(ProductInput::named(name))
            .await
            .unwrap();
    }
    let found = async |query: ProductQuery| {
        let page = here.products().list(&query).await.unwrap().data;
        page.into_iter()
            .map(|product| product.name)
            .collect::<Vec<_>>()
    };
    let here_only = |text: &str| ProductQuery::default().search(text).category_id(bread.id);
    assert_eq!(
        found(here_only("KAAS")).await,
        ["Broodje kaas", "Kaas", "Kaas en brood", "Kaasbrood"]
    );
    assert_eq!(
        found(here_only("kaas broo")).await,
        ["Kaas en brood", "Broodje kaas"]
    );
    assert_eq!(found(ProductQuery::default().search("kaas")).await.len(), 8);
    let categories = CategoryQuery::default().search("broo");
    assert_eq!(
        here.categories()
            .list(&categories)
            .await
            .unwrap()
            .data
            .len(),
        1
    );
    let group = OptionGroupInput::named("Saus naar keuze", vec![OptionInput::named("Mosterd")]);
    here.option_groups().create(group).await.unwrap();
    for (text, count) in [("keuz", 1), ("mosterd", 0)] {
        let query = OptionGroupQuery::default().search(text);
        let page = here.option_groups().list(&query).await.unwrap();
        assert_eq!(page.data.len(), count, "{text}");
    }
}

#[tokio::test]
async fn a_search_without_words_or_with_changes_is_refused() {
    let shop = Shop::open().await;
    let products = shop.here().products();
    let mut since = ProductQuery::default().search("a");
    since.sync.updated_since = Some(Timestamp::EPOCH);
    for (query, field) in [
        (ProductQuery::default().search(" -! "), "search"),
        (since, "updatedSince"),
        (ProductQuery::default().search("a"), "includeDeleted"),
    ] {
        // With deleted records, as the other method leaves them out.
        match products.list_with_deleted(&query).await {
            Err(Error::Malformed(reason)) => assert_eq!(reason.field.as_deref(), Some(field)),
            other => panic!("{field}: {other:?}"),
        }
    }
    let mut strange = ProductQuery::default().search("a");
    strange.sync.cursor = Some("00".to_owned());
    let refused = products.list(&strange).await.unwrap_err();
    assert_eq!(refused.problem().field.as_deref(), Some("cursor"));
}

#[tokio::test]
async fn a_name_is_found_by_any_of_its_words() {
    let shop = Shop::open().await;
    let products = shop.products();
    let long: Vec<String> = (100..150).map(|number| number.to_string()).collect();
    let long = long.join(" ");
    let long = &*long;
    for name in ["Coca-Cola™ Zero", "№ 5", long] {
        products.create(ProductInput::named(name)).await.unwrap();
    }
    for (search, name) in [
        ("Coca-Cola™ Zero", "Coca-Cola™ Zero"),
        ("coca-cola zero", "Coca-Cola™ Zero"),
        ("№ 5", "№ 5"),
        ("no 5", "№ 5"),
        ("149", long),
        ("149 100", long),
        // The longest search has more words than are counted.
        (&long[..99], long),
    ] {
        let query = ProductQuery::default().search(search);
        let found = products.list(&query).await.unwrap().data;
        let found: Vec<_> = found.iter().map(|product| &*product.name).collect();
        assert_eq!(found, [name], "{search}");
    }
}

#[tokio::test]
async fn a_stray_entry_spoils_no_search() {
    let shop = Shop::open().await;
    let products = shop.products();
    let location = shop.at.location().id.uuid();
    let mut ids = Vec::new();
    for name in ["Brood", "Brood bruin", "Brood wit"] {
        let made = products.create(ProductInput::named(name)).await.unwrap();
        ids.push(made.id);
    }
    let lost = [
        location.as_bytes(),
        &[PRODUCT][..],
        ids[1].uuid().as_bytes(),
    ]
    .concat();
    stored::write(&*shop.storage, &lost, Write::Remove).await;
    for (search, limit) in [("brood", 1), ("brood", 200), ("bro", 1), ("brood bro", 1)] {
        let mut query = ProductQuery::default().search(search);
        query.sync.limit = Some(limit);
        let mut found = Vec::new();
        loop {
            let page = products.list(&query).await.unwrap();
            found.extend(page.data.iter().map(|product| product.id));
            query.sync.cursor = page.next_cursor;
            if query.sync.cursor.is_none() {
                break;
            }
        }
        assert_eq!(found, [ids[0], ids[2]], "{search} by {limit}");
    }
    let report = shop.connect.check(&mut |_| {}).await.unwrap();
    assert!(report.problem_count > 0, "the check names the entries");
}

/// A page of a word with many entries is short rather than late.
#[tokio::test]
async fn a_page_looks_at_a_limited_number_of_entries() {
    let shop = Shop::open().await;
    let products = shop.products();
    products.create(ProductInput::named("Brood")).await.unwrap();
    let entry = stored::of_family(&*shop.storage, PRODUCT_BY_WORD).await;
    let (entry, _) = entry.into_iter().next().unwrap();
    // In front of it, those of no product.
    let row = |number: u128| {
        let mut entry = entry.to_vec();
        let place = entry.len() - 16;
        entry[place..].copy_from_slice(Uuid::from_u128(number).as_bytes());
        (entry.into(), Write::Put(Value::default()))
    };
    stored::write_all(&*shop.storage, (1..=4100).map(row).collect()).await;
    let mut query = ProductQuery::default().search("brood");
    let mut found = Vec::new();
    loop {
        let page = products.list(&query).await.unwrap();
        found.push(page.data.len());
        query.sync.cursor = page.next_cursor;
        if query.sync.cursor.is_none() {
            break;
        }
    }
    assert_eq!(found, [0, 0, 1]);
}
