//! The way of an owner into the account: invitation, password, session.

use std::net::IpAddr;

use connect_core::{
    Account, Author, Connect, Error, IssuedSession, MAX_PASSWORD, NewAccount, Origin,
    SESSION_SECONDS, UserChange, environment::Clock as _, wire::Id,
};

use crate::{
    properties::shop::{START, Shop},
    shop,
};

on_each_store!(an_owner_signs_in_and_out);
on_each_store!(only_the_open_invitation_is_good);
on_each_store!(wrong_passwords_are_refused_and_counted);
on_each_store!(an_owner_gets_in_while_others_guess);
on_each_store!(guessing_from_everywhere_is_slowed_down);
on_each_store!(another_address_takes_the_password);
on_each_store!(another_password_ends_the_other_sessions);
on_each_store!(an_address_leads_to_one_account);
on_each_store!(sessions_end);
on_each_store!(ended_sessions_are_purged);
on_each_store!(sessions_are_listed_and_ended);

/// The address of the network that everybody comes from.
const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);
const PASSWORD: &str = "rye and spelt";
const DAY: i64 = 24 * 3600;

/// The account of a shop, and the address of its owner.
fn owner(shop: &Shop) -> (Id<Account>, String) {
    let account = shop.at.account();
    (account.id, account.owner_email().to_owned())
}

/// Has the owner of an account set a password.
async fn set_password(connect: &Connect, account: Id<Account>) -> Result<IssuedSession, Error> {
    let invitation = connect.invite_owner(account).await?.secret;
    connect
        .accept_invitation(invitation.expose(), PASSWORD)
        .await
}

/// Makes an account of an owner with this address.
async fn other_account(connect: &Connect, owner_email: &str) -> Id<Account> {
    let new = NewAccount {
        name: "Other".into(),
        owner_email: owner_email.into(),
        sandbox: false,
    };
    connect.create_account(new).await.unwrap().id
}

/// The account into which a session lets its owner.
async fn account_of(connect: &Connect, session: &IssuedSession) -> Result<Id<Account>, Error> {
    let owner = connect.session(session.secret.expose()).await?;
    Ok(owner.account().id)
}

/// Holds that something is refused for want of this.
#[track_caller]
fn assert_unauthorized<T: std::fmt::Debug>(result: Result<T, Error>, field: &str) {
    match result {
        Err(Error::Unauthorized(reason)) => assert_eq!(reason.field.as_deref(), Some(field)),
        other => panic!("{other:?}"),
    }
}

/// Holds that a field is refused.
#[track_caller]
fn assert_invalid<T: std::fmt::Debug>(result: Result<T, Error>, field: &str) {
    match result {
        Err(Error::Invalid(reason)) => assert_eq!(reason.field.as_deref(), Some(field)),
        other => panic!("{other:?}"),
    }
}

/// The seconds after which somebody who was refused may try again; 0 who was not refused for that.
fn wait<T>(result: &Result<T, Error>) -> i64 {
    match result {
        Err(Error::RateLimited(reason)) => reason.retry_after.unwrap().into(),
        _ => 0,
    }
}

/// The seconds of the minute under way that have passed.
fn seconds_in(shop: &Shop) -> i64 {
    shop.clock.now().seconds().rem_euclid(60)
}

/// An address in one of many networks.
fn network(number: u8) -> IpAddr {
    IpAddr::from([192, 0, 2, number])
}

async fn assert_clean(connect: &Connect) {
    let report = connect.check(&mut |_| {}).await.unwrap();
    assert_eq!(report.problems, []);
}

async fn an_owner_signs_in_and_out(shop: Shop) {
    let (connect, (account, email)) = (&shop.connect, owner(&shop));
    assert_unauthorized(connect.sign_in(HERE, &email, PASSWORD).await, "password");
    let first = set_password(connect, account).await.unwrap();
    assert_eq!(account_of(connect, &first).await.unwrap(), account);

    let typed = format!(" {} ", email.to_uppercase());
    let second = connect.sign_in(HERE, &typed, PASSWORD).await.unwrap();
    let owner = connect.session(second.secret.expose()).await.unwrap();
    assert_eq!(owner.user().email, email);
    assert_eq!(owner.ends_at(), START.plus_seconds(7 * DAY));
    connect.sign_out(&owner).await.unwrap();
    connect.sign_out(&owner).await.unwrap();
    assert_unauthorized(account_of(connect, &second).await, "session");
    assert_eq!(account_of(connect, &first).await.unwrap(), account);
    assert_clean(connect).await;
}

