//! Orders: made, moved on, and listed.

use connect_core::{
    Access, Error, Orders, ScreenType,
    wire::{
        EventType, Field, Id, Order, OrderChange, OrderSource, OrderStatus, PaymentInput,
        PaymentMethod, PaymentStatus, Quantity, TransactionInput, TransactionType,
        query::{EventQuery, OrderQuery, SyncQuery},
    },
};

use crate::{
    screens::soup,
    shop::{START, Shop},
};

/// A shop with a register, a kiosk and a Scan & Order page.
struct Counter {
    shop: Shop,
    register: Access,
    kiosk: Access,
    scan: Access,
}

impl Counter {
    async fn open() -> Self {
        let shop = Shop::open().await;
        let register = shop.screen(ScreenType::Pos, "Till 2").await;
        let kiosk = shop.screen(ScreenType::OrderKiosk, "Kiosk").await;
        let scan = shop.screen(ScreenType::ScanAndOrder, "Tables").await;
        Self {
            shop,
            register,
            kiosk,
            scan,
        }
    }

    fn orders(&self, at: &Access) -> Orders {
        self.shop.connect.location(at).orders()
    }

    /// The types of the events since the beginning.
    async fn events(&self) -> Vec<EventType> {
        let feed = self.shop.connect.location(&self.shop.at).events();
        let page = feed.list(&EventQuery::default()).await.unwrap();
        page.data.into_iter().map(|event| event.kind).collect()
    }
}

fn to(status: OrderStatus) -> OrderChange {
    OrderChange {
        status: Field::Value(status),
        ..OrderChange::default()
    }
}

#[tokio::test]
async fn an_order_is_numbered_and_moves_on() {
    let counter = Counter::open().await;
    let first = counter.orders(&counter.kiosk).create(soup()).await.unwrap();
    let second = counter.orders(&counter.scan).create(soup()).await.unwrap();
    assert_eq!((first.number, second.number), (1, 2));
    assert_eq!(first.source, OrderSource::Kiosk);
    assert_eq!(second.source, OrderSource::ScanAndOrder);
    assert_eq!(first.status, OrderStatus::New);
    assert_eq!(first.payment_status, PaymentStatus::Unpaid);
    assert_eq!((first.total_cents, &*first.currency), (450, "EUR"));

    // The kiosk moves its own, the register any.
    let kitchen = counter.orders(&counter.register);
    let own = counter.orders(&counter.kiosk);
    let accepted = own.update(first.id, to(OrderStatus::Accepted)).await;
    assert_eq!(accepted.unwrap().status, OrderStatus::Accepted);
    let ready = kitchen.update(first.id, to(OrderStatus::Ready)).await;
    let ready = ready.unwrap();
    assert_eq!(ready.status, OrderStatus::Ready);
    assert!(ready.updated_at > first.updated_at);
    assert_eq!(ready.created_at, first.created_at);

    // The same again changes nothing, and sends nothing.
    let again = kitchen.update(first.id, to(OrderStatus::Ready)).await;
    assert_eq!(again.unwrap(), ready);
    let back = kitchen.update(first.id, to(OrderStatus::Accepted)).await;
    let back = back.unwrap_err();
    assert!(matches!(&back, Error::Conflict(reason) if reason.field.as_deref() == Some("status")));
    let told = back.to_string();
    assert!(
        told.contains("cannot move from ready back to accepted"),
        "{told}"
    );
    let cancelled = own.update(second.id, to(OrderStatus::Cancelled)).await;
    assert!(
        matches!(cancelled, Err(Error::NotFound(_))),
        "{cancelled:?}"
    );
    kitchen
        .update(second.id, to(OrderStatus::Cancelled))
        .await
        .unwrap();
    let on = kitchen.update(second.id, to(OrderStatus::Ready)).await;
    let told = on.unwrap_err().to_string();
    assert!(
        told.contains("is cancelled, which an order does not leave"),
        "{told}"
    );
    let paid = OrderChange {
        payment_status: Field::Value(PaymentStatus::Paid),
        ..OrderChange::default()
    };
    let paid = kitchen.update(first.id, paid).await.unwrap();
    assert_eq!(paid.payment_status, PaymentStatus::Paid);
    assert_eq!(
        counter
            .orders(&counter.shop.at)
            .get(first.id)
            .await
            .unwrap(),
        paid
    );

    let (created, moved) = (EventType::OrderCreated, EventType::OrderStatusChanged);
    let expected = [
        created.clone(),
        created,
        moved.clone(),
        moved.clone(),
        moved,
    ];
    assert_eq!(counter.events().await, expected);
    let report = counter.shop.connect.check(&mut |_| {}).await.unwrap();
    assert!(report.problems.is_empty(), "{report:?}");
}

