//! The audit trail: its entries, its chains, and what it leaves out.

mod authors;
mod chains;
mod replay;
mod secrets;
mod story;

use connect_core::{
    Access, Author, Connect, Origin, TrailEntry, TrailFilter, TrailScope,
    wire::{Id, Scope},
};
use uuid::Uuid;

use crate::properties::shop::Shop;

/// The entries of the account, newest first, page by page.
async fn entries(shop: &Shop, filter: &TrailFilter) -> Vec<TrailEntry> {
    let scope = TrailScope::Account(shop.at.account().id);
    let (mut all, mut cursor) = (Vec::new(), None);
    loop {
        let page = shop
            .connect
            .trail(scope, filter, cursor.as_deref(), 7)
            .await;
        let page = page.unwrap();
        all.extend(page.entries);
        match page.next {
            Some(next) => cursor = Some(next),
            None => return all,
        }
    }
}

/// The core for calls of the account's owner.
async fn noor(shop: &Shop) -> Connect {
    let account = shop.connect.account(shop.at.account().id).await.unwrap();
    let id = account.users[0].id;
    let origin = Origin {
        address: Some([203, 0, 113, 7].into()),
        request_id: Some("r-1".into()),
        ..Origin::default()
    };
    shop.connect.by(Author::User { id }, origin)
}

/// The access of a new token, and its id.
async fn token(shop: &Shop) -> (Access, Uuid) {
    let account = shop.at.account().id;
    let screens = shop.connect.screens(account).await.unwrap();
    if screens.is_empty() {
        crate::shop::screen(
            &shop.connect,
            &shop.at,
            connect_core::ScreenType::Pos,
            "Till",
        )
        .await;
    }
    let issued = shop
        .connect
        .create_full_token(account, "Sync")
        .await
        .unwrap();
    let here = [127, 0, 0, 1].into();
    let caller = shop
        .connect
        .authenticate(here, Some(issued.secret.expose()));
    let location: Id<_> = shop.at.location().id;
    let access = caller
        .await
        .unwrap()
        .authorize(location, &Scope::CatalogWrite);
    (access.unwrap(), issued.token.id.uuid())
}

/// Verifies the trail, without a fault.
async fn verify(connect: &Connect) {
    let report = connect
        .verify_trail(None, u64::MAX, &mut |_| {})
        .await
        .unwrap();
    assert_eq!(report.faults, []);
    assert!(report.entries > 0);
}