async fn only_the_open_invitation_is_good(shop: Shop) {
    let (connect, (account, _)) = (&shop.connect, owner(&shop));
    let replaced = connect.invite_owner(account).await.unwrap().secret;
    let open = connect.invite_owner(account).await.unwrap();
    let value = open.secret.expose();
    assert_eq!(
        connect.invited_user(value).await.unwrap().account.id,
        account
    );
    // The same account written in another way, and another id.
    let simple = account.uuid().simple().to_string();
    let simple = value.replacen(&account.to_string(), &simple, 1);
    let of_another = value.replacen(&account.to_string(), &shop.at.location().id.to_string(), 1);
    for bad in [
        replaced.expose(),
        "",
        ".",
        "x",
        &value[..value.len() - 1],
        &simple,
        &of_another,
    ] {
        assert_unauthorized(connect.invited_user(bad).await, "invitation");
        assert_unauthorized(connect.accept_invitation(bad, PASSWORD).await, "invitation");
    }
    // A password that is refused does not use it up.
    let email = owner(&shop).1;
    for password in [
        "too short",
        "1234567890",
        &email,
        &"ab".repeat(MAX_PASSWORD),
    ] {
        assert_invalid(connect.accept_invitation(value, password).await, "password");
    }
    assert_eq!(open.expires_at, START.plus_seconds(3 * DAY));
    shop.clock.advance(3 * DAY - 1);
    connect.accept_invitation(value, PASSWORD).await.unwrap();
    assert_unauthorized(
        connect.accept_invitation(value, PASSWORD).await,
        "invitation",
    );

    let late = connect.invite_owner(account).await.unwrap();
    assert_clean(connect).await;
    shop.clock.advance(3 * DAY);
    assert_unauthorized(
        connect.invited_user(late.secret.expose()).await,
        "invitation",
    );
}

async fn wrong_passwords_are_refused_and_counted(shop: Shop) {
    let (connect, (account, email)) = (&shop.connect, owner(&shop));
    set_password(connect, account).await.unwrap();
    for attempt in 0..10 {
        let wrong = format!("{PASSWORD}{attempt}");
        assert_unauthorized(connect.sign_in(HERE, &email, &wrong).await, "password");
    }
    // The right password is refused too from there, until the minute is over.
    shop.clock.advance(1);
    let refused = connect.sign_in(HERE, &email, PASSWORD).await;
    assert_eq!(wait(&refused), 60 - seconds_in(&shop), "{refused:?}");
    // Nobody has such a long address; they count as one.
    let long = "a".repeat(1_000_000);
    for address in [&long, &format!("{long}b")] {
        assert_unauthorized(connect.sign_in(HERE, address, PASSWORD).await, "password");
    }
    // Addresses of which nothing is known are refused in the same words, and counted by network.
    for attempt in 0..18 {
        let nobody = format!("nobody{attempt}@shop.example");
        assert_unauthorized(connect.sign_in(HERE, &nobody, PASSWORD).await, "password");
    }
    let refused = connect.sign_in(HERE, "other@shop.example", PASSWORD).await;
    assert!(wait(&refused) > 0, "{refused:?}");
    shop.clock.advance(60);
    connect.sign_in(HERE, &email, PASSWORD).await.unwrap();
}

/// Ten attempts for an e-mail address, from wherever they came, once kept its owner out.
async fn an_owner_gets_in_while_others_guess(shop: Shop) {
    let (connect, (account, email)) = (&shop.connect, owner(&shop));
    let session = set_password(connect, account).await.unwrap();
    let of_owner = network(0);
    for attempt in 0..10 {
        let wrong = format!("{PASSWORD}{attempt}");
        assert_unauthorized(connect.sign_in(HERE, &email, &wrong).await, "password");
    }
    let refused = connect.sign_in(HERE, &email, PASSWORD).await;
    assert!(wait(&refused) > 0, "{refused:?}");
    // From another network, as often as the owner wants: what succeeds is no failure.
    for _ in 0..12 {
        connect.sign_in(of_owner, &email, PASSWORD).await.unwrap();
    }
    // With a session, at any place: that has a count of its own.
    account_of(connect, &session).await.unwrap();
    let owner = connect.session(session.secret.expose()).await.unwrap();
    let changed = connect.change_password(&owner, PASSWORD, "oats and millet");
    changed.await.unwrap();

    // An address of IPv6 is one of many that a customer has.
    let neighbour = |host: u16| IpAddr::from([0x2001, 0xdb8, 0, 1, 0, 0, 0, host]);
    for host in 0..10 {
        let wrong = connect.sign_in(neighbour(host), &email, PASSWORD).await;
        assert_unauthorized(wrong, "password");
    }
    let refused = connect
        .sign_in(neighbour(10), &email, "oats and millet")
        .await;
    assert!(wait(&refused) > 0, "{refused:?}");
    let other_network = IpAddr::from([0x2001, 0xdb8, 0, 2, 0, 0, 0, 1]);
    connect
        .sign_in(other_network, &email, "oats and millet")
        .await
        .unwrap();
}

