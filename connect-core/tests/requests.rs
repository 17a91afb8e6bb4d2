//! The last requests of tokens: bounded, purged by age, and listed as a naive model lists them.

use connect_core::{
    Account, AnsweredRequest, Connect, Error, Grant, Language, NewToken, NewUser, Origin,
    RequestFilter, RequestOutcome, Retention, Role, Token, UserRole,
    wire::{Id, Scope, Timestamp},
};

use crate::{
    properties::shop::Shop,
    shop,
    stored::{self, family::REQUEST},
};

const DAY: i64 = 24 * 3600;

/// The requests kept of a token.
const KEPT: usize = 500;

fn request(token: Id<Token>, at: Timestamp, number: usize) -> AnsweredRequest {
    AnsweredRequest {
        token_id: token,
        at,
        method: "GET".to_owned(),
        path: format!("/v1/locations/{number}"),
        status: [200, 404, 503][number % 3],
        request_id: format!("r-{number}"),
        idempotency_key: number.is_multiple_of(5).then(|| format!("k-{number}")),
        address: [10, 0, 0, 7].into(),
        client: None,
        errors: Vec::new(),
    }
}

async fn token(connect: &Connect, account: Id<Account>, name: &str) -> Id<Token> {
    let issued = connect.create_full_token(account, name).await.unwrap();
    issued.token.id
}

/// All pages of a list, of a few requests each.
async fn all(
    connect: &Connect,
    account: Id<Account>,
    filter: &RequestFilter,
    limit: usize,
) -> Vec<AnsweredRequest> {
    let (mut found, mut cursor) = (Vec::new(), None::<String>);
    loop {
        let page = connect.requests(account, filter, cursor.as_deref(), limit);
        let page = page.await.unwrap();
        assert!(page.data.len() <= limit);
        found.extend(page.data);
        cursor = page.next_cursor;
        if cursor.is_none() {
            return found;
        }
    }
}

on_each_store!(the_last_requests_of_each_token_are_kept_and_listed_newest_first);

async fn the_last_requests_of_each_token_are_kept_and_listed_newest_first(shop: Shop) {
    let open = || {
        let builder = Connect::builder(shop.storage.clone());
        builder.clock(shop.clock.clone()).build()
    };
    let [connect, other] = [open(), open()];
    let account = shop::account(&connect, "Korenbloem").await;
    shop::location(&connect, account, "Here").await;
    let stranger = shop::account(&connect, "Zonnehof").await;
    let busy = token(&connect, account, "Webshop").await;
    let quiet = token(&connect, account, "Bookkeeper").await;
    let mut model = Vec::new();
    for number in 0..KEPT + 150 {
        shop.clock.advance(1);
        let of = if number.is_multiple_of(50) {
            quiet
        } else {
            busy
        };
        let request = request(of, connect.now(), number);
        // Two processes on the store.
        let process = if number.is_multiple_of(2) {
            &connect
        } else {
            &other
        };
        process.note_request(account, request.clone());
        model.push(request);
        if number.is_multiple_of(40) {
            connect.flush_requests().await.unwrap();
            other.flush_requests().await.unwrap();
        }
    }
    connect.flush_requests().await.unwrap();
    other.flush_requests().await.unwrap();
    let of_busy = model.iter().filter(|request| request.token_id == busy);
    let first = of_busy.rev().nth(KEPT - 1).unwrap().at;
    // Within some seconds, two processes store in any order: what is kept differs by as much.
    let slack = first.plus_seconds(100);
    model.retain(|request| request.token_id == quiet || request.at >= slack);
    model.reverse();
    let since = |filter: RequestFilter| RequestFilter {
        since: Some(slack),
        ..filter
    };
    let of = |outcome| RequestFilter {
        outcome: Some(outcome),
        ..RequestFilter::default()
    };
    let filters = [
        RequestFilter::default(),
        of(RequestOutcome::Done),
        of(RequestOutcome::Refused),
        of(RequestOutcome::Failed),
        RequestFilter {
            token: Some(quiet),
            ..RequestFilter::default()
        },
        RequestFilter {
            id: Some("r-600".to_owned()),
            ..RequestFilter::default()
        },
        RequestFilter {
            id: Some("k-605".to_owned()),
            ..RequestFilter::default()
        },
        RequestFilter {
            path: Some("/61".to_owned()),
            ..RequestFilter::default()
        },
        RequestFilter {
            until: Some(slack.plus_seconds(30)),
            ..RequestFilter::default()
        },
    ];
    for (number, filter) in filters.into_iter().map(since).enumerate() {
        let wanted = |request: &&AnsweredRequest| {
            let status = match filter.outcome {
                None => true,
                Some(RequestOutcome::Done) => request.status == 200,
                Some(RequestOutcome::Refused) => request.status == 404,
                Some(RequestOutcome::Failed) => request.status == 503,
            };
            let (id, key) = (Some(&request.request_id), request.idempotency_key.as_ref());
            status
                && request.at >= slack
                && filter.until.is_none_or(|until| request.at < until)
                && filter.token.is_none_or(|token| request.token_id == token)
                && (filter.id.is_none() || filter.id.as_ref() == id || filter.id.as_ref() == key)
                && filter
                    .path
                    .as_ref()
                    .is_none_or(|part| request.path.contains(part))
        };
        let expected: Vec<_> = model.iter().filter(wanted).cloned().collect();
        assert!(!expected.is_empty(), "{filter:?}");
        let found = all(&connect, account, &filter, 7 + number * 40).await;
        assert_eq!(found, expected, "{filter:?}");
    }
    let everything = all(&connect, account, &RequestFilter::default(), 200).await;
    let count = everything.iter().filter(|request| request.token_id == busy);
    assert_eq!(count.count(), KEPT);
    let any = RequestFilter::default();
    let none = connect.requests(stranger, &any, None, 50).await;
    assert!(none.unwrap().data.is_empty());
    let foreign = RequestFilter {
        token: Some(busy),
        ..RequestFilter::default()
    };
    assert_eq!(
        connect
            .requests(stranger, &foreign, None, 50)
            .await
            .unwrap_err()
            .status(),
        404
    );
    let cursor = connect
        .requests(account, &RequestFilter::default(), None, 5)
        .await;
    let cursor = cursor.unwrap().next_cursor;
    let mixed = connect
        .requests(account, &foreign, cursor.as_deref(), 5)
        .await;
    let Err(Error::Malformed(reason)) = mixed else {
        panic!("a cursor of another list");
    };
    assert_eq!(reason.field.as_deref(), Some("cursor"));
    let report = connect.check(&mut |_| {}).await.unwrap();
    assert!(report.is_clean(), "{report:?}");
}

