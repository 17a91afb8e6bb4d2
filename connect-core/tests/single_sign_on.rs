//! Single sign-on: the provider of an account, and who comes in through it.

use std::{net::IpAddr, sync::Arc};

use connect_core::{
    Account, AccountChange, Connect, Error, IssuedSession, Language, NewProvider, NewUser,
    ProviderUser, Role, User, UserChange, UserRight, UserRole,
    environment::{KeyRing, SecretKey},
    wire::Id,
};

use crate::properties::shop::Shop;

on_each_store!(users_come_in_through_the_provider);
on_each_store!(the_settings_of_a_provider_are_checked);

const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);
const PASSWORD: &str = "rye and spelt";
const ISSUER: &str = "https://login.rye.example";
const SECRET: &str = "a secret of the provider";

fn with_key(shop: &Shop, key: u8) -> Connect {
    Connect::builder(shop.storage.clone())
        .clock(shop.clock.clone())
        .secret_keys(Arc::new(KeyRing::new(vec![SecretKey::new([key; 32])])))
        .build()
}

fn new_provider(issuer: &str, secret: Option<&str>) -> NewProvider {
    NewProvider {
        issuer: issuer.to_owned(),
        client_id: "connect".to_owned(),
        client_secret: secret.map(|secret| secret.to_owned().into()),
    }
}

async fn user(connect: &Connect, account: Id<Account>, email: &str, role: Role) -> Id<User> {
    let roles = vec![UserRole {
        location_id: None,
        role,
    }];
    let new = NewUser {
        name: "Kim".to_owned(),
        email: email.to_owned(),
        language: Language::En,
        roles,
    };
    let user = connect.create_user(account, new).await.unwrap().id;
    let invitation = connect.invite_user(account, user).await.unwrap().secret;
    let accepted = connect.accept_invitation(invitation.expose(), PASSWORD);
    accepted.await.unwrap();
    user
}

/// The words of a refusal.
#[track_caller]
fn refusal<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
    result.unwrap_err().problem().to_string()
}

async fn users_come_in_through_the_provider(shop: Shop) {
    let (connect, account) = (with_key(&shop, 7), shop.at.account().id);
    let connect = &connect;
    let kim = user(connect, account, "kim@rye.example", Role::Manager).await;
    let boss = user(connect, account, "boss@rye.example", Role::Owner).await;
    let sign_in = async |issuer: &str, subject: &str, email: Option<&str>| {
        let person = ProviderUser {
            issuer: issuer.to_owned(),
            subject: subject.to_owned(),
            verified_email: email.map(str::to_owned),
        };
        connect.sign_in_by_provider(HERE, account, &person).await
    };
    let who = async |session: Result<IssuedSession, Error>| {
        let session = session.unwrap();
        assert!(!session.awaits_code);
        connect.session(session.secret.expose()).await.unwrap()
    };
    let none = sign_in(ISSUER, "1", Some("kim@rye.example")).await;
    assert!(refusal(none).contains("no such provider"));
    let set = connect
        .set_provider(account, new_provider(ISSUER, Some(SECRET)))
        .await;
    assert_eq!(set.unwrap().issuer, ISSUER);
    for (_, row) in shop.rows().await {
        assert!(
            !row.windows(SECRET.len())
                .any(|part| part == SECRET.as_bytes())
        );
    }

    for (issuer, email, words) in [
        (
            ISSUER,
            None,
            "no e-mail address that the provider has verified",
        ),
        (
            ISSUER,
            Some("nobody@rye.example"),
            "is no user of this account",
        ),
        (
            "https://other.example",
            Some("kim@rye.example"),
            "no such provider",
        ),
    ] {
        let refused = refusal(sign_in(issuer, "1", email).await);
        assert!(refused.contains(words), "{refused}");
    }
    let by_password = connect
        .sign_in(HERE, "kim@rye.example", PASSWORD)
        .await
        .unwrap();
    let invitation = connect.invite_user(account, kim).await.unwrap().secret;
    let first = who(sign_in(ISSUER, "1", Some("KIM@rye.example")).await).await;
    assert_eq!(first.user().id, kim);
    // The sessions and invitations from before end.
    assert!(connect.session(by_password.secret.expose()).await.is_err());
    let accepted = connect
        .accept_invitation(invitation.expose(), PASSWORD)
        .await;
    assert!(refusal(accepted).contains("company's sign-in"));
    assert!(refusal(connect.invite_user(account, kim).await).contains("needs no password"));
    // From then on the subject counts, and nobody else with the address.
    let again = who(sign_in(ISSUER, "1", Some("other@rye.example")).await).await;
    assert_eq!(again.user().id, kim);
    let other = refusal(sign_in(ISSUER, "2", Some("kim@rye.example")).await);
    assert!(other.contains("linked with another person"), "{other}");

    // The provider is the only way, but for owners.
    let by_password = connect.sign_in(HERE, "kim@rye.example", PASSWORD).await;
    assert!(refusal(by_password).contains("company's sign-in"));
    who(sign_in(ISSUER, "3", Some("boss@rye.example")).await).await;
    connect
        .sign_in(HERE, "boss@rye.example", PASSWORD)
        .await
        .unwrap();
    // A demanded second factor is the provider's matter, but for owners.
    let demand = AccountChange {
        requires_second_factor: Some(true),
        ..AccountChange::default()
    };
    connect.change_account(account, demand).await.unwrap();
    let kim_in = who(sign_in(ISSUER, "1", None).await).await;
    assert!(kim_in.has(UserRight::ReadSales));
    let boss_in = who(sign_in(ISSUER, "3", None).await).await;
    assert!(!boss_in.has(UserRight::ReadSales));

    // Another address is another person.
    let moved = UserChange {
        email: Some("new@rye.example".to_owned()),
        ..UserChange::default()
    };
    let sam = user(connect, account, "sam@rye.example", Role::Manager).await;
    who(sign_in(ISSUER, "5", Some("sam@rye.example")).await).await;
    connect.change_user(account, sam, moved).await.unwrap();
    assert!(refusal(sign_in(ISSUER, "5", Some("sam@rye.example")).await).contains("is no user"));
    let next = who(sign_in(ISSUER, "6", Some("new@rye.example")).await).await;
    assert_eq!(next.user().id, sam);
    let spaced = refusal(sign_in(ISSUER, " 6", None).await);
    assert!(spaced.contains("spaces"), "{spaced}");

    // Another issuer takes the identities away; so does the end of the provider, and of a user.
    let other = new_provider("https://other.example", Some(SECRET));
    connect.set_provider(account, other).await.unwrap();
    for session in [&kim_in, &next] {
        let open = connect.sessions(session).await.unwrap();
        assert_eq!(open, [], "sessions by the former provider end");
    }
    assert!(refusal(sign_in(ISSUER, "1", None).await).contains("no such provider"));
    let moved = sign_in("https://other.example", "9", Some("kim@rye.example")).await;
    assert_eq!(who(moved).await.user().id, kim);
    connect.remove_user(account, kim).await.unwrap();
    let gone = refusal(sign_in("https://other.example", "9", Some("kim@rye.example")).await);
    assert!(gone.contains("is no user"), "{gone}");
    let back = user(connect, account, "kim@rye.example", Role::Manager).await;
    let linked = sign_in("https://other.example", "9", Some("kim@rye.example")).await;
    assert_eq!(who(linked).await.user().id, back);
    connect.remove_provider(account).await.unwrap();
    connect.remove_provider(account).await.unwrap();
    assert_eq!(connect.provider(account).await.unwrap(), None);
    connect
        .sign_in(HERE, "kim@rye.example", PASSWORD)
        .await
        .unwrap();
    let users = connect.account(account).await.unwrap().users;
    assert!(
        users.iter().all(|user| !user.single_sign_on),
        "{boss}: {users:?}"
    );
    let report = connect.check(&mut |_| {}).await.unwrap();
    assert_eq!(report.problems, []);
}

