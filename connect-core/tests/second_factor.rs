//! The second factor: codes of an app, recovery codes, and what is refused without them.

use std::{net::IpAddr, sync::Arc};

use connect_core::{
    Account, AccountChange, Author, Connect, Error, IssuedSession, Origin, Secret, User, UserRight,
    UserSession,
    environment::{Clock as _, KeyRing, SecretKey},
    wire::Id,
};
use totp_rs::{Builder, Secret as Seed};

use crate::{mails::subjects, properties::shop::Shop};

on_each_store!(a_code_is_needed_and_good_once);
on_each_store!(recovery_codes_are_good_once);
on_each_store!(wrong_codes_end_a_sign_in);
on_each_store!(an_account_demands_it);
on_each_store!(it_can_be_removed_and_reset);

const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);
const PASSWORD: &str = "rye and spelt";
const STEP: i64 = 30;
const DAY: i64 = 24 * 3600;

/// A signed-in owner, with an authenticator app.
struct Owner<'s> {
    shop: &'s Shop,
    connect: Connect,
    account: Id<Account>,
    id: Id<User>,
    email: String,
    seed: String,
    recovery: Vec<Secret>,
    session: UserSession,
}

fn with_key(shop: &Shop, key: u8) -> Connect {
    Connect::builder(shop.storage.clone())
        .clock(shop.clock.clone())
        .queue_mail()
        .secret_keys(Arc::new(KeyRing::new(vec![SecretKey::new([key; 32])])))
        .build()
}

/// The code of a seed, so many steps from now.
fn code(shop: &Shop, seed: &str, steps: i64) -> String {
    let time = shop.clock.now().plus_seconds(steps * STEP).seconds();
    let seed = Seed::try_from_base32(seed).unwrap();
    let totp = Builder::new().with_secret(seed).build().unwrap();
    totp.generate(time.try_into().unwrap()).to_string()
}

impl<'s> Owner<'s> {
    /// An owner with a second factor.
    async fn of(shop: &'s Shop) -> Self {
        let connect = with_key(shop, 7);
        let account = shop.at.account();
        let invitation = connect.invite_owner(account.id).await.unwrap().secret;
        let accepted = connect.accept_invitation(invitation.expose(), PASSWORD);
        let session = accepted.await.unwrap().secret;
        let session = connect.session(session.expose()).await.unwrap();
        let mut owner = Self {
            shop,
            account: account.id,
            id: session.user().id,
            email: account.owner_email().to_owned(),
            seed: String::new(),
            recovery: Vec::new(),
            session,
            connect,
        };
        owner.add().await;
        owner
    }

    /// Adds a second factor.
    async fn add(&mut self) {
        let begun = self.connect.begin_second_factor(&self.session, PASSWORD);
        self.seed = begun.await.unwrap().seed.expose().to_owned();
        let code = self.code(0);
        let added = self.connect.add_second_factor(&self.session, &code);
        self.recovery = added.await.unwrap();
    }

    fn code(&self, steps: i64) -> String {
        code(self.shop, &self.seed, steps)
    }

    async fn sign_in(&self) -> IssuedSession {
        // So that the limit of a minute is none here.
        self.shop.clock.advance(60);
        let signed_in = self.connect.sign_in(HERE, &self.email, PASSWORD).await;
        signed_in.unwrap()
    }

    async fn finish(&self, session: &IssuedSession, code: &str) -> Result<IssuedSession, Error> {
        let finished = self.connect.finish_sign_in(session.secret.expose(), code);
        finished.await
    }
}

/// Holds that a code is refused, with these words.
#[track_caller]
fn assert_refused<T: std::fmt::Debug>(result: Result<T, Error>, field: &str, words: &str) {
    match result {
        Err(Error::Unauthorized(reason) | Error::Invalid(reason) | Error::Conflict(reason)) => {
            assert_eq!(reason.field.as_deref(), Some(field), "{}", reason.problem);
            assert!(reason.problem.contains(words), "{}", reason.problem);
        }
        other => panic!("{other:?}"),
    }
}

