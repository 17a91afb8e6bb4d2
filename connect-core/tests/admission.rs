//! Who is let in: the limits of tokens and addresses, rights, and what a refusal says.

use std::{net::IpAddr, sync::Arc};

use connect_core::{
    Access, Connect, Denied, Error, Grant, NewLocation, NewToken, RateLimits, ScreenRight,
    ScreenType,
    environment::ManualClock,
    storage::memory::MemoryStorage,
    wire::{Scope, VatRate},
};

use crate::shop::{self, START, Shop};

const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

/// A core that answers an address three times a minute, and twice where no token is needed.
fn connect() -> Connect {
    let limits = RateLimits {
        address: 3,
        anonymous: 2,
        ..RateLimits::default()
    };
    let builder = Connect::builder(Arc::new(MemoryStorage::new()));
    builder.clock(ManualClock::at(START)).limits(limits).build()
}

async fn refused(connect: &Connect, token: Option<&str>) -> Denied {
    connect.authenticate(HERE, token).await.unwrap_err()
}

#[tokio::test]
async fn an_address_is_told_how_many_guesses_are_left() {
    let connect = connect();
    for left in [2, 1, 0] {
        let denied = refused(&connect, Some("guess")).await;
        assert!(matches!(denied.error, Error::Unauthorized(_)));
        assert_eq!((denied.rate.limit, denied.rate.remaining), (3, left));
        assert_eq!(denied.retry_after, None);
        assert_eq!(connect.anonymous_rate(HERE), denied.rate);
    }
    let denied = refused(&connect, Some("guess")).await;
    assert!(matches!(denied.error, Error::RateLimited(_)));
    assert_eq!(denied.rate.remaining, 0);
    assert!(denied.retry_after.is_some());

    let elsewhere = IpAddr::from([10, 0, 0, 1]);
    assert_eq!(connect.anonymous_rate(elsewhere).remaining, 3);
}

#[tokio::test]
async fn what_needs_no_token_is_counted_apart_from_guesses() {
    let connect = connect();
    let guesses = connect.anonymous_rate(HERE);
    for _ in 0..2 {
        assert_eq!(connect.count_anonymous(HERE).unwrap(), guesses);
    }
    let denied = connect.count_anonymous(HERE).unwrap_err();
    assert!(matches!(denied.error, Error::RateLimited(_)));
    assert_eq!((denied.rate.limit, denied.rate.remaining), (2, 0));
    let denied = refused(&connect, None).await;
    assert!(matches!(denied.error, Error::Unauthorized(_)));
}

/// Nobody can fill the memory with addresses.
#[test]
fn beyond_100_000_addresses_a_minute_new_ones_are_counted_as_one() {
    let connect = connect();
    let address = |number: u32| IpAddr::from(number.to_be_bytes());
    for number in 1..=100_000 {
        connect.count_anonymous(address(number)).unwrap();
    }
    for number in 200_001..=200_002 {
        connect.count_anonymous(address(number)).unwrap();
    }
    connect.count_anonymous(address(200_003)).unwrap_err();
    // Those that were known before have what is left to them.
    connect.count_anonymous(address(7)).unwrap();
    connect.count_anonymous(address(7)).unwrap_err();
}

#[tokio::test]
async fn a_refusal_says_what_is_wrong_with_a_token() {
    let shop = Shop::open().await;
    let unknown = format!("ck_live_{}", "a".repeat(43));
    let of_a_screen = format!("dk_{}", "a".repeat(43));
    for (token, problem) in [
        (None, "is missing"),
        (Some(&*unknown), "is unknown"),
        (Some(&*of_a_screen), "is the key of a screen"),
        (Some("guess"), "is not of the form"),
    ] {
        let error = refused(&shop.connect, token).await.error.to_string();
        assert!(error.contains(problem), "{error}");
    }
    for (key, problem) in [
        (None, "is missing"),
        (Some(&*of_a_screen), "is unknown"),
        (Some(&*unknown), "is a token"),
        (Some("guess"), "is not of the form"),
    ] {
        let denied = shop.connect.authenticate_screen(HERE, key).await;
        let error = denied.unwrap_err().error.to_string();
        assert!(error.contains(problem), "{error}");
    }
}

#[tokio::test]
async fn a_limit_that_is_used_up_is_named() {
    for (token, account, whose) in [(1, 9, "of this token"), (9, 1, "of this account")] {
        let shop = Shop::open().await;
        let issued = shop.connect.create_full_token(shop.account, "Sync").await;
        let secret = issued.unwrap().secret;
        let limits = RateLimits {
            token,
            account,
            ..RateLimits::default()
        };
        let builder = shop.process();
        let connect = builder.limits(limits).build();
        let caller = connect.authenticate(HERE, Some(secret.expose())).await;
        let rate = caller.unwrap().rate();
        assert_eq!((rate.limit, rate.remaining), (1, 0));
        let denied = refused(&connect, Some(secret.expose())).await;
        assert_eq!(denied.rate, rate);
        let error = denied.error.to_string();
        assert!(error.contains(whose), "{error}");
    }
}

/// A new token with one scope at the location.
async fn token(shop: &Shop, scope: Scope) -> String {
    let new = NewToken {
        name: "Reader".into(),
        expires_at: None,
        grants: vec![Grant {
            location_id: shop.at.location().id,
            scopes: vec![scope],
        }],
    };
    let issued = shop.connect.create_token(shop.account, new).await.unwrap();
    issued.secret.expose().to_owned()
}

