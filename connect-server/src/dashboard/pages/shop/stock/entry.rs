//! The entry of stock: counts, deliveries and corrections by people.

use std::borrow::Cow;

use connect_core::{
    Error, Reason,
    wire::{AdjustmentType, Id, Product, Quantity, StockAdjustment, StockCount},
};
use maud::{Markup, html};

use super::PATH;
use crate::dashboard::{
    FormFields, components,
    inputs::{self, Field},
    notices::Notice,
    page_request::{AT, SignedIn},
    pages::shop::PageLocation,
};

/// The fields of the forms.
pub(super) const QUANTITY: &str = "quantity";
const KIND: &str = "kind";
const NOTE: &str = "note";
/// The level shown beside the form. If it has changed, a count is refused.
const EXPECTED: &str = "expected";

/// The choice of a count among the kinds.
const COUNT: &str = "count";

/// The content of a form.
#[derive(Debug, PartialEq)]
pub(super) enum Entry {
    Count(StockCount),
    Adjustment(StockAdjustment),
}

impl Entry {
    /// Reads the form about a product.
    pub(super) fn read(form: &FormFields, product: Id<Product>) -> Result<Self, Reason> {
        let note = form.get(NOTE);
        if form.get(KIND) == COUNT {
            let mut count = counted(form)?;
            if !note.is_empty() {
                count = count.note(note);
            }
            return Ok(Self::Count(count));
        }
        let kind = AdjustmentType::known(form.get(KIND));
        let kind = kind.ok_or_else(|| Reason::of(KIND, text!("word-must-be-chosen")))?;
        let change = typed(form)?;
        // The core takes corrections without one. People ask for the reason later.
        if kind == AdjustmentType::Correction && note.is_empty() {
            return Err(Reason::of(NOTE, text!("stock-must-give-reason")));
        }
        let mut adjustment = StockAdjustment::default()
            .product_id(product)
            .quantity_change(change)
            .kind(kind);
        if !note.is_empty() {
            adjustment = adjustment.note(note);
        }
        Ok(Self::Adjustment(adjustment))
    }

    /// Saves it, and returns the notice about it.
    pub(super) async fn save(
        self,
        shop: &PageLocation,
        product: Id<Product>,
    ) -> Result<Notice, Error> {
        match self {
            Self::Count(count) => match save_count(shop, product, count).await? {
                true => Ok(Notice::StockEntered),
                false => Ok(Notice::StockSame),
            },
            Self::Adjustment(adjustment) => {
                shop.records.stock().adjust(adjustment).await?;
                Ok(Notice::StockEntered)
            }
        }
    }
}

/// Reads a counted quantity, and the level shown beside the form.
pub(super) fn counted(form: &FormFields) -> Result<StockCount, Reason> {
    let count = StockCount::of(typed(form)?);
    match form.get(EXPECTED) {
        // The product was not tracked.
        "" => Ok(count),
        shown => {
            let level = quantity_of(shown);
            let level = level.ok_or_else(|| Reason::new(text!("form-too-old")))?;
            Ok(count.expected_quantity(level))
        }
    }
}

/// Saves a count.
/// Returns false if the stock was as counted already.
pub(super) async fn save_count(
    shop: &PageLocation,
    product: Id<Product>,
    count: StockCount,
) -> Result<bool, Error> {
    let counted = count.quantity.value().copied();
    let expected = count.expected_quantity.value().copied();
    let stock = shop.records.stock();
    match stock.count(product, count).await {
        Ok(_) => Ok(counted != expected),
        Err(Error::Conflict(reason)) if reason.field.as_deref() == Some("expectedQuantity") => {
            // A form that is sent twice, or two people with the same count.
            if Some(stock.get(product).await?.quantity) == counted {
                return Ok(false);
            }
            Err(Error::Conflict(changed_meanwhile()))
        }
        Err(error) => Err(error),
    }
}

/// The reason of a count refused after a change by another.
fn changed_meanwhile() -> Reason {
    Reason::new(text!("stock-changed-meanwhile"))
}

fn typed(form: &FormFields) -> Result<Quantity, Reason> {
    let quantity = quantity_of(form.get(QUANTITY));
    quantity.ok_or_else(|| Reason::of(QUANTITY, text!("stock-must-be-quantity")))
}

/// Reads a quantity as typed: `3`, `2.5`, `2,5`, `-1` or `+1`.
pub(super) fn quantity_of(text: &str) -> Option<Quantity> {
    let text = text.strip_prefix('+').unwrap_or(text);
    let text = text.replacen('\u{2212}', "-", 1).replacen(',', ".", 1);
    text.parse().ok()
}

/// Names the form's field in a problem of the core.
pub(super) fn of_form(reason: &Reason) -> Reason {
    let mut reason = reason.clone();
    if reason.field.as_deref() == Some("quantityChange") {
        reason.field = Some(QUANTITY.to_owned());
    }
    reason
}

/// The kinds to choose from: value, and label.
fn kinds() -> [(&'static str, Cow<'static, str>); 3] {
    [
        (COUNT, text!("stock-kind-count")),
        ("delivery", text!("stock-kind-delivery")),
        ("correction", text!("stock-kind-correction")),
    ]
}

