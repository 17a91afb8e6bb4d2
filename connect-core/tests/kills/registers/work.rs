//! What runs in the process that is killed: a lane for each register, one for the kiosk, two for the
//! stock, and a reader.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use connect_core::wire::{Id, Order, OrderStatus, Transaction, query::TransactionQuery};
use serde_json::Value;

use super::{
    super::notes::Notes,
    facts::Note,
    op::{Op, What},
    place::{Place, REGISTERS},
};

/// One of the tasks of the process.
#[derive(Clone)]
pub(super) struct Worker {
    place: Arc<Place>,
    notes: Notes,
    /// The last number that was given out.
    numbers: Arc<AtomicI64>,
    /// Orders that no register has taken yet.
    waiting: Arc<Mutex<Vec<Id<Order>>>>,
}

impl Worker {
    /// The numbers of a later run are larger.
    pub(super) fn new(place: Place, notes: Notes, run: u32) -> Self {
        Self {
            place: Arc::new(place),
            notes,
            numbers: Arc::new(AtomicI64::new(i64::from(run) * 1_000_000)),
            waiting: Arc::default(),
        }
    }

    /// Works until the process is killed.
    pub(super) async fn work(self) {
        let mut tasks = vec![
            tokio::spawn(self.clone().order()),
            tokio::spawn(self.clone().move_stock(&[What::Count, What::Adjust])),
            tokio::spawn(self.clone().move_stock(&[What::Adjust, What::CountMany])),
            tokio::spawn(self.clone().follow()),
        ];
        let registers = (0..REGISTERS).map(|register| tokio::spawn(self.clone().sell(register)));
        tasks.extend(registers);
        let (first, ..) = futures_util::future::select_all(tasks).await;
        first.unwrap();
    }

    /// Does a write, and notes it before and after.
    async fn send(&self, what: What) -> Value {
        let number = self.numbers.fetch_add(1, Ordering::SeqCst) + 1;
        let op = Op { number, what };
        self.notes.write(&Note::Sent(op.clone()));
        let written = op.send(&self.place).await;
        assert!(!written.replayed, "{op:?}");
        self.notes.write(&Note::Done(op, written.data.clone()));
        written.data
    }

    async fn send_row(&self, what: What) -> Id<Transaction> {
        let row = self.send(what).await;
        serde_json::from_value(row["id"].clone()).unwrap()
    }

    async fn sell(self, register: usize) {
        loop {
            self.send(What::Cash { register }).await;
            let order = None;
            for _ in 0..3 {
                self.send(What::Sale { register, order }).await;
            }
            let of = self.send_row(What::Sale { register, order }).await;
            let refund = What::Refund {
                register,
                of,
                order,
            };
            self.send(refund).await;
            let order = self.waiting.lock().unwrap().pop();
            if let Some(id) = order {
                let of = self.send_row(What::Sale { register, order }).await;
                let is_refunded = id.uuid().as_u128() % 3 == 0;
                if is_refunded {
                    let refund = What::Refund {
                        register,
                        of,
                        order,
                    };
                    self.send(refund).await;
                }
                let to = OrderStatus::Completed;
                self.send(What::Move { order: id, to }).await;
            }
            self.send(What::Close { register }).await;
        }
    }

    async fn order(self) {
        loop {
            let order = self.send(What::Order).await;
            let order = serde_json::from_value(order["id"].clone()).unwrap();
            let to = OrderStatus::Accepted;
            self.send(What::Move { order, to }).await;
            self.waiting.lock().unwrap().push(order);
        }
    }

    async fn move_stock(self, what: &[What]) {
        for what in what.iter().cycle() {
            self.send(what.clone()).await;
        }
    }

    /// Follows the journal, and notes every row that it is shown.
    async fn follow(self) {
        let shop = &self.place.shop;
        let mut query = TransactionQuery::default();
        query.paging.limit = Some(200);
        loop {
            let rows = shop.connect.location(&shop.at).transactions();
            let page = rows.list(&query).await.unwrap().data;
            if let Some(last) = page.last() {
                query.since_receipt = Some(last.receipt_number);
                let shown = page.iter().map(|row| (row.receipt_number, row.id));
                self.notes.write(&Note::Shown(shown.collect()));
            }
            // Writers get on too.
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }
}
