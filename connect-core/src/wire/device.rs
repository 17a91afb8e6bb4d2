//! Write bodies of registers, kiosks and Scan & Order (contract: Owners and devices).

use super::{
    Field, Fulfilment, GroupOption, Id, Order, OrderStatus, PaymentMethod, PaymentStatus, Product,
    Quantity, Timestamp, Transaction, TransactionType, VatRate,
    form::{Amount, Cents, ExternalId, Name, Objects, OrNull, Prose},
    input::input,
    limits::{
        MAX_AMOUNT_CENTS, MAX_CUSTOMER_NAME, MAX_EMPLOYEE, MAX_EXTERNAL_ID, MAX_LINES, MAX_NOTE,
        MAX_OPTION_NAME, MAX_OPTIONS, MAX_PAYMENTS, MAX_PRICE_CENTS, MAX_PRODUCT_NAME,
        MAX_TABLE_LABEL, MAX_VAT_RATES,
    },
};

input! {
    /// A journal row, as sent by a register.
    pub struct TransactionInput {
        /// The type.
        #[serde(rename = "type")]
        kind: TransactionType, required;
        /// The name of the employee.
        employee: OrNull<Name<MAX_EMPLOYEE>>;
        /// The sum of the payments, in cents.
        /// For sales and refunds also the sum of the lines.
        total_cents: Amount<MAX_AMOUNT_CENTS>, required;
        /// The amount taken off all lines, in cents.
        /// It must agree with the lines when given.
        discount_cents: Cents<MAX_AMOUNT_CENTS>;
        /// The articles. Sales and refunds have at least one, other rows none.
        lines: Objects<LineInput, 0, MAX_LINES>;
        /// The payments.
        /// Opening floats, cash in and cash out have one, in cash.
        payments: Objects<PaymentInput, 0, MAX_PAYMENTS>, required;
        /// The VAT by rate. It must agree with the lines when given.
        vat: Objects<VatInput, 0, MAX_VAT_RATES>;
        /// The refunded sale; only in a refund.
        refund_of: OrNull<Id<Transaction>>;
        /// The paid or refunded order; only in a sale or a refund.
        order_id: OrNull<Id<Order>>;
        /// A remark for people.
        note: OrNull<Prose<MAX_NOTE>>;
        /// The time of the transaction; now unless given.
        created_at: Timestamp;
    }
    read_only: [id, receipt_number, register, currency]
}

input! {
    /// An article sold or ordered.
    pub struct LineInput {
        /// The product, if it is one.
        product_id: OrNull<Id<Product>>;
        /// The client's own code for the product.
        /// Without a `productId`, the product with this code at the location is used; an unknown
        /// code is kept as it is.
        external_id: OrNull<ExternalId<MAX_EXTERNAL_ID>>;
        /// The name on the receipt.
        name: Name<MAX_PRODUCT_NAME>, required;
        /// The quantity: above 0, and in a refund below 0.
        quantity: Quantity, required;
        /// The price of one without its options, in cents, VAT included.
        unit_price_cents: Cents<MAX_PRICE_CENTS>, required;
        /// The amount taken off the line, in cents; 0 unless given.
        discount_cents: Cents<MAX_AMOUNT_CENTS>;
        /// The quantity times the price with the options, in cents.
        /// It is rounded half away from zero, then brought closer to zero by the discount.
        total_cents: Amount<MAX_AMOUNT_CENTS>, required;
        /// The VAT rate in percent.
        vat_rate: VatRate, required;
        /// The chosen options, each once per piece.
        options: Objects<LineOptionInput, 0, MAX_OPTIONS>;
    }
    read_only: []
}

input! {
    /// A chosen option.
    pub struct LineOptionInput {
        /// The option, if it is one of a group.
        option_id: OrNull<Id<GroupOption>>;
        /// The name on the receipt.
        name: Name<MAX_OPTION_NAME>, required;
        /// The surcharge per piece in cents, VAT included; 0 unless given.
        price_cents: Cents<MAX_PRICE_CENTS>;
    }
    read_only: []
}

input! {
    /// A payment of a receipt.
    pub struct PaymentInput {
        /// The means of payment.
        method: PaymentMethod, required;
        /// The amount in cents; negative when money is given back.
        amount_cents: Amount<MAX_AMOUNT_CENTS>, required;
    }
    read_only: []
}

input! {
    /// The VAT of one rate, as computed by the register.
    /// It must agree with the lines.
    pub struct VatInput {
        /// The rate in percent.
        vat_rate: VatRate, required;
        /// The amount without VAT, in cents.
        net_cents: Amount<MAX_AMOUNT_CENTS>, required;
        /// The VAT in cents.
        vat_cents: Amount<MAX_AMOUNT_CENTS>, required;
        /// The amount with VAT, in cents.
        gross_cents: Amount<MAX_AMOUNT_CENTS>, required;
    }
    read_only: []
}

input! {
    /// The body for closing a register.
    pub struct ZReportInput {
        /// The counted cash, in cents; `null` or left out without a count.
        counted_cents: OrNull<Cents<MAX_AMOUNT_CENTS>>;
    }
    read_only: []
}

input! {
    /// A new order of a kiosk or of Scan & Order.
    pub struct OrderInput {
        /// The place where it is eaten.
        fulfilment: Fulfilment, required;
        /// The articles.
        lines: Objects<LineInput, 1, MAX_LINES>, required;
        /// The table.
        table_label: OrNull<Name<MAX_TABLE_LABEL>>;
        /// The name to call out.
        customer_name: OrNull<Name<MAX_CUSTOMER_NAME>>;
        /// A remark for the kitchen.
        note: OrNull<Prose<MAX_NOTE>>;
        /// The state of its payment; `unpaid` unless given.
        payment_status: PaymentStatus;
    }
    read_only: [
        id, number, source, status, currency, total_cents, transaction_id, created_at, updated_at
    ]
}

input! {
    /// A change of an order. Fields left out stay as they are.
    pub struct OrderChange {
        /// The state to move to.
        status: OrderStatus;
        /// The state of its payment.
        payment_status: PaymentStatus;
        /// The sale paying the order. Its `orderId` names the order.
        transaction_id: OrNull<Id<Transaction>>;
    }
    read_only: [id, number, source, currency, total_cents, created_at, updated_at]
}

impl PaymentInput {
    /// A payment of this amount.
    pub fn of(method: PaymentMethod, amount_cents: i64) -> Self {
        Self {
            method: Field::Value(method),
            amount_cents: Field::Value(amount_cents),
        }
    }
}