/// The form of one product, with the problem if refused.
pub(super) fn form(
    to: &SignedIn<'_>,
    shop: &PageLocation,
    product: &Product,
    refused: Option<&Reason>,
) -> Markup {
    let kind = match to.form.get(KIND) {
        "" => COUNT,
        kind => kind,
    };
    let quantity = Field {
        label: text!("word-quantity"),
        name: QUANTITY,
        // A keypad of digits lacks the minus sign on some telephones.
        kind: "text",
        value: to.form.get(QUANTITY),
        hint: text!("stock-quantity-hint"),
        autocomplete: "off",
    };
    let note = Field {
        label: text!("word-note"),
        name: NOTE,
        kind: "text",
        value: to.form.get(NOTE),
        hint: text!("stock-note-hint"),
        autocomplete: "off",
    };
    let fields = html! {
        (hidden(to, shop, product, refused))
        (components::problem(refused, &[KIND, QUANTITY, NOTE]))
        (inputs::choice(&text!("stock-kind"), KIND, kinds(), kind, refused))
        (quantity.render(refused))
        (note.render_optional(true, refused))
        button { (text!("word-save")) }
    };
    let action = shop.at(&format!("{PATH}/{}", product.id));
    html! {
        div.card {
            h2 { (text!("stock-enter-title")) }
            (components::form(&action, &to.csrf, fields))
        }
    }
}

/// The hidden fields of a form: location, and shown level.
pub(super) fn hidden(
    to: &SignedIn<'_>,
    shop: &PageLocation,
    product: &Product,
    refused: Option<&Reason>,
) -> Markup {
    html! {
        input type="hidden" name=(AT) value=(shop.location.id);
        @if let Some(level) = expected(&to.form, product, refused) {
            input type="hidden" name=(EXPECTED) value=(level);
        }
    }
}

/// The level for a count to rely on.
/// A refused form keeps its own, so that its count replaces none in between. After a refusal for that reason it
/// is the present level.
fn expected(form: &FormFields, product: &Product, refused: Option<&Reason>) -> Option<String> {
    match refused {
        Some(reason) if *reason != changed_meanwhile() => form
            .has_field(EXPECTED)
            .then(|| form.get(EXPECTED).to_owned()),
        _ => product.stock_quantity.map(|level| level.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use connect_core::wire::{Timestamp, WireRecord as _};

    use super::*;

    const ID: &str = "0199e3a1-7c00-7000-8000-000000000001";

    fn read(fields: &str) -> Result<Entry, String> {
        let form = FormFields::parse(fields.as_bytes());
        let entry = Entry::read(&form, ID.parse().unwrap());
        entry.map_err(|reason| reason.field.unwrap_or_default())
    }

    fn quantity(thousandths: i64) -> Quantity {
        Quantity::from_thousandths(thousandths).unwrap()
    }

    #[test]
    fn quantities_are_read_as_people_type_them() {
        for (text, thousandths) in [
            ("3", Some(3000)),
            ("2.5", Some(2500)),
            ("2,125", Some(2125)),
            ("-1", Some(-1000)),
            ("\u{2212}1,5", Some(-1500)),
            ("+4", Some(4000)),
            ("", None),
            ("-", None),
            ("2.1255", None),
            ("1.234,5", None),
            ("three", None),
            ("1 000", None),
            // A barcode scanned into the field.
            ("8712345678906", None),
        ] {
            assert_eq!(quantity_of(text), thousandths.map(quantity), "{text}");
        }
    }

    #[test]
    fn a_form_is_a_count_a_delivery_or_a_correction() {
        let count = StockCount::of(quantity(4000));
        let adjustment = |kind, thousandths| {
            StockAdjustment::default()
                .product_id(ID.parse::<Id<Product>>().unwrap())
                .quantity_change(quantity(thousandths))
                .kind(kind)
        };
        for (fields, expected) in [
            ("kind=count&quantity=4", Ok(Entry::Count(count.clone()))),
            (
                "kind=count&quantity=4&expected=-2.5&note=Shelf",
                Ok(Entry::Count(
                    count.expected_quantity(quantity(-2500)).note("Shelf"),
                )),
            ),
            (
                "kind=delivery&quantity=2,5&expected=1&note=+",
                Ok(Entry::Adjustment(adjustment(
                    AdjustmentType::Delivery,
                    2500,
                ))),
            ),
            (
                "kind=correction&quantity=-1&note=Broken",
                Ok(Entry::Adjustment(
                    adjustment(AdjustmentType::Correction, -1000).note("Broken"),
                )),
            ),
            ("kind=correction&quantity=-1&note=+", Err(NOTE)),
            ("kind=correction&note=Broken", Err(QUANTITY)),
            ("kind=count&quantity=x", Err(QUANTITY)),
            ("kind=count&quantity=4&expected=x", Err("")),
            ("kind=sale&quantity=4", Err(KIND)),
            ("quantity=4", Err(KIND)),
        ] {
            assert_eq!(read(fields), expected.map_err(str::to_owned), "{fields}");
        }
    }

    #[test]
    fn a_refused_count_relies_on_the_level_of_its_own_page() {
        let mut product = Product::new(uuid::Uuid::nil(), Timestamp::EPOCH);
        product.stock_quantity = Some(quantity(7000));
        let mistyped = Reason::of(QUANTITY, "is odd");
        for (fields, refused, level) in [
            ("", None, Some("7")),
            ("expected=4", Some(&mistyped), Some("4")),
            // It was not tracked then.
            ("quantity=x", Some(&mistyped), None),
            ("expected=4", Some(&changed_meanwhile()), Some("7")),
        ] {
            let form = FormFields::parse(fields.as_bytes());
            let found = expected(&form, &product, refused);
            assert_eq!(found.as_deref(), level, "{fields} {refused:?}");
        }
    }

    #[test]
    fn a_problem_of_the_core_stands_at_the_field_of_the_form() {
        for (field, of) in [("quantityChange", QUANTITY), ("note", NOTE)] {
            let reason = of_form(&Reason::of(field, "is bad"));
            assert_eq!(reason, Reason::of(of, "is bad"));
        }
    }
}
