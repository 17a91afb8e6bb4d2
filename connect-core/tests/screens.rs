//! Screens and their keys.

use connect_core::{
    Access, Actor, Error, Screen, ScreenType,
    wire::{Field, Fulfilment, Id, LineInput, OrderInput, Quantity, VatRate},
};

use crate::shop::Shop;

/// The screen that an access was given to.
fn screen_of(at: &Access) -> Id<Screen> {
    match at.actor() {
        Actor::Screen { id, .. } => id,
        other => panic!("{other:?}"),
    }
}

/// An order of one soup.
pub(crate) fn soup() -> OrderInput {
    let line = LineInput {
        name: Field::Value("Soup".into()),
        quantity: Field::Value(Quantity::from_thousandths(1000).unwrap()),
        unit_price_cents: Field::Value(450),
        total_cents: Field::Value(450),
        vat_rate: Field::Value(VatRate::percent(9)),
        ..LineInput::default()
    };
    OrderInput {
        fulfilment: Field::Value(Fulfilment::DineIn),
        lines: Field::Value(vec![line]),
        ..OrderInput::default()
    }
}

#[tokio::test]
async fn a_screen_acts_at_its_location_under_its_name() {
    let shop = Shop::open().await;
    let at = shop.screen(ScreenType::OrderKiosk, "Kiosk").await;
    let id = screen_of(&at);
    assert_eq!(at.location().id, shop.at.location().id);
    let actor = at.actor();
    let expected = Actor::Screen {
        id,
        kind: ScreenType::OrderKiosk,
        name: "Kiosk",
    };
    assert_eq!(actor, expected);
    assert_eq!(actor.id(), id.uuid());
}

#[tokio::test]
async fn one_key_at_a_time_opens_the_way() {
    let shop = Shop::open().await;
    let (connect, account) = (&shop.connect, shop.account);
    let old_access = shop.screen(ScreenType::OrderKiosk, "Kiosk").await;
    let screen = screen_of(&old_access);
    let key = connect.roll_screen_key(account, screen).await.unwrap();
    assert!(key.expose().starts_with("dk_") && key.expose().len() == 46);
    shop.authenticate(key.expose()).await.unwrap();

    // The key before it is refused, also for a write that was under way.
    let orders = connect.location(&old_access).orders();
    let refused = orders.create(soup()).await.unwrap_err();
    assert!(matches!(refused, Error::Unauthorized(_)), "{refused}");

    let next = connect.roll_screen_key(account, screen).await.unwrap();
    shop.authenticate(key.expose()).await.unwrap_err();
    shop.authenticate(next.expose()).await.unwrap();

    let listed = connect.screens(account).await.unwrap();
    let (_, of_till) = &listed[0];
    assert_eq!(*of_till, None, "the till was never given a key");
    let (_, of_kiosk) = &listed[1];
    let prefix = &of_kiosk.as_ref().unwrap().prefix;
    assert!(next.expose().starts_with(&**prefix) && prefix.len() == 7);

    connect.revoke_screen_key(account, screen).await.unwrap();
    connect.revoke_screen_key(account, screen).await.unwrap();
    shop.authenticate(next.expose()).await.unwrap_err();
    let report = connect.check(&mut |_| {}).await.unwrap();
    assert!(report.problems.is_empty(), "{report:?}");
}

#[tokio::test]
async fn a_screen_that_is_removed_loses_its_key() {
    let shop = Shop::open().await;
    let (connect, account) = (&shop.connect, shop.account);
    let at = shop.screen(ScreenType::OrderKiosk, "Kiosk").await;
    let screen = screen_of(&at);
    connect.location(&at).orders().create(soup()).await.unwrap();
    let key = connect.roll_screen_key(account, screen).await.unwrap();
    connect.delete_screen(account, screen).await.unwrap();
    shop.authenticate(key.expose()).await.unwrap_err();
    for gone in [
        connect.delete_screen(account, screen).await.unwrap_err(),
        connect.roll_screen_key(account, screen).await.unwrap_err(),
        connect
            .revoke_screen_key(account, screen)
            .await
            .unwrap_err(),
    ] {
        assert!(matches!(gone, Error::NotFound(_)), "{gone}");
    }
    // Its order stays.
    let orders = connect.location(&shop.at).orders();
    let left = orders.list(&Default::default()).await.unwrap();
    assert_eq!(left.data.len(), 1);
    let report = connect.check(&mut |_| {}).await.unwrap();
    assert!(report.problems.is_empty(), "{report:?}");
}
