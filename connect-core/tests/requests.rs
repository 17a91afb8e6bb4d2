//! The last requests of tokens: bounded, purged by age, and listed as a naive model lists them.

use connect_core::{
    Account, AnsweredRequest, Connect, NewToken, RequestFilter, RequestOutcome, Retention, Token,
    wire::{Id, Timestamp},
};

use crate::{properties::shop::Shop, shop};

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
    assert!(mixed.is_err(), "a cursor of another list");
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
