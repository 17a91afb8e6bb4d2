//! The device API for registers, kiosks and Scan & Order.
//! It has a queue for offline devices.
//!
//! A [`DeviceClient`] writes with the key of one screen. A register selling without a network pushes to
//! a [`DeviceQueue`] instead, and sends the waiting rows when it can:
//!
//! ```no_run
//! use connect_client::{
//!     device::{DeviceClient, DeviceQueue},
//!     wire::{
//!         LineInput, PaymentInput, PaymentMethod, Quantity, TransactionInput, TransactionType,
//!         VatRate,
//!     },
//! };
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let client = DeviceClient::builder("http://127.0.0.1:8081", std::env::var("DEVICE_KEY")?).build()?;
//! let queue = DeviceQueue::open("/var/lib/till/queue")?;
//!
//! let one: Quantity = "1".parse()?;
//! let bread = LineInput::default()
//!     .name("Bread")
//!     .quantity(one)
//!     .unit_price_cents(345)
//!     .total_cents(345)
//!     .vat_rate(VatRate::percent(9));
//! let sale = TransactionInput::default()
//!     .kind(TransactionType::Sale)
//!     .total_cents(345)
//!     .payments(vec![PaymentInput::of(PaymentMethod::Card, 345)])
//!     .lines(vec![bread]);
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
