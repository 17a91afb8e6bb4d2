//! Users of an account: their rights, and the rules about them.

use std::net::IpAddr;

use connect_core::{
    Access, Account, AccountChange, Author, Connect, DeliveryFilter, Error, Grant, IssuedSession,
    Language, LocationChange, NewAccount, NewLocation, NewProvider, NewScreen, NewToken, NewUser,
    NewWebhook, Origin, Reach, Role, Screen, ScreenType, Token, User, UserChange, UserRight,
    UserRole, UserSession, WaitingEvents, Webhook, WebhookChange,
    wire::{EventType, Id, Location, ProductInput, Scope, Timestamp, VatRate, limits::MAX_USERS},
};
use futures_util::future::BoxFuture;

use crate::properties::shop::Shop;

on_each_store!(each_call_needs_its_right_at_its_place);
on_each_store!(a_role_taken_away_ends_at_once);
on_each_store!(an_account_has_an_owner_and_each_address_once);

const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);
const PASSWORD: &str = "rye and spelt";

fn role(location_id: Option<Id<Location>>, role: Role) -> UserRole {
    UserRole { location_id, role }
}

fn new_user(email: &str, roles: Vec<UserRole>) -> NewUser {
    NewUser {
        name: "Noor".into(),
        email: email.into(),
        language: Language::En,
        roles,
    }
}

async fn signed_in(connect: &Connect, account: Id<Account>, user: Id<User>) -> IssuedSession {
    let invitation = connect.invite_user(account, user).await.unwrap().secret;
    let accepted = connect.accept_invitation(invitation.expose(), PASSWORD);
    accepted.await.unwrap()
}

async fn session(connect: &Connect, issued: &IssuedSession) -> Result<UserSession, Error> {
    connect.session(issued.secret.expose()).await
}

/// The things of an account that calls are about, made anew for each call.
struct Things {
    account: Id<Account>,
    location: Id<Location>,
    screen: Id<Screen>,
    token: Id<Token>,
    webhook: Id<Webhook>,
    user: Id<User>,
}

impl Things {
    async fn make(connect: &Connect, at: &Access) -> Self {
        let (account, location) = (at.account().id, at.location().id);
        let screen = connect
            .create_screen(account, screen_at(location))
            .await
            .unwrap()
            .id;
        let token = connect
            .create_token(account, token_for(location))
            .await
            .unwrap()
            .token
            .id;
        let webhook = connect
            .create_webhook(account, webhook_for(location))
            .await
            .unwrap();
        let roles = vec![role(None, Role::Accountant)];
        let user = connect.create_user(account, new_user("other@rye.example", roles));
        Self {
            account,
            location,
            screen,
            token,
            webhook: webhook.webhook.id,
            user: user.await.unwrap().id,
        }
    }

    async fn remove(self, connect: &Connect) {
        // What the call under test has removed is gone already.
        let _ = connect.delete_screen(self.account, self.screen).await;
        let _ = connect.delete_webhook(self.account, self.webhook).await;
        let _ = connect.remove_user(self.account, self.user).await;
        connect
            .revoke_token(self.account, self.token)
            .await
            .unwrap();
    }
}

fn screen_at(location_id: Id<Location>) -> NewScreen {
    NewScreen {
        location_id,
        kind: ScreenType::Pos,
        name: "Till".into(),
    }
}

fn token_for(location_id: Id<Location>) -> NewToken {
    NewToken {
        name: "Sync".into(),
        expires_at: None,
        grants: vec![Grant {
            location_id,
            scopes: vec![Scope::PosRead],
        }],
    }
}

fn webhook_for(location: Id<Location>) -> NewWebhook {
    NewWebhook {
        url: "https://hooks.example/in".into(),
        events: vec![EventType::ProductChanged],
        location_ids: vec![location],
    }
}

/// The extent of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    /// One location.
    Location,
    /// The whole account.
    Account,
}

type Called<'c> = BoxFuture<'c, Result<(), Error>>;
type Call = (
    &'static str,
    UserRight,
    Extent,
    for<'c> fn(&'c Connect, &'c Things) -> Called<'c>,
);

macro_rules! calls {
    ($($right:ident $extent:ident $name:literal |$connect:ident, $on:ident| $call:expr;)*) => {
        [$(($name, UserRight::$right, Extent::$extent, |$connect, $on| {
            Box::pin(async move { $call.await.map(|_| ()) })
        }),)*]
    };
}

