//! The row of the list with inputs, for one product or a new one.
//!
//! Its inputs belong to a small form outside of the table, as forms cannot be inside of forms.

use std::borrow::Cow;

use connect_core::{
    Error, Reason,
    wire::{Category, Id, Product},
};
use maud::{Markup, html};

use super::{
    EDIT, NEW, PATH, here,
    row::{stock_cell, yes_or_no},
};
use crate::dashboard::{
    FormFields, components,
    inputs::{Problem, is_about},
    messages::numbers,
    page_request::{AT, SignedIn},
    pages::shop::{PageLocation, categories::Categories},
    table::{Cell, Value},
};

/// The fields by their names in the core, for their problems.
pub(super) const NAME: &str = "name";
pub(super) const CODE: &str = "externalId";
pub(super) const BARCODE: &str = "barcode";
pub(super) const OF_CATEGORY: &str = "categoryId";
pub(super) const PRICE: &str = "priceCents";
pub(super) const VAT: &str = "vatRate";
pub(super) const ACTIVE: &str = "isActive";

/// The time of the product's last change as shown.
pub(super) const SEEN: &str = "updatedAt";

/// The fields with room for a problem.
const FIELDS: [&str; 6] = [NAME, CODE, BARCODE, OF_CATEGORY, PRICE, VAT];

/// The id of the form.
const FORM: &str = "edit";

/// A row with inputs.
pub(super) struct EditedRow {
    /// The product as stored; `None` for a new one.
    product: Option<Product>,
    /// The time of its last change to be sent along; "" for a new one.
    seen: String,
    typed: RowInput,
    refused: Option<Reason>,
    /// Set if the product was changed since the page with the form was made.
    is_outdated: bool,
}

/// The values of the inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
struct RowInput {
    name: String,
    code: String,
    barcode: String,
    category: String,
    price: String,
    vat: String,
    is_active: bool,
}

impl RowInput {
    /// The values of a product.
    fn of(product: &Product) -> Self {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let category = product.category_id.map(|id| id.to_string());
        Self {
            name: product.name.clone(),
            code: text(&product.external_id),
            barcode: text(&product.barcode),
            category: category.unwrap_or_default(),
            price: numbers::typed_cents(product.price_cents),
            vat: numbers::quantity(product.vat_rate),
            is_active: product.is_active,
        }
    }

    /// The values of a new product.
    fn new(shop: &PageLocation) -> Self {
        Self {
            name: String::new(),
            code: String::new(),
            barcode: String::new(),
            category: String::new(),
            price: String::new(),
            vat: numbers::quantity(shop.location.default_vat_rate),
            is_active: true,
        }
    }

    /// The values of a sent form.
    fn sent(form: &FormFields) -> Self {
        let text = |name| form.get(name).to_owned();
        Self {
            name: text(NAME),
            code: text(CODE),
            barcode: text(BARCODE),
            category: text(OF_CATEGORY),
            price: text(PRICE),
            vat: text(VAT),
            is_active: form.has_field(ACTIVE),
        }
    }
}

impl EditedRow {
    /// Begins the edit named by the address, if it names one.
    pub(super) async fn of_address(
        to: &SignedIn<'_>,
        shop: &PageLocation,
    ) -> Result<Option<Self>, Error> {
        let product = match to.query.get(EDIT) {
            NEW => None,
            id => {
                let Ok(id) = id.parse() else {
                    return Ok(None);
                };
                let found = shop.records.products().get_many(&[id]).await?;
                let Some(product) = found.into_iter().next() else {
                    return Ok(None);
                };
                Some(product)
            }
        };
        let typed = match &product {
            Some(product) => RowInput::of(product),
            None => RowInput::new(shop),
        };
        Ok(Some(Self {
            seen: last_change(product.as_ref()),
            product,
            typed,
            refused: None,
            is_outdated: false,
        }))
    }

