//! Names of categories: which are the same, and what becomes of one that was stored under another
//! folding.

use std::sync::Arc;

use connect_core::{
    Error,
    storage::{Commit, Entry, Key, Storage, Value, Write, memory::MemoryStorage},
    wire::{Category, CategoryInput, Field, Id, ProductInput},
};

use crate::{
    faulty::rows,
    shop::{self, Shop},
};

// The bytes that say which family a key is of, as the catalogue of keys has them.
const BY_NAME: u8 = 0x23;
const FOLDED_NAME: u8 = 0x24;

struct Tried {
    shop: Shop,
    storage: Arc<MemoryStorage>,
}

impl Tried {
    async fn open() -> Self {
        let storage = Arc::new(MemoryStorage::new());
        let shop = shop::open_on(storage.clone()).await;
        Self { shop, storage }
    }

    async fn create(&self, name: &str) -> Result<Category, Error> {
        let input = CategoryInput::named(name);
        self.shop.categories().create(input).await
    }

    async fn rename(&self, id: Id<Category>, name: &str) -> Result<Category, Error> {
        let input = CategoryInput::named(name);
        self.shop.categories().update(id, input).await
    }

    async fn delete(&self, id: Id<Category>) {
        self.shop.categories().delete(id).await.unwrap();
    }

    /// The category that a product gets which names it.
    async fn category_of_a_product(&self, name: &str) -> Option<Id<Category>> {
        let input = ProductInput {
            category_name: Field::Value(name.into()),
            ..ProductInput::named("Bread")
        };
        self.shop
            .products()
            .create(input)
            .await
            .unwrap()
            .category_id
    }

    /// The rows of the index of names, and those that say how a name was folded.
    async fn entries(&self) -> [Vec<Entry>; 2] {
        let all = rows(&*self.storage).await;
        [BY_NAME, FOLDED_NAME].map(|family| {
            let start = [self.shop.at.location().id.uuid().as_bytes(), &[family][..]].concat();
            let of_family = all.iter().filter(|(key, _)| key.starts_with(&start));
            of_family.cloned().collect()
        })
    }

    /// Stores the name of the only category as if it had been folded to `folded`.
    async fn fold_as(&self, folded: &str) {
        let [by_name, folded_name] = self.entries().await;
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
        self.storage.commit(commit).await.unwrap();
    }
}

#[tokio::test]
async fn names_that_fold_alike_are_one() {
    for (name, others) in [
        ("Straße", ["STRASSE", "STRAẞE", " strasse "]),
        ("Caf\u{e9}", ["CAFE\u{301}", "cafe\u{301}", "CAF\u{c9}"]),
    ] {
        let tried = Tried::open().await;
        let category = tried.create(name).await.unwrap();
        let other = tried.create("Other").await.unwrap();
        for same in others {
            for refused in [tried.create(same).await, tried.rename(other.id, same).await] {
                assert!(matches!(refused, Err(Error::Conflict(_))), "{same}");
            }
            assert_eq!(tried.category_of_a_product(same).await, Some(category.id));
            // It may be called by another of its forms itself.
            assert_eq!(
                tried.rename(category.id, same).await.unwrap().name,
                same.trim()
            );
            assert_eq!(tried.entries().await.map(|entries| entries.len()), [2, 2]);
        }
        tried.delete(category.id).await;
        tried.create(others[0]).await.unwrap();
    }
}

/// Tables of folding change. A name that was stored under older ones is taken out of the index as
/// it stands there.
#[tokio::test]
async fn a_name_under_another_folding_leaves_no_entry() {
    for folded in ["straße", "STRASSE", "s"] {
        let tried = Tried::open().await;
        let category = tried.create("Straße").await.unwrap();
        tried.fold_as(folded).await;
        // A change of something else leaves the name alone.
        let moved = CategoryInput {
            position: Field::Value(7),
            ..CategoryInput::default()
        };
        let moved = tried.shop.categories().update(category.id, moved);
        assert_eq!(moved.await.unwrap().position, 7);
        assert_eq!(tried.entries().await.map(|entries| entries.len()), [1, 1]);

        tried.rename(category.id, "Weg").await.unwrap();
        assert_eq!(tried.entries().await.map(|entries| entries.len()), [1, 1]);
        assert_eq!(tried.category_of_a_product("WEG").await, Some(category.id));
        let again = tried.create("Straße").await.unwrap();
        tried.delete(again.id).await;

        tried.fold_as(folded).await;
        tried.delete(category.id).await;
        assert_eq!(tried.entries().await, [vec![], vec![]], "{folded}");
    }
}
