//! Stock as it should be: a list of products and a list of movements, searched from end to end.

use uuid::Uuid;

use super::input::Count;

/// The largest stock either way, in thousandths.
const MOST: i64 = 1_000_000_000_000;

#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) id: Uuid,
    pub(super) code: Option<String>,
    /// In thousandths.
    pub(super) stock: Option<i64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Moved {
    pub(super) product: Uuid,
    pub(super) code: Option<String>,
    pub(super) kind: &'static str,
    pub(super) change: i64,
    pub(super) after: i64,
    pub(super) sale: Option<Uuid>,
}

/// An event about stock: the products that changed with what they have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Told {
    One(Uuid, i64),
    Many(Vec<(Uuid, i64)>),
}

/// The code of a refusal.
pub(super) type Refused = &'static str;

#[derive(Clone, Debug, Default)]
pub(super) struct Model {
    pub(super) items: Vec<Item>,
    /// Products that are deleted; true for those that had stock.
    pub(super) gone: Vec<(Uuid, bool)>,
    pub(super) foreign: Uuid,
    pub(super) moved: Vec<Moved>,
    pub(super) told: Vec<Told>,
}

impl Model {
    pub(super) fn place(&self, id: Uuid) -> Option<usize> {
        self.items.iter().position(|item| item.id == id)
    }

    pub(super) fn coded(&self, code: &str) -> Option<usize> {
        let has = |item: &Item| item.code.as_deref() == Some(code);
        self.items.iter().position(has)
    }

    pub(super) fn rename(&mut self, id: Uuid, code: Option<&str>) -> Result<(), Refused> {
        let at = self.place(id).ok_or("not_found")?;
        if let Some(other) = code.and_then(|code| self.coded(code))
            && other != at
        {
            return Err("conflict");
        }
        self.items[at].code = code.map(str::to_owned);
        Ok(())
    }

    pub(super) fn delete(&mut self, id: Uuid) -> Result<(), Refused> {
        let at = self.place(id).ok_or("not_found")?;
        let item = self.items.remove(at);
        self.gone.push((item.id, item.stock.is_some()));
        Ok(())
    }

    /// Moves the stock of an item to `after`.
    fn shift(&mut self, at: usize, kind: &'static str, after: i64, sale: Option<Uuid>) {
        let item = &mut self.items[at];
        let before = item.stock.replace(after).unwrap_or(0);
        self.moved.push(Moved {
            product: item.id,
            code: item.code.clone(),
            kind,
            change: after - before,
            after,
            sale,
        });
    }

    /// Counts one product. True when its stock changed.
    pub(super) fn count(&mut self, at: usize, count: Count) -> Result<bool, Refused> {
        let stock = self.items[at].stock;
        if count.expected.is_some() && count.expected != stock {
            return Err("conflict");
        }
        if stock == Some(count.quantity) {
            return Ok(false);
        }
        self.shift(at, "count", count.quantity, None);
        Ok(true)
    }

    pub(super) fn adjust(&mut self, at: usize, change: i64, delivery: bool) -> Result<(), Refused> {
        let after = self.items[at].stock.unwrap_or(0) + change;
        if after.abs() > MOST {
            return Err("conflict");
        }
        let kind = if delivery { "delivery" } else { "correction" };
        self.shift(at, kind, after, None);
        self.told.push(Told::One(self.items[at].id, after));
        Ok(())
    }

    /// Sells what is on these lines, or takes it back.
    pub(super) fn sell(
        &mut self,
        lines: &[(Option<Uuid>, i64)],
        refund: bool,
        sale: Option<Uuid>,
    ) -> Result<(), Refused> {
        let mut seen = Vec::new();
        for (product, _) in lines {
            let Some(product) = product else { continue };
            if seen.contains(product) {
                continue;
            }
            seen.push(*product);
            let of_it = lines.iter().filter(|(other, _)| other == &Some(*product));
            let sold: i64 = of_it.map(|(_, pieces)| pieces).sum();
            let Some(at) = self.place(*product) else {
                continue;
            };
            let Some(stock) = self.items[at].stock else {
                continue;
            };
            if (stock - sold).abs() > MOST {
                return Err("conflict");
            }
            let kind = if refund { "refund" } else { "sale" };
            self.shift(at, kind, stock - sold, sale);
            self.told.push(Told::One(*product, stock - sold));
        }
        Ok(())
    }
}
