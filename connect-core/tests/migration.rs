//! The rows of older programs, changed at the start of a newer one.

use std::{future::Future, sync::Arc};

use connect_core::{
    Access, Connect,
    environment::ManualClock,
    storage::{Commit, Storage, Write},
    wire::{Batch, CategoryInput, ProductInput, query::ProductQuery},
};
use futures_util::FutureExt as _;
use serde_json::{Value as Json, json};

use crate::{
    faulty::{Fate, Faulty, rows},
    properties::shop::Shop,
};

on_each_store!(rows_of_older_programs_are_counted);
on_each_store!(a_killed_migration_is_continued);
on_each_store!(servers_on_one_store_may_migrate_at_once);
on_each_store!(damage_stops_no_migration);
on_each_store!(owners_of_older_programs_become_users);
on_each_store!(names_of_older_programs_are_found_by_their_words);

const CLOCK: u8 = 0x01;
const MIGRATED: u8 = 0x08;
const ACCOUNT: u8 = 0x10;
const SIGN_IN: u8 = 0x19;
const USER_OF_EMAIL: u8 = 0x1A;
const INVITATION: u8 = 0x1B;
/// The entries of words, of categories, products and option groups.
const WORDS: [u8; 3] = [0x25, 0x37, 0x74];
const SESSION: u8 = 0x1C;

/// The progress of migrations before the one under test.
const BEFORE: &str = r#"{"begun":2,"done":2}"#;

/// A process on a storage.
fn process(storage: Arc<dyn Storage>, clock: &Arc<ManualClock>) -> Connect {
    Connect::builder(storage).clock(clock.clone()).build()
}

/// Fills two locations with lasting rows, and with rows to be purged.
async fn fill(shop: &Shop) {
    for (at, products) in [(&shop.at, 700), (&shop.there, 10)] {
        let products = (0..products).map(|number| ProductInput::named(format!("P{number}")));
        let products: Vec<_> = products.collect();
        let here = shop.connect.location(at).products();
        for part in products.chunks(500) {
            here.batch(Batch::new(part.to_vec())).await.unwrap();
        }
        let id = here.list(&Default::default()).await.unwrap().data[0].id;
        here.delete(id).await.unwrap();
        shop.clock.advance(5 * 24 * 3600);
    }
}

/// Makes the clocks of locations those of a program without finished counts.
async fn forget_counts(shop: &Shop, last_migration: Option<&str>) {
    let half = |mut clock: Json| {
        clock["usage"]["products"] = json!(3);
        clock["usage"]["countedTo"] = json!("00ff");
        clock
    };
    let none = |mut clock: Json| {
        clock.as_object_mut().unwrap().remove("usage").unwrap();
        clock
    };
    let ids = [&shop.at, &shop.there].map(|at: &Access| at.location().id.uuid());
    let writes = rows(&*shop.storage)
        .await
        .into_iter()
        .filter_map(|(key, row)| {
            let clock = || serde_json::from_slice(&row).unwrap();
            let row = match key[16] {
                CLOCK if key[..16] == ids[0].as_bytes()[..] => none(clock()),
                CLOCK if key[..16] == ids[1].as_bytes()[..] => half(clock()),
                MIGRATED => {
                    let row = last_migration.map(|row| Write::Put(row.as_bytes().into()));
                    return Some((key, row.unwrap_or(Write::Remove)));
                }
                _ => return None,
            };
            Some((key, Write::Put(row.to_string().into_bytes().into())))
        });
    let commit = Commit {
        writes: writes.collect(),
        ..Commit::default()
    };
    shop.storage.commit(commit).await.unwrap();
}

/// The number of rows, the clocks, and the progress of migrations.
/// The counts of bytes to be purged are in the order of their days.
async fn state(shop: &Shop) -> (usize, Vec<String>) {
    let rows = rows(&*shop.storage).await;
    let told = rows.iter().filter_map(|(key, row)| match key[16] {
        MIGRATED => Some(String::from_utf8(row.to_vec()).unwrap()),
        CLOCK => {
            let mut clock: Json = serde_json::from_slice(row).unwrap();
            if let Some(passing) = clock.pointer_mut("/usage/passing") {
                let passing = passing.as_array_mut().unwrap();
                passing.sort_by_key(|entry| entry[0].as_u64());
            }
            Some(clock.to_string())
        }
        _ => None,
    });
    (rows.len(), told.collect())
}

async fn is_clean(connect: &Connect) {
    let report = connect.check(&mut |_| {}).await.unwrap();
    assert!(report.is_clean(), "{report:?}");
}

