//! Passkeys: as a sign-in of their own, as the second factor, and what is refused.
//!
//! The service verifies; here it accepts whatever has the state and the credential it gave before.

use std::{net::IpAddr, sync::Arc};

use connect_core::{
    Account, AccountChange, Connect, Error, IssuedSession, Language, NewAccount, NewPasskey,
    NewProvider, NewUser, PasskeyClaim, ProviderUser, Reason, Role, Secret, User, UserRole,
    UserSession,
    environment::{Clock as _, KeyRing, SecretKey},
    wire::Id,
};
use totp_rs::{Builder, Secret as Seed};

use crate::{mails::subjects, properties::shop::Shop};

on_each_store!(a_passkey_signs_in_alone_and_each_challenge_once);
on_each_store!(a_passkey_is_the_second_factor_of_its_user);
on_each_store!(a_passkey_is_added_once_and_in_time);
on_each_store!(passkeys_can_be_removed_and_reset);

const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);
const PASSWORD: &str = "rye and spelt";
const STATE: &str = "state of the service";

fn with_key(shop: &Shop, key: u8) -> Connect {
    Connect::builder(shop.storage.clone())
        .clock(shop.clock.clone())
        .queue_mail()
        .secret_keys(Arc::new(KeyRing::new(vec![SecretKey::new([key; 32])])))
        .build()
}

/// A signed-in user.
struct Person<'s> {
    shop: &'s Shop,
    connect: Connect,
    session: UserSession,
}

impl<'s> Person<'s> {
    /// The owner of the shop.
    async fn owner(shop: &'s Shop) -> Self {
        Self::owner_of(shop, shop.at.account().id).await
    }

    async fn owner_of(shop: &'s Shop, account: Id<Account>) -> Self {
        let connect = with_key(shop, 7);
        let invitation = connect.invite_owner(account).await.unwrap().secret;
        Self::invited(shop, connect, &invitation).await
    }

    /// Another user of the shop.
    async fn colleague(shop: &'s Shop, email: &str) -> Self {
        let connect = with_key(shop, 7);
        let account = shop.at.account().id;
        let new = NewUser {
            name: "Kim".to_owned(),
            email: email.to_owned(),
            language: Language::En,
            roles: vec![UserRole {
                location_id: None,
                role: Role::Manager,
            }],
        };
        let user = connect.create_user(account, new).await.unwrap().id;
        let invitation = connect.invite_user(account, user).await.unwrap().secret;
        Self::invited(shop, connect, &invitation).await
    }

    async fn invited(shop: &'s Shop, connect: Connect, invitation: &Secret) -> Self {
        let accepted = connect.accept_invitation(invitation.expose(), PASSWORD);
        let session = accepted.await.unwrap().secret;
        let session = connect.session(session.expose()).await.unwrap();
        Self {
            shop,
            session,
            connect,
        }
    }

    fn id(&self) -> Id<User> {
        self.session.user().id
    }

    async fn begin(&self, name: &str) -> Result<(), Error> {
        self.shop.clock.advance(60);
        let begun = self
            .connect
            .begin_passkey(&self.session, PASSWORD, name, STATE);
        begun.await
    }

    /// Adds a passkey, and returns its claim.
    async fn add(&self, id: &str) -> PasskeyClaim {
        self.begin(&format!("Phone {id}")).await.unwrap();
        self.finish(id).await.unwrap();
        PasskeyClaim::of(&self.session.passkey_handle(), id.to_owned()).unwrap()
    }

    async fn finish(&self, id: &str) -> Result<(), Error> {
        let added = self.connect.add_passkey(&self.session, |state| {
            assert_eq!(state, STATE);
            Ok(NewPasskey {
                credential_id: id.to_owned(),
                credential: format!("{id} used 0 times"),
            })
        });
        added.await.map(drop)
    }

    /// The password alone.
    async fn password(&self) -> IssuedSession {
        self.shop.clock.advance(60);
        let email = &self.session.user().email;
        self.connect.sign_in(HERE, email, PASSWORD).await.unwrap()
    }
}

/// A challenge, a second after the one before.
fn challenge(connect: &Connect, shop: &Shop) -> Secret {
    shop.clock.advance(1);
    connect.passkey_challenge(STATE.to_owned()).unwrap()
}