    /// Shows a refused form again, with its input.
    pub(super) async fn again(
        to: &SignedIn<'_>,
        shop: &PageLocation,
        id: Option<Id<Product>>,
        reason: &Reason,
        is_outdated: bool,
    ) -> Result<Self, Error> {
        let product = match id {
            Some(id) => Some(shop.records.products().get(id).await?),
            None => None,
        };
        // Only the page with the changes of others lets them be replaced.
        let seen = match is_outdated {
            true => last_change(product.as_ref()),
            false => to.form.get(SEEN).to_owned(),
        };
        Ok(Self {
            product,
            seen,
            typed: RowInput::sent(&to.form),
            refused: Some(reason.clone()),
            is_outdated,
        })
    }

    /// Returns whether the row is that of a product.
    pub(super) fn is_of(&self, product: &Product) -> bool {
        self.product.as_ref().is_some_and(|it| it.id == product.id)
    }

    /// The chosen category.
    pub(super) fn category(&self) -> Option<Id<Category>> {
        self.typed.category.parse().ok()
    }

    /// Renders the problem, unless it stands beside an input.
    pub(super) fn problem(&self) -> Markup {
        components::problem(self.refused.as_ref(), &FIELDS)
    }

    /// Renders the form of the inputs, without them.
    pub(super) fn form(&self, to: &SignedIn<'_>, shop: &PageLocation) -> Markup {
        let place = match &self.product {
            Some(product) => product.id.to_string(),
            None => NEW.to_owned(),
        };
        let action = here(to, shop, &format!("{PATH}/{place}"));
        html! {
            form id=(FORM) method="post" action=(action) {
                (components::hidden(&to.csrf))
                input type="hidden" name=(AT) value=(shop.location.id);
                @if self.product.is_some() { input type="hidden" name=(SEEN) value=(self.seen); }
            }
        }
    }

    /// Renders the cells. They are sorted as those of the stored product.
    pub(super) fn cells(
        &self,
        to: &SignedIn<'_>,
        shop: &PageLocation,
        categories: &Categories,
    ) -> [Cell; 10] {
        let stored = self.product.as_ref();
        let now = stored.filter(|_| self.is_outdated).map(RowInput::of);
        let typed = &self.typed;
        let text = |name: &str, label: &str, of: fn(&RowInput) -> &str, mode: &str| {
            let changed = now.as_ref().map(of).filter(|now| *now != of(typed));
            self.input(name, label, of(typed), mode, changed)
        };
        let category = |id: &str| match id.parse() {
            Ok(id) => categories.name(id).unwrap_or_default().to_owned(),
            Err(_) => String::new(),
        };
        let now_category = now.as_ref().filter(|now| now.category != typed.category);
        let now_category = now_category.map(|now| match category(&now.category) {
            none if none.is_empty() => text!("products-no-category"),
            name => name.into(),
        });
        let now_active = now.as_ref().map(|now| now.is_active);
        let now_active = now_active.filter(|now| *now != typed.is_active);
        let sorted = |of: fn(&Product) -> Option<String>| match stored.and_then(of) {
            Some(text) => Value::Text(text),
            None => Value::Empty,
        };
        let price = text(PRICE, &text!("word-price"), |it| &it.price, "decimal");
        let vat = text(VAT, &text!("word-vat"), |it| &it.vat, "decimal");
        let (price, vat) = match stored {
            Some(it) => (
                Cell::amount(it.price_cents, price),
                Cell::number(it.vat_rate, vat),
            ),
            None => (Cell::action(price), Cell::action(vat)),
        };
        let category_value = match stored.map(|it| category(&RowInput::of(it).category)) {
            Some(name) if !name.is_empty() => Value::Text(name),
            _ => Value::Empty,
        };
        [
            Cell::empty(),
            Cell::of(
                text(NAME, &text!("word-name"), |it| &it.name, "text"),
                sorted(|it| Some(it.name.clone())),
            ),
            Cell::of(
                text(CODE, &text!("word-code"), |it| &it.code, "text"),
                sorted(|it| it.external_id.clone()),
            ),
            Cell::of(
                text(BARCODE, &text!("word-barcode"), |it| &it.barcode, "text"),
                sorted(|it| it.barcode.clone()),
            ),
            Cell::of(
                self.category_choice(categories, now_category.as_deref()),
                category_value,
            ),
            price,
            vat,
            stored.map_or_else(Cell::empty, |product| stock_cell(shop, product)),
            Cell::of(
                self.active_choice(now_active.map(yes_or_no).as_deref()),
                sorted(|it| Some(yes_or_no(it.is_active).into_owned())),
            ),
            Cell::action(html! {
                span.actions {
                    button form=(FORM) { (text!("word-save")) }
                    a.button.quiet href=(here(to, shop, PATH)) { (text!("word-cancel")) }
                }
            }),
        ]
    }

