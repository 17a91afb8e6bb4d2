//! Registers, kiosks and Scan & Order: the device API, and a queue for when it cannot be reached.
//!
//! A [`DeviceClient`] writes with the key of one screen. A register that has to go on selling
//! without a network pushes to a [`DeviceQueue`] instead, and sends what waits whenever it can:
//!
//! ```no_run
//! use connect_client::{
//!     device::{DeviceClient, DeviceQueue},
//!     wire::{
//!         Field, LineInput, PaymentInput, PaymentMethod, Quantity, TransactionInput,
//!         TransactionType, VatRate,
//!     },
//! };
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let client = DeviceClient::builder("http://127.0.0.1:8081", std::env::var("DEVICE_KEY")?).build()?;
//! let queue = DeviceQueue::open("/var/lib/till/queue")?;
//!
//! let sale = TransactionInput {
//!     kind: Field::Value(TransactionType::Sale),
//!     total_cents: Field::Value(345),
//!     payments: Field::Value(vec![PaymentInput::of(PaymentMethod::Card, 345)]),
//!     lines: Field::Value(vec![LineInput {
//!         name: "Bread".into(),
//!         quantity: Quantity::from_thousandths(1000).map(Some).into(),
//!         unit_price_cents: Field::Value(345),
//!         total_cents: Field::Value(345),
//!         vat_rate: Field::Value(VatRate::percent(9)),
//!         ..LineInput::default()
//!     }]),
//!     ..TransactionInput::default()
//! };
//! queue.push(sale)?; // on disk once this returns
//!
//! let delivery = queue.send(&client).await;
//! for refused in &delivery.refused {
//!     eprintln!("{}: {}", refused.row.key(), refused.message);
//! }
//! if let Some(reason) = delivery.stopped {
//!     eprintln!("{} rows wait: {reason}", queue.waiting());
//! }
//! # Ok(()) }
//! ```

mod client;
mod disk;
mod error;
#[cfg(test)]
mod faulty;
mod line;
mod list;
mod queue;
mod refused;
mod row;
mod send;

pub use client::{DeviceClient, DeviceClientBuilder};
pub use error::{QueueError, Stopped};
pub use queue::DeviceQueue;
pub use refused::RefusedRow;
pub use row::{DeviceWrite, QueuedRow, RowKind};
pub use send::{Delivered, Delivery};