/// A challenge of this second, sealed by nobody.
fn clear_challenge(shop: &Shop) -> String {
    shop.clock.advance(1);
    let now = shop.clock.now();
    format!(r#"{{"state":"{STATE}","begun_at":"{now}"}}"#)
}

/// Signs in by a passkey with so many uses so far.
async fn sign_in(
    connect: &Connect,
    claim: &PasskeyClaim,
    challenge: &str,
    uses: u32,
) -> Result<IssuedSession, Error> {
    let verify = |state: &str, credential: &str| {
        assert_eq!(state, STATE);
        assert_eq!(
            credential,
            format!("{} used {uses} times", claim.credential_id)
        );
        Ok(format!("{} used {} times", claim.credential_id, uses + 1))
    };
    connect
        .sign_in_by_passkey(HERE, (claim, challenge), verify)
        .await
}

/// Holds that something is refused, with these words.
#[track_caller]
fn assert_refused<T: std::fmt::Debug>(result: Result<T, Error>, field: &str, words: &str) {
    let reason = result.unwrap_err().problem();
    assert_eq!(reason.field.as_deref(), Some(field), "{}", reason.problem);
    assert!(reason.problem.contains(words), "{}", reason.problem);
}

async fn a_passkey_signs_in_alone_and_each_challenge_once(shop: Shop) {
    let owner = Person::owner(&shop).await;
    let connect = &owner.connect;
    let claim = owner.add("a").await;
    let [first, second] = [challenge(connect, &shop), challenge(connect, &shop)];
    let session = sign_in(connect, &claim, second.expose(), 0).await;
    let session = session.unwrap();
    assert!(!session.awaits_code);
    let session = connect.session(session.secret.expose()).await.unwrap();
    assert_eq!(session.user().id, owner.id());
    let [passkey] = &connect.passkeys(&session).await.unwrap()[..] else {
        panic!("there is one");
    };
    assert_eq!(
        (&*passkey.credential_id, &*passkey.name, passkey.used_at),
        ("a", "Phone a", Some(shop.clock.now()))
    );

    // No challenge twice, none from before, no text of another kind, and none of another key.
    let elsewhere = challenge(&with_key(&shop, 8), &shop);
    let clear = clear_challenge(&shop);
    for bad in [
        second.expose(),
        first.expose(),
        elsewhere.expose(),
        &clear,
        "",
    ] {
        let refused = sign_in(connect, &claim, bad, 1).await;
        assert_refused(refused, "passkey", "try again");
    }
    let slow = challenge(connect, &shop);
    shop.clock.advance(600);
    let refused = sign_in(connect, &claim, slow.expose(), 1).await;
    assert_refused(refused, "passkey", "too long ago");
    let good = challenge(connect, &shop);
    let not_verified = connect.sign_in_by_passkey(HERE, (&claim, good.expose()), |_, _| {
        Err(Error::Unauthorized(Reason::of("passkey", "is a lie")))
    });
    assert_refused(not_verified.await, "passkey", "is a lie");
    sign_in(connect, &claim, good.expose(), 1).await.unwrap();

    // A passkey of nobody, and one named with another user's handle.
    let colleague = Person::colleague(&shop, "kim@rye.example").await;
    let unknown = PasskeyClaim {
        credential_id: "b".to_owned(),
        ..claim.clone()
    };
    let moved = PasskeyClaim {
        user: colleague.id(),
        ..claim.clone()
    };
    let missing = PasskeyClaim {
        account: Id::from(uuid::Uuid::max()),
        ..claim.clone()
    };
    for claim in [unknown, moved, missing] {
        let good = challenge(connect, &shop);
        let refused = sign_in(connect, &claim, good.expose(), 0).await;
        assert_refused(refused, "passkey", "not known here");
    }
    assert_eq!(PasskeyClaim::of(&[0; 31], "a".to_owned()), None);
    assert_eq!(PasskeyClaim::of(&[0; 33], "a".to_owned()), None);
    // Guesses are counted.
    let unknown = PasskeyClaim {
        credential_id: "b".to_owned(),
        ..claim.clone()
    };
    let mut refused = Vec::new();
    for _ in 0..11 {
        let good = connect.passkey_challenge(STATE.to_owned()).unwrap();
        refused.push(sign_in(connect, &unknown, good.expose(), 0).await);
    }
    assert!(matches!(refused.pop(), Some(Err(Error::RateLimited(_)))));

    // One of a clock ahead.
    shop.clock.advance(3600);
    let ahead = challenge(connect, &shop);
    shop.clock.advance(-3600);
    let refused = sign_in(connect, &claim, ahead.expose(), 2).await;
    assert_refused(refused, "passkey", "try again");

    // Without a key, anyone could write a challenge.
    let clear = clear_challenge(&shop);
    let keyless = Connect::builder(shop.storage.clone()).clock(shop.clock.clone());
    let keyless = keyless.build();
    assert!(matches!(
        keyless.passkey_challenge(STATE.to_owned()),
        Err(Error::Conflict(_))
    ));
    let begun = keyless.begin_passkey(&owner.session, PASSWORD, "Phone", STATE);
    assert!(matches!(begun.await, Err(Error::Conflict(_))));
    let refused = sign_in(&keyless, &claim, &clear, 2).await;
    assert_refused(refused, "passkey", "try again");
    let report = connect.check(&mut |_| {}).await.unwrap();
    assert_eq!(report.problems, []);
}

async fn a_passkey_is_the_second_factor_of_its_user(shop: Shop) {
    let owner = Person::owner(&shop).await;
    let connect = &owner.connect;
    let claim = owner.add("a").await;
    let colleague = Person::colleague(&shop, "kim@rye.example").await;
    let of_colleague = colleague.add("b").await;
    let new = NewAccount {
        name: "Other".into(),
        owner_email: "other@other.example".into(),
        sandbox: false,
    };
    let other = connect.create_account(new).await.unwrap().id;
    let stranger = Person::owner_of(&shop, other).await;
    let of_stranger = stranger.add("a").await;

    let waiting = owner.password().await;
    assert!(waiting.awaits_code);
    assert!(connect.session(waiting.secret.expose()).await.is_err());
    let awaiting = connect.awaiting_code(waiting.secret.expose()).await;
    let awaiting = awaiting.unwrap().unwrap();
    assert!(awaiting.has_passkeys && !awaiting.has_codes);
    assert_refused(
        connect
            .finish_sign_in(waiting.secret.expose(), "000000")
            .await,
        "session",
        "has ended",
    );
    // Each passkey signs in its own user.
    for (claim, person) in [
        (&of_colleague, &colleague),
        (&of_stranger, &stranger),
        (&claim, &owner),
    ] {
        let good = challenge(connect, &shop);
        let full = sign_in(connect, claim, good.expose(), 0).await.unwrap();
        let full = connect.session(full.secret.expose()).await.unwrap();
        assert_eq!(full.user().id, person.id());
        assert_eq!(full.account().id, person.session.account().id);
    }

    // An account that demands a factor is content with a passkey, and a provider is before it.
    let account = shop.at.account().id;
    let demand = AccountChange {
        requires_second_factor: Some(true),
        ..AccountChange::default()
    };
    connect.change_account(account, demand).await.unwrap();
    let good = challenge(connect, &shop);
    let session = sign_in(connect, &of_colleague, good.expose(), 1).await;
    let session = connect
        .session(session.unwrap().secret.expose())
        .await
        .unwrap();
    let here = shop.at.location().id;
    session
        .authorize(here, connect_core::UserRight::ReadSales)
        .unwrap();
    let provider = NewProvider {
        issuer: "https://login.rye.example".to_owned(),
        client_id: "connect".to_owned(),
        client_secret: Some("secret".to_owned().into()),
    };
    connect.set_provider(account, provider).await.unwrap();
    let person = ProviderUser {
        issuer: "https://login.rye.example".to_owned(),
        subject: "1".to_owned(),
        verified_email: Some("kim@rye.example".to_owned()),
    };
    connect
        .sign_in_by_provider(HERE, account, &person)
        .await
        .unwrap();
    let good = challenge(connect, &shop);
    let refused = sign_in(connect, &of_colleague, good.expose(), 2).await;
    assert_refused(refused, "provider", "way to sign in");
}

async fn a_passkey_is_added_once_and_in_time(shop: Shop) {
    let owner = Person::owner(&shop).await;
    let connect = &owner.connect;
    assert_refused(owner.finish("a").await, "passkey", "begin again");
    assert_refused(
        connect
            .begin_passkey(&owner.session, "wrong", "Phone", STATE)
            .await,
        "currentPassword",
        "wrong",
    );
    assert_refused(owner.begin(" ").await, "name", "");
    owner.begin("Phone").await.unwrap();
    shop.clock.advance(600);
    assert_refused(owner.finish("a").await, "passkey", "took too long");
    owner.begin("Phone").await.unwrap();
    connect
        .change_password(&owner.session, PASSWORD, PASSWORD)
        .await
        .unwrap();
    assert_refused(owner.finish("a").await, "passkey", "begin again");

    let open = owner.password().await;
    subjects(&owner.connect).await;
    owner.add("a").await;
    let refused = connect.session(open.secret.expose()).await;
    assert_refused(refused.map(drop), "session", "has ended");
    assert_eq!(
        subjects(&owner.connect).await,
        ["A passkey for Bakery was added"]
    );
    let good = challenge(connect, &shop);
    let claim = PasskeyClaim::of(&owner.session.passkey_handle(), "a".to_owned()).unwrap();
    let open = sign_in(connect, &claim, good.expose(), 0).await.unwrap();
    // Each begun one is good once, and an id is there once.
    assert_refused(owner.finish("b").await, "passkey", "begin again");
    owner.begin("Phone").await.unwrap();
    assert_refused(owner.finish("a").await, "passkey", "there already");
    for number in 1..10 {
        owner.add(&number.to_string()).await;
    }
    assert_refused(owner.begin("Phone").await, "passkey", "you have 10");
    connect.session(open.secret.expose()).await.unwrap();
    // A second one ends no session, and another password keeps them all, also one set by an invitation.
    connect
        .change_password(&owner.session, PASSWORD, PASSWORD)
        .await
        .unwrap();
    assert!(owner.password().await.awaits_code);
    let account = shop.at.account().id;
    let invitation = connect.invite_owner(account).await.unwrap().secret;
    let accepted = connect.accept_invitation(invitation.expose(), PASSWORD);
    assert!(accepted.await.unwrap().awaits_code);
    let good = challenge(connect, &shop);
    sign_in(connect, &claim, good.expose(), 1).await.unwrap();
}

async fn passkeys_can_be_removed_and_reset(shop: Shop) {
    let owner = Person::owner(&shop).await;
    let connect = &owner.connect;
    let claim = owner.add("a").await;
    owner.add("b").await;
    // With codes as well, each of the two is enough.
    let begun = connect.begin_second_factor(&owner.session, PASSWORD).await;
    let seed = Seed::try_from_base32(begun.unwrap().seed.expose()).unwrap();
    let totp = Builder::new().with_secret(seed).build().unwrap();
    let now = shop.clock.now().seconds();
    let code = totp.generate(now.try_into().unwrap()).to_string();
    let added = connect.add_second_factor(&owner.session, &code).await;
    let recovery = added.unwrap();
    let waiting = owner.password().await;
    let finished = connect.finish_sign_in(waiting.secret.expose(), recovery[0].expose());
    finished.await.unwrap();
    assert!(owner.password().await.awaits_code);
    subjects(&owner.connect).await;

    let present = connect.passkeys(&owner.session).await.unwrap();
    let removed = connect
        .remove_passkey(&owner.session, "wrong", present[0].id)
        .await;
    assert_refused(removed, "currentPassword", "wrong");
    let removed = connect
        .remove_passkey(&owner.session, PASSWORD, uuid::Uuid::max())
        .await;
    assert_refused(removed, "passkey", "not there");
    let flag = async || {
        let session = connect.account(shop.at.account().id).await.unwrap();
        session.user(owner.id()).unwrap().second_factor
    };
    connect
        .remove_second_factor(&owner.session, PASSWORD)
        .await
        .unwrap();
    let good = challenge(connect, &shop);
    let open = sign_in(connect, &claim, good.expose(), 0).await.unwrap();
    for (passkey, is_left) in present.iter().zip([true, false]) {
        assert!(flag().await);
        let removed = connect.remove_passkey(&owner.session, PASSWORD, passkey.id);
        removed.await.unwrap();
        assert_eq!(flag().await, is_left);
        assert_eq!(owner.password().await.awaits_code, is_left);
    }
    assert!(connect.session(open.secret.expose()).await.is_err());
    let good = challenge(connect, &shop);
    let refused = sign_in(connect, &claim, good.expose(), 1).await;
    assert_refused(refused, "passkey", "not known here");
    let subjects = subjects(&owner.connect).await;
    let removed = subjects
        .iter()
        .filter(|subject| *subject == "A passkey for Bakery was removed");
    assert_eq!(removed.count(), 2, "{subjects:?}");

    let claim = owner.add("c").await;
    owner.begin("Phone d").await.unwrap();
    connect
        .reset_second_factor(shop.at.account().id, owner.id())
        .await
        .unwrap();
    let good = challenge(connect, &shop);
    let refused = sign_in(connect, &claim, good.expose(), 0).await;
    assert_refused(refused, "passkey", "not known here");
    assert_refused(owner.finish("d").await, "passkey", "was not begun");
    assert!(!owner.password().await.awaits_code && !flag().await);
}