#[tokio::test]
async fn old_requests_are_purged_with_their_token_and_by_retention() {
    let shop = shop::Shop::open().await;
    let (connect, account) = (&shop.connect, shop.account);
    let lasting = token(connect, account, "Webshop").await;
    let until = Some(connect.now().plus_seconds(DAY));
    let grants = connect.create_full_token(account, "For its grants").await;
    let new = NewToken {
        name: "For a day".to_owned(),
        expires_at: until,
        grants: grants.unwrap().token.grants,
    };
    let ended = connect.create_token(account, new).await.unwrap().token.id;
    let count = async || {
        all(connect, account, &RequestFilter::default(), 50)
            .await
            .len()
    };
    for (token, number) in [(lasting, 0), (ended, 1)] {
        connect.note_request(account, request(token, connect.now(), number));
    }
    connect.maintain().await.unwrap();
    assert_eq!(count().await, 2);
    shop.clock.advance(29 * DAY);
    connect.note_request(account, request(lasting, connect.now(), 2));
    assert_eq!(connect.maintain().await.unwrap().requests, 0);
    assert_eq!(count().await, 3);
    shop.clock.advance(2 * DAY);
    assert_eq!(connect.maintain().await.unwrap().requests, 2);
    assert_eq!(count().await, 1);
    // An owner's shorter time counts at once, also before the purge.
    let retention = Retention {
        request_days: Some(7),
        ..Retention::default()
    };
    connect.set_retention(account, retention).await.unwrap();
    shop.clock.advance(6 * DAY);
    assert_eq!(count().await, 0);
    assert_eq!(connect.maintain().await.unwrap().requests, 1);
    // A request of a token of an erased account is not stored.
    let elsewhere = connect.now();
    let unknown: Id<Account> = uuid::Uuid::from_u128(7).into();
    connect.note_request(unknown, request(lasting, elsewhere, 3));
    connect.flush_requests().await.unwrap();
    assert_eq!(count().await, 0);
}

