//! The limits of the API, with units and less obvious reasons.

/// Records per page when a list request names no `limit`.
pub const DEFAULT_PAGE_SIZE: usize = 50;
/// The most records per page.
pub const MAX_PAGE_SIZE: usize = 200;
/// The longest cursor, in characters.
/// Cursors are opaque and fit into a URL.
pub const MAX_CURSOR_LEN: usize = 200;

/// The largest request body, in bytes (2 MB).
/// Larger ones are `payload_too_large`.
pub const MAX_BODY_BYTES: usize = 2_000_000;
/// The most fields in `details`, over all items of one answer.
/// The error of an item beyond them has its first field only, so an answer is not many times its
/// request.
pub const MAX_DETAILS_PER_BATCH: usize = 1000;
/// Products per batch.
pub const MAX_PRODUCTS_PER_BATCH: usize = 500;

/// The longest `Idempotency-Key`, in visible ASCII characters.
pub const MAX_IDEMPOTENCY_KEY_LEN: usize = 100;
/// The lifetime of an idempotency key from its first use, in hours.
pub const IDEMPOTENCY_HOURS: i64 = 24;
/// The lifetime of a device's idempotency key from first use, in days.
/// A register, kiosk or Scan & Order page may be offline for days before it sends a row again.
pub const DEVICE_IDEMPOTENCY_DAYS: i64 = 7;
/// The longest `X-Request-Id` taken over from a client, in characters.
pub const MAX_REQUEST_ID_LEN: usize = 100;

/// Products of a location, unless configured otherwise.
pub const DEFAULT_LOCATION_PRODUCTS: u64 = 200_000;
/// Categories of a location, unless configured otherwise.
pub const DEFAULT_LOCATION_CATEGORIES: u64 = 20_000;
/// Option groups of a location, unless configured otherwise.
pub const DEFAULT_LOCATION_OPTION_GROUPS: u64 = 20_000;
/// Bytes stored for an account, unless configured otherwise (10 GiB).
pub const DEFAULT_ACCOUNT_BYTES: u64 = 10 * 1024 * 1024 * 1024;

/// Requests per token and window, unless configured otherwise.
pub const DEFAULT_TOKEN_LIMIT: u32 = 120;
/// Requests per account (all tokens together) and window, unless configured otherwise.
pub const DEFAULT_ACCOUNT_LIMIT: u32 = 600;
/// Invalid tokens per address and window, unless configured otherwise.
pub const DEFAULT_ADDRESS_LIMIT: u32 = 30;
/// Requests without need of a token per address and window, unless configured otherwise.
/// These are requests for the document and the probes.
pub const DEFAULT_ANONYMOUS_LIMIT: u32 = 600;
/// The length of a rate-limit window in seconds.
/// Windows are aligned to the minute.
pub const RATE_WINDOW_SECONDS: i64 = 60;

/// The retention of a deleted record's tombstone, in days.
pub const TOMBSTONE_DAYS: i64 = 90;
/// The retention of an event, in days.
pub const EVENT_DAYS: i64 = 30;
/// The default retention of an entry of the audit trail, in days: two years.
pub const DEFAULT_TRAIL_DAYS: u32 = 730;
/// The most ids in one `catalog.products.changed` event; a larger change sends several.
pub const MAX_IDS_PER_EVENT: usize = 1000;

/// Tokens per account, not counting revoked and expired ones.
pub const MAX_TOKENS: usize = 200;
/// The time a revoked or expired token stays listed, in days.
pub const ENDED_TOKEN_DAYS: i64 = 90;
/// The number of last requests kept of a token.
pub const MAX_KEPT_REQUESTS: u64 = 500;
/// The retention of a request of a token, in days.
pub const REQUEST_DAYS: i64 = 30;
/// The time between warning and expiry of a token, in days.
pub const EXPIRY_WARNING_DAYS: i64 = 14;
/// Users per account.
pub const MAX_USERS: usize = 50;
/// The grace time of an erasure, in days.
pub const ERASURE_DAYS: i64 = 30;
/// The shortest time to keep data by a setting of its account, in days.
/// By then every delivery of an event to an endpoint that answers is over.
pub const MIN_RETENTION_DAYS: u32 = 7;
/// The longest such time, in days.
pub const MAX_RETENTION_DAYS: u32 = 36_500;
/// Screens per account.
pub const MAX_SCREENS: usize = 100;
/// Webhooks per account.
pub const MAX_WEBHOOKS: usize = 100;
/// The longest address of a webhook, in characters.
pub const MAX_WEBHOOK_URL: usize = 2000;
/// The time limit for an endpoint's answer, in seconds.
pub const WEBHOOK_SECONDS: u64 = 10;
/// Failed attempts in a row before a webhook is switched off.
pub const MAX_WEBHOOK_FAILURES: u32 = 50;
/// Failed attempts in a row before a webhook is probed.
/// From then on its other deliveries wait.
pub const PROBED_AFTER: u32 = 5;
/// The time between two attempts at a probed webhook, in seconds.
pub const PROBE_SECONDS: i64 = 60;
/// The time deliveries wait for a switched-off webhook, in days.
pub const WAITING_DAYS: i64 = EVENT_DAYS;
/// The time a replaced secret keeps signing, in hours.
pub const FORMER_SECRET_HOURS: i64 = 24;
/// The time for looking up and resending a delivery, in days.
pub const DELIVERY_DAYS: i64 = 30;
/// The window for at most one `stock.changed` per product, in seconds.
pub const STOCK_CHANGED_SECONDS: i64 = 60;

