//! The typed calls of the device API.

use crate::{
    Call, Client, ClientBuilder, Error, Method, RawRequest,
    call::request::Request,
    wire::{
        Id, Order, OrderChange, OrderInput, Transaction, TransactionInput, ZReport, ZReportInput,
    },
};

/// The path of the journal.
pub(super) const TRANSACTIONS: &str = "/device/v1/transactions";
/// The path of the closings.
pub(super) const Z_REPORTS: &str = "/device/v1/z-reports";
/// The path of the orders.
pub(super) const ORDERS: &str = "/device/v1/orders";

/// A client of the device API, for one screen.
/// The screen is a register, a kiosk or Scan & Order.
///
/// It works like [`Client`]: the same retries, the same idempotency keys, the same errors. The screen's
/// key determines its location, so no call names one. Cheap to clone.
#[derive(Clone, Debug)]
pub struct DeviceClient(Client);

impl DeviceClient {
    /// Begins a client.
    /// `admin_url` is the address of the service's listener for owners and devices (`adminUrl` of
    /// `connect-server demo --json`), `key` the key of the screen.
    pub fn builder(admin_url: impl AsRef<str>, key: impl Into<String>) -> DeviceClientBuilder {
        DeviceClientBuilder(Client::builder(admin_url, key))
    }

    /// Writes a journal row. Only registers are allowed to.
    ///
    /// Without a `created_at` the row gets its time of arrival.
    pub fn write_transaction(&self, row: &TransactionInput) -> Call<Transaction> {
        Call::record(&self.0, Request::post(TRANSACTIONS.to_owned(), row))
    }

    /// Closes the register, and yields its Z report.
    /// The report has all rows since the previous closing.
    pub fn close(&self, closing: &ZReportInput) -> Call<ZReport> {
        Call::record(&self.0, Request::post(Z_REPORTS.to_owned(), closing))
    }

    /// Creates an order. Only kiosks and Scan & Order are allowed to.
    pub fn create_order(&self, order: &OrderInput) -> Call<Order> {
        Call::record(&self.0, Request::post(ORDERS.to_owned(), order))
    }

    /// Changes an order.
    /// A kiosk can change its own orders, a register any of its location.
    pub fn update_order(&self, id: impl Into<Id<Order>>, change: &OrderChange) -> Call<Order> {
        let path = format!("{ORDERS}/{}", id.into());
        Call::record(&self.0, Request::patch(path, change))
    }

    /// Begins a request without a method in the SDK.
    /// It works like [`Client::request`], with the same rules for `path`. `path` is below the address
    /// of the listener and begins with `/device/v1`.
    ///
    /// ```no_run
    /// # use connect_client::{Error, Method, device::DeviceClient};
    /// # async fn example(client: DeviceClient) -> Result<(), Error> {
    /// let drawer: serde_json::Value = client
    ///     .request(Method::POST, "/device/v1/drawer-openings")
    ///     .body(&serde_json::json!({ "reason": "change" }))
    ///     .json()
    ///     .await?;
    /// # Ok(()) }
    /// ```
    pub fn request(&self, method: Method, path: impl Into<String>) -> RawRequest {
        self.0.request(method, path)
    }

    pub(super) fn client(&self) -> &Client {
        &self.0
    }
}

/// The settings of a [`DeviceClient`].
#[derive(Debug)]
#[must_use]
pub struct DeviceClientBuilder(ClientBuilder);

impl DeviceClientBuilder {
    /// Changes the settings shared with [`Client`].
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use connect_client::{Error, RetryPolicy, device::DeviceClient};
    /// # fn example(key: &str) -> Result<DeviceClient, Error> {
    /// DeviceClient::builder("https://shop.example.com:8081", key)
    ///     .settings(|settings| settings.request_timeout(Duration::from_secs(5)))
    ///     .build()
    /// # }
    /// ```
    pub fn settings(self, change: impl FnOnce(ClientBuilder) -> ClientBuilder) -> Self {
        Self(change(self.0))
    }

    /// Makes the client. Nothing is sent.
    ///
    /// # Errors
    /// [`SettingsError`](crate::SettingsError): a setting is invalid, or the system has no root
    /// certificates.
    pub fn build(self) -> Result<DeviceClient, Error> {
        self.0.build().map(DeviceClient)
    }
}