async fn a_code_is_needed_and_good_once(shop: Shop) {
    let owner = Owner::of(&shop).await;
    let connect = &owner.connect;
    assert_eq!(
        subjects(&owner.connect).await.len(),
        2,
        "the invitation, and the second factor"
    );
    // The seed is sealed in the store, and the recovery codes are not in it.
    for (_, row) in shop.rows().await {
        let has = |text: &str| row.windows(text.len()).any(|part| part == text.as_bytes());
        assert!(!has(&owner.seed) && !owner.recovery.iter().any(|code| has(code.expose())));
    }

    let waiting = owner.sign_in().await;
    assert!(waiting.awaits_code && waiting.browser.is_none());
    let awaiting = connect.awaiting_code(waiting.secret.expose()).await;
    let awaiting = awaiting.unwrap().unwrap();
    assert_eq!(awaiting.account, owner.account);
    assert!(awaiting.has_codes && !awaiting.has_passkeys);
    // It is of no use but for the code.
    assert!(connect.session(waiting.secret.expose()).await.is_err());
    assert_eq!(connect.sessions(&owner.session).await.unwrap().len(), 1);
    let full = owner.finish(&waiting, &owner.code(0)).await.unwrap();
    assert!(!full.awaits_code);
    connect.session(full.secret.expose()).await.unwrap();
    assert_eq!(
        connect.awaiting_code(full.secret.expose()).await.unwrap(),
        None
    );
    for session in [&waiting, &full] {
        assert_refused(
            owner.finish(session, &owner.code(1)).await,
            "session",
            "has ended",
        );
    }

    // One step either way, and no code twice: nor one before it.
    for (steps, words) in [
        (0, "wrong"),
        (-2, "wrong"),
        (2, "wrong"),
        (1, ""),
        (1, "used before"),
        (0, "used before"),
    ] {
        let waiting = owner.sign_in().await;
        let code = match (steps, words) {
            (0, "wrong") => "000000".to_owned(),
            _ => owner.code(steps),
        };
        let finished = owner.finish(&waiting, &code).await;
        match words {
            "" => drop(finished.unwrap()),
            words => assert_refused(finished, "code", words),
        }
        // Back to the time of the code.
        if words.is_empty() || words == "used before" {
            shop.clock.advance(-60);
        }
    }
    let report = connect.check(&mut |_| {}).await.unwrap();
    assert_eq!(report.problems, []);
}

async fn recovery_codes_are_good_once(shop: Shop) {
    let mut owner = Owner::of(&shop).await;
    let connect = owner.connect.clone();
    assert_eq!(owner.recovery.len(), 10);
    let code = owner.recovery[3].expose().to_uppercase().replace('-', " ");
    let waiting = owner.sign_in().await;
    owner.finish(&waiting, &code).await.unwrap();
    let waiting = owner.sign_in().await;
    assert_refused(owner.finish(&waiting, &code).await, "code", "no unused");
    let left = connect
        .second_factor(&owner.session)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(left.recovery_codes, 9);

    let renewed = connect.renew_recovery_codes(&owner.session, PASSWORD).await;
    let before = std::mem::replace(&mut owner.recovery, renewed.unwrap());
    assert_refused(
        owner.finish(&waiting, before[0].expose()).await,
        "code",
        "no unused",
    );
    // A server that has lost its key can check these alone.
    let lost = with_key(&shop, 8);
    let value = waiting.secret.expose();
    let refused = lost.finish_sign_in(value, &owner.code(0)).await;
    assert!(
        matches!(&refused, Err(Error::Conflict(reason)) if reason.problem.contains("lost the key"))
    );
    lost.finish_sign_in(value, owner.recovery[0].expose())
        .await
        .unwrap();

    // Rotation: the seed is sealed again, and opens.
    let keys = KeyRing::new(vec![SecretKey::new([9; 32]), SecretKey::new([7; 32])]);
    let rotated = Connect::builder(shop.storage.clone()).clock(shop.clock.clone());
    let rotated = rotated.secret_keys(Arc::new(keys)).build();
    rotated.maintain().await.unwrap();
    let stored = rotated.stored_secrets().await.unwrap();
    assert_eq!(
        (
            stored.by_key[&stored.keys[0]],
            stored.unopened,
            stored.clear
        ),
        (1, 0, 0)
    );
    let waiting = owner.sign_in().await;
    let after = with_key(&shop, 9);
    let code = owner.code(0);
    let finished = after.finish_sign_in(waiting.secret.expose(), &code);
    finished.await.unwrap();
}

async fn wrong_codes_end_a_sign_in(shop: Shop) {
    let owner = Owner::of(&shop).await;
    subjects(&owner.connect).await;
    for day in 0..2 {
        for attempt in 0..4 {
            let waiting = owner.sign_in().await;
            for _ in 0..4 {
                assert_refused(owner.finish(&waiting, "000000").await, "code", "wrong");
            }
            assert_refused(
                owner.finish(&waiting, "000000").await,
                "session",
                "has ended",
            );
            let right = owner.finish(&waiting, &owner.code(0)).await;
            assert_refused(right, "session", "has ended");
            let mail = subjects(&owner.connect).await;
            assert_eq!(mail.len(), 1, "{day} {attempt}");
            assert!(mail[0].starts_with("Wrong codes"), "{mail:?}");
        }
        // Twenty in a day: then even the right one is not looked at.
        let waiting = owner.sign_in().await;
        let right = owner.finish(&waiting, &owner.code(0)).await;
        assert_refused(right, "code", "too many wrong ones today");
        let by_recovery = owner.finish(&waiting, owner.recovery[day].expose());
        by_recovery.await.unwrap();
        subjects(&owner.connect).await;
        shop.clock.advance(DAY);
    }
    let waiting = owner.sign_in().await;
    // A sign-in waits for ten minutes.
    shop.clock.advance(600);
    assert_refused(
        owner.finish(&waiting, &owner.code(0)).await,
        "session",
        "has ended",
    );
    let waiting = owner.sign_in().await;
    owner.finish(&waiting, &owner.code(0)).await.unwrap();
    // Also of guesses over several sessions the user is told, and they end no other session.
    let full = owner.sign_in().await;
    let full = owner.finish(&full, &owner.code(0)).await.unwrap();
    subjects(&owner.connect).await;
    for _ in 0..25 {
        let waiting = owner.sign_in().await;
        assert_refused(owner.finish(&waiting, "000000").await, "code", "");
    }
    let mail = subjects(&owner.connect).await;
    let told = mail
        .iter()
        .filter(|subject| subject.starts_with("Wrong codes"));
    assert_eq!(told.count(), 4, "{mail:?}");
    owner.connect.session(full.secret.expose()).await.unwrap();
}

