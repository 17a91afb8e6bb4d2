//! Stores that were damaged on purpose: a check finds what is wrong, and names it.

mod entries;
mod events;
mod journal;
mod kinds;
mod orders;
mod repair;
#[cfg(feature = "redb")]
mod repair_files;
mod rows;
mod stock;
mod unreadable;
mod webhooks;
mod z_reports;

use connect_core::{
    CheckProgress, CheckReport, Problem, ProblemKind, Request,
    storage::{Entry, Write},
    wire::{CategoryInput, Field, Product, ProductInput},
};
use uuid::Uuid;

use crate::{
    shop::{Shop, keyed},
    stored::{self, family},
};

/// A shop with something of everything.
struct Stocked {
    shop: Shop,
}

impl Stocked {
    async fn open() -> Self {
        let shop = Shop::open().await;
        shop.connect.migrate().await.unwrap();
        shop.token().await;
        sign_in(&shop).await;
        for number in 0..3 {
            let input = ProductInput {
                external_id: Field::Value(format!("P-{number}")),
                barcode: Field::Value("871".into()),
                category_name: Field::Value("Bread".into()),
                image_url: Field::Value("https://images.example/rye".into()),
                ..ProductInput::named("Rye")
            };
            let request = keyed(Request::from(input), &format!("key-{number}"));
            shop.connect
                .location(&shop.at)
                .json::<Product>()
                .create(request)
                .await
                .unwrap();
        }
        let gone = ProductInput::named("Gone");
        let gone = shop.products().create(gone).await.unwrap();
        let empty = CategoryInput::named("Empty");
        shop.categories().create(empty).await.unwrap();
        shop.products().delete(gone.id).await.unwrap();
        shop.connect.maintain().await.unwrap();
        Self { shop }
    }

    async fn check(&self) -> CheckReport {
        self.shop.connect.check(&mut |_| {}).await.unwrap()
    }

    /// All rows of a family.
    async fn rows(&self, family: u8) -> Vec<Entry> {
        let rows = stored::of_family(&*self.shop.storage, family).await;
        assert!(!rows.is_empty(), "no rows of family {family:#x}");
        rows
    }

    async fn first(&self, family: u8) -> Entry {
        self.rows(family).await.swap_remove(0)
    }

    async fn write(&self, key: &[u8], write: Write) {
        stored::write(&*self.shop.storage, key, write).await;
    }

    /// Writes another text in place of one that the row has.
    async fn replace(&self, (key, row): &Entry, text: &str, other: &str) {
        let row = std::str::from_utf8(row).unwrap();
        assert!(row.contains(text), "{row} has no {text}");
        self.put(key, row.replacen(text, other, 1).as_bytes()).await;
    }

    async fn put(&self, key: &[u8], value: &[u8]) {
        self.write(key, Write::Put(value.into())).await;
    }

    fn location(&self) -> Uuid {
        self.shop.at.location().id.uuid()
    }
}

/// Has the owner of a shop set a password, with another invitation open.
async fn sign_in(shop: &Shop) {
    let (connect, account) = (&shop.connect, shop.account);
    let invitation = connect.invite_owner(account).await.unwrap().secret;
    let accepted = connect.accept_invitation(invitation.expose(), "rye and spelt");
    accepted.await.unwrap();
    connect.invite_owner(account).await.unwrap();
}

/// The problem of this kind under this key.
fn find<'r>(report: &'r CheckReport, kind: ProblemKind, key: &[u8]) -> &'r Problem {
    let key = hex::encode(key);
    let is_it = |problem: &&Problem| problem.kind == kind && problem.key == key;
    let found = report.problems.iter().find(is_it);
    found.unwrap_or_else(|| panic!("no {kind:?} of {key} in {:#?}", report.problems))
}

#[tokio::test]
async fn a_store_that_is_as_it_was_written_is_clean() {
    let stocked = Stocked::open().await;
    let mut seen = 0;
    let mut progress = |progress: CheckProgress| seen = progress.rows;
    let report = stocked.shop.connect.check(&mut progress).await.unwrap();
    assert_eq!(report.problems, []);
    assert!(report.is_clean());
    assert_eq!(seen, report.rows);
    for (family, count) in [
        ("Account", 1),
        ("Token", 1),
        ("SignIn", 1),
        ("UserOfEmail", 1),
        ("Invitation", 1),
        ("Session", 1),
        ("Product", 3),
        ("ProductByBarcode", 3),
        ("ProductTombstone", 1),
        ("Category", 2),
        ("ImageJob", 3),
        ("Answer", 3),
    ] {
        assert_eq!(report.families[family], count, "{family}");
    }
}
