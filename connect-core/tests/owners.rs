//! Accounts, locations and tokens, as owners manage them: changes, and the end of a token.

use std::net::IpAddr;

use connect_core::{
    Account, AccountChange, Connect, Error, Grant, LocationChange, NewAccount, NewLocation,
    NewScreen, NewToken, Screen, ScreenType, Token,
    wire::{
        Id, Location, ProductInput, Scope, VatRate,
        limits::{MAX_SCREENS, MAX_TOKENS},
    },
};
use uuid::Uuid;

use crate::properties::shop::{START, Shop};

on_each_store!(what_a_change_does_not_name_stays);
on_each_store!(a_change_that_is_not_allowed_changes_nothing);
on_each_store!(a_token_ends_when_it_was_meant_to);
on_each_store!(a_use_shows_at_once_here_and_elsewhere_when_it_is_written_down);
on_each_store!(names_have_nothing_hidden);
on_each_store!(a_token_is_removed_long_after_it_has_ended);
on_each_store!(an_account_has_as_many_tokens_in_use_as_there_may_be);
on_each_store!(an_account_has_as_many_screens_as_there_may_be);
on_each_store!(a_token_is_not_made_with_grants_that_say_nothing);

/// The account and the first location of a shop.
fn ids(shop: &Shop) -> (Id<Account>, Id<Location>) {
    (shop.at.account().id, shop.at.location().id)
}

/// Makes two screens; the id of the first.
async fn screens(shop: &Shop) -> Id<Screen> {
    let (id, location_id) = ids(shop);
    let mut made = Vec::new();
    for name in ["Till", "Kiosk"] {
        let new = NewScreen {
            location_id,
            kind: ScreenType::Pos,
            name: name.into(),
        };
        made.push(shop.connect.create_screen(id, new).await.unwrap().id);
    }
    made[0]
}

/// An id that no record has.
fn nothing<T>() -> Id<T> {
    Uuid::from_u128(0xDEAD).into()
}

async fn what_a_change_does_not_name_stays(shop: Shop) {
    let (connect, (id, location)) = (&shop.connect, ids(&shop));
    let screen = screens(&shop).await;
    let before = connect.account(id).await.unwrap();
    let named = AccountChange {
        name: Some(" Rye & Co ".into()),
        ..AccountChange::default()
    };
    let after = connect.change_account(id, named).await.unwrap();
    assert_eq!(after.name, "Rye & Co");
    let expected = Account {
        name: "Rye & Co".into(),
        ..before
    };
    assert_eq!(after, expected);

    let was = after.locations[0].clone();
    let rate = LocationChange {
        default_vat_rate: Some(VatRate::percent(5)),
        ..LocationChange::default()
    };
    let now = connect.change_location(id, location, rate).await.unwrap();
    assert_eq!((now.name, now.currency), (was.name, was.currency));
    let named = LocationChange {
        name: Some("Quay".into()),
        ..LocationChange::default()
    };
    let now = connect.change_location(id, location, named).await.unwrap();
    assert_eq!(
        (&*now.name, now.default_vat_rate),
        ("Quay", VatRate::percent(5))
    );

    let renamed = connect.rename_screen(id, screen, "Bar").await.unwrap();
    assert_eq!((renamed.id, &*renamed.name), (screen, "Bar"));

    let stored = connect.account(id).await.unwrap();
    assert_eq!(stored.locations[0], now);
    assert_eq!(stored.locations[1..], after.locations[1..]);
    assert_eq!(stored.screens[0], renamed);
    assert_eq!(stored.screens[1..], after.screens[1..]);

    // An access from before is good, and products get the new rate.
    let products = connect.location(&shop.at).products();
    let rye = products.create(ProductInput::named("Rye")).await.unwrap();
    assert_eq!(rye.vat_rate, VatRate::percent(5));
}

