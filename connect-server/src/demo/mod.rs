//! The demo: a sandbox account with two locations, screens and a shop.

mod menu;

use connect_core::{
    Account, Connect, Failure, NewAccount, NewLocation, NewScreen, ScreenType, Secret,
    wire::{Field, ProductInput, VatRate, limits::MAX_PRODUCTS_PER_BATCH, read::BatchRequest},
};
use uuid::Uuid;

use self::menu::{Article, MENU};

/// An account to work with, and a token for it when one was made.
pub struct Shop {
    /// The account.
    pub account: Account,
    /// A token that may do everything.
    pub token: Option<Secret>,
}

/// The demo's account in this store, set up when it is not there yet, with a new token: the old
/// ones were shown once and are known only to whoever kept them.
///
/// # Errors
/// The store failed.
pub async fn open(connect: &Connect) -> Result<Shop, Failure> {
    let account = match find(connect).await? {
        Some(shop) => shop.account,
        None => set_up(connect).await?,
    };
    let token = connect.create_full_token(account.id, "Demo").await?.secret;
    Ok(Shop {
        account,
        token: Some(token),
    })
}

/// The first account of this store, if it has any.
///
/// # Errors
/// The store failed.
pub async fn find(connect: &Connect) -> Result<Option<Shop>, Failure> {
    let Some(id) = connect.account_ids().await?.first().copied() else {
        return Ok(None);
    };
    Ok(Some(Shop {
        account: connect.account(id).await?,
        token: None,
    }))
}

async fn set_up(connect: &Connect) -> Result<Account, Failure> {
    let account = connect
        .create_account(NewAccount {
            name: "De Korenbloem".into(),
            owner_email: "owner@korenbloem.example".into(),
            sandbox: true,
        })
        .await?;
    for (name, kind, screen) in [
        ("Korenbloem Market Square", ScreenType::Pos, "Till 1"),
        (
            "Korenbloem Station",
            ScreenType::OrderKiosk,
            "Kiosk at the door",
        ),
    ] {
        let location = connect
            .create_location(
                account.id,
                NewLocation {
                    name: name.into(),
                    currency: "EUR".into(),
                    default_vat_rate: VatRate::percent(21),
                },
            )
            .await?;
        connect
            .create_screen(
                account.id,
                NewScreen {
                    location_id: location.id,
                    kind,
                    name: screen.into(),
                },
            )
            .await?;
        stock_shelves(connect, account.id, location.id).await?;
    }
    connect.account(account.id).await
}

/// Puts the menu on sale at a location.
async fn stock_shelves(connect: &Connect, account: Uuid, location: Uuid) -> Result<(), Failure> {
    let at = connect.enter_as_owner(account, location, account).await?;
    let products: Vec<ProductInput> = MENU.iter().map(product).collect();
    for items in products.chunks(MAX_PRODUCTS_PER_BATCH) {
        connect
            .write_products(&at, BatchRequest::new(items.to_vec()).into())
            .await?;
    }
    Ok(())
}

fn product(article: &Article) -> ProductInput {
    let (code, category, name, price_cents, vat) = *article;
    ProductInput {
        external_id: Field::Value(code.into()),
        category_name: Field::Value(category.into()),
        price_cents: Field::Value(price_cents),
        vat_rate: Field::Value(VatRate::percent(vat)),
        ..ProductInput::named(name)
    }
}