#[tokio::test]
async fn only_the_right_screens_write_orders() {
    let counter = Counter::open().await;
    let order = counter.orders(&counter.kiosk).create(soup()).await.unwrap();
    for at in [&counter.register, &counter.shop.at] {
        let refused = counter.orders(at).create(soup()).await.unwrap_err();
        assert!(matches!(refused, Error::ForbiddenScope(_)), "{refused}");
    }
    let done = || to(OrderStatus::Completed);
    let others = counter.orders(&counter.scan).update(order.id, done()).await;
    let others = others.unwrap_err();
    assert!(matches!(others, Error::NotFound(_)), "{others}");
    let owner = counter
        .orders(&counter.shop.at)
        .update(order.id, done())
        .await;
    let owner = owner.unwrap_err();
    assert!(matches!(owner, Error::ForbiddenScope(_)), "{owner}");
    let nobody = Id::new(uuid::Uuid::from_u128(7));
    let nothing = counter
        .orders(&counter.register)
        .update(nobody, done())
        .await;
    assert!(matches!(nothing.unwrap_err(), Error::NotFound(_)));
}

#[tokio::test]
async fn orders_are_listed_by_creation_or_by_change() {
    let counter = Counter::open().await;
    let mut made = Vec::new();
    for _ in 0..7 {
        counter.shop.clock.advance(3600);
        made.push(
            counter
                .orders(&counter.kiosk)
                .create(soup())
                .await
                .unwrap()
                .id,
        );
    }
    let kitchen = counter.orders(&counter.register);
    for order in [5, 1, 3] {
        let change = to(OrderStatus::Cancelled);
        kitchen.update(made[order], change).await.unwrap();
    }
    let all = counter.orders(&counter.shop.at);
    let walk = async |query: OrderQuery| {
        let mut query = OrderQuery {
            sync: SyncQuery {
                limit: Some(2),
                ..query.sync
            },
            ..query
        };
        let mut numbers = Vec::new();
        loop {
            let page = all.list(&query).await.unwrap();
            numbers.extend(page.data.iter().map(|order: &Order| order.number));
            query.sync.cursor = page.next_cursor;
            if query.sync.cursor.is_none() {
                return numbers;
            }
        }
    };
    let everything = || OrderQuery::default();
    assert_eq!(walk(everything()).await, [1, 2, 3, 4, 5, 6, 7]);
    let cancelled = OrderQuery {
        status: Some(OrderStatus::Cancelled),
        ..everything()
    };
    assert_eq!(walk(cancelled.clone()).await, [2, 4, 6]);
    let scanned = OrderQuery {
        source: Some(OrderSource::ScanAndOrder),
        ..everything()
    };
    assert_eq!(walk(scanned).await, [0_u64; 0]);
    let at = |hours: i64| {
        Some(connect_core::wire::query::Moment::At(
            START.plus_seconds(hours * 3600),
        ))
    };
    let some_hours = OrderQuery {
        from: at(3),
        to: at(6),
        ..everything()
    };
    assert_eq!(walk(some_hours.clone()).await, [3, 4, 5]);
    // By change: the untouched in their order, then the cancelled as they were cancelled.
    let since = |query: OrderQuery| OrderQuery {
        sync: SyncQuery {
            updated_since: Some(START),
            include_deleted: true,
            ..query.sync
        },
        ..query
    };
    assert_eq!(walk(since(everything())).await, [1, 3, 5, 7, 6, 2, 4]);
    assert_eq!(walk(since(cancelled)).await, [6, 2, 4]);
    assert_eq!(walk(since(some_hours)).await, [3, 5, 4]);
    let from = OrderQuery {
        from: at(3),
        ..everything()
    };
    assert_eq!(walk(since(from)).await, [3, 5, 7, 6, 4]);
    let to = OrderQuery {
        to: at(6),
        ..everything()
    };
    assert_eq!(walk(since(to)).await, [1, 3, 5, 2, 4]);
}

/// However unevenly they were made.
#[tokio::test]
async fn an_order_is_found_by_its_number() {
    let counter = Counter::open().await;
    let (kiosk, all) = (
        counter.orders(&counter.kiosk),
        counter.orders(&counter.shop.at).newest_first(),
    );
    assert_eq!(all.by_number(1).await.unwrap(), None);
    let mut made = Vec::new();
    for number in 0_u64..230 {
        // Many at the same time, and then a quiet year.
        let seconds = if number % 75 == 74 {
            365 * 24 * 3600
        } else {
            0
        };
        counter.shop.clock.advance(seconds);
        made.push(kiosk.create(soup()).await.unwrap());
    }
    for order in &made {
        let found = all.by_number(order.number).await.unwrap();
        assert_eq!(found.as_ref(), Some(order));
    }
    for none in [0, 231, u64::MAX] {
        assert_eq!(all.by_number(none).await.unwrap(), None, "{none}");
    }
}