async fn rows_of_older_programs_are_counted(shop: Shop) {
    shop.connect.migrate().await.unwrap();
    fill(&shop).await;
    let expected = state(&shop).await;
    forget_counts(&shop, None).await;
    // Not counted is not wrong, and limits nothing.
    is_clean(&shop.connect).await;
    let stored = shop.connect.stored(shop.at.account().id).await.unwrap();
    assert!(stored.locations.iter().all(|at| !at.is_counted));
    let storage = Faulty::new(shop.storage.clone());
    process(storage.clone(), &shop.clock)
        .migrate()
        .await
        .unwrap();
    assert_eq!(state(&shop).await, expected);
    is_clean(&shop.connect).await;
    let stored = shop.connect.stored(shop.at.account().id).await.unwrap();
    let products = stored.locations.iter().map(|at| at.products);
    assert_eq!(products.collect::<Vec<_>>(), [699, 9]);
    // From then on it is one look.
    let trips = storage.trips();
    process(storage.clone(), &shop.clock)
        .migrate()
        .await
        .unwrap();
    assert_eq!(storage.trips() - trips, 1);
}

/// Each commit is refused, lost, or applied without an answer; or its caller is gone.
async fn a_killed_migration_is_continued(shop: Shop) {
    shop.connect.migrate().await.unwrap();
    fill(&shop).await;
    let expected = state(&shop).await;
    for fate in [Fate::Refused, Fate::Lost, Fate::AppliedWithoutAnswer] {
        for commits in 0.. {
            forget_counts(&shop, Some(BEFORE)).await;
            let storage = Faulty::new(shop.storage.clone());
            storage.decide((0..commits).map(|_| Fate::Acknowledged).chain([fate]));
            let killed = process(storage, &shop.clock).migrate().await;
            process(shop.storage.clone(), &shop.clock)
                .migrate()
                .await
                .unwrap();
            assert_eq!(state(&shop).await, expected, "{fate:?} after {commits}");
            if killed.is_ok() {
                assert_eq!(commits, 8, "three starts, two locations, three ends");
                break;
            }
        }
    }
    for polls in [1, 2, 5, 10, 20] {
        forget_counts(&shop, Some(BEFORE)).await;
        let connect = process(shop.storage.clone(), &shop.clock);
        polled(connect.migrate(), polls).await;
        connect.migrate().await.unwrap();
        assert_eq!(state(&shop).await, expected, "dropped after {polls}");
    }
}

/// Polls a future so many times at most, then drops it.
async fn polled(future: impl Future, polls: usize) {
    let mut future = std::pin::pin!(future.fuse());
    for _ in 0..polls {
        if (&mut future).now_or_never().is_some() {
            return;
        }
        tokio::task::yield_now().await;
    }
}

async fn servers_on_one_store_may_migrate_at_once(shop: Shop) {
    shop.connect.migrate().await.unwrap();
    fill(&shop).await;
    let expected = state(&shop).await;
    for _ in 0..5 {
        forget_counts(&shop, None).await;
        let servers = [(); 3].map(|()| process(shop.storage.clone(), &shop.clock));
        let all = servers.each_ref().map(|server| server.migrate());
        for done in futures_util::future::join_all(all).await {
            done.unwrap();
        }
        assert_eq!(state(&shop).await, expected);
    }
}

