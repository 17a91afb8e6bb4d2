//! Orders of kiosks and of Scan & Order (specification: Orders).

mod by_number;
mod changes;
mod list;
mod paid;
mod row;

use std::fmt;

pub(super) use self::paid::{paid, reads_of_paid};
use self::{
    changes::{ChangeOrder, CreateOrder, maker},
    row::NAME,
};
use crate::{
    Refusal,
    auth::Access,
    engine::{Answer, Connect, Json, Request, Write, decoded, single},
    transaction::Error,
    wire::{Id, Order, OrderChange, OrderInput, Page, Single, query::OrderQuery},
};

/// The orders of a location.
/// Tokens list and read them; registers, kiosks and Scan & Order write them.
#[derive(Clone)]
pub struct Orders {
    connect: Connect,
    access: Access,
    newest_first: bool,
}

impl Orders {
    pub(super) fn new(connect: &Connect, access: &Access) -> Self {
        Self {
            connect: connect.clone(),
            access: access.clone(),
            newest_first: false,
        }
    }

    /// Returns the same handle, with lists newest first.
    /// A list with `updatedSince` still begins with the earliest change, as it serves to keep a
    /// copy. A newest-first list leaves out orders made while it is read. Its cursors continue in
    /// its direction, and in no list of the other direction.
    #[must_use]
    pub fn newest_first(self) -> Self {
        Self {
            newest_first: true,
            ..self
        }
    }

    /// Returns a page of the list: by `createdAt`, or with `updatedSince` by `updatedAt`.
    ///
    /// # Errors
    /// A query parameter is bad.
    pub async fn list(&self, query: &OrderQuery) -> Result<Page<Order>, Error> {
        decoded(self.list_json(query).await?.decode())
    }

    /// Returns one order.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn get(&self, id: impl Into<Id<Order>>) -> Result<Order, Error> {
        let single = decoded(self.get_json(id.into()).await?.decode())?;
        Ok(single.data)
    }

    /// The same for a server: the order is JSON.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub async fn get_json(&self, id: Id<Order>) -> Result<Json<Single<Order>>, Error> {
        let (store, location) = (self.connect.store(), self.access.partition());
        let row = store.row::<Order>(location, id.uuid()).await?;
        row.map(|row| single(&row))
            .ok_or_else(|| Error::not_found(NAME, id))
    }

    /// Makes an order as the screen of this access.
    /// The screen is a kiosk or a Scan & Order page.
    ///
    /// # Errors
    /// A field is invalid, a line does not add up, or the access is of no such screen.
    pub fn create(&self, input: OrderInput) -> Write<Order> {
        let this = self.clone();
        Write::new("create", self.target(None), input, move |request| {
            Box::pin(this.create_json(request))
        })
    }

    /// The same for a server.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub async fn create_json(self, request: Request<OrderInput>) -> Result<Answer, Refusal> {
        maker(&self.access)?;
        let change = |input| Ok(Box::new(CreateOrder::check(input)?) as _);
        self.connect.write(&self.access, request, change).await
    }

    /// Changes the given fields of an order.
    /// The caller is a register, or the order's own screen.
    ///
    /// # Errors
    /// There is no such order, the screen may not change it, it cannot move to this state, or the
    /// transaction is not its own.
    pub fn update(&self, id: impl Into<Id<Order>>, change: OrderChange) -> Write<Order> {
        let (this, id) = (self.clone(), id.into());
        Write::new("update", self.target(Some(id)), change, move |request| {
            Box::pin(this.update_json(id, request))
        })
    }

    /// The same for a server.
    ///
    /// # Errors
    /// As [`update`](Self::update).
    pub fn update_json(
        self,
        id: Id<Order>,
        request: Request<OrderChange>,
    ) -> impl Future<Output = Result<Answer, Refusal>> + Send {
        let change = move |input| Ok(Box::new(ChangeOrder::check(id, input)?) as _);
        self.connect.write(&self.access, request, change)
    }

    /// The target of a write: the orders, or one of them.
    fn target(&self, id: Option<Id<Order>>) -> String {
        let location = self.access.location().id;
        let id = id.map(|id| id.to_string()).unwrap_or_default();
        format!("{location}/orders/{id}")
    }
}

impl fmt::Debug for Orders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Orders")
            .field("access", &self.access)
            .finish_non_exhaustive()
    }
}
