//! The shop whose counter it is: its screens, and products of which all but one are tracked.

use std::{net::IpAddr, path::Path};

use connect_core::{
    Access, NewScreen, ScreenType,
    wire::{Field, Id, Product, ProductInput, Quantity, StockCountItem, StockCounts},
};

use super::super as kills;
use crate::shop::{self, Shop};

/// The number of registers.
pub(super) const REGISTERS: usize = 4;
/// The number of products. The first is not tracked.
pub(super) const PRODUCTS: usize = 8;

/// The shop as a process that has it open sees it.
pub(super) struct Place {
    pub(super) shop: Shop,
    pub(super) registers: Vec<Access>,
    pub(super) kiosk: Access,
    pub(super) products: Vec<Id<Product>>,
}

impl Place {
    /// Opens the store, and makes what is not there yet.
    pub(super) async fn open(backend: &str, directory: &Path) -> Self {
        let shop = kills::open(backend, directory, shop::START).await;
        let mut registers = Vec::new();
        for number in 0..REGISTERS {
            let name = format!("Till {number}");
            registers.push(screen(&shop, ScreenType::Pos, &name).await);
        }
        let kiosk = screen(&shop, ScreenType::OrderKiosk, "Kiosk").await;
        let products = products(&shop).await;
        count_once(&shop).await;
        Self {
            shop,
            registers,
            kiosk,
            products,
        }
    }

    pub(super) async fn close(self) {
        self.shop.close().await;
    }
}

/// Returns the access of a screen, which gets a new key.
async fn screen(shop: &Shop, kind: ScreenType, name: &str) -> Access {
    let account = shop.at.account().id;
    let screens = shop.connect.screens(account).await.unwrap();
    let screen = screens.into_iter().find(|(screen, _)| screen.name == name);
    let id = match screen {
        Some((screen, _)) => screen.id,
        None => {
            let new = NewScreen {
                location_id: shop.at.location().id,
                kind,
                name: name.into(),
            };
            shop.connect.create_screen(account, new).await.unwrap().id
        }
    };
    let key = shop.connect.roll_screen_key(account, id).await.unwrap();
    let here = IpAddr::from([127, 0, 0, 1]);
    let at = shop.connect.authenticate_screen(here, Some(key.expose()));
    at.await.unwrap()
}

/// The external id of a product.
pub(super) fn external_id(number: usize) -> String {
    format!("P-{number}")
}

async fn products(shop: &Shop) -> Vec<Id<Product>> {
    let products = shop.connect.location(&shop.at).products();
    let mut there = products.list(&Default::default()).await.unwrap().data;
    for number in there.len()..PRODUCTS {
        let input = ProductInput {
            external_id: Field::Value(external_id(number)),
            price_cents: Field::Value(100),
            ..ProductInput::named(format!("Product {number}"))
        };
        there.push(products.create(input).await.unwrap());
    }
    there.sort_by(|one, other| one.external_id.cmp(&other.external_id));
    there.into_iter().map(|product| product.id).collect()
}

/// Tracks all products but the first.
async fn count_once(shop: &Shop) {
    let stock = shop.connect.location(&shop.at).stock();
    let levels = stock.list(&Default::default()).await.unwrap();
    if levels.data.is_empty() {
        let counts = counts(|_| 10_000);
        stock.count_many(counts).await.unwrap();
    }
}

/// Counts of all tracked products, in thousandths.
pub(super) fn counts(thousandths: impl Fn(usize) -> i64) -> StockCounts {
    let item = |number| StockCountItem {
        external_id: Field::Value(external_id(number)),
        quantity: Field::Value(Quantity::from_thousandths(thousandths(number)).unwrap()),
        ..StockCountItem::default()
    };
    StockCounts {
        items: (1..PRODUCTS).map(item).collect(),
        ..StockCounts::default()
    }
}
