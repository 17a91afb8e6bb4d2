//! The counter: stock, registers and orders.

use std::mem;

use serde_json::{Value, json};
use uuid::Uuid;

use super::{Place, Product, Refused, id, with};

impl Place {
    /// Counts many products: one event, with the last quantity of each that changed.
    pub(super) fn count_many(&mut self, body: &Value) {
        let mut changed: Vec<usize> = Vec::new();
        for item in body["items"].as_array().unwrap() {
            let Some(at) = self.product(id(&item["productId"])) else {
                continue;
            };
            let quantity = item["quantity"].as_i64();
            let is_new = mem::replace(&mut self.products[at].stock, quantity) != quantity;
            if is_new && !changed.contains(&at) {
                changed.push(at);
            }
        }
        let item = |at: &usize| {
            let Product { id, stock, .. } = &self.products[*at];
            json!({ "productId": id, "quantity": stock })
        };
        let items: Vec<Value> = changed.iter().map(item).collect();
        if !items.is_empty() {
            let counted = json!({ "reason": "count", "items": items });
            self.tell("stock.batch_changed", counted);
        }
    }

    /// A row of a register. What it sells, or takes back, moves the stock of tracked products.
    pub(super) fn write_row(
        &mut self,
        body: &Value,
        actor: &Value,
        answer: &Value,
    ) -> Result<(), Refused> {
        let is_refund = body["type"] == "refund";
        if body["orderId"].is_string() {
            let order = id(&body["orderId"]);
            let order = self.orders.iter_mut().find(|one| one.id == order);
            let order = order.ok_or(Refused)?;
            let is_refused = match is_refund {
                true => order.is_unpaid,
                false => order.has_sale || order.status == "cancelled",
            };
            if is_refused {
                return Err(Refused);
            }
            order.is_unpaid = false;
            order.has_sale |= !is_refund;
        }
        let row = with(answer, "register", actor.clone());
        self.tell("pos.transaction.created", row);
        let mut moved: Vec<usize> = Vec::new();
        for line in body["lines"].as_array().unwrap() {
            let at = self.product(id(&line["productId"]));
            let at = at.filter(|at| self.products[*at].stock.is_some());
            let Some(at) = at else { continue };
            let pieces = line["quantity"].as_i64().unwrap();
            self.products[at].stock = self.products[at].stock.map(|before| before - pieces);
            if !moved.contains(&at) {
                moved.push(at);
            }
        }
        moved.into_iter().for_each(|at| self.tell_stock(at));
        Ok(())
    }

    pub(super) fn move_order(
        &mut self,
        id: Uuid,
        body: &Value,
        answer: &Value,
    ) -> Result<(), Refused> {
        let order = self.orders.iter_mut().find(|one| one.id == id);
        let order = order.ok_or(Refused)?;
        let Some(status) = body["status"].as_str() else {
            // To be paid is no status.
            order.is_unpaid = false;
            return Ok(());
        };
        if status == order.status {
            return Ok(());
        }
        let steps = ["new", "accepted", "preparing", "ready", "completed"];
        let step = |status: &str| steps.iter().position(|step| *step == status);
        let is_over = ["completed", "cancelled"].contains(&&*order.status);
        if is_over || (status != "cancelled" && step(status) < step(&order.status)) {
            return Err(Refused);
        }
        order.status = status.to_owned();
        self.tell("order.status_changed", answer.clone());
        Ok(())
    }
}