/// A hundred failures for an e-mail address slow further ones down, and lock nobody out.
async fn guessing_from_everywhere_is_slowed_down(shop: Shop) {
    let (connect, (account, email)) = (&shop.connect, owner(&shop));
    set_password(connect, account).await.unwrap();
    for attempt in 0..100 {
        let from = network(attempt / 5);
        assert_unauthorized(connect.sign_in(from, &email, "wrong").await, "password");
    }
    // Five have failed from the last of these networks, which would have left five more.
    let refused = connect.sign_in(network(19), &email, PASSWORD).await;
    assert!(wait(&refused) > 0, "{refused:?}");
    assert_unauthorized(
        connect.sign_in(network(20), &email, "wrong").await,
        "password",
    );
    let refused = connect.sign_in(network(20), &email, "wrong").await;
    assert!(wait(&refused) > 0, "{refused:?}");
    // The owner comes from yet another, and comes again.
    for _ in 0..3 {
        connect
            .sign_in(network(21), &email, PASSWORD)
            .await
            .unwrap();
    }
    // Nobody else is slowed down.
    for _ in 0..2 {
        let other = connect.sign_in(network(20), "other@shop.example", PASSWORD);
        assert_unauthorized(other.await, "password");
    }
    shop.clock.advance(60);
    for _ in 0..2 {
        assert_unauthorized(
            connect.sign_in(network(20), &email, "wrong").await,
            "password",
        );
    }
}

/// A session alone once was enough to move the account to another address, and to invite oneself.
async fn another_address_takes_the_password(shop: Shop) {
    let (connect, (account, email)) = (&shop.connect, owner(&shop));
    let session = set_password(connect, account).await.unwrap();
    let owner = connect.session(session.secret.expose()).await.unwrap();
    let change = |password, email| connect.change_email(&owner, password, email);
    let long = "a".repeat(MAX_PASSWORD + 1);
    for wrong in ["", "wrong password", &long] {
        assert_invalid(change(wrong, "noor@rye.example").await, "currentPassword");
    }
    assert_invalid(change(PASSWORD, "nobody").await, "email");
    let users = connect.account(account).await.unwrap().users;
    assert_eq!(users[0].email, email);

    let after = change(PASSWORD, " Noor@rye.example ").await.unwrap();
    assert_eq!(after.email, "Noor@rye.example");
    assert_unauthorized(connect.sign_in(HERE, &email, PASSWORD).await, "password");
    connect
        .sign_in(HERE, "noor@rye.example", PASSWORD)
        .await
        .unwrap();
    account_of(connect, &session).await.unwrap();

    // Whoever has a session finds out no more than ten addresses a minute, and no password.
    let second = other_account(connect, "second@shop.example").await;
    set_password(connect, second).await.unwrap();
    for _ in 0..6 {
        match change(PASSWORD, "Second@shop.example").await {
            Err(Error::Conflict(reason)) => {
                assert_eq!(
                    reason.to_string(),
                    "email: is not available; choose another address"
                );
            }
            other => panic!("{other:?}"),
        }
    }
    let refused = change(PASSWORD, "noor@oat.example").await;
    assert!(wait(&refused) > 0, "{refused:?}");
    let refused = connect.change_password(&owner, PASSWORD, "oats and millet");
    assert!(wait(&refused.await) > 0);
    // Others are not concerned, and signing in is not.
    connect
        .sign_in(HERE, "noor@rye.example", PASSWORD)
        .await
        .unwrap();
    shop.clock.advance(60);
    change(PASSWORD, "noor@oat.example").await.unwrap();
    assert_clean(connect).await;
}