/// A token that ends in a day.
async fn ending_token(shop: &shop::Shop) -> Id<Token> {
    let grant = Grant {
        location_id: shop.at.location().id,
        scopes: vec![Scope::CatalogRead],
    };
    let new = NewToken {
        name: "For a day".to_owned(),
        expires_at: Some(shop.connect.now().plus_seconds(DAY)),
        grants: vec![grant],
    };
    let issued = shop.connect.create_token(shop.account, new).await;
    issued.unwrap().token.id
}

/// The ids of the requests of an account, newest first.
async fn ids(connect: &Connect, account: Id<Account>) -> Vec<String> {
    let found = all(connect, account, &RequestFilter::default(), 50).await;
    found.into_iter().map(|of| of.request_id).collect()
}

#[tokio::test]
async fn a_purged_token_leaves_no_request_behind() {
    let shop = shop::Shop::open().await;
    let (connect, account) = (&shop.connect, shop.account);
    let lasting = token(connect, account, "Webshop").await;
    let ended = ending_token(&shop).await;
    shop.clock.advance(92 * DAY);
    connect.note_request(account, request(ended, connect.now(), 0));
    connect.flush_requests().await.unwrap();
    for (token, number) in [(ended, 1), (lasting, 2)] {
        connect.note_request(account, request(token, connect.now(), number));
    }
    // A flush has read the token, when another process purges it.
    let (has_read, go_on) = shop.storage.hold_next_read();
    let flushing = tokio::spawn({
        let connect = connect.clone();
        async move { connect.flush_requests().await }
    });
    has_read.await.unwrap();
    let round = shop.beside().maintain().await.unwrap();
    assert_eq!((round.tokens, round.requests), (1, 1), "{round:?}");
    go_on.send(()).unwrap();
    flushing.await.unwrap().unwrap();
    // One more refused request, after the purge.
    connect.note_request(account, request(ended, connect.now(), 3));
    connect.flush_requests().await.unwrap();
    assert_eq!(ids(connect, account).await, ["r-2"]);
    assert_eq!(stored::of_family(&*shop.storage, REQUEST).await.len(), 1);
}

#[tokio::test]
async fn a_failed_or_abandoned_flush_loses_and_repeats_nothing() {
    let shop = shop::Shop::open().await;
    let (connect, account) = (&shop.connect, shop.account);
    let token = token(connect, account, "Webshop").await;
    let note = |connect: &Connect, number| {
        shop.clock.advance(1);
        connect.note_request(account, request(token, connect.now(), number));
    };
    // Without room, lists and maintenance go on without the last ones.
    note(connect, 0);
    connect.flush_requests().await.unwrap();
    note(connect, 1);
    shop.storage.refuse_unguarded(true);
    assert!(connect.flush_requests().await.is_err());
    assert_eq!(ids(connect, account).await, ["r-0"]);
    let last = connect.last_requests(account).await.unwrap();
    assert_eq!(last[0].request_id, "r-0");
    shop.storage.refuse_unguarded(false);
    assert_eq!(ids(connect, account).await, ["r-1", "r-0"]);

    note(connect, 2);
    shop.storage.fail_reads(1);
    connect.flush_requests().await.unwrap();
    assert_eq!(ids(connect, account).await, ["r-2", "r-1", "r-0"]);

    // An abandoned flush, as at a stop.
    note(connect, 3);
    let (has_read, go_on) = shop.storage.hold_next_read();
    tokio::select! {
        biased;
        _ = connect.flush_requests() => panic!("it waits"),
        reached = has_read => reached.unwrap(),
    }
    drop(go_on);
    assert_eq!(ids(connect, account).await.len(), 4);

    // Another process stores one between the read and the commit.
    note(connect, 4);
    let other = shop.beside();
    note(&other, 5);
    let (has_read, go_on) = shop.storage.hold_next_read();
    let flush = async {
        has_read.await.unwrap();
        other.flush_requests().await.unwrap();
        go_on.send(()).unwrap();
    };
    let (flushed, ()) = tokio::join!(connect.flush_requests(), flush);
    flushed.unwrap();
    let expected = ["r-5", "r-4", "r-3", "r-2", "r-1", "r-0"];
    assert_eq!(ids(&other, account).await, expected);
}

