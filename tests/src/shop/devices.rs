//! Registers and kiosks: screens with a key, and their writes.

use connect_core::{
    Screen, ScreenType,
    wire::{Id, Location},
};
use serde_json::Value;

use super::Shop;
use crate::http::{Answer, Request};

/// A screen with its key.
pub struct Device<'a> {
    /// Its id.
    pub id: Id<Screen>,
    /// The value of its key.
    pub key: String,
    shop: &'a Shop,
}

impl Shop {
    /// A new register here, with a key.
    pub async fn register(&self, name: &str) -> Device<'_> {
        self.device(self.here, ScreenType::Pos, name).await
    }

    /// A new kiosk here, with a key.
    pub async fn kiosk(&self, name: &str) -> Device<'_> {
        self.device(self.here, ScreenType::OrderKiosk, name).await
    }

    /// A new screen with a key.
    ///
    /// # Panics
    /// The account has no such location.
    pub async fn device(&self, location: Id<Location>, kind: ScreenType, name: &str) -> Device<'_> {
        let keyed = self.keyed_screen(self.account, location, kind, name);
        let (id, key) = keyed.await;
        Device {
            id,
            key,
            shop: self,
        }
    }

    /// Gives a screen a new key.
    ///
    /// # Panics
    /// The account has no such screen.
    pub async fn roll(&self, screen: Id<Screen>) -> String {
        let key = self.connect.roll_screen_key(self.account, screen).await;
        key.expect("a key").expose().to_owned()
    }
}

impl Device<'_> {
    /// Sends a request with the key of the screen.
    ///
    /// # Panics
    /// There is no response, or it does not match the document.
    pub async fn send(&self, request: Request) -> Answer {
        self.shop.send_as(&self.key, request).await
    }

    /// `POST` by the screen: `transactions`, `z-reports` or `orders`.
    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        self.send(Request::post(at(path), body)).await
    }

    /// `PATCH` of an order.
    pub async fn patch(&self, order: &str, body: &Value) -> Answer {
        let path = at(&format!("orders/{order}"));
        self.send(Request::patch(path, body)).await
    }

    /// Makes a transaction, a Z report or an order, and returns it.
    pub async fn make(&self, path: &str, body: &Value) -> Value {
        self.post(path, body).await.expect(201).data()
    }
}

/// A path of the device API.
pub fn at(path: &str) -> String {
    format!("/device/v1/{path}")
}
