//! The request of a write: its references lead to what is there.

use connect_core::Access;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    input::{Fields, Pick, Write},
    model::Place,
    play::Here,
};
use crate::calls::{Call, Verb};

impl Here {
    /// The request of a write, and who sends it.
    pub(super) fn resolve(&self, write: Write) -> (Access, Value, Call) {
        let Place {
            categories,
            products,
            groups,
            orders,
            ..
        } = &self.model;
        let category = |pick| picked(pick, categories, |it| it.id);
        let product = |pick| picked(pick, products, |it| it.id);
        let group = |pick| picked(pick, groups, |it| it.id);
        let order = |pick| picked(pick, orders, |it| it.id);
        let fields = |fields: &Fields| {
            let mut body = json!({});
            let mut give = |name: &str, value: Option<Value>| {
                if let Some(value) = value {
                    body[name] = value;
                }
            };
            give("externalId", fields.code.map(Value::from));
            give("name", fields.name.map(Value::from));
            give("priceCents", fields.price.map(Value::from));
            match fields.category {
                Some(None) => give("categoryId", Some(Value::Null)),
                name => give("categoryName", name.flatten().map(Value::from)),
            }
            let link = |name| json!(format!("https://images.example/{name}"));
            let image = fields.image.map(|name| name.map_or(Value::Null, link));
            give("imageUrl", image);
            give(
                "optionGroupIds",
                fields.groups.as_ref().map(|picks| {
                    let mut ids: Vec<Uuid> = picks.iter().map(|pick| group(*pick)).collect();
                    ids.sort();
                    ids.dedup();
                    json!(ids)
                }),
            );
            body
        };
        let options = json!([{ "name": "Large" }]);
        let mut by = (self.owner.clone(), Value::Null);
        let (verb, body) = match write {
            Write::CreateCategory(name) => (Verb::CreateCategory, json!({ "name": name })),
            Write::MoveCategory(pick, position) => {
                let verb = Verb::UpdateCategory(category(pick));
                (verb, json!({ "position": position }))
            }
            Write::DeleteCategory(pick) => (Verb::DeleteCategory(category(pick)), Value::Null),
            Write::CreateProduct(given) => (Verb::CreateProduct, fields(&given)),
            Write::UpdateProduct(pick, given) => {
                (Verb::UpdateProduct(product(pick)), fields(&given))
            }
            Write::DeleteProduct(pick) => (Verb::DeleteProduct(product(pick)), Value::Null),
            Write::ManyProducts(items, is_dry) => {
                let items: Vec<Value> = items.iter().map(fields).collect();
                let body = json!({ "items": items, "dryRun": is_dry });
                (Verb::WriteProducts, body)
            }
            Write::Link {
                products,
                add,
                remove,
            } => {
                let products: Vec<Uuid> = products.into_iter().map(product).collect();
                let (add, remove) = (group(add), group(remove));
                let body = json!({
                    "productIds": products, "add": [{ "id": add }], "remove": [{ "id": remove }],
                });
                (Verb::LinkGroups, body)
            }
            Write::CreateGroup(code) => {
                let body = json!({ "name": "Size", "externalId": code, "options": options });
                (Verb::CreateGroup, body)
            }
            Write::RenameGroup(pick, name) => {
                (Verb::UpdateGroup(group(pick)), json!({ "name": name }))
            }
            Write::SetOption(pick, is_on) => {
                let verb = Verb::UpdateOption(group(pick), picked(pick, groups, |it| it.option));
                (verb, json!({ "isAvailable": is_on }))
            }
            Write::DeleteGroup(pick) => (Verb::DeleteGroup(group(pick)), Value::Null),
            Write::ManyGroups(items, is_dry) => {
                let item = |(code, name): &(&str, &str)| json!({ "externalId": code, "name": name, "options": options });
                let items: Vec<Value> = items.iter().map(item).collect();
                (
                    Verb::WriteGroups,
                    json!({ "items": items, "dryRun": is_dry }),
                )
            }
            Write::Count(pick, quantity) => {
                (Verb::Count(product(pick)), json!({ "quantity": quantity }))
            }
            Write::CountMany(items, is_dry) => {
                let item = |(pick, quantity): &(Pick, i64)| json!({ "productId": product(*pick), "quantity": quantity });
                let items: Vec<Value> = items.iter().map(item).collect();
                (Verb::CountMany, json!({ "items": items, "dryRun": is_dry }))
            }
            Write::Adjust(pick, change) => {
                let body = json!({ "productId": product(pick), "quantityChange": change });
                (Verb::Adjust, body)
            }
            Write::Sell {
                register,
                lines,
                is_refund,
                order: of,
            } => {
                by = self.registers[register].clone();
                let lines: Vec<_> = lines
                    .iter()
                    .map(|(pick, pieces)| (pick.map(|_| product(*pick)), *pieces))
                    .collect();
                let mut body = receipt(&lines, is_refund);
                body["orderId"] = json!(of.map(order));
                (Verb::WriteRow, body)
            }
            Write::MoveCash(register) => {
                by = self.registers[register].clone();
                let payments = json!([{ "method": "cash", "amountCents": 500 }]);
                let body = json!({
                    "type": "cash_in", "totalCents": 500, "lines": [], "payments": payments,
                });
                (Verb::WriteRow, body)
            }
            Write::Close(register) => {
                by = self.registers[register].clone();
                (Verb::CloseRegister, json!({ "countedCents": null }))
            }
            Write::MakeOrder(is_scanned) => {
                by = self.kiosks[usize::from(is_scanned)].clone();
                let lines = receipt(&[(None, 1)], false)["lines"].clone();
                (
                    Verb::MakeOrder,
                    json!({ "fulfilment": "dine_in", "lines": lines }),
                )
            }
            Write::MoveOrder(pick, status) => {
                by = self.registers[0].clone();
                let body = match status {
                    Some(status) => json!({ "status": status }),
                    None => json!({ "paymentStatus": "paid" }),
                };
                (Verb::MoveOrder(order(pick)), body)
            }
        };
        let key = None;
        (by.0, by.1, Call { verb, body, key })
    }
}

/// The id of a record; one that none has when there are none.
fn picked<R>(pick: Pick, all: &[R], id: impl Fn(&R) -> Uuid) -> Uuid {
    let unknown = Uuid::from_u128(0x0909_0909_0909_7000_8000_0000_0000_0909);
    match pick {
        Some(number) if !all.is_empty() => id(&all[usize::from(number) % all.len()]),
        _ => unknown,
    }
}

/// A receipt of pieces that cost a euro each.
fn receipt(lines: &[(Option<Uuid>, i64)], is_refund: bool) -> Value {
    let sign = if is_refund { -1 } else { 1 };
    let line = |(product, pieces): &(Option<Uuid>, i64)| {
        json!({
            "productId": product, "name": "Goods", "quantity": sign * pieces,
            "unitPriceCents": 100, "totalCents": sign * pieces * 100, "vatRate": 9,
        })
    };
    let total = sign * 100 * lines.iter().map(|(_, pieces)| pieces).sum::<i64>();
    json!({
        "type": if is_refund { "refund" } else { "sale" },
        "totalCents": total,
        "lines": lines.iter().map(line).collect::<Vec<_>>(),
        "payments": [{ "method": "cash", "amountCents": total }],
    })
}
