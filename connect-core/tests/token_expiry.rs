//! Mail about tokens that expire soon: when, to whom, and once.

use connect_core::{
    AccountChange, Connect, Grant, Language, NewToken, NewUser, Role, Token, UserRole,
    environment::Clock as _,
    wire::{Id, Location, Scope},
};

use crate::{
    faulty::Fate,
    mails::{sent, subjects},
    shop::Shop,
};

const DAY: i64 = 24 * 3600;

/// Makes a token for some locations, which expires after so many days.
async fn token(shop: &Shop, name: &str, at: &[Id<Location>], days: Option<i64>) -> Id<Token> {
    let grant = |location_id: &Id<Location>| Grant {
        location_id: *location_id,
        scopes: vec![Scope::CatalogRead],
    };
    let new = NewToken {
        name: name.to_owned(),
        expires_at: days.map(|days| shop.clock.now().plus_seconds(days * DAY)),
        grants: at.iter().map(grant).collect(),
    };
    let made = shop.connect.create_token(shop.account, new).await;
    made.unwrap().token.id
}

async fn user(shop: &Shop, name: &str, language: Language, role: Role, at: Option<Id<Location>>) {
    let new = NewUser {
        name: name.to_owned(),
        email: format!("{name}@shop.example"),
        language,
        roles: vec![UserRole {
            location_id: at,
            role,
        }],
    };
    shop.connect.create_user(shop.account, new).await.unwrap();
}

/// Runs a round of maintenance, sends its mail, and returns recipients and subjects, sorted.
async fn round(connect: &Connect) -> Vec<String> {
    let round = connect.maintain().await.unwrap();
    assert_eq!((round.failed, round.is_held_off), (0, false));
    let sent = sent(connect).await.into_iter();
    let mut lines: Vec<_> = sent
        .map(|mail| format!("{}: {}", mail.to, mail.subject))
        .collect();
    lines.sort();
    lines
}

#[tokio::test]
async fn who_manages_a_token_is_told_once_before_it_expires() {
    let shop = Shop::open().await;
    let here = shop.at.location().id;
    let there = shop.location("There").await.location().id;
    user(&shop, "dev", Language::Nl, Role::Developer, Some(here)).await;
    user(&shop, "far", Language::En, Role::Manager, Some(there)).await;
    user(&shop, "book", Language::En, Role::Accountant, None).await;
    token(&shop, "Webshop", &[here], Some(90)).await;
    token(&shop, "Chain", &[here, there], Some(90)).await;
    let post = shop.process().queue_mail().build();
    shop.clock.advance(76 * DAY - 1);
    assert_eq!(round(&post).await, [""; 0]);
    shop.clock.advance(1);
    assert_eq!(
        round(&post).await,
        [
            "dev@shop.example: Het token \"Webshop\" van Shop verloopt binnenkort",
            "owner@shop.example: The token \"Chain\" of Shop expires soon",
            "owner@shop.example: The token \"Webshop\" of Shop expires soon",
        ]
    );
    // Neither the next round, nor another process, nor the expiry sends it again.
    assert_eq!(round(&post).await, [""; 0]);
    let restarted = shop.process().queue_mail().build();
    for days in [0, 7, 7, 7] {
        shop.clock.advance(days * DAY);
        assert_eq!(round(&restarted).await, [""; 0], "{days}");
    }
    shop.check().await;
}

#[tokio::test]
async fn the_mail_says_what_to_do() {
    let shop = Shop::open().await;
    token(&shop, "Webshop", &[shop.at.location().id], Some(15)).await;
    let post = shop.process().queue_mail().build();
    shop.clock.advance(DAY);
    post.maintain().await.unwrap();
    let [mail] = &sent(&post).await[..] else {
        panic!("one message")
    };
    let (listed, _) = &shop.connect.tokens(shop.account).await.unwrap()[0];
    for part in [
        &*format!(
            "\"Webshop\" ({}…) of Shop expires on 2027-01-30 ",
            listed.prefix
        ),
        "\n    https://shop.example/tokens\n",
    ] {
        assert!(mail.text.contains(part), "{part}: {}", mail.text);
    }
    assert_eq!(listed.expiry_warned_at, Some(shop.clock.now()));
}

#[tokio::test]
async fn no_mail_is_sent_about_other_tokens() {
    let shop = Shop::open().await;
    let here = [shop.at.location().id];
    token(&shop, "Lasting", &here, None).await;
    token(&shop, "Short", &here, Some(14)).await;
    let revoked = token(&shop, "Revoked", &here, Some(60)).await;
    token(&shop, "Expired", &here, Some(40)).await;
    token(&shop, "Soon", &here, Some(60)).await;
    let without = shop.beside();
    let post = shop.process().queue_mail().build();
    shop.clock.advance(DAY);
    assert_eq!(round(&post).await, [""; 0]);
    shop.connect
        .revoke_token(shop.account, revoked)
        .await
        .unwrap();
    // A process without mail keeps it for one with mail.
    for days in [30, 16] {
        shop.clock.advance(days * DAY);
        assert_eq!(round(&without).await, [""; 0]);
    }
    let told = "owner@shop.example: The token \"Soon\" of Shop expires soon";
    assert_eq!(round(&post).await, [told]);
}

/// Users without the demanded factor have no rights until they add one.
#[tokio::test]
async fn mail_waits_for_a_user_with_the_right() {
    let shop = Shop::open().await;
    token(&shop, "Webshop", &[shop.at.location().id], Some(20)).await;
    let post = shop.process().queue_mail().build();
    let demand = async |is_on| {
        let change = AccountChange {
            requires_second_factor: Some(is_on),
            ..AccountChange::default()
        };
        let changed = shop.connect.change_account(shop.account, change);
        changed.await.unwrap();
    };
    demand(true).await;
    shop.clock.advance(7 * DAY);
    assert_eq!(round(&post).await, [""; 0]);
    demand(false).await;
    assert_eq!(round(&post).await.len(), 1);
}

/// The mail and the note in the token are one commit: both are there, or neither.
#[tokio::test]
async fn a_commit_that_fails_sends_no_mail_twice() {
    for fate in [
        Fate::Refused,
        Fate::Lost,
        Fate::AppliedWithoutAnswer,
        Fate::AppliedWithPanic,
    ] {
        let shop = Shop::open().await;
        token(&shop, "Webshop", &[shop.at.location().id], Some(20)).await;
        let post = shop.process().queue_mail().build();
        shop.clock.advance(7 * DAY);
        shop.storage.decide([fate]);
        post.maintain().await.unwrap();
        let (listed, _) = &shop.connect.tokens(shop.account).await.unwrap()[0];
        let mut messages = subjects(&post).await;
        assert_eq!(
            listed.expiry_warned_at.is_some(),
            messages.len() == 1,
            "{fate:?}"
        );
        for _ in 0..2 {
            let other = shop.process().queue_mail().build();
            other.maintain().await.unwrap();
            messages.extend(subjects(&other).await);
        }
        assert_eq!(messages.len(), 1, "{fate:?}: {messages:?}");
    }
}