/// The receipt of one soup, of this order.
fn receipt(order: Id<Order>, kind: TransactionType) -> TransactionInput {
    let (pieces, cents) = match kind {
        TransactionType::Refund => (-1000, -450),
        _ => (1000, 450),
    };
    let mut lines = soup().lines.into_value().unwrap();
    lines[0].quantity = Field::Value(Quantity::from_thousandths(pieces).unwrap());
    lines[0].total_cents = Field::Value(cents);
    TransactionInput {
        kind: Field::Value(kind),
        total_cents: Field::Value(cents),
        lines: Field::Value(lines),
        payments: Field::Value(vec![PaymentInput::of(PaymentMethod::Card, cents)]),
        order_id: Field::Value(order),
        ..TransactionInput::default()
    }
}

#[tokio::test]
async fn an_order_becomes_a_sale_that_is_linked_both_ways() {
    let counter = Counter::open().await;
    let order = counter.orders(&counter.kiosk).create(soup()).await.unwrap();
    let other = counter.orders(&counter.kiosk).create(soup()).await.unwrap();
    let journal = counter
        .shop
        .connect
        .location(&counter.register)
        .transactions();
    let kitchen = counter.orders(&counter.register);

    let sale = journal
        .write(receipt(order.id, TransactionType::Sale))
        .await;
    let sale = sale.unwrap();
    assert_eq!(sale.order_id, Some(order.id));
    let paid = kitchen.get(order.id).await.unwrap();
    assert_eq!(paid.transaction_id, Some(sale.id));
    assert_eq!(paid.payment_status, PaymentStatus::Paid);
    assert!(paid.updated_at > order.updated_at);

    // A second sale of it is refused, and leaves nothing.
    let again = journal
        .write(receipt(order.id, TransactionType::Sale))
        .await;
    let again = again.unwrap_err();
    assert!(matches!(&again, Error::Conflict(r) if r.field.as_deref() == Some("orderId")));
    let unknown = Id::new(uuid::Uuid::from_u128(7));
    let unknown = journal.write(receipt(unknown, TransactionType::Sale)).await;
    let unknown = unknown.unwrap_err();
    assert!(matches!(&unknown, Error::Invalid(r) if r.field.as_deref() == Some("orderId")));
    assert_eq!(
        journal.list(&Default::default()).await.unwrap().data.len(),
        1
    );

    // Only the order that the sale names can have it.
    let with = |transaction| OrderChange {
        transaction_id: transaction,
        ..OrderChange::default()
    };
    let wrong = kitchen.update(other.id, with(Field::Value(sale.id))).await;
    let wrong = wrong.unwrap_err();
    assert!(matches!(&wrong, Error::Invalid(r) if r.field.as_deref() == Some("transactionId")));
    let without = kitchen.update(order.id, with(Field::Null)).await;
    let without = without.unwrap_err();
    assert!(matches!(&without, Error::Conflict(r) if r.field.as_deref() == Some("transactionId")));
    let unpaid = journal
        .write(receipt(other.id, TransactionType::Refund))
        .await;
    let unpaid = unpaid.unwrap_err();
    assert!(matches!(&unpaid, Error::Conflict(r) if r.field.as_deref() == Some("orderId")));
    let linked = kitchen.update(order.id, with(Field::Value(sale.id))).await;
    assert_eq!(linked.unwrap().transaction_id, Some(sale.id));

    let refund = TransactionInput {
        refund_of: Field::Value(sale.id),
        ..receipt(order.id, TransactionType::Refund)
    };
    journal.write(refund).await.unwrap();
    let refunded = kitchen.get(order.id).await.unwrap();
    assert_eq!(refunded.payment_status, PaymentStatus::Refunded);
    assert_eq!(refunded.transaction_id, Some(sale.id));

    let cancelled = kitchen.update(other.id, to(OrderStatus::Cancelled)).await;
    cancelled.unwrap();
    let late = journal
        .write(receipt(other.id, TransactionType::Sale))
        .await;
    assert!(matches!(late.unwrap_err(), Error::Conflict(_)));
    let report = counter.shop.connect.check(&mut |_| {}).await.unwrap();
    assert!(report.problems.is_empty(), "{report:?}");
}