async fn an_account_demands_it(shop: Shop) {
    let mut owner = Owner::of(&shop).await;
    let connect = owner.connect.clone();
    let demand = |is_on| AccountChange {
        requires_second_factor: Some(is_on),
        ..AccountChange::default()
    };
    let by = connect.by(Author::User { id: owner.id }, Origin::default());
    connect
        .remove_second_factor(&owner.session, PASSWORD)
        .await
        .unwrap();
    let locked_out = by.change_account(owner.account, demand(true)).await;
    assert_refused(locked_out, "requiresSecondFactor", "lock you out");
    // The operator may.
    connect
        .change_account(owner.account, demand(true))
        .await
        .unwrap();

    let session = owner.sign_in().await;
    let session = connect.session(session.secret.expose()).await.unwrap();
    let here = shop.at.location().id;
    for right in UserRight::all() {
        assert!(!session.has(right));
        let refused = session.authorize(here, right).unwrap_err();
        assert!(
            matches!(&refused, Error::ForbiddenScope(reason) if reason.problem.contains("second factor"))
        );
    }
    let refused = by.users(owner.account).await.unwrap_err();
    assert!(matches!(refused, Error::ForbiddenScope(_)));
    owner.session = session;
    owner.add().await;
    by.users(owner.account).await.unwrap();
    let waiting = owner.sign_in().await;
    let full = owner.finish(&waiting, &owner.code(0)).await.unwrap();
    let full = connect.session(full.secret.expose()).await.unwrap();
    full.authorize(here, UserRight::ReadSales).unwrap();
    by.change_account(owner.account, demand(false))
        .await
        .unwrap();
}

async fn it_can_be_removed_and_reset(shop: Shop) {
    let mut owner = Owner::of(&shop).await;
    let connect = owner.connect.clone();
    let session = owner.session.clone();
    assert_refused(
        connect.begin_second_factor(&session, PASSWORD).await,
        "secondFactor",
        "is there already",
    );
    for wrong in [
        connect.remove_second_factor(&session, "wrong").await,
        connect
            .renew_recovery_codes(&session, "wrong")
            .await
            .map(drop),
        connect
            .begin_second_factor(&session, "wrong")
            .await
            .map(drop),
    ] {
        assert_refused(wrong, "currentPassword", "wrong");
    }
    // Another password keeps it, also one set by an invitation.
    let invitation = connect.invite_owner(owner.account).await.unwrap().secret;
    let accepted = connect.accept_invitation(invitation.expose(), PASSWORD);
    let waiting = accepted.await.unwrap();
    assert!(waiting.awaits_code);
    let full = owner.finish(&waiting, &owner.code(1)).await.unwrap();
    owner.session = connect.session(full.secret.expose()).await.unwrap();
    let open = owner.sign_in().await;
    connect
        .remove_second_factor(&owner.session, PASSWORD)
        .await
        .unwrap();
    // The other sessions have ended, also the waiting ones.
    assert_refused(
        owner.finish(&open, &owner.code(0)).await,
        "session",
        "has ended",
    );
    assert_eq!(connect.second_factor(&owner.session).await.unwrap(), None);
    assert_refused(
        connect.remove_second_factor(&owner.session, PASSWORD).await,
        "secondFactor",
        "not there",
    );
    assert_refused(
        connect.add_second_factor(&owner.session, "000000").await,
        "code",
        "begin again",
    );
    assert!(!owner.sign_in().await.awaits_code);

    shop.clock.advance(60);
    owner.add().await;
    let by = connect.by(Author::User { id: owner.id }, Origin::default());
    let own = by.reset_second_factor(owner.account, owner.id).await;
    assert_refused(own, "user", "is you");
    connect
        .reset_second_factor(owner.account, owner.id)
        .await
        .unwrap();
    assert!(!owner.sign_in().await.awaits_code);
    let again = connect.reset_second_factor(owner.account, owner.id).await;
    assert_refused(again, "secondFactor", "not there");
}
