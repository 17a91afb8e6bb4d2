//! Mail to users: what is sent when, to whom, and what becomes of it when the mail server is down.

use std::{net::IpAddr, sync::Arc};

use connect_core::{
    Author, BrowserCookie, Connect, Error, Language, MailWork, MailWorker, NewUser, Origin, Role,
    UserChange, UserRole,
    environment::{Clock as _, KeyRing, Mail, SecretKey},
};

use crate::{mails::Mails, properties::shop::Shop};

on_each_store!(users_get_mail_about_their_sign_in);
on_each_store!(a_forgotten_password_is_set_by_mail);
on_each_store!(mail_waits_for_its_server);

const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);
const PASSWORD: &str = "rye and spelt";

/// A core with mail on the storage of a shop, and its mail server.
struct Post {
    connect: Connect,
    mails: Arc<Mails>,
    worker: MailWorker,
}

impl Post {
    fn of(shop: &Shop, key: Option<u8>) -> Self {
        let mut builder = Connect::builder(shop.storage.clone())
            .clock(shop.clock.clone())
            .queue_mail();
        if let Some(key) = key {
            builder = builder.secret_keys(Arc::new(KeyRing::new(vec![SecretKey::new([key; 32])])));
        }
        let (connect, mails) = (builder.build(), Arc::<Mails>::default());
        let pages = "https://shop.example/dashboard";
        let worker = connect.mail_worker(mails.clone(), pages);
        Self {
            connect,
            mails,
            worker,
        }
    }

    /// Sends what is due, and returns it: recipients and subjects, sorted.
    async fn sent(&self) -> Vec<String> {
        self.worker.tick().await.unwrap();
        let sent = self.take();
        let line = |mail: Mail| format!("{}: {}", mail.to, mail.subject);
        let mut lines: Vec<_> = sent.into_iter().map(line).collect();
        lines.sort();
        lines
    }

    fn take(&self) -> Vec<Mail> {
        std::mem::take(&mut *self.mails.sent.lock().unwrap())
    }

    /// Sends what is due, and returns the secret in the link of the only message.
    async fn link(&self) -> String {
        self.worker.tick().await.unwrap();
        let sent = self.take();
        let [mail] = &sent[..] else {
            panic!("{sent:?}")
        };
        let link = mail
            .text
            .split("https://shop.example/dashboard/invitations/");
        let link = link.last().unwrap();
        link.split_whitespace().next().unwrap().to_owned()
    }

    /// The core as called by a browser.
    fn from(&self, browser: Option<&str>) -> Connect {
        let origin = Origin {
            address: Some(HERE),
            device: Some("Firefox\r\nBcc: all".to_owned()),
            browser: browser.map(|value| BrowserCookie(value.to_owned())),
            ..Origin::default()
        };
        self.connect.by(Author::Service, origin)
    }
}

async fn users_get_mail_about_their_sign_in(shop: Shop) {
    let post = Post::of(&shop, Some(7));
    let (connect, account) = (&post.connect, shop.at.account().id);
    let name = &shop.at.account().name;
    let new = NewUser {
        name: "Noor".to_owned(),
        email: "noor@rye.example".to_owned(),
        language: Language::Nl,
        roles: vec![UserRole {
            location_id: None,
            role: Role::Owner,
        }],
    };
    let noor = connect.create_user(account, new).await.unwrap();
    let issued = connect.invite_user(account, noor.id).await.unwrap();
    assert_eq!(issued.mailed_to.as_deref(), Some("noor@rye.example"));
    // No secret is in the store in clear.
    let secret = issued.secret.expose();
    for (_, row) in shop.rows().await {
        assert!(
            !row.windows(secret.len())
                .any(|part| part == secret.as_bytes())
        );
    }
    let link = post.link().await;
    assert_eq!(link, secret);

    // The first browser is the one of the invitation; each other one is told of once.
    let first = post.from(None).accept_invitation(&link, PASSWORD).await;
    let first = first.unwrap().browser.unwrap();
    assert_eq!(post.sent().await, [""; 0]);
    let known = post.from(Some(first.expose()));
    let again = known
        .sign_in(HERE, "noor@rye.example", PASSWORD)
        .await
        .unwrap();
    assert!(again.browser.is_none());
    assert_eq!(post.sent().await, [""; 0]);
    let new = post.from(Some("another value"));
    let new = new
        .sign_in(HERE, "noor@rye.example", PASSWORD)
        .await
        .unwrap();
    assert!(new.browser.is_some());
    post.worker.tick().await.unwrap();
    let [mail] = &post.take()[..] else { panic!() };
    assert_eq!(mail.subject, format!("Er is opnieuw ingelogd bij {name}"));
    let fact = "Browser: Firefox  Bcc: all\n    Adres: 127.0.0.1\n";
    assert!(mail.text.contains(fact), "{}", mail.text);

    // The password, then the address, which ends the other sessions and is told to the former one.
    let session = connect.session(again.secret.expose()).await.unwrap();
    let changed = connect.change_password(&session, PASSWORD, "oats and millet");
    changed.await.unwrap();
    let of_password = format!("noor@rye.example: Uw wachtwoord voor {name} is gewijzigd");
    assert_eq!(post.sent().await, [&*of_password]);
    let other = post.from(Some(first.expose()));
    let other = other
        .sign_in(HERE, "noor@rye.example", "oats and millet")
        .await;
    let other = other.unwrap();
    let moved = connect.change_email(&session, "oats and millet", "noor@oat.example");
    moved.await.unwrap();
    let of_address = format!("noor@rye.example: Uw e-mailadres voor {name} is gewijzigd");
    assert_eq!(post.sent().await, [&*of_address]);
    connect.session(again.secret.expose()).await.unwrap();
    assert!(connect.session(other.secret.expose()).await.is_err());

    // Another owner changes it: all sessions end.
    let change = UserChange {
        email: Some("noor@spelt.example".to_owned()),
        ..UserChange::default()
    };
    connect.change_user(account, noor.id, change).await.unwrap();
    assert_eq!(post.sent().await, [of_address.replace("@rye", "@oat")]);
    assert!(connect.session(again.secret.expose()).await.is_err());
    let report = connect.check(&mut |_| {}).await.unwrap();
    assert_eq!(report.problems, []);
}