#[tokio::test]
async fn a_damaged_request_holds_up_no_other_token() {
    let shop = shop::Shop::open().await;
    let (connect, account) = (&shop.connect, shop.account);
    let tokens = [
        token(connect, account, "Webshop").await,
        token(connect, account, "Bookkeeper").await,
        ending_token(&shop).await,
        ending_token(&shop).await,
    ];
    let note = || {
        for token in tokens {
            connect.note_request(account, request(token, connect.now(), 0));
        }
    };
    note();
    connect.flush_requests().await.unwrap();
    for damaged in [tokens[0], tokens[2]] {
        let part = [&[REQUEST][..], damaged.uuid().as_bytes()].concat();
        shop.storage.damage(&part);
    }
    shop.clock.advance(60);
    note();
    assert!(connect.flush_requests().await.is_err());
    let of = |token| RequestFilter {
        token: Some(token),
        ..RequestFilter::default()
    };
    let count = async |token| all(connect, account, &of(token), 50).await.len();
    assert_eq!(count(tokens[1]).await, 2);
    // Old requests and ended tokens go, but for the damaged ones.
    shop.clock.advance(100 * DAY);
    let round = connect.maintain().await.unwrap();
    assert_eq!((round.requests, round.tokens), (4, 1), "{round:?}");
    shop.storage.heal();
    shop.clock.advance(2 * 3600);
    let round = connect.maintain().await.unwrap();
    // With the ones still in memory.
    assert_eq!((round.requests, round.tokens), (4, 1), "{round:?}");
    assert!(stored::of_family(&*shop.storage, REQUEST).await.is_empty());
    assert_eq!(count(tokens[1]).await, 0);
}

#[tokio::test]
async fn a_user_of_a_location_sees_requests_of_its_tokens_alone() {
    let shop = shop::Shop::open().await;
    let (connect, account) = (&shop.connect, shop.account);
    let here = ending_token(&shop).await;
    shop.location("There").await;
    let everywhere = token(connect, account, "Webshop").await;
    for (token, number) in [(here, 0), (everywhere, 1)] {
        connect.note_request(account, request(token, connect.now(), number));
    }
    let new = NewUser {
        name: "Noor".into(),
        email: "noor@rye.example".into(),
        language: Language::En,
        roles: vec![UserRole {
            location_id: Some(shop.at.location().id),
            role: Role::Developer,
        }],
    };
    let user = connect.create_user(account, new).await.unwrap().id;
    let invitation = connect.invite_user(account, user).await.unwrap().secret;
    let accepted = connect.accept_invitation(invitation.expose(), "rye and spelt");
    let issued = accepted.await.unwrap();
    let session = connect.session(issued.secret.expose());
    let by = connect.by_user(&session.await.unwrap(), Origin::default());
    assert_eq!(ids(&by, account).await, ["r-0"]);
    let last = by.last_requests(account).await.unwrap();
    assert_eq!(last.len(), 1);
    let beyond = RequestFilter {
        token: Some(everywhere),
        ..RequestFilter::default()
    };
    let refused = by.requests(account, &beyond, None, 50).await.unwrap_err();
    assert!(matches!(refused, Error::NotFound(_)), "{refused:?}");
    assert_eq!(ids(connect, account).await.len(), 2);
}

#[tokio::test]
async fn a_page_reads_about_its_own_requests() {
    let shop = shop::Shop::open().await;
    let (connect, account) = (&shop.connect, shop.account);
    let mut tokens = Vec::new();
    for number in 0..45 {
        tokens.push(token(connect, account, &format!("Token {number}")).await);
    }
    let mut number = 0;
    for round in 0..KEPT {
        for token in &tokens {
            shop.clock.advance(2);
            connect.note_request(account, request(*token, connect.now(), number));
            number += 1;
        }
        if round.is_multiple_of(40) {
            connect.flush_requests().await.unwrap();
        }
    }
    connect.flush_requests().await.unwrap();
    let any = RequestFilter::default();
    let (mut cursor, mut seen) = (None::<String>, Vec::new());
    loop {
        let before = shop.storage.scanned();
        let page = connect.requests(account, &any, cursor.as_deref(), 200);
        let page = page.await.unwrap();
        // Of 22 500 ones.
        let scanned = shop.storage.scanned() - before;
        assert!(scanned < 2500, "{scanned} at {}", seen.len());
        seen.extend(page.data.into_iter().map(|of| of.request_id));
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    let expected: Vec<_> = (0..number).rev().map(|of| format!("r-{of}")).collect();
    assert_eq!(seen, expected);
    // The first of all requests is beyond one look.
    let first = RequestFilter {
        id: Some("r-0".to_owned()),
        ..RequestFilter::default()
    };
    let page = connect.requests(account, &first, None, 50).await.unwrap();
    assert!(page.data.is_empty() && page.next_cursor.is_some());
    assert_eq!(all(connect, account, &first, 50).await.len(), 1);
}