async fn a_change_that_is_not_allowed_changes_nothing(shop: Shop) {
    let (connect, (id, location)) = (&shop.connect, ids(&shop));
    let screen = screens(&shop).await;
    let before = connect.account(id).await.unwrap();
    let named = |name: &str| AccountChange {
        name: Some(name.into()),
        ..AccountChange::default()
    };
    let refused = connect.change_account(id, named(" ")).await.unwrap_err();
    assert!(matches!(&refused, Error::Invalid(why) if why.field.as_deref() == Some("name")));
    let long = LocationChange {
        name: Some("x".repeat(101)),
        ..LocationChange::default()
    };
    let refused = connect.change_location(id, location, long).await;
    assert!(matches!(refused, Err(Error::Invalid(_))));
    let refused = connect.rename_screen(id, screen, "").await;
    assert!(matches!(refused, Err(Error::Invalid(_))));

    let quay = LocationChange {
        name: Some("Quay".into()),
        ..LocationChange::default()
    };
    for missing in [
        connect.change_account(nothing(), named("Rye")).await.err(),
        connect.change_location(id, nothing(), quay).await.err(),
        connect.rename_screen(id, nothing(), "Bar").await.err(),
        connect.revoke_token(id, nothing()).await.err(),
    ] {
        assert!(matches!(missing, Some(Error::NotFound(_))), "{missing:?}");
    }
    assert_eq!(connect.account(id).await.unwrap(), before);
}

/// The refusal of the token with this value, if it is refused.
async fn refusal(connect: &Connect, value: &str) -> Option<String> {
    let address = IpAddr::from([127, 0, 0, 1]);
    let let_in = connect.authenticate(address, Some(value)).await;
    let_in.err().map(|denied| denied.error.to_string())
}

async fn a_token_ends_when_it_was_meant_to(shop: Shop) {
    let (connect, (id, location)) = (&shop.connect, ids(&shop));
    let until = |expires_at| NewToken {
        name: "Sync".into(),
        expires_at: Some(expires_at),
        grants: vec![Grant {
            location_id: location,
            scopes: vec![Scope::CatalogRead],
        }],
    };
    for past in [START.plus_seconds(-1), START] {
        let refused = connect.create_token(id, until(past)).await.unwrap_err();
        let field = Some("expiresAt");
        assert!(matches!(&refused, Error::Invalid(why) if why.field.as_deref() == field));
    }
    assert_eq!(connect.tokens(id).await.unwrap(), []);

    let expiry = START.plus_seconds(60);
    let expiring = connect.create_token(id, until(expiry)).await.unwrap();
    let revoked = connect.create_full_token(id, "Stock").await.unwrap();
    assert_eq!(refusal(connect, revoked.secret.expose()).await, None);
    connect.revoke_token(id, revoked.token.id).await.unwrap();
    let why = refusal(connect, revoked.secret.expose()).await.unwrap();
    assert!(why.contains("was revoked"), "{why}");
    // Revoking it again leaves the time of the first.
    shop.clock.set(START.plus_seconds(30));
    connect.revoke_token(id, revoked.token.id).await.unwrap();

    assert_eq!(refusal(connect, expiring.secret.expose()).await, None);
    shop.clock.set(expiry);
    let why = refusal(connect, expiring.secret.expose()).await.unwrap();
    assert!(why.contains("expired"), "{why}");

    connect.flush_token_usage().await.unwrap();
    let listed = connect.tokens(id).await.unwrap();
    let stock = Token {
        revoked_at: Some(START),
        ..revoked.token
    };
    let used_at = Some(START.plus_seconds(30));
    assert_eq!(listed, [(expiring.token, used_at), (stock, Some(START))]);
    let report = connect.check(&mut |_| {}).await.unwrap();
    assert!(report.problems.is_empty(), "{report:?}");
}

/// A list showed "never" for a token that was in use, until maintenance had come by.
async fn a_use_shows_at_once_here_and_elsewhere_when_it_is_written_down(shop: Shop) {
    let (connect, (id, _)) = (&shop.connect, ids(&shop));
    let token = connect.create_full_token(id, "Sync").await.unwrap();
    let other = Connect::builder(shop.storage.clone())
        .clock(shop.clock.clone())
        .build();
    let used = async |connect: &Connect| connect.tokens(id).await.unwrap()[0].1;
    assert_eq!((used(connect).await, used(&other).await), (None, None));
    let mut last = None;
    for seconds in [0, 10, 20] {
        let at = START.plus_seconds(seconds);
        shop.clock.set(at);
        assert_eq!(refusal(connect, token.secret.expose()).await, None);
        assert_eq!((used(connect).await, used(&other).await), (Some(at), last));
        connect.flush_token_usage().await.unwrap();
        last = Some(at);
        assert_eq!((used(connect).await, used(&other).await), (last, last));
    }
    // The later of two uses counts, wherever it was.
    shop.clock.set(START.plus_seconds(30));
    assert_eq!(refusal(&other, token.secret.expose()).await, None);
    assert_eq!(used(connect).await, last);
    assert_eq!(used(&other).await, Some(START.plus_seconds(30)));
}