/// One damaged row keeps no shop from being served.
async fn damage_stops_no_migration(shop: Shop) {
    fill(&shop).await;
    let expected = state(&shop).await.1;
    forget_counts(&shop, None).await;
    let clock = [shop.there.location().id.uuid().as_bytes(), &[CLOCK][..]].concat();
    let commit = Commit {
        writes: vec![(clock.into(), Write::Put(b"\"damaged\"".as_slice().into()))],
        ..Commit::default()
    };
    shop.storage.commit(commit).await.unwrap();
    shop.connect.migrate().await.unwrap();
    let (_, found) = state(&shop).await;
    assert!(found.contains(&r#"{"begun":5,"done":5}"#.to_owned()));
    let whole = expected.iter().filter(|row| found.contains(row));
    assert_eq!(
        whole.count(),
        expected.len() - 1,
        "all but the damaged clock"
    );
}

/// Gives the rows of the account the form of a program before users.
async fn forget_users(shop: &Shop) {
    let account = shop.at.account().id.uuid();
    let mut writes = Vec::new();
    for (key, row) in rows(&*shop.storage).await {
        let is_of_account = key[..16] == account.as_bytes()[..];
        let json = || serde_json::from_slice::<Json>(&row).unwrap();
        let put = |row: &[u8]| Write::Put(row.into());
        match key[16] {
            ACCOUNT if is_of_account => {
                let mut account = json();
                let users = account.as_object_mut().unwrap().remove("users").unwrap();
                account["ownerEmail"] = users[0]["email"].clone();
                writes.push((key, put(account.to_string().as_bytes())));
            }
            SIGN_IN | INVITATION if is_of_account && key.len() > 17 => {
                writes.push((key[..17].into(), put(&row)));
                writes.push((key, Write::Remove));
            }
            USER_OF_EMAIL => writes.push((key, put(account.as_bytes()))),
            SESSION if is_of_account => {
                let mut session = json();
                session.as_object_mut().unwrap().remove("user");
                writes.push((key, put(session.to_string().as_bytes())));
            }
            MIGRATED => writes.push((key, put(br#"{"begun":3,"done":3}"#))),
            _ => {}
        }
    }
    let commit = Commit {
        writes,
        ..Commit::default()
    };
    shop.storage.commit(commit).await.unwrap();
}

/// The owner has the password, the session and the invitation of before, whatever stops the migration.
async fn owners_of_older_programs_become_users(shop: Shop) {
    const PASSWORD: &str = "rye and spelt";
    let (connect, account) = (&shop.connect, shop.at.account());
    connect.migrate().await.unwrap();
    let invitation = connect.invite_owner(account.id).await.unwrap().secret;
    let accepted = connect.accept_invitation(invitation.expose(), PASSWORD);
    let session = accepted.await.unwrap().secret;
    let invitation = connect.invite_owner(account.id).await.unwrap().secret;
    forget_users(&shop).await;
    // A look at it changes nothing, and shows the owner.
    assert_eq!(
        connect.account(account.id).await.unwrap().owner_email(),
        account.owner_email()
    );
    is_clean(connect).await;
    connect.migrate().await.unwrap();
    let expected = rows(&*shop.storage).await;
    for fate in [Fate::Refused, Fate::Lost, Fate::AppliedWithoutAnswer] {
        for commits in 0..3 {
            forget_users(&shop).await;
            let storage = Faulty::new(shop.storage.clone());
            storage.decide((0..commits).map(|_| Fate::Acknowledged).chain([fate]));
            let _ = process(storage, &shop.clock).migrate().await;
            connect.migrate().await.unwrap();
            assert!(
                rows(&*shop.storage).await == expected,
                "{fate:?} after {commits}"
            );
        }
    }
    is_clean(connect).await;
    let users = connect.users(account.id).await.unwrap();
    assert_eq!(users.len(), 1);
    assert_eq!(users[0].0.id.uuid(), account.id.uuid());
    let owner = connect.session(session.expose()).await.unwrap();
    assert!(owner.user().is_owner());
    let here = std::net::Ipv4Addr::LOCALHOST.into();
    connect
        .sign_in(here, account.owner_email(), PASSWORD)
        .await
        .unwrap();
    connect
        .accept_invitation(invitation.expose(), "oats and millet")
        .await
        .unwrap();
    is_clean(connect).await;
}

/// Removes the words of all names, as they are in the store of an older program.
async fn forget_words(shop: &Shop) {
    let all = rows(&*shop.storage).await;
    let mut writes = Vec::new();
    let words = all.iter().filter(|(key, _)| WORDS.contains(&key[16]));
    writes.extend(words.clone().map(|(key, _)| (key.clone(), Write::Remove)));
    for (key, row) in &all {
        if key[16] == CLOCK
            && [&shop.at, &shop.there]
                .map(|at| at.location().id.uuid())
                .iter()
                .any(|id| key[..16] == id.as_bytes()[..])
        {
            let mut clock: Json = serde_json::from_slice(row).unwrap();
            let own = words.clone().filter(|(word, _)| word[..16] == key[..16]);
            let bytes: usize = own.map(|(word, _)| word.len()).sum();
            let with_words = clock["usage"]["bytes"].as_u64().unwrap();
            clock["usage"]["bytes"] = json!(with_words - bytes as u64);
            writes.push((
                key.clone(),
                Write::Put(clock.to_string().into_bytes().into()),
            ));
        }
        if key[16] == MIGRATED {
            let before = br#"{"begun":4,"done":4}"#.as_slice();
            writes.push((key.clone(), Write::Put(before.into())));
        }
    }
    let commit = Commit {
        writes,
        ..Commit::default()
    };
    shop.storage.commit(commit).await.unwrap();
}

/// Also if it is stopped: each commit has its own words alone.
async fn names_of_older_programs_are_found_by_their_words(shop: Shop) {
    shop.connect.migrate().await.unwrap();
    fill(&shop).await;
    let here = shop.connect.location(&shop.at);
    here.categories()
        .create(CategoryInput::named("Bread"))
        .await
        .unwrap();
    let expected = rows(&*shop.storage).await.len();
    let clocks = state(&shop).await;
    let mut most = 0;
    for fate in [Fate::Refused, Fate::Lost, Fate::AppliedWithoutAnswer] {
        for commits in 0.. {
            forget_words(&shop).await;
            assert!(rows(&*shop.storage).await.len() < expected);
            let storage = Faulty::new(shop.storage.clone());
            storage.decide((0..commits).map(|_| Fate::Acknowledged).chain([fate]));
            let killed = process(storage, &shop.clock).migrate().await;
            shop.connect.migrate().await.unwrap();
            assert_eq!(state(&shop).await, clocks, "{fate:?} after {commits}");
            most = most.max(commits);
            if killed.is_ok() {
                break;
            }
        }
    }
    // A start, a category, 700 products in two pieces, ten at the other location, an end.
    assert_eq!(most, 6);
    is_clean(&shop.connect).await;
    let query = ProductQuery::default().search("p69");
    let found = here.products().list(&query).await.unwrap().data;
    assert_eq!(found.len(), 11, "p69, and p690 to p699");
}