    /// An input with its problem, and the present value if it was changed meanwhile.
    fn input(
        &self,
        name: &str,
        label: &str,
        value: &str,
        mode: &str,
        changed: Option<&str>,
    ) -> Markup {
        let problem = Problem::of(name, self.refused.as_ref());
        html! {
            div.field {
                input id=(name) name=(name) form=(FORM) type="text" value=(value) inputmode=(mode)
                    autocomplete="off" aria-label=(label) autofocus[self.is_first(name)]
                    aria-invalid=[problem.invalid()] aria-describedby=[problem.id()];
                (problem.render(label))
                (changed_to(changed))
            }
        }
    }

    fn category_choice(&self, categories: &Categories, changed: Option<&str>) -> Markup {
        let label = text!("word-category");
        let problem = Problem::of(OF_CATEGORY, self.refused.as_ref());
        html! {
            div.field {
                select id=(OF_CATEGORY) name=(OF_CATEGORY) form=(FORM) aria-label=(label)
                    autofocus[self.is_first(OF_CATEGORY)]
                    aria-invalid=[problem.invalid()] aria-describedby=[problem.id()] {
                    option value="" { (text!("products-no-category")) }
                    (categories.options(&self.typed.category))
                }
                (problem.render(&label))
                (changed_to(changed))
            }
        }
    }

    fn active_choice(&self, changed: Option<&str>) -> Markup {
        html! {
            input type="checkbox" id=(ACTIVE) name=(ACTIVE) form=(FORM) value="on"
                aria-label=(text!("products-for-sale")) checked[self.typed.is_active];
            (changed_to(changed))
        }
    }

    /// Returns whether an edit begins in this field.
    /// After a refusal it is the one with the problem.
    fn is_first(&self, name: &str) -> bool {
        match &self.refused {
            Some(reason) => is_about(reason, name),
            None => name == NAME,
        }
    }
}

/// The time of a product's last change, as sent in a form.
fn last_change(product: Option<&Product>) -> String {
    product.map_or_else(String::new, |it| it.updated_at.to_string())
}

/// The value of a field changed meanwhile.
fn changed_to(value: Option<&str>) -> Markup {
    html! {
        @if let Some(value) = value {
            @let value: Cow<'_, str> = match value { "" => "–".into(), value => value.into() };
            p.hint { (text!("products-now", value = value)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use connect_core::wire::{Timestamp, WireRecord as _};

    use super::*;

    /// A row without any change of its inputs changes nothing.
    #[test]
    fn a_form_sent_as_shown_has_the_values_of_the_product() {
        let mut product = Product::new(uuid::Uuid::nil(), Timestamp::EPOCH);
        product.name = "Rye & Co".to_owned();
        product.external_id = Some("R-1".to_owned());
        product.category_id = "0199e3a1-7c00-7000-8000-000000000001".parse().ok();
        product.price_cents = 120_305;
        product.vat_rate = "5.5".parse().unwrap_or_default();
        for is_active in [true, false] {
            product.is_active = is_active;
            let shown = RowInput::of(&product);
            assert_eq!((&*shown.price, &*shown.vat), ("1203.05", "5.5"));
            let mut fields = url::form_urlencoded::Serializer::new(String::new());
            fields
                .append_pair(NAME, &shown.name)
                .append_pair(CODE, &shown.code)
                .append_pair(BARCODE, &shown.barcode)
                .append_pair(OF_CATEGORY, &shown.category)
                .append_pair(PRICE, &shown.price)
                .append_pair(VAT, &shown.vat);
            if is_active {
                fields.append_pair(ACTIVE, "on");
            }
            let form = FormFields::parse(fields.finish().as_bytes());
            assert_eq!(RowInput::sent(&form), shown);
        }
    }
}