async fn names_have_nothing_hidden(shop: Shop) {
    let (connect, (id, location)) = (&shop.connect, ids(&shop));
    let screen = screens(&shop).await;
    let before = connect.account(id).await.unwrap();
    let name = "Sync\u{202E}\u{200B}\u{2028}";
    let account = NewAccount {
        name: name.into(),
        owner_email: "noor@rye.example".into(),
        sandbox: false,
    };
    let place = NewLocation {
        name: name.into(),
        currency: "EUR".into(),
        default_vat_rate: VatRate::percent(9),
    };
    let till = NewScreen {
        location_id: location,
        kind: ScreenType::Pos,
        name: name.into(),
    };
    let renamed = AccountChange {
        name: Some(name.into()),
        ..AccountChange::default()
    };
    let moved = LocationChange {
        name: Some(name.into()),
        ..LocationChange::default()
    };
    for refused in [
        connect.create_account(account).await.err(),
        connect.create_location(id, place).await.err(),
        connect.create_screen(id, till).await.err(),
        connect.create_full_token(id, name).await.err(),
        connect.change_account(id, renamed).await.err(),
        connect.change_location(id, location, moved).await.err(),
        connect.rename_screen(id, screen, name).await.err(),
    ] {
        let Some(Error::Invalid(why)) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!(why.field.as_deref(), Some("name"));
        assert!(why.problem.contains("U+202E"), "{why:?}");
    }
    assert_eq!(connect.account(id).await.unwrap(), before);
    assert_eq!(connect.tokens(id).await.unwrap(), []);
}

async fn a_token_is_removed_long_after_it_has_ended(shop: Shop) {
    const DAY: i64 = 24 * 3600;
    let (connect, (id, location)) = (&shop.connect, ids(&shop));
    connect.maintain().await.unwrap();
    let expiring = NewToken {
        name: "Sync".into(),
        expires_at: Some(START.plus_seconds(DAY)),
        grants: vec![Grant {
            location_id: location,
            scopes: vec![Scope::CatalogRead],
        }],
    };
    let expiring = connect.create_token(id, expiring).await.unwrap();
    let good = connect.create_full_token(id, "Good").await.unwrap();
    // More than are removed by one commit.
    let mut revoked = Vec::new();
    for _ in 0..126 {
        revoked.push(connect.create_full_token(id, "Stock").await.unwrap());
    }
    for issued in revoked.iter().chain([&expiring, &good]) {
        assert_eq!(refusal(connect, issued.secret.expose()).await, None);
    }
    for issued in &revoked {
        connect.revoke_token(id, issued.token.id).await.unwrap();
    }
    shop.clock.advance(90 * DAY);
    assert_eq!(connect.maintain().await.unwrap().tokens, 0);
    assert_eq!(connect.tokens(id).await.unwrap().len(), 128);

    // The one that has expired has a day more.
    shop.clock.advance(1);
    let round = connect.maintain().await.unwrap();
    assert_eq!((round.tokens, round.failed), (126, 0));
    shop.clock.advance(DAY);
    let round = connect.maintain().await.unwrap();
    assert_eq!((round.tokens, round.failed), (1, 0));
    let left = connect.tokens(id).await.unwrap();
    assert_eq!(left, [(good.token.clone(), Some(START))]);
    assert_eq!(refusal(connect, good.secret.expose()).await, None);
    for gone in [&expiring, &revoked[0]] {
        assert!(refusal(connect, gone.secret.expose()).await.is_some());
        let again = connect.revoke_token(id, gone.token.id).await;
        assert!(matches!(again, Err(Error::NotFound(_))), "{again:?}");
    }
    assert_eq!(connect.maintain().await.unwrap().tokens, 0);
    let report = connect.check(&mut |_| {}).await.unwrap();
    assert!(report.problems.is_empty(), "{report:?}");
}

