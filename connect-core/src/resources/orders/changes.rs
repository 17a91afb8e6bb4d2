//! The writes of orders.
//! Kiosks and Scan & Order make them, they and registers move them on, and sales pay them.

use std::mem;

use async_trait::async_trait;

use super::{
    super::{journal::find as transactions, lines},
    row::{NAME, replace, save},
};
use crate::{
    auth::{Access, Actor, ScreenRight},
    engine::{Answer, Change, Outcome},
    rules::{
        order::may_move,
        receipt::{self, Goods},
    },
    storage::Value,
    transaction::{
        Error, Reads, Screen, ScreenType, UnitOfWork,
        keys::{Family, KeyPart, key},
    },
    wire::{
        EventType, Field, Fulfilment, Id, Line, Order, OrderChange, OrderInput, OrderSource,
        OrderStatus, PaymentStatus, TransactionType, WriteInput as _,
        read::{Faults, Invalid},
    },
};

/// Returns the acting screen, and the source of its orders.
///
/// # Errors
/// The caller is no screen for making orders.
pub(super) fn maker(access: &Access) -> Result<(Id<Screen>, OrderSource), Error> {
    let screen = access.screen(ScreenRight::MakeOrders)?;
    let source = match screen.kind {
        ScreenType::ScanAndOrder => OrderSource::ScanAndOrder,
        ScreenType::OrderKiosk | ScreenType::Pos => OrderSource::Kiosk,
    };
    Ok((screen.id, source))
}

/// The creation of an order.
pub(super) struct CreateOrder {
    input: OrderInput,
    lines: Vec<Line>,
}

impl CreateOrder {
    /// Checks the input.
    ///
    /// # Errors
    /// A field is missing or invalid, or a line does not add up.
    pub(super) fn check(mut input: OrderInput) -> Result<Self, Invalid> {
        Faults::check_new(&mut input)?;
        let lines = mem::take(&mut input.lines).into_value();
        let lines = receipt::lines(lines.unwrap_or_default(), Goods::Sold)?;
        Ok(Self { input, lines })
    }
}

#[async_trait]
impl Change for CreateOrder {
    fn reads(&self, _: &Access, reads: &mut Reads) {
        lines::reads(&self.lines, reads);
    }

    async fn apply(&self, unit: &mut UnitOfWork<'_>, access: &Access) -> Result<Answer, Error> {
        let input = &self.input;
        let (screen, source) = maker(access)?;
        let mut lines = self.lines.clone();
        lines::name_products(unit, &mut lines).await?;
        let time = unit.time();
        let order = Order {
            id: unit.next_id().into(),
            number: unit.next_number(Family::Order),
            source,
            status: OrderStatus::New,
            payment_status: given(&input.payment_status, PaymentStatus::Unpaid),
            fulfilment: given(&input.fulfilment, Fulfilment::DineIn),
            table_label: input.table_label.value().cloned(),
            customer_name: input.customer_name.value().cloned(),
            note: input.note.value().cloned(),
            currency: access.location().currency.clone(),
            total_cents: lines.iter().map(|line| line.total_cents).sum(),
            lines,
            transaction_id: None,
            created_at: time,
            updated_at: time,
        };
        save(unit, None, &order);
        let parts = [KeyPart::Id(screen.uuid()), KeyPart::Id(order.id.uuid())];
        let by_screen = key(unit.partition(), Family::OrderByScreen, &parts);
        unit.put_new(by_screen, Value::default());
        unit.emit(EventType::OrderCreated, &order);
        Answer::with(Outcome::Created, &order)
    }
}

fn given<F: crate::wire::form::Form<Value = F> + Clone>(field: &Field<F>, default: F) -> F {
    field.value().cloned().unwrap_or(default)
}

/// The change of an order.
pub(super) struct ChangeOrder {
    id: Id<Order>,
    input: OrderChange,
}

impl ChangeOrder {
    /// Checks the input.
    ///
    /// # Errors
    /// A field is invalid.
    pub(super) fn check(id: Id<Order>, mut input: OrderChange) -> Result<Self, Invalid> {
        input.check()?;
        Ok(Self { id, input })
    }

    /// The index entry of this order for the acting screen.
    /// With this entry, a kiosk may change the order.
    fn by_screen(&self, access: &Access) -> Option<crate::storage::Key> {
        let Actor::Screen { id, .. } = access.actor() else {
            return None;
        };
        let parts = [KeyPart::Id(id.uuid()), KeyPart::Id(self.id.uuid())];
        Some(key(
            access.location().id.uuid(),
            Family::OrderByScreen,
            &parts,
        ))
    }

    /// Checks the caller's right to change this order.
    /// A register may change any order, a kiosk its own.
    async fn check_actor(&self, unit: &mut UnitOfWork<'_>, access: &Access) -> Result<(), Error> {
        let screen = access.screen(ScreenRight::ChangeOrders)?;
        if screen.kind == ScreenType::Pos {
            return Ok(());
        }
        let own = match self.by_screen(access) {
            Some(own) => unit.get(&own).await?,
            None => None,
        };
        // To a kiosk, the order of another kiosk does not exist.
        let none = || Error::not_found(NAME, self.id);
        own.map(|_| ()).ok_or_else(none)
    }
}

#[async_trait]
impl Change for ChangeOrder {
    fn reads(&self, access: &Access, reads: &mut Reads) {
        reads.record::<Order>(self.id.uuid());
        if let Some(own) = self.by_screen(access) {
            reads.row(own);
        }
        if let Some(transaction) = self.input.transaction_id.value() {
            transactions::reads(*transaction, reads);
        }
    }

    async fn apply(&self, unit: &mut UnitOfWork<'_>, access: &Access) -> Result<Answer, Error> {
        self.check_actor(unit, access).await?;
        let old = unit.find::<Order>(self.id.uuid()).await?;
        let old = old.ok_or_else(|| Error::not_found(NAME, self.id))?;
        let mut order = old.clone();
        if let Some(id) = self.input.transaction_id.value() {
            let sale = transactions::find(unit, *id).await?;
            let is_of_order = sale.is_some_and(|sale| {
                sale.kind == TransactionType::Sale && sale.order_id == Some(self.id)
            });
            if !is_of_order {
                let problem = format!("there is no sale {id} with this order in orderId");
                return Err(Invalid::new("transactionId", problem).into());
            }
        }
        // A sale names its order for ever, so an order does not leave its sale either.
        let sale = match &self.input.transaction_id {
            Field::Absent => old.transaction_id,
            Field::Null => None,
            Field::Value(id) => Some(*id),
        };
        if let Some(linked) = old.transaction_id
            && sale != Some(linked)
        {
            let problem = format!("is {linked}, the sale by which the order was paid, and stays");
            return Err(Error::conflict("transactionId", problem));
        }
        order.transaction_id = sale;
        if let Some(status) = self.input.status.value().filter(|new| **new != old.status) {
            if !may_move(&old.status, status) {
                return Err(Error::conflict("status", no_way(&old.status, status)));
            }
            order.status = status.clone();
        }
        if let Some(status) = self.input.payment_status.value() {
            order.payment_status = status.clone();
        }
        replace(unit, &old, &mut order);
        Answer::with(Outcome::Done, &order)
    }
}

fn no_way(from: &OrderStatus, to: &OrderStatus) -> String {
    match from {
        OrderStatus::Completed | OrderStatus::Cancelled => {
            format!("is {from}, which an order does not leave")
        }
        _ => format!(
            "cannot move from {from} back to {to}; an order moves on through new, accepted, \
             preparing, ready and completed, or is cancelled"
        ),
    }
}
