//! A location at which nothing happens for long can still be followed.

use connect_core::{
    Error,
    environment::{Clock as _, ManualClock},
    wire::{
        Entry, Page, Product, ProductInput, Timestamp,
        query::{ProductQuery, SyncQuery},
    },
};

use crate::shop::{START, Shop};

const DAY: i64 = 24 * 3600;

/// The changes since a time, and the state that the page was read in.
async fn changes(shop: &Shop, since: Timestamp) -> Result<(Vec<Entry<Product>>, Timestamp), Error> {
    let query = ProductQuery {
        sync: SyncQuery {
            updated_since: Some(since),
            include_deleted: true,
            ..SyncQuery::default()
        },
        ..ProductQuery::default()
    };
    let list = shop.connect.location(&shop.at).json::<Product>();
    let json = list.list(&query).await?;
    let state = json.state().unwrap();
    let page: Page<Entry<Product>> = serde_json::from_slice(&json.into_bytes()).unwrap();
    Ok((page.data, state))
}

async fn open() -> (Shop, Product) {
    let shop = Shop::open().await;
    let made = shop.products().create(ProductInput::named("Rye")).await;
    (shop, made.unwrap())
}

#[tokio::test]
async fn a_follower_of_an_idle_location_is_never_refused() {
    let (shop, made) = open().await;
    let mut state = made.updated_at;
    for month in 0..15 {
        shop.clock.advance(30 * DAY);
        let round = shop.connect.maintain().await.unwrap();
        assert_eq!((round.failed, round.is_held_off), (0, false));
        let (entries, later) = changes(&shop, state.plus_micros(1)).await.unwrap();
        assert_eq!(entries, [], "month {month}");
        assert!(state <= later, "month {month}");
        state = later;
    }
    // A clock that is moved stays behind the time: one that is ahead by weeks does no harm.
    assert!(state <= shop.clock.now().plus_seconds(-30 * DAY));
    let report = shop.connect.check(&mut |_| {}).await.unwrap();
    assert_eq!(report.problems, []);

    shop.products().delete(made.id).await.unwrap();
    let (entries, _) = changes(&shop, state.plus_micros(1)).await.unwrap();
    let [Entry::Deleted(gone)] = &entries[..] else {
        panic!("{entries:?}");
    };
    assert!(gone.updated_at > state);
}

/// The time is moved in the storage: one that was only told could be given to a later write by a
/// process whose clock is set back.
#[tokio::test]
async fn a_write_after_a_move_is_later_by_any_clock() {
    let (shop, made) = open().await;
    shop.clock.advance(91 * DAY);
    shop.connect.maintain().await.unwrap();
    let (_, state) = changes(&shop, shop.clock.now()).await.unwrap();
    assert!(state > made.updated_at);

    let other = shop.process().clock(ManualClock::at(START)).build();
    let here = other.location(&shop.at).products();
    let later = here.create(ProductInput::named("Bun")).await.unwrap();
    assert!(later.updated_at > state);
    let (entries, _) = changes(&shop, state.plus_micros(1)).await.unwrap();
    assert_eq!(entries, [Entry::Live(later)]);
}

/// The 90 days hold for whoever did not ask in the meantime.
#[tokio::test]
async fn a_time_before_90_days_is_refused_also_where_nothing_happened() {
    let (shop, made) = open().await;
    shop.clock.advance(91 * DAY);
    shop.connect.maintain().await.unwrap();
    let refused = changes(&shop, made.updated_at.plus_micros(1)).await;
    assert!(matches!(refused, Err(Error::Malformed(_))));
}
