//! Scopes: rights of a token at a location (specification: Authentication).

use super::open_enum::open_enum;

open_enum! {
    /// A token's permission at one location.
    Scope {
        /// Read transactions, Z reports and daily summaries.
        PosRead = "pos:read",
        /// Read categories, products and option groups.
        CatalogRead = "catalog:read",
        /// Create, update and delete categories, products and option groups, batches included.
        CatalogWrite = "catalog:write",
        /// Read stock levels and movements.
        StockRead = "stock:read",
        /// Count stock, book deliveries and corrections.
        StockWrite = "stock:write",
        /// Read kiosk and Scan & Order orders.
        OrdersRead = "orders:read",
    }
}
