//! What the tests have in common.

pub(crate) mod records;
pub(crate) mod script;

use connect_client::{Client, ClientBuilder, Records, Uuid, wire};

pub(crate) const TOKEN: &str = "ck_test_0123456789abcdefghijABCDEFGHIJ0123456789";
pub(crate) const LOCATION: Uuid = Uuid::from_u128(0x0198_0000_0000_7000_8000_0000_0000_0001);
pub(crate) const ID: Uuid = Uuid::from_u128(0x0198_0000_0000_7000_8000_0000_0000_00aa);

/// A builder for an address that nobody listens on.
pub(crate) fn builder() -> ClientBuilder {
    Client::builder("http://127.0.0.1:1/v1", TOKEN)
}

pub(crate) fn categories(client: &Client) -> Records<wire::Category> {
    client.location(LOCATION).categories()
}

pub(crate) fn products(client: &Client) -> Records<wire::Product> {
    client.location(LOCATION).products()
}
