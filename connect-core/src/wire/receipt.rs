//! The parts of sales and orders: lines, payments and VAT (specification: POS, Orders).

use serde::{Deserialize, Serialize};

use super::{GroupOption, Id, Product, Quantity, VatRate, open_enum::open_enum};

/// An article on a receipt or in an order, as sold.
/// Later changes of the product do not change it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Line {
    /// The product, if it was one.
    /// A line sent with an `externalId` alone has the product of the location with this code at the
    /// time.
    pub product_id: Option<Id<Product>>,
    /// The client's own code for the product.
    pub external_id: Option<String>,
    /// The name on the receipt.
    pub name: String,
    /// The quantity; negative in a refund.
    pub quantity: Quantity,
    /// The price of one without its options, in cents, VAT included.
    pub unit_price_cents: i64,
    /// The amount taken off the line, in cents; 0 or more.
    pub discount_cents: i64,
    /// The price of the line with its options, after discount.
    /// In cents, VAT included; negative in a refund.
    pub total_cents: i64,
    /// The VAT rate in percent.
    pub vat_rate: VatRate,
    /// The chosen options, each once per piece.
    pub options: Vec<LineOption>,
}

/// A chosen option.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct LineOption {
    /// The option, if it was one of a group.
    pub option_id: Option<Id<GroupOption>>,
    /// The name on the receipt.
    pub name: String,
    /// The surcharge per piece in cents, VAT included.
    pub price_cents: i64,
}

open_enum! {
    /// The means of a payment.
    PaymentMethod {
        /// Cash.
        Cash = "cash",
        /// A card.
        Card = "card",
        /// A voucher.
        Voucher = "voucher",
        /// An invoice, to be paid later.
        Invoice = "invoice",
        /// Anything else.
        Other = "other",
    }
}

/// A payment of a receipt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Payment {
    /// The means of payment.
    pub method: PaymentMethod,
    /// The amount in cents; negative when money is given back.
    pub amount_cents: i64,
}

/// The VAT of one rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct VatAmount {
    /// The rate in percent.
    pub vat_rate: VatRate,
    /// The amount without VAT, in cents.
    pub net_cents: i64,
    /// The VAT in cents.
    /// On a receipt, it is computed from the sum of all lines of this rate and rounded half away
    /// from zero.
    pub vat_cents: i64,
    /// The amount with VAT, in cents.
    pub gross_cents: i64,
}