/// The longest category name, in characters.
pub const MAX_CATEGORY_NAME: usize = 100;
/// The highest `position` of a category.
pub const MAX_POSITION: i64 = 1_000_000;

/// The longest product name, in characters.
pub const MAX_PRODUCT_NAME: usize = 200;
/// The longest product description, in characters.
pub const MAX_DESCRIPTION: usize = 2000;
/// The longest `externalId`, in characters.
pub const MAX_EXTERNAL_ID: usize = 100;
/// The longest search, in characters.
pub const MAX_SEARCH: usize = 100;
/// The longest barcode, in characters.
pub const MAX_BARCODE: usize = 64;
/// The highest price, in cents.
pub const MAX_PRICE_CENTS: i64 = 100_000_000;
/// The most percent added to a price by one bulk change.
pub const MAX_PRICE_PERCENT: i64 = 1000;
/// The longest image URL, in characters.
pub const MAX_IMAGE_URL: usize = 2000;
/// The largest downloaded image file, in bytes (5 MB).
pub const MAX_IMAGE_BYTES: usize = 5_000_000;
/// The largest longer side of a stored image copy, in pixels.
pub const MAX_IMAGE_COPY_SIDE: u32 = 800;
/// Option groups per product.
pub const MAX_OPTION_GROUPS_PER_PRODUCT: usize = 50;

/// Products per request for linking option groups.
pub const MAX_PRODUCTS_PER_LINK: usize = 1000;
/// The most products changed at once by an owner.
pub const MAX_PRODUCTS_PER_BULK: usize = 1000;
/// The time for undoing such a change, in days.
pub const BULK_UNDO_DAYS: i64 = 7;
/// Option groups to add per linking request, and to remove.
pub const MAX_OPTION_GROUPS_PER_LINK: usize = 50;

/// Option groups per batch.
pub const MAX_OPTION_GROUPS_PER_BATCH: usize = 200;
/// The longest name of an option group, in characters.
pub const MAX_OPTION_GROUP_NAME: usize = 100;
/// The highest `minSelect` and `maxSelect` of an option group.
pub const MAX_SELECT: i64 = 100;
/// Options per option group.
pub const MAX_OPTIONS: usize = 100;
/// The longest name of an option, in characters.
pub const MAX_OPTION_NAME: usize = 100;

/// The largest amount of money in cents, either way.
/// It is ten thousand million of the currency.
pub const MAX_AMOUNT_CENTS: i64 = 1_000_000_000_000;
/// Lines per receipt or order.
pub const MAX_LINES: usize = 500;
/// Payments per receipt.
pub const MAX_PAYMENTS: usize = 50;
/// VAT rates per receipt.
pub const MAX_VAT_RATES: usize = 50;
/// The longest name of an employee, in characters.
pub const MAX_EMPLOYEE: usize = 100;
/// The largest lead of a register's clock, in hours.
pub const MAX_HOURS_AHEAD: i64 = 24;
/// The longest note, in characters.
pub const MAX_NOTE: usize = 500;
/// The longest label of a table, in characters.
pub const MAX_TABLE_LABEL: usize = 50;
/// The longest name of a customer, in characters.
pub const MAX_CUSTOMER_NAME: usize = 100;

/// Products per request for counting stock.
pub const MAX_STOCK_COUNTS: usize = 1000;

/// The longest name of an account, location, screen or token, in characters.
pub const MAX_OWNER_NAME: usize = 100;
/// The longest e-mail address of an owner, in characters.
/// It is the limit of mail servers.
pub const MAX_OWNER_EMAIL: usize = 254;
