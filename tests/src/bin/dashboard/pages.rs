//! The pages to measure, without their location.

/// The style sheet of all pages.
pub(crate) const STYLE: &str = "/dashboard/style.css";

/// The first page by period.
pub(crate) const PERIODS: [&str; 4] = [
    "/dashboard?period=day",
    "/dashboard?period=week",
    "/dashboard?period=month",
    "/dashboard?period=year",
];

/// The other pages with records. `product` is a word of most names.
pub(crate) const OTHERS: [&str; 24] = [
    "/dashboard/journal",
    "/dashboard/journal?period=month",
    "/dashboard/journal?period=year",
    "/dashboard/journal/z-reports",
    "/dashboard/orders",
    "/dashboard/orders?sort=-total",
    "/dashboard/products",
    "/dashboard/products?sort=name",
    "/dashboard/products?q=product",
    "/dashboard/products?q=product+777",
    "/dashboard/products?q=p",
    "/dashboard/stock",
    "/dashboard/search?q=product",
    "/dashboard/search?q=product+777",
    "/dashboard/search?q=500",
    "/dashboard/usage",
    "/dashboard/requests",
    "/dashboard/tokens",
    "/dashboard/webhooks",
    "/dashboard/screens",
    "/dashboard/users",
    "/dashboard/activity",
    "/dashboard/account",
    "/dashboard/privacy",
];