/// All calls about what an account owns.
fn calls() -> impl Iterator<Item = Call> {
    let all: [Call; 37] = calls! {
        ManageAccount Account "change_account" |c, on| {
            c.change_account(on.account, AccountChange { name: Some("Rye".into()), ..AccountChange::default() })
        };
        ManageAccount Account "create_location" |c, on| {
            let new = NewLocation {
                name: "Quay".into(),
                currency: "EUR".into(),
                default_vat_rate: VatRate::percent(9),
            };
            c.create_location(on.account, new)
        };
        ManageLocations Location "change_location" |c, on| {
            c.change_location(on.account, on.location, LocationChange::default())
        };
        ManageScreens Location "create_screen" |c, on| {
            c.create_screen(on.account, screen_at(on.location))
        };
        ManageScreens Location "rename_screen" |c, on| {
            c.rename_screen(on.account, on.screen, "Bar")
        };
        ManageScreens Location "roll_screen_key" |c, on| c.roll_screen_key(on.account, on.screen);
        ManageScreens Location "revoke_screen_key" |c, on| {
            c.revoke_screen_key(on.account, on.screen)
        };
        ManageScreens Location "delete_screen" |c, on| c.delete_screen(on.account, on.screen);
        ManageTokens Location "create_token" |c, on| {
            c.create_token(on.account, token_for(on.location))
        };
        ManageTokens Account "create_full_token" |c, on| c.create_full_token(on.account, "All");
        ManageTokens Location "revoke_token" |c, on| c.revoke_token(on.account, on.token);
        ManageWebhooks Location "create_webhook" |c, on| {
            c.create_webhook(on.account, webhook_for(on.location))
        };
        ManageWebhooks Account "create_webhook for all locations" |c, on| {
            let location_ids = Vec::new();
            c.create_webhook(on.account, NewWebhook { location_ids, ..webhook_for(on.location) })
        };
        ManageWebhooks Location "change_webhook" |c, on| {
            let events = Some(vec![EventType::CategoryChanged]);
            let change = WebhookChange { events, ..WebhookChange::default() };
            c.change_webhook(on.account, on.webhook, change)
        };
        ManageWebhooks Location "roll_webhook_secret" |c, on| {
            c.roll_webhook_secret(on.account, on.webhook)
        };
        ManageWebhooks Location "disable_webhook" |c, on| c.disable_webhook(on.account, on.webhook);
        ManageWebhooks Location "enable_webhook" |c, on| {
            c.enable_webhook(on.account, on.webhook, WaitingEvents::Send)
        };
        ManageWebhooks Location "test_webhook" |c, on| c.test_webhook(on.account, on.webhook);
        ManageWebhooks Location "delete_webhook" |c, on| c.delete_webhook(on.account, on.webhook);
        ManageWebhooks Location "webhook" |c, on| c.webhook(on.account, on.webhook);
        ManageWebhooks Location "test_webhook_event" |c, on| {
            c.test_webhook_event(on.account, on.webhook, &EventType::OrderCreated)
        };
        ManageWebhooks Location "deliveries" |c, on| async {
            let all = DeliveryFilter::default();
            c.deliveries(on.account, on.webhook, &all, None, 1).await
        };
        ManageWebhooks Location "delivery_stats" |c, on| {
            c.delivery_stats(on.account, on.webhook, 10)
        };
        ManageWebhooks Location "resend_many" |c, on| c.resend_many(on.account, on.webhook, &[]);
        ManageWebhooks Location "count_resend_many" |c, on| {
            c.count_resend_many(on.account, on.webhook, &[])
        };
        ManageWebhooks Location "resend_given_up" |c, on| {
            c.resend_given_up(on.account, on.webhook, Timestamp::EPOCH, None, None)
        };
        ManageWebhooks Location "count_resend_given_up" |c, on| {
            c.count_resend_given_up(on.account, on.webhook, Timestamp::EPOCH, None, None)
        };
        ManageWebhooks Location "waiting_events" |c, on| c.waiting_events(on.account, on.webhook);
        ManageUsers Account "users" |c, on| c.users(on.account);
        ManageUsers Account "create_user" |c, on| {
            c.create_user(on.account, new_user("third@rye.example", vec![role(None, Role::Manager)]))
        };
        ManageUsers Account "change_user" |c, on| {
            let roles = Some(vec![role(None, Role::Manager)]);
            c.change_user(on.account, on.user, UserChange { roles, ..UserChange::default() })
        };
        ManageUsers Account "invite_user" |c, on| c.invite_user(on.account, on.user);
        ManageUsers Account "reset_second_factor" |c, on| async {
            // The user has none.
            match c.reset_second_factor(on.account, on.user).await {
                Err(Error::Conflict(_)) => Ok(()),
                other => other,
            }
        };
        ManageAccount Account "set_provider" |c, on| {
            let new = NewProvider {
                issuer: "https://login.example".into(),
                client_id: "connect".into(),
                client_secret: Some("secret".to_owned().into()),
            };
            c.set_provider(on.account, new)
        };
        ManageAccount Account "provider" |c, on| c.provider(on.account);
        ManageAccount Account "remove_provider" |c, on| c.remove_provider(on.account);
        ManageUsers Account "remove_user" |c, on| c.remove_user(on.account, on.user);
    };
    all.into_iter()
}