#[tokio::test]
async fn a_token_may_do_what_its_scopes_say_and_where() {
    let shop = Shop::open().await;
    let connect = &shop.connect;
    let token = token(&shop, Scope::CatalogRead).await;
    let caller = connect.authenticate(HERE, Some(&token)).await.unwrap();
    let here = shop.at.location().id;
    let at = caller.authorize(here, &Scope::CatalogRead);
    let at = at.unwrap();
    assert!(at.allows(&Scope::CatalogRead));
    assert!(!at.allows(&Scope::CatalogWrite));
    let refused = caller.authorize(here, &Scope::CatalogWrite);
    assert!(matches!(
        refused.unwrap_err(),
        Error::ForbiddenScope(reason) if reason.to_string().contains("catalog:write")
    ));
    // One of the account's own locations that the token was not given, and one of another account.
    let there = shop::location(connect, shop.account, "There").await;
    let other = Shop::open().await;
    for place in [&there, &other.at] {
        let refused = caller.authorize(place.location().id, &Scope::CatalogRead);
        assert!(matches!(refused.unwrap_err(), Error::ForbiddenLocation(_)));
    }
}

#[tokio::test]
async fn a_token_sees_the_locations_that_it_was_given() {
    let shop = Shop::open().await;
    let connect = &shop.connect;
    let above = shop::location(connect, shop.account, "Above").await;
    shop::location(connect, shop.account, "Hidden").await;
    let grant = |at: &Access, scope| Grant {
        location_id: at.location().id,
        scopes: vec![scope],
    };
    let new = NewToken {
        name: "Sync".into(),
        expires_at: None,
        grants: vec![
            grant(&shop.at, Scope::CatalogRead),
            grant(&above, Scope::CatalogWrite),
        ],
    };
    let issued = connect.create_token(shop.account, new).await.unwrap();
    let caller = connect.authenticate(HERE, Some(issued.secret.expose()));
    let listed = connect.list_locations(&caller.await.unwrap()).unwrap();
    let listed = listed.decode().unwrap().data;
    let seen: Vec<_> = listed
        .iter()
        .map(|place| (&*place.name, place.id, &*place.scopes))
        .collect();
    let here = (shop.at.location().id, above.location().id);
    assert_eq!(
        seen,
        [
            ("Above", here.1, [Scope::CatalogWrite].as_slice()),
            ("Here", here.0, &[Scope::CatalogRead]),
        ]
    );
}

#[tokio::test]
async fn without_a_screen_the_api_is_not_available() {
    let shop = Shop::open().await;
    let connect = &shop.connect;
    let token = token(&shop, Scope::CatalogRead).await;
    let caller = connect.authenticate(HERE, Some(&token)).await.unwrap();
    caller.check_available().unwrap();

    let screens = connect.account(shop.account).await.unwrap().screens;
    connect
        .delete_screen(shop.account, screens[0].id)
        .await
        .unwrap();
    let caller = connect.authenticate(HERE, Some(&token)).await.unwrap();
    let refused = caller.check_available().unwrap_err();
    assert!(matches!(refused, Error::ApiNotAvailable(_)), "{refused}");
    let refused = caller.authorize(shop.at.location().id, &Scope::CatalogRead);
    assert!(matches!(refused.unwrap_err(), Error::ApiNotAvailable(_)));
}

#[tokio::test]
async fn a_screen_has_the_rights_of_its_type() {
    use ScreenRight::{ChangeOrders, MakeOrders, WriteJournal};
    let shop = Shop::open().await;
    let register = shop.screen(ScreenType::Pos, "Register").await;
    let kiosk = shop.screen(ScreenType::OrderKiosk, "Kiosk").await;
    let scan = shop.screen(ScreenType::ScanAndOrder, "Table 1").await;
    for (at, rights) in [
        (&register, [WriteJournal, ChangeOrders].as_slice()),
        (&kiosk, &[MakeOrders, ChangeOrders]),
        (&scan, &[MakeOrders, ChangeOrders]),
        (&shop.at, &[]),
    ] {
        for right in [WriteJournal, MakeOrders, ChangeOrders] {
            let has = at.check_screen(right).is_ok();
            assert_eq!(has, rights.contains(&right), "{at:?} {right:?}");
        }
    }
    assert!(!kiosk.allows(&Scope::CatalogRead), "a screen has no scopes");
    assert!(shop.at.allows(&Scope::CatalogWrite));
}

/// Four random characters tell tokens apart and give nothing away.
#[tokio::test]
async fn a_token_is_known_by_its_first_characters() {
    let shop = Shop::open().await;
    let issued = shop.connect.create_full_token(shop.account, "Sync").await;
    let issued = issued.unwrap();
    let prefix = issued.token.prefix;
    assert_eq!(prefix.len(), "ck_test_".len() + 4);
    assert!(prefix.starts_with("ck_test_") && issued.secret.expose().starts_with(&prefix));
}

#[tokio::test]
async fn a_location_has_a_currency() {
    let shop = Shop::open().await;
    for (currency, is_taken) in [
        ("EUR", true),
        ("eur", false),
        ("EU", false),
        ("EURO", false),
    ] {
        let new = NewLocation {
            name: "There".into(),
            currency: currency.into(),
            default_vat_rate: VatRate::percent(21),
        };
        let made = shop.connect.create_location(shop.account, new).await;
        assert_eq!(made.is_ok(), is_taken, "{currency}");
    }
}
