//! Names of categories: which are the same, and what becomes of one that was stored under another
//! folding.

use connect_core::{
    Error,
    storage::{Commit, Entry, Key, Storage as _, Value, Write},
    wire::{Category, CategoryInput, Field, Id, ProductInput},
};

use crate::{faulty::rows, shop::Shop};

// The bytes that say which family a key is of, as the catalogue of keys has them.
const BY_NAME: u8 = 0x23;
const FOLDED_NAME: u8 = 0x24;

async fn create(shop: &Shop, name: &str) -> Result<Category, Error> {
    let input = CategoryInput::named(name);
    shop.categories().create(input).await
}

async fn rename(shop: &Shop, id: Id<Category>, name: &str) -> Result<Category, Error> {
    let input = CategoryInput::named(name);
    shop.categories().update(id, input).await
}

async fn delete(shop: &Shop, id: Id<Category>) {
    shop.categories().delete(id).await.unwrap();
}

/// The category made for a product by its name.
async fn category_of_a_product(shop: &Shop, name: &str) -> Option<Id<Category>> {
    let input = ProductInput {
        category_name: Field::Value(name.into()),
        ..ProductInput::named("Bread")
    };
    shop.products().create(input).await.unwrap().category_id
}

/// The rows of the index of names, and those that say how a name was folded.
async fn entries(shop: &Shop) -> [Vec<Entry>; 2] {
    let all = rows(&*shop.storage).await;
    [BY_NAME, FOLDED_NAME].map(|family| {
        let start = [shop.at.location().id.uuid().as_bytes(), &[family][..]].concat();
        let of_family = all.iter().filter(|(key, _)| key.starts_with(&start));
        of_family.cloned().collect()
    })
}

/// Stores the name of the only category as if it had been folded to `folded`.
async fn fold_as(shop: &Shop, folded: &str) {
    let [by_name, folded_name] = entries(shop).await;
    let [(by_name, id)] = &by_name[..] else {
        panic!("not one name: {by_name:?}")
    };
    let [(folded_key, _)] = &folded_name[..] else {
        panic!("not one folded name: {folded_name:?}")
    };
    let new = [&by_name[..17], folded.as_bytes(), b"\0\0"].concat();
    let commit = Commit {
        writes: vec![
            (by_name.clone(), Write::Remove),
            (Key::from(new), Write::Put(id.clone())),
            (
                folded_key.clone(),
                Write::Put(Value::from(folded.as_bytes())),
            ),
        ],
        ..Commit::default()
    };
    shop.storage.commit(commit).await.unwrap();
}

#[tokio::test]
async fn names_that_fold_alike_are_one() {
    for (name, others) in [
        ("Straße", ["STRASSE", "STRAẞE", " strasse "]),
        ("Caf\u{e9}", ["CAFE\u{301}", "cafe\u{301}", "CAF\u{c9}"]),
    ] {
        let shop = Shop::open().await;
        let category = create(&shop, name).await.unwrap();
        let other = create(&shop, "Other").await.unwrap();
        for same in others {
            for refused in [
                create(&shop, same).await,
                rename(&shop, other.id, same).await,
            ] {
                assert!(matches!(refused, Err(Error::Conflict(_))), "{same}");
            }
            assert_eq!(category_of_a_product(&shop, same).await, Some(category.id));
            // It may be called by another of its forms itself.
            assert_eq!(
                rename(&shop, category.id, same).await.unwrap().name,
                same.trim()
            );
            assert_eq!(entries(&shop).await.map(|entries| entries.len()), [2, 2]);
        }
        delete(&shop, category.id).await;
        create(&shop, others[0]).await.unwrap();
    }
}

/// Tables of folding change. A name that was stored under older ones is taken out of the index as
/// it stands there.
#[tokio::test]
async fn a_name_under_another_folding_leaves_no_entry() {
    for folded in ["straße", "STRASSE", "s"] {
        let shop = Shop::open().await;
        let category = create(&shop, "Straße").await.unwrap();
        fold_as(&shop, folded).await;
        // A change of something else leaves the name alone.
        let moved = CategoryInput {
            position: Field::Value(7),
            ..CategoryInput::default()
        };
        let moved = shop.categories().update(category.id, moved);
        assert_eq!(moved.await.unwrap().position, 7);
        assert_eq!(entries(&shop).await.map(|entries| entries.len()), [1, 1]);

        rename(&shop, category.id, "Weg").await.unwrap();
        assert_eq!(entries(&shop).await.map(|entries| entries.len()), [1, 1]);
        assert_eq!(category_of_a_product(&shop, "WEG").await, Some(category.id));
        let again = create(&shop, "Straße").await.unwrap();
        delete(&shop, again.id).await;

        fold_as(&shop, folded).await;
        delete(&shop, category.id).await;
        assert_eq!(entries(&shop).await, [vec![], vec![]], "{folded}");
    }
}
