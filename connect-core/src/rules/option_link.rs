//! Rules of linking option groups to products.

use std::fmt;

use uuid::Uuid;

use crate::wire::{
    Id, OptionGroup, OptionGroupLinks, OptionGroupRef, WriteInput as _,
    limits::{MAX_OPTION_GROUPS_PER_PRODUCT, MAX_PRODUCTS_PER_LINK},
    read::Invalid,
};

/// Links checked as far as possible without the state.
pub(crate) struct Links {
    pub(crate) products: Vec<LinkedRecord>,
    pub(crate) add: Vec<LinkedRecord>,
    pub(crate) remove: Vec<LinkedRecord>,
}

/// A record named by the request, and its index there.
pub(crate) struct LinkedRecord {
    pub(crate) name: RecordName,
    list: &'static str,
    place: usize,
}

/// The name of a record in a request.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) enum RecordName {
    Id(Uuid),
    ExternalId(String),
}

impl Links {
    /// Checks the links of a request.
    pub(crate) fn check(mut input: OptionGroupLinks) -> Result<Self, Invalid> {
        input.check()?;
        let ids = input.product_ids.into_value().unwrap_or_default();
        let external_ids = input.product_external_ids.into_value().unwrap_or_default();
        let ids = ids.into_iter().map(|id| RecordName::Id(id.uuid()));
        let external_ids = external_ids.into_iter().map(RecordName::ExternalId);
        let mut products = targets("productIds", ids);
        products.extend(targets("productExternalIds", external_ids));
        if !(1..=MAX_PRODUCTS_PER_LINK).contains(&products.len()) {
            let problem = format!(
                "and productExternalIds must name 1 to {MAX_PRODUCTS_PER_LINK} products together, \
                 not {}",
                products.len()
            );
            return Err(Invalid::new("productIds", problem));
        }
        let add = groups("add", input.add.into_value())?;
        let remove = groups("remove", input.remove.into_value())?;
        if add.is_empty() && remove.is_empty() {
            let problem = "or remove must name an option group";
            return Err(Invalid::new("add", problem));
        }
        Ok(Self {
            products,
            add,
            remove,
        })
    }
}

impl LinkedRecord {
    /// The path of the record in the request.
    pub(crate) fn path(&self) -> String {
        format!("{}[{}]", self.list, self.place)
    }

    /// The id, if the request has it.
    pub(crate) fn id(&self) -> Option<Uuid> {
        match self.name {
            RecordName::Id(id) => Some(id),
            RecordName::ExternalId(_) => None,
        }
    }
}

impl fmt::Display for RecordName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Id(id) => id.fmt(f),
            Self::ExternalId(text) => f.write_str(text),
        }
    }
}

fn targets(list: &'static str, names: impl Iterator<Item = RecordName>) -> Vec<LinkedRecord> {
    let target = |(place, name)| LinkedRecord { name, list, place };
    names.enumerate().map(target).collect()
}

/// Requires each reference to name its group in one way.
fn groups(
    list: &'static str,
    refs: Option<Vec<OptionGroupRef>>,
) -> Result<Vec<LinkedRecord>, Invalid> {
    let named = |(place, group): (usize, OptionGroupRef)| {
        let name = match (group.id.value(), group.external_id.into_value()) {
            (Some(id), None) => RecordName::Id(id.uuid()),
            (None, Some(text)) => RecordName::ExternalId(text),
            _ => {
                let problem = "must have either id or externalId";
                return Err(Invalid::new(format!("{list}[{place}]"), problem));
            }
        };
        Ok(LinkedRecord { name, list, place })
    };
    let refs = refs.unwrap_or_default();
    refs.into_iter().enumerate().map(named).collect()
}

/// The option groups of a product with `old`, after removals and then additions.
/// `None` if a product may not have as many.
pub(crate) fn linked(
    old: &[Id<OptionGroup>],
    add: &[Id<OptionGroup>],
    remove: &[Id<OptionGroup>],
) -> Option<Vec<Id<OptionGroup>>> {
    let mut groups = old.to_vec();
    groups.retain(|group| !remove.contains(group));
    for group in add {
        if !groups.contains(group) {
            groups.push(*group);
        }
    }
    (groups.len() <= MAX_OPTION_GROUPS_PER_PRODUCT).then_some(groups)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removal_goes_first_and_what_is_there_keeps_its_place() {
        let ids = |numbers: &[u128]| -> Vec<Id<OptionGroup>> {
            numbers
                .iter()
                .map(|id| Uuid::from_u128(*id).into())
                .collect()
        };
        for (old, add, remove, expected) in [
            (&[1, 2][..], &[3][..], &[][..], &[1, 2, 3][..]),
            (&[1, 2], &[3, 1], &[], &[1, 2, 3]),
            (&[1, 2, 3], &[], &[2, 9], &[1, 3]),
            // A group both removed and added moves to the end.
            (&[1, 2], &[1], &[1], &[2, 1]),
            (&[], &[4, 4], &[], &[4]),
        ] {
            let groups = linked(&ids(old), &ids(add), &ids(remove));
            assert_eq!(groups, Some(ids(expected)), "{old:?} {add:?} {remove:?}");
        }
    }

    #[test]
    fn a_product_has_fifty_groups_at_most() {
        let ids = |range: std::ops::Range<u128>| -> Vec<Id<OptionGroup>> {
            range.map(|id| Uuid::from_u128(id).into()).collect()
        };
        assert_eq!(linked(&ids(0..49), &ids(49..50), &[]), Some(ids(0..50)));
        assert_eq!(linked(&ids(0..50), &ids(50..51), &[]), None);
        assert_eq!(
            linked(&ids(0..50), &ids(50..51), &ids(0..1)),
            Some(ids(1..51))
        );
    }

    #[test]
    fn a_record_is_named_by_its_place_in_the_request() {
        let names = || ["A", "B"].map(|text| RecordName::ExternalId(text.to_owned()));
        let paths = |list| -> Vec<String> {
            let all = targets(list, names().into_iter());
            all.iter().map(LinkedRecord::path).collect()
        };
        assert_eq!(paths("add"), ["add[0]", "add[1]"]);
        let products = ["productIds[0]", "productIds[1]"];
        assert_eq!(paths("productIds"), products);
    }
}