async fn a_forgotten_password_is_set_by_mail(shop: Shop) {
    let post = Post::of(&shop, Some(7));
    let (connect, account) = (&post.connect, shop.at.account());
    let email = account.owner_email().to_owned();
    let name = &account.name;
    let forget = async |email: &str| connect.forget_password(HERE, email).map(Box::pin);

    // A user without a password, and an address of nobody: the answer is the same, and nothing is sent.
    for nobody in [&*email, "nobody@rye.example", &"x".repeat(500)] {
        forget(nobody).await.unwrap().await;
    }
    assert_eq!(post.sent().await, [""; 0]);

    let issued = connect.invite_owner(account.id).await.unwrap();
    let accepted = connect.accept_invitation(issued.secret.expose(), PASSWORD);
    let session = accepted.await.unwrap();
    post.sent().await;
    forget(&email.to_uppercase()).await.unwrap().await;
    // Another one within five minutes is not sent: the mailbox is the user's.
    forget(&email).await.unwrap().await;
    let link = post.link().await;
    shop.clock.advance(301);
    forget(&email).await.unwrap().await;
    let newer = post.link().await;
    let refused = connect.accept_invitation(&link, "oats and millet").await;
    assert!(
        matches!(refused, Err(Error::Unauthorized(_))),
        "{refused:?}"
    );
    let accepted = connect.accept_invitation(&newer, "oats and millet").await;
    accepted.unwrap();
    let changed = format!("{email}: Your password for {name} was changed");
    let new_browser = format!("{email}: A new sign-in to {name}");
    assert_eq!(post.sent().await, [new_browser, changed]);
    assert!(connect.session(session.secret.expose()).await.is_err());

    // A link is good for an hour, and so is its mail.
    shop.clock.advance(301);
    *post.mails.is_down.lock().unwrap() = true;
    forget(&email).await.unwrap().await;
    post.worker.tick().await.unwrap();
    shop.clock.advance(3600);
    let work = post.worker.tick().await.unwrap();
    assert_eq!(work.dropped, 1);

    // Attempts are limited as sign-ins are.
    let mut refused = 0;
    for _ in 0..31 {
        refused += usize::from(forget(&email).await.is_err());
    }
    assert!(refused >= 20, "{refused}");
    let without = shop.connect.forget_password(HERE, &email).map(drop);
    assert!(matches!(without, Err(Error::Conflict(_))));
}

async fn mail_waits_for_its_server(shop: Shop) {
    let post = Post::of(&shop, Some(7));
    let (connect, account) = (&post.connect, shop.at.account().id);
    let count = async || connect.backlog().await.unwrap().mails.count;
    *post.mails.is_down.lock().unwrap() = true;
    connect.invite_owner(account).await.unwrap();
    let postponed = MailWork {
        postponed: 1,
        ..MailWork::default()
    };
    // After 1, 5, 15 and then 60 minutes.
    for minutes in [1, 5, 15, 60, 60] {
        assert_eq!(post.worker.tick().await.unwrap(), postponed);
        shop.clock.advance(minutes * 60 - 1);
        assert_eq!(post.worker.tick().await.unwrap(), MailWork::default());
        assert_eq!(count().await, 1);
        shop.clock.advance(1);
    }
    // A server without the key of the link keeps the message.
    *post.mails.is_down.lock().unwrap() = false;
    for key in [None, Some(8)] {
        let other = Post::of(&shop, key);
        assert_eq!(other.worker.tick().await.unwrap(), postponed);
        shop.clock.advance(3600);
    }
    assert_eq!(post.sent().await.len(), 1);
    assert_eq!(count().await, 0);

    // After a day it is given up.
    *post.mails.is_down.lock().unwrap() = true;
    connect.invite_owner(account).await.unwrap();
    let begun = shop.clock.now();
    while post.worker.tick().await.unwrap().dropped == 0 {
        shop.clock.advance(3600);
    }
    assert_eq!(begun.plus_seconds(24 * 3600), shop.clock.now());
    let counted = &connect.metrics().mails;
    let counted = [&counted.sent, &counted.postponed, &counted.dropped].map(|of| of.get());
    assert_eq!(counted, [1, 5 + 24, 1]);
    assert_eq!(count().await, 0);
}

/// A worker that dies with its message: another one sends it when the lease is over.
#[tokio::test]
async fn a_leased_message_is_sent_by_another_worker() {
    let shop = Shop::open(crate::properties::shop::Backend::Memory).await;
    let post = Post::of(&shop, None);
    post.connect
        .invite_owner(shop.at.account().id)
        .await
        .unwrap();
    *post.mails.hangs.lock().unwrap() = true;
    let dying = tokio::time::timeout(std::time::Duration::from_millis(50), post.worker.tick());
    assert!(dying.await.is_err());
    *post.mails.hangs.lock().unwrap() = false;
    let other = Post::of(&shop, None);
    shop.clock.advance(59);
    assert_eq!(other.sent().await.len(), 0);
    shop.clock.advance(1);
    assert_eq!(other.sent().await.len(), 1);
    assert_eq!(post.sent().await.len(), 0);
}
