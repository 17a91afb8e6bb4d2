//! Simulated sales, refunds and closings of a register.

use connect_core::{
    Access, Error, Reason, ScreenType,
    wire::{
        Field, LineInput, PaymentInput, Product, Quantity, Timestamp, Transaction,
        TransactionInput, TransactionType, ZReport, ZReportInput,
        limits::MAX_PAGE_SIZE,
        query::{Paging, TransactionQuery},
    },
};

use super::{
    Sandbox, SandboxLocation,
    basket::{Basket, Chance},
};

impl Sandbox {
    /// Makes a sale at the simulated register.
    ///
    /// # Errors
    /// Nothing is for sale, or there is no such location.
    pub(super) async fn sale(&self, place: SandboxLocation) -> Result<Transaction, Error> {
        let register = self.screen(place, ScreenType::Pos).await?;
        let products = self.products(&register).await?;
        self.sell(&register, &products, &mut self.chance(), None)
            .await
    }

    /// Makes a sale at a time, or now.
    pub(super) async fn sell(
        &self,
        register: &Access,
        products: &[Product],
        chance: &mut Chance,
        at: Option<Timestamp>,
    ) -> Result<Transaction, Error> {
        let basket = Basket::fill(products, chance);
        let sale = TransactionInput {
            kind: Field::Value(TransactionType::Sale),
            total_cents: Field::Value(basket.total_cents),
            lines: Field::Value(basket.lines),
            payments: Field::Value(basket.payments),
            created_at: at.map_or(Field::Absent, Field::Value),
            ..TransactionInput::default()
        };
        self.connect
            .location(register)
            .transactions()
            .write(sale)
            .await
    }

    /// Refunds the latest sale without a refund.
    /// Looks at the last 200 rows.
    ///
    /// # Errors
    /// There is no such sale.
    pub(super) async fn refund(&self, place: SandboxLocation) -> Result<Transaction, Error> {
        let register = self.screen(place, ScreenType::Pos).await?;
        let sale = self.latest_sale(&register).await?;
        self.take_back(&register, &sale, None).await
    }

    /// Refunds a sale at a time, or now.
    pub(super) async fn take_back(
        &self,
        register: &Access,
        sale: &Transaction,
        at: Option<Timestamp>,
    ) -> Result<Transaction, Error> {
        let lines = sale.lines.iter().map(|line| LineInput {
            product_id: line.product_id.map_or(Field::Absent, Field::Value),
            name: Field::Value(line.name.clone()),
            quantity: back(line.quantity),
            unit_price_cents: Field::Value(line.unit_price_cents),
            total_cents: Field::Value(-line.total_cents),
            vat_rate: Field::Value(line.vat_rate),
            ..LineInput::default()
        });
        let payments = sale.payments.iter();
        let paid_back =
            payments.map(|paid| PaymentInput::of(paid.method.clone(), -paid.amount_cents));
        let refund = TransactionInput {
            kind: Field::Value(TransactionType::Refund),
            total_cents: Field::Value(-sale.total_cents),
            lines: Field::Value(lines.collect()),
            payments: Field::Value(paid_back.collect()),
            refund_of: Field::Value(sale.id),
            created_at: at.map_or(Field::Absent, Field::Value),
            ..TransactionInput::default()
        };
        self.connect
            .location(register)
            .transactions()
            .write(refund)
            .await
    }

    /// Closes the simulated register.
    ///
    /// # Errors
    /// There is no such location.
    pub(super) async fn close(&self, place: SandboxLocation) -> Result<ZReport, Error> {
        let register = self.screen(place, ScreenType::Pos).await?;
        self.close_at(&register).await
    }

    /// Closes a register.
    pub(super) async fn close_at(&self, register: &Access) -> Result<ZReport, Error> {
        let reports = self.connect.location(register).z_reports();
        reports.close(ZReportInput::default()).await
    }

    /// Finds the latest sale without a refund.
    async fn latest_sale(&self, register: &Access) -> Result<Transaction, Error> {
        let query = TransactionQuery {
            paging: Paging {
                limit: Some(MAX_PAGE_SIZE),
                cursor: None,
            },
            ..TransactionQuery::default()
        };
        let rows = self.connect.location(register).transactions();
        let latest = rows.newest_first().list(&query).await?.data;
        let is_back = |sale: &Transaction| latest.iter().any(|row| row.refund_of == Some(sale.id));
        let mut sales = latest
            .iter()
            .filter(|row| row.kind == TransactionType::Sale);
        let sale = sales.find(|sale| !is_back(sale)).cloned();
        sale.ok_or_else(|| {
            let problem = "there is no sale that could be taken back: simulate one first";
            Error::Conflict(Reason::new(problem))
        })
    }
}

/// The negated quantity, for a refund.
fn back(quantity: Quantity) -> Field<Quantity> {
    let back = Quantity::from_thousandths(-quantity.thousandths());
    back.map_or(Field::Absent, Field::Value)
}