async fn another_password_ends_the_other_sessions(shop: Shop) {
    let (connect, (account, email)) = (&shop.connect, owner(&shop));
    let own = set_password(connect, account).await.unwrap();
    let other = connect.sign_in(HERE, &email, PASSWORD).await.unwrap();
    let owner = connect.session(own.secret.expose()).await.unwrap();
    let change = |current, new| connect.change_password(&owner, current, new);
    // What a new password is worth is told, and found out, for the owner alone.
    for new in ["oats and millet", "short"] {
        assert_invalid(change("wrong password", new).await, "currentPassword");
    }
    for weak in ["short", "qwertyuiop"] {
        assert_invalid(change(PASSWORD, weak).await, "password");
    }
    account_of(connect, &other).await.unwrap();

    change(PASSWORD, "oats and millet").await.unwrap();
    assert_eq!(account_of(connect, &own).await.unwrap(), account);
    assert_unauthorized(account_of(connect, &other).await, "session");
    assert_unauthorized(connect.sign_in(HERE, &email, PASSWORD).await, "password");
    connect
        .sign_in(HERE, &email, "oats and millet")
        .await
        .unwrap();

    // Ten in a minute, set or not: each may take long to judge.
    for _ in 0..4 {
        assert_invalid(change("oats and millet", "short").await, "password");
    }
    assert!(wait(&change("oats and millet", "barley and rye").await) > 0);
    let invitation = connect.invite_owner(account).await.unwrap().secret;
    let refused = connect.accept_invitation(invitation.expose(), PASSWORD);
    assert!(wait(&refused.await) > 0);
    shop.clock.advance(60);

    // So does another invitation that is accepted.
    set_password(connect, account).await.unwrap();
    assert_unauthorized(account_of(connect, &own).await, "session");
    assert_unauthorized(
        connect.sign_in(HERE, &email, "oats and millet").await,
        "password",
    );
}

async fn an_address_leads_to_one_account(shop: Shop) {
    let (connect, (account, email)) = (&shop.connect, owner(&shop));
    set_password(connect, account).await.unwrap();
    let second = other_account(connect, &email.to_uppercase()).await;
    let refused = set_password(connect, second).await;
    assert!(matches!(refused, Err(Error::Conflict(_))), "{refused:?}");

    // Each has an address of its own then, and both sign in.
    let move_to = async |account, address: &str| {
        let user = connect.account(account).await.unwrap().users[0].id;
        let change = UserChange {
            email: Some(address.to_owned()),
            ..UserChange::default()
        };
        connect.change_user(account, user, change).await
    };
    move_to(second, "second@shop.example").await.unwrap();
    set_password(connect, second).await.unwrap();
    let session = connect
        .sign_in(HERE, "second@shop.example", PASSWORD)
        .await
        .unwrap();
    assert_eq!(account_of(connect, &session).await.unwrap(), second);
    let taken = move_to(second, &email).await;
    assert!(matches!(taken, Err(Error::Conflict(_))), "{taken:?}");

    // The address moves with the account, and is free for others.
    move_to(account, "first@shop.example").await.unwrap();
    assert_unauthorized(connect.sign_in(HERE, &email, PASSWORD).await, "password");
    let session = connect
        .sign_in(HERE, "first@shop.example", PASSWORD)
        .await
        .unwrap();
    assert_eq!(account_of(connect, &session).await.unwrap(), account);
    move_to(second, &email).await.unwrap();
    let session = connect.sign_in(HERE, &email, PASSWORD).await.unwrap();
    assert_eq!(account_of(connect, &session).await.unwrap(), second);
    assert_clean(connect).await;
}

async fn sessions_end(shop: Shop) {
    let (connect, (account, email)) = (&shop.connect, owner(&shop));
    let oldest = set_password(connect, account).await.unwrap();
    let mut sessions = Vec::new();
    for _ in 0..20 {
        shop.clock.advance(60);
        sessions.push(connect.sign_in(HERE, &email, PASSWORD).await.unwrap());
    }
    // There are 20 at a time.
    assert_unauthorized(account_of(connect, &oldest).await, "session");
    for session in &sessions {
        account_of(connect, session).await.unwrap();
    }
    let value = sessions[0].secret.expose().to_owned();
    for bad in ["", ".", "x", &value[1..], &format!("{value}0")] {
        assert_unauthorized(connect.session(bad).await, "session");
    }
    // The first of them is 19 minutes old, and both are used each day.
    let mut left = 7 * DAY - 19 * 60 - 1;
    while left > 0 {
        let step = left.min(DAY - 1);
        shop.clock.advance(step);
        left -= step;
        account_of(connect, &sessions[0]).await.unwrap();
        account_of(connect, &sessions[1]).await.unwrap();
    }
    shop.clock.advance(1);
    assert_unauthorized(account_of(connect, &sessions[0]).await, "session");
    account_of(connect, &sessions[1]).await.unwrap();
}

