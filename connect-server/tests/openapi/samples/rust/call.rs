//! The methods of the SDK for the operations of the API.

use super::{Operation, snake_case};

/// A call of the SDK.
pub(super) struct Call {
    /// The method, such as `location.products().get(id)`.
    pub(super) method: String,
    pub(super) body: Option<Body>,
}

/// The body of a call.
pub(super) struct Body {
    /// Its type, or that of its items.
    pub(super) of: String,
    /// Set for a call that takes the items of the body.
    pub(super) is_list: bool,
}

/// Operations that are not those of every kind of record, without a body and with one.
const WITHOUT_BODY: [(&str, &str); 3] = [
    ("listLocations", "client.locations()"),
    (
        "listStockMovements",
        "location.stock().movements().list(&StockMovementQuery::default())",
    ),
    ("getDailySummary", "location.daily_summary(None)"),
];
const WITH_BODY: [(&str, &str, &str); 8] = [
    (
        "linkOptionGroups",
        "location.products().link_option_groups(&body)",
        "OptionGroupLinks",
    ),
    (
        "updateOption",
        "location.option_groups().update_option(id, option_id, &body)",
        "OptionInput",
    ),
    (
        "countStock",
        "location.stock().count(product_id, &body)",
        "StockCount",
    ),
    (
        "adjustStock",
        "location.stock().adjust(&body)",
        "StockAdjustment",
    ),
    (
        "createTransaction",
        "client.write_transaction(&body)",
        "TransactionInput",
    ),
    ("createZReport", "client.close(&body)", "ZReportInput"),
    ("createOrder", "client.create_order(&body)", "OrderInput"),
    (
        "updateOrder",
        "client.update_order(id, &body)",
        "OrderChange",
    ),
];
const WITH_ITEMS: [(&str, &str, &str); 1] = [(
    "countStocks",
    "location.stock().count_many(&StockCounts { items, ..StockCounts::default() })",
    "StockCountItem",
)];

/// The call for an operation. A new operation that is not one of every kind of record has a line above.
pub(super) fn call(operation: &Operation<'_>) -> Call {
    let id = operation.id;
    let with = |method: &str, of: &str, is_list| Call {
        method: method.to_owned(),
        body: Some(Body {
            of: of.to_owned(),
            is_list,
        }),
    };
    let without = |method: &str| Call {
        method: method.to_owned(),
        body: None,
    };
    if let Some((_, method)) = WITHOUT_BODY.iter().find(|(of, _)| *of == id) {
        return without(method);
    }
    if let Some((_, method, of)) = WITH_BODY.iter().find(|(of, ..)| *of == id) {
        return with(method, of, false);
    }
    if let Some((_, method, of)) = WITH_ITEMS.iter().find(|(of, ..)| *of == id) {
        return with(method, of, true);
    }
    let kind = operation.path.split('/').nth(3).unwrap_or_default();
    let records = format!("location.{}()", kind.replace('-', "_"));
    let input = |end| format!("{}Input", stem(operation.body.unwrap().1, end));
    let begins = |verb| id.starts_with(verb);
    if begins("list") {
        let kind = stem(operation.answer.unwrap(), "Page");
        without(&format!("{records}.list(&{kind}Query::default())"))
    } else if begins("get") {
        let id = operation.ids.last().map(|(name, _)| snake_case(name));
        without(&format!("{records}.get({})", id.unwrap_or_default()))
    } else if begins("create") {
        with(&format!("{records}.create(&body)"), &input("Create"), false)
    } else if begins("update") {
        with(
            &format!("{records}.update(id, &body)"),
            &input("Update"),
            false,
        )
    } else if begins("delete") {
        without(&format!("{records}.delete(id)"))
    } else if id.ends_with("Batch") {
        let method = format!("{records}.batch(&Batch::new(items))");
        with(&method, &input("Batch"), true)
    } else {
        panic!("{id} has no line in samples/rust/call.rs")
    }
}

/// The name of a kind of record in that of a schema.
fn stem<'a>(schema: &'a str, end: &str) -> &'a str {
    let stem = schema.strip_suffix(end);
    stem.unwrap_or_else(|| panic!("{schema} does not end with {end}"))
}