/// The listed things within reach: those of the location, or none.
async fn listed(connect: &Connect, on: &Things) -> [usize; 3] {
    let tokens = connect.tokens(on.account).await.unwrap_or_default();
    let webhooks = connect.webhooks(on.account).await.unwrap_or_default();
    let screens = connect.screens(on.account).await.unwrap_or_default();
    [
        tokens
            .iter()
            .filter(|(token, _)| token.id == on.token)
            .count(),
        webhooks
            .iter()
            .filter(|(webhook, _)| webhook.id == on.webhook)
            .count(),
        screens
            .iter()
            .filter(|(screen, _)| screen.id == on.screen)
            .count(),
    ]
}

/// Every call, with every role for the account, for the location, for another location, and in another account.
async fn each_call_needs_its_right_at_its_place(shop: Shop) {
    let connect = &shop.connect;
    let (account, here, there) = (
        shop.at.account().id,
        shop.at.location().id,
        shop.there.location().id,
    );
    let foreign = NewAccount {
        name: "Foreign".into(),
        owner_email: "owner@foreign.example".into(),
        sandbox: false,
    };
    let foreign = connect.create_account(foreign).await.unwrap();
    let person = connect.create_user(
        account,
        new_user("noor@rye.example", vec![role(None, Role::Owner)]),
    );
    let person = person.await.unwrap().id;
    let mut callers = vec![(foreign.users[0].id, Vec::new())];
    for of in Role::ALL {
        callers.push((person, vec![role(None, of)]));
        if of != Role::Owner {
            callers.push((person, vec![role(Some(here), of)]));
            callers.push((person, vec![role(Some(there), of)]));
        }
    }
    for (caller, roles) in callers {
        if caller == person {
            let change = UserChange {
                roles: Some(roles.clone()),
                ..UserChange::default()
            };
            connect.change_user(account, person, change).await.unwrap();
        }
        let author = Author::User { id: caller };
        let by = connect.by(author, Origin::default());
        let held = connect.account(account).await.unwrap();
        let user = held.users.iter().find(|user| user.id == caller);
        let reach = |right| held.reach(user?, right).ok();
        for (name, right, extent, call) in calls() {
            let things = Things::make(connect, &shop.at).await;
            let may = match (reach(right), extent) {
                (Some(Reach::Account), _) => true,
                (Some(Reach::Locations(of)), Extent::Location) => of.contains(&here),
                _ => false,
            };
            let called = call(&by, &things).await;
            let is_refused = matches!(
                called,
                Err(Error::ForbiddenScope(_) | Error::NotFound(_) | Error::Invalid(_))
            );
            assert_eq!(
                (called.is_ok(), is_refused),
                (may, !may),
                "{name} by {roles:?}: {called:?}"
            );
            things.remove(connect).await;
            // What the call under test has made.
            for user in connect.users(account).await.unwrap().iter().skip(2) {
                connect.remove_user(account, user.0.id).await.unwrap();
            }
        }
        let things = Things::make(connect, &shop.at).await;
        let sees = |right| reach(right).is_some_and(|reach| reach.includes(here));
        let rights = [
            UserRight::ManageTokens,
            UserRight::ManageWebhooks,
            UserRight::ManageScreens,
        ];
        assert_eq!(
            listed(&by, &things).await,
            rights.map(|right| usize::from(sees(right)))
        );
        things.remove(connect).await;
    }
}