async fn a_token_is_not_made_with_grants_that_say_nothing(shop: Shop) {
    let (connect, (id, location_id)) = (&shop.connect, ids(&shop));
    let grant = |scopes: &[Scope]| Grant {
        location_id,
        scopes: scopes.to_vec(),
    };
    let (read, write) = (Scope::CatalogRead, Scope::CatalogWrite);
    let elsewhere = Grant {
        location_id: Uuid::from_u128(7).into(),
        scopes: vec![read.clone()],
    };
    let made_up = Scope::Unknown("catalog:burn".into());
    for (grants, field) in [
        (vec![], "grants"),
        (vec![grant(&[])], "grants[0].scopes"),
        (
            vec![grant(&[read.clone(), read.clone()])],
            "grants[0].scopes",
        ),
        (vec![grant(&[read.clone(), made_up])], "grants[0].scopes"),
        (vec![elsewhere], "grants[0].locationId"),
        (
            vec![
                grant(std::slice::from_ref(&read)),
                grant(std::slice::from_ref(&write)),
            ],
            "grants[1].locationId",
        ),
    ] {
        let new = NewToken {
            name: "Sync".into(),
            expires_at: None,
            grants,
        };
        let refused = connect.create_token(id, new).await.unwrap_err();
        assert!(
            matches!(&refused, Error::Invalid(why) if why.field.as_deref() == Some(field)),
            "{refused:?} is not about {field}"
        );
    }
    assert_eq!(connect.tokens(id).await.unwrap(), []);
    let both = NewToken {
        name: "Sync".into(),
        expires_at: None,
        grants: vec![grant(&[read, write])],
    };
    connect.create_token(id, both).await.unwrap();
}

/// Holds that there is no room, and that the reason says what to do.
#[track_caller]
fn assert_no_room<T: std::fmt::Debug>(result: Result<T, Error>, then: &str) {
    match result {
        Err(Error::Conflict(reason)) => assert!(reason.problem.ends_with(then), "{reason}"),
        other => panic!("{other:?}"),
    }
}

async fn an_account_has_as_many_tokens_in_use_as_there_may_be(shop: Shop) {
    let (connect, (id, location)) = (&shop.connect, ids(&shop));
    let expiring = NewToken {
        name: "Sync".into(),
        expires_at: Some(START.plus_seconds(60)),
        grants: vec![Grant {
            location_id: location,
            scopes: vec![Scope::CatalogRead],
        }],
    };
    connect.create_token(id, expiring).await.unwrap();
    let first = connect.create_full_token(id, "Sync").await.unwrap().token;
    for _ in 2..MAX_TOKENS {
        connect.create_full_token(id, "Sync").await.unwrap();
    }
    assert_no_room(
        connect.create_full_token(id, "Sync").await,
        "revoke one first",
    );
    assert_eq!(connect.tokens(id).await.unwrap().len(), MAX_TOKENS);

    // What was revoked or has expired is there, and takes no room.
    connect.revoke_token(id, first.id).await.unwrap();
    connect.create_full_token(id, "Sync").await.unwrap();
    assert_no_room(
        connect.create_full_token(id, "Sync").await,
        "revoke one first",
    );
    shop.clock.advance(60);
    connect.create_full_token(id, "Sync").await.unwrap();
    assert_no_room(
        connect.create_full_token(id, "Sync").await,
        "revoke one first",
    );
    let tokens = connect.tokens(id).await.unwrap();
    let ended = tokens.iter().filter(|(token, _)| connect.has_ended(token));
    assert_eq!((tokens.len(), ended.count()), (MAX_TOKENS + 2, 2));
}

async fn an_account_has_as_many_screens_as_there_may_be(shop: Shop) {
    let (connect, (id, location_id)) = (&shop.connect, ids(&shop));
    let new = || NewScreen {
        location_id,
        kind: ScreenType::Pos,
        name: "Till".into(),
    };
    let has = connect.screens(id).await.unwrap().len();
    let mut made = None;
    for _ in has..MAX_SCREENS {
        made = Some(connect.create_screen(id, new()).await.unwrap().id);
    }
    assert_no_room(connect.create_screen(id, new()).await, "remove one first");
    connect.delete_screen(id, made.unwrap()).await.unwrap();
    connect.create_screen(id, new()).await.unwrap();
    assert_no_room(connect.create_screen(id, new()).await, "remove one first");
}