async fn ended_sessions_are_purged(shop: Shop) {
    let (connect, (account, email)) = (&shop.connect, owner(&shop));
    set_password(connect, account).await.unwrap();
    connect.sign_in(HERE, &email, PASSWORD).await.unwrap();
    connect.invite_owner(account).await.unwrap();
    shop.clock.advance(SESSION_SECONDS - 60);
    let open = connect.sign_in(HERE, &email, PASSWORD).await.unwrap();
    let invitation = connect.invite_owner(account).await.unwrap().secret;
    // The sign-in has removed the ones that had expired, and there are two more.
    assert_eq!(connect.maintain().await.unwrap().sessions, 0);
    shop.clock.advance(60);
    assert_eq!(connect.maintain().await.unwrap().sessions, 2);
    account_of(connect, &open).await.unwrap();
    connect.invited_user(invitation.expose()).await.unwrap();
    shop.clock.advance(SESSION_SECONDS);
    assert_eq!(connect.maintain().await.unwrap().sessions, 2);
    assert_eq!(connect.maintain().await.unwrap().sessions, 0);
    assert_clean(connect).await;
}

async fn sessions_are_listed_and_ended(shop: Shop) {
    let email = "noor@rye.example";
    let account = other_account(&shop.connect, email).await;
    set_password(&shop.connect, account).await.unwrap();
    let mut sessions = Vec::new();
    for number in 0..4 {
        let origin = Origin {
            address: Some(HERE),
            device: Some(format!("Browser {number} {}", "x".repeat(300))),
            ..Origin::default()
        };
        let connect = shop.connect.by(Author::Service, origin);
        shop.clock.advance(60);
        sessions.push(connect.sign_in(HERE, email, PASSWORD).await.unwrap());
    }
    let connect = &shop.connect;
    let own = connect.session(sessions[2].secret.expose()).await.unwrap();
    let listed = connect.sessions(&own).await.unwrap();
    let devices: Vec<_> = listed
        .iter()
        .map(|open| {
            open.device
                .as_deref()
                .unwrap_or("-")
                .get(..9)
                .unwrap_or("-")
        })
        .collect();
    // Youngest first; the invitation came from nowhere.
    assert_eq!(
        devices,
        ["Browser 3", "Browser 2", "Browser 1", "Browser 0", "-"]
    );
    assert_eq!(listed[0].device.as_ref().unwrap().chars().count(), 200);
    assert_eq!(listed[0].address, Some(HERE));
    assert!(
        listed
            .iter()
            .all(|open| open.is_own == (open.id == listed[1].id))
    );
    assert_eq!(listed[1].used_at, listed[1].signed_in_at);

    // A use shows after ten minutes; a session without one ends after a day.
    shop.clock.advance(DAY - 180);
    account_of(connect, &sessions[2]).await.unwrap();
    let now = connect.now();
    let listed = connect.sessions(&own).await.unwrap();
    assert_eq!((listed.len(), listed[1].used_at), (3, now));
    shop.clock.advance(240);
    assert_unauthorized(account_of(connect, &sessions[3]).await, "session");
    let again = connect.sign_in(HERE, email, PASSWORD).await.unwrap();
    let listed = connect.sessions(&own).await.unwrap();
    assert_eq!(listed.len(), 2);
    connect.end_session(&own, listed[0].id).await.unwrap();
    connect.end_session(&own, listed[0].id).await.unwrap();
    assert_unauthorized(account_of(connect, &again).await, "session");

    let again = connect.sign_in(HERE, email, PASSWORD).await.unwrap();
    connect.end_other_sessions(&own).await.unwrap();
    assert_unauthorized(account_of(connect, &again).await, "session");
    account_of(connect, &sessions[2]).await.unwrap();
}

/// The address or the password changes between the look at them and the session.
#[tokio::test]
async fn what_changes_meanwhile_lets_nobody_in() {
    for has_new_address in [true, false] {
        let shop = shop::Shop::open().await;
        let (connect, account) = (&shop.connect, shop.account);
        set_password(connect, account).await.unwrap();
        let owner = connect.account(account).await.unwrap().users.remove(0);
        // The account of the address, and the row with the hash.
        let (is_reached, release) = shop.storage.hold_next_read();
        let change = async {
            is_reached.await.unwrap();
            let (is_reached, next) = shop.storage.hold_next_read();
            release.send(()).unwrap();
            is_reached.await.unwrap();
            if has_new_address {
                let change = UserChange {
                    email: Some("new@shop.example".to_owned()),
                    ..UserChange::default()
                };
                let changed = connect.change_user(account, owner.id, change);
                changed.await.unwrap();
            } else {
                let invitation = connect.invite_owner(account).await.unwrap().secret;
                let other = "oats and millet";
                let accepted = connect.accept_invitation(invitation.expose(), other);
                accepted.await.unwrap();
            }
            next.send(()).unwrap();
        };
        let (session, ()) = tokio::join!(connect.sign_in(HERE, &owner.email, PASSWORD), change);
        assert_unauthorized(session, "password");
    }
}