async fn the_settings_of_a_provider_are_checked(shop: Shop) {
    let (connect, account) = (with_key(&shop, 7), shop.at.account().id);
    let long = format!("{ISSUER}/{}", "x".repeat(1000));
    for (issuer, secret, field) in [
        ("", Some(SECRET), "issuer"),
        ("http://login.rye.example", Some(SECRET), "issuer"),
        ("login", Some(SECRET), "issuer"),
        ("https://login.rye.example?x=1", Some(SECRET), "issuer"),
        (&long, Some(SECRET), "issuer"),
        (ISSUER, Some(" "), "clientSecret"),
        (ISSUER, Some("a\nb"), "clientSecret"),
        (ISSUER, None, "clientSecret"),
    ] {
        let set = connect
            .set_provider(account, new_provider(issuer, secret))
            .await;
        match set {
            Err(Error::Invalid(reason)) => {
                assert_eq!(reason.field.as_deref(), Some(field), "{issuer}")
            }
            other => panic!("{issuer}: {other:?}"),
        }
    }
    connect
        .set_provider(account, new_provider(ISSUER, Some(SECRET)))
        .await
        .unwrap();
    // The secret stays for its issuer alone.
    connect
        .set_provider(account, new_provider(ISSUER, None))
        .await
        .unwrap();
    let (_, secret) = connect.provider_with_secret(account).await.unwrap();
    assert_eq!(secret.expose(), SECRET);
    let other = connect
        .set_provider(account, new_provider("https://other.example", None))
        .await;
    assert!(refusal(other).contains("is missing"));
    let lost = with_key(&shop, 8).provider_with_secret(account).await;
    assert!(refusal(lost).contains("lost the key"));

    // Sealed again by a new first key.
    let keys = KeyRing::new(vec![SecretKey::new([9; 32]), SecretKey::new([7; 32])]);
    let rotated = Connect::builder(shop.storage.clone()).clock(shop.clock.clone());
    let rotated = rotated.secret_keys(Arc::new(keys)).build();
    rotated.maintain().await.unwrap();
    let (_, secret) = with_key(&shop, 9)
        .provider_with_secret(account)
        .await
        .unwrap();
    assert_eq!(secret.expose(), SECRET);
}