/// A session, and an access opened before, have the rights of this moment.
async fn a_role_taken_away_ends_at_once(shop: Shop) {
    let (connect, account, here) = (&shop.connect, shop.at.account().id, shop.at.location().id);
    let roles = vec![role(Some(here), Role::Manager)];
    let user = connect
        .create_user(account, new_user("noor@rye.example", roles))
        .await
        .unwrap()
        .id;
    let issued = signed_in(connect, account, user).await;
    let noor = session(connect, &issued).await.unwrap();
    let there = shop.there.location().id;
    let elsewhere = noor.authorize(there, UserRight::ChangeCatalog).unwrap_err();
    assert!(matches!(elsewhere, Error::NotFound(_)), "{elsewhere:?}");
    let at = noor.authorize(here, UserRight::ChangeCatalog).unwrap();
    assert!(at.allows(&Scope::CatalogWrite) && at.allows(&Scope::PosRead));
    let products = connect.location(&at).products();
    products.create(ProductInput::named("Rye")).await.unwrap();

    let change = UserChange {
        roles: Some(vec![role(None, Role::Accountant)]),
        ..UserChange::default()
    };
    connect.change_user(account, user, change).await.unwrap();
    let refused = products
        .create(ProductInput::named("Oats"))
        .await
        .unwrap_err();
    assert!(matches!(refused, Error::ForbiddenScope(_)), "{refused:?}");
    let noor = session(connect, &issued).await.unwrap();
    let refused = noor.authorize(here, UserRight::ChangeCatalog).unwrap_err();
    assert!(matches!(refused, Error::ForbiddenScope(_)), "{refused:?}");
    let at = noor.authorize(here, UserRight::ReadSales).unwrap();
    assert!(!at.allows(&Scope::CatalogWrite) && at.allows(&Scope::CatalogRead));
    // Each user may change the own name and language, and nothing else.
    let by = connect.by_user(&noor, Origin::default());
    let change = UserChange {
        name: Some("Noor V.".into()),
        language: Some(Language::Nl),
        ..UserChange::default()
    };
    assert_eq!(
        by.change_user(account, user, change).await.unwrap().name,
        "Noor V."
    );
    let change = UserChange {
        roles: Some(vec![role(None, Role::Owner)]),
        ..UserChange::default()
    };
    let refused = by.change_user(account, user, change).await.unwrap_err();
    assert!(matches!(refused, Error::ForbiddenScope(_)), "{refused:?}");

    connect.remove_user(account, user).await.unwrap();
    assert!(session(connect, &issued).await.is_err());
    let refused = connect.sign_in(HERE, "noor@rye.example", PASSWORD).await;
    assert!(
        matches!(refused, Err(Error::Unauthorized(_))),
        "{refused:?}"
    );
    // The address is free again.
    let roles = vec![role(None, Role::Developer)];
    let user = connect
        .create_user(account, new_user("noor@rye.example", roles))
        .await
        .unwrap()
        .id;
    signed_in(connect, account, user).await;
    let report = connect.check(&mut |_| {}).await.unwrap();
    assert_eq!(report.problems, []);
}

async fn an_account_has_an_owner_and_each_address_once(shop: Shop) {
    let (connect, account, here) = (&shop.connect, shop.at.account().id, shop.at.location().id);
    let owner = connect.account(account).await.unwrap().users.remove(0);
    let field = |error: Error| match error {
        Error::Invalid(reason) | Error::Conflict(reason) => reason.field.unwrap_or_default(),
        other => panic!("{other:?}"),
    };
    let to = |roles: Vec<UserRole>| UserChange {
        roles: Some(roles),
        ..UserChange::default()
    };
    for (roles, expected) in [
        (vec![], "roles"),
        (
            vec![role(None, Role::Owner), role(Some(here), Role::Manager)],
            "roles",
        ),
        (vec![role(Some(here), Role::Owner)], "roles[0].role"),
        (
            vec![role(Some(here), Role::Manager); 2],
            "roles[1].locationId",
        ),
        (
            vec![role(Some(Id::new(account.uuid())), Role::Manager)],
            "roles[0].locationId",
        ),
        // The last owner stays one.
        (vec![role(None, Role::Manager)], ""),
    ] {
        let refused = connect.change_user(account, owner.id, to(roles)).await;
        assert_eq!(field(refused.unwrap_err()), expected);
    }
    assert_eq!(
        field(connect.remove_user(account, owner.id).await.unwrap_err()),
        ""
    );

    let accountant = || vec![role(None, Role::Accountant)];
    let taken = owner.email.to_uppercase();
    let refused = connect
        .create_user(account, new_user(&taken, accountant()))
        .await;
    assert_eq!(field(refused.unwrap_err()), "email");
    let other = connect.create_user(account, new_user("noor@rye.example", accountant()));
    let other = other.await.unwrap().id;
    let change = UserChange {
        email: Some(taken),
        ..UserChange::default()
    };
    let refused = connect.change_user(account, other, change).await;
    assert_eq!(field(refused.unwrap_err()), "email");

    // With another owner, the first one may go.
    connect
        .change_user(account, other, to(vec![role(None, Role::Owner)]))
        .await
        .unwrap();
    connect.remove_user(account, owner.id).await.unwrap();
    for number in 1..MAX_USERS {
        let new = new_user(&format!("user{number}@rye.example"), accountant());
        connect.create_user(account, new).await.unwrap();
    }
    let refused = connect
        .create_user(account, new_user("more@rye.example", accountant()))
        .await;
    assert!(matches!(refused, Err(Error::Conflict(_))), "{refused:?}");
}
