//! Cursors, also forged ones.
//! Their check is no secret, so an attacker can make any cursor; this target does too.

use connect_core::{
    Error, Listed, Resource,
    wire::{
        AnyEvent, Category, Product, ProductInput, Transaction, limits::MAX_CURSOR_LEN,
        query::PageQuery,
    },
};
use sha2::{Digest as _, Sha256};

use crate::{
    Target, Verdict,
    shop::{NOW, Place, Shop},
};

thread_local! {
    static SHOP: Place<Shop> = const { Place::new() };
}

/// Returns the targets: cursors as sent, and forged with a valid check.
pub(super) fn targets() -> Vec<Target> {
    // The kind of a place, the place, and when the walk began.
    let began = (NOW.micros() as u64 ^ (1 << 63)).to_be_bytes();
    let record = [&[1][..], &[0; 24], &began].concat();
    let row = [&[2][..], &1_u64.to_be_bytes(), &began].concat();
    let sent = with_shop(|shop| {
        let events = <AnyEvent as Listed>::LIST;
        let products = with_check(shop, &record, Product::LIST, "includeDeleted=true");
        [products, with_check(shop, &row, events, "")].map(String::into_bytes)
    });
    vec![
        Target {
            seeds: sent.into(),
            ..Target::new("cursor", &[], &[], read)
        },
        Target {
            seeds: vec![record, row],
            ..Target::new("cursor-forged", &[], &[], forge)
        },
    ]
}

/// Sends a text as the cursor of each list.
fn read(bytes: &[u8]) -> Verdict {
    match std::str::from_utf8(bytes) {
        Ok(cursor) => with_shop(|shop| in_each_list(shop, |_, _| cursor.to_owned())),
        Err(_) => Verdict::Refused,
    }
}

/// Sends these bytes with a valid check for each list.
fn forge(held: &[u8]) -> Verdict {
    with_shop(|shop| in_each_list(shop, |list, filters| with_check(shop, held, list, filters)))
}

/// A cursor of a list: content, then a digest of content and list.
fn with_check(shop: &Shop, held: &[u8], list: &str, filters: &str) -> String {
    let location = shop.at.location().id.uuid();
    let mut digest = Sha256::new();
    for part in [
        held,
        location.as_bytes(),
        list.as_bytes(),
        b"\0",
        filters.as_bytes(),
    ] {
        digest.update(part);
    }
    hex::encode([held, &digest.finalize()[..8]].concat())
}

fn with_shop<R>(work: impl FnOnce(&Shop) -> R) -> R {
    SHOP.with(|place| place.with(filled, |shop| work(shop)))
}

/// A shop with some pages in its lists.
fn filled() -> Shop {
    let shop = Shop::open();
    let products = shop.connect.location(&shop.at).products();
    for number in 0..5 {
        let input = ProductInput::named(format!("Bread {number}"));
        let input = input.category_name(format!("Food {number}"));
        shop.wait(products.create(input).into_future()).unwrap();
    }
    shop
}

/// Reads each list with a cursor made from its name and filters.
fn in_each_list(shop: &Shop, cursor: impl Fn(&str, &str) -> String) -> Verdict {
    const DELETED: &str = "includeDeleted=true";
    let taken = [
        records::<Product>(shop, &cursor(Product::LIST, DELETED)),
        records::<Category>(shop, &cursor(Category::LIST, DELETED)),
        rows::<AnyEvent>(shop, &cursor(<AnyEvent as Listed>::LIST, "")),
        rows::<Transaction>(shop, &cursor(<Transaction as Listed>::LIST, "")),
    ];
    Verdict::of(taken.contains(&true))
}

fn records<R: Resource>(shop: &Shop, cursor: &str) -> bool {
    let records = shop.connect.location(&shop.at).records::<R>();
    follow(cursor, |cursor| {
        let page = shop.wait(records.list_with_deleted(&page_at::<R::Query>(cursor)));
        page.map(|page| page.next_cursor)
    })
}

fn rows<R: Listed>(shop: &Shop, cursor: &str) -> bool {
    let rows = shop.connect.location(&shop.at).rows::<R>();
    follow(cursor, |cursor| {
        let page = shop.wait(rows.list(&page_at::<R::Query>(cursor)));
        page.map(|page| page.next_cursor)
    })
}

fn page_at<Q: PageQuery>(cursor: &str) -> Q {
    let mut query = Q::default();
    query.set_limit(2);
    query.set_cursor(cursor.to_owned());
    query
}

/// Lists from a cursor, and returns whether it was taken.
/// A taken cursor has its one written form. The following cursors are taken too, up to the end of the list,
/// fewer than ten pages away.
fn follow(cursor: &str, list: impl Fn(&str) -> Result<Option<String>, Error>) -> bool {
    let mut next = match list(cursor) {
        Ok(next) => next,
        Err(Error::Malformed(reason)) => {
            assert_eq!(reason.field.as_deref(), Some("cursor"));
            return false;
        }
        Err(other) => panic!("{other:?}"),
    };
    let is_written = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    assert!(cursor.bytes().all(is_written));
    let mut pages = 0;
    while let Some(cursor) = next {
        assert!(cursor.len() <= MAX_CURSOR_LEN);
        next = list(&cursor).unwrap_or_else(|error| panic!("the next page: {error:?}"));
        pages += 1;
        assert!(pages < 10, "a list without an end");
    }
    true
}
