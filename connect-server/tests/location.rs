//! A location to work at.

use connect_core::{Access, Connect, NewAccount, NewLocation, wire::VatRate};

/// Makes a location, in an account of its own.
pub(crate) async fn make(connect: &Connect) -> Access {
    let account = NewAccount {
        name: "Shop".into(),
        owner_email: "owner@shop.example".into(),
        sandbox: true,
    };
    let account = connect.create_account(account).await.unwrap().id;
    let location = NewLocation {
        name: "Here".into(),
        currency: "EUR".into(),
        default_vat_rate: VatRate::percent(21),
    };
    let location = connect.create_location(account, location).await.unwrap().id;
    let at = connect.authorize_owner(account, location, account).await;
    at.unwrap()
}
