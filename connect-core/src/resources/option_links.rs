//! Linking option groups to products (specification: products/option-groups).

use std::collections::HashSet;

use async_trait::async_trait;
use uuid::Uuid;

use super::products;
use crate::{
    auth::Access,
    engine::{
        self, Answer, Change, JsonRecords, Outcome, Records, Request, Resource, Write,
        yield_periodically,
    },
    rules::option_link::{LinkedRecord, Links, RecordName, linked},
    transaction::{
        Error, Fault, Indexed, Reads, Reason, Record, Refusal, UnitOfWork, keys::Family,
    },
    wire::{
        Id, LinkFailure, LinkTarget, OptionGroup, OptionGroupLinks, OptionLinksResult, Product,
        limits::MAX_OPTION_GROUPS_PER_PRODUCT,
    },
};

/// A change of the option groups of many products.
struct LinkOptionGroups(Links);

#[async_trait]
impl Change for LinkOptionGroups {
    fn reads(&self, _: &Access, reads: &mut Reads) {
        for product in &self.0.products {
            reads_of::<Product>(product, Family::ProductByExternalId, reads);
        }
        for group in self.0.add.iter().chain(&self.0.remove) {
            reads_of::<OptionGroup>(group, Family::OptionGroupByExternalId, reads);
        }
    }

    fn more_reads(&self, access: &Access, unit: &UnitOfWork<'_>, reads: &mut Reads) {
        let Links {
            products,
            add,
            remove,
        } = &self.0;
        let groups = add.iter().chain(remove).filter_map(LinkedRecord::id);
        let groups = groups.map(|id| (OptionGroup::ROWS, id));
        let products = products.iter().filter_map(LinkedRecord::id);
        let products = products.map(|id| (Product::ROWS, id));
        engine::look_elsewhere(groups.chain(products), access, unit, reads);
    }

    async fn apply(&self, unit: &mut UnitOfWork<'_>, access: &Access) -> Result<Answer, Error> {
        let mut result = OptionLinksResult::default();
        let failed = &mut result.failed;
        let add = groups(unit, access, &self.0.add, failed).await?;
        let remove = groups(unit, access, &self.0.remove, failed).await?;
        let (mut seen, mut unknown) = (HashSet::new(), HashSet::new());
        let mut changed = Vec::new();
        for (place, target) in self.0.products.iter().enumerate() {
            yield_periodically(place).await;
            let Some(id) = id_of(unit, target, Family::ProductByExternalId).await? else {
                if unknown.insert(&target.name) {
                    failed.push(not_here::<Product>(unit, access, target));
                }
                continue;
            };
            if !seen.insert(id) {
                continue;
            }
            let Some(old) = unit.find::<Product>(id).await? else {
                failed.push(not_here::<Product>(unit, access, target));
                continue;
            };
            match linked(&old.option_group_ids, &add, &remove) {
                None => failed.push(too_many(target)),
                Some(groups) if groups == old.option_group_ids => result.unchanged += 1,
                Some(groups) => {
                    unit.update_with(&old, |product| product.option_group_ids = groups);
                    changed.push(id);
                }
            }
        }
        result.affected = changed.len();
        products::emit_changed(unit, "optionGroups", &changed);
        Answer::with(Outcome::Done, &result)
    }

    fn weight(&self) -> usize {
        self.0.products.len()
    }
}

/// Adds the reads of a named record and of its index entry.
fn reads_of<R: Resource>(target: &LinkedRecord, by_external_id: Family, reads: &mut Reads) {
    match &target.name {
        RecordName::Id(id) => reads.record::<R>(*id),
        RecordName::ExternalId(text) => reads.unique::<R>(by_external_id, Indexed::Text(text)),
    }
}

/// The id of a named record.
/// An id from the request itself may be unknown.
async fn id_of(
    unit: &mut UnitOfWork<'_>,
    target: &LinkedRecord,
    by_external_id: Family,
) -> Result<Option<Uuid>, Fault> {
    match &target.name {
        RecordName::Id(id) => Ok(Some(*id)),
        RecordName::ExternalId(text) => unit.find_unique(by_external_id, Indexed::Text(text)).await,
    }
}

/// The groups found at this location.
/// Missing groups are noted as failed, each once.
async fn groups(
    unit: &mut UnitOfWork<'_>,
    access: &Access,
    targets: &[LinkedRecord],
    failed: &mut Vec<LinkFailure>,
) -> Result<Vec<Id<OptionGroup>>, Error> {
    let mut groups = Vec::new();
    for target in targets {
        let id = id_of(unit, target, Family::OptionGroupByExternalId).await?;
        let group = match id {
            Some(id) => unit.find::<OptionGroup>(id).await?,
            None => None,
        };
        match group {
            Some(group) => groups.push(group.id),
            None => {
                let failure = not_here::<OptionGroup>(unit, access, target);
                if failed
                    .iter()
                    .all(|known| known.reference != failure.reference)
                {
                    failed.push(failure);
                }
            }
        }
    }
    Ok(groups)
}

/// The failure of a record not found at this location.
/// An external id always means a record of this location, even if another location has it too.
fn not_here<R: Linked>(
    unit: &UnitOfWork<'_>,
    access: &Access,
    target: &LinkedRecord,
) -> LinkFailure {
    let (path, noun, name) = (target.path(), R::NAME, &target.name);
    let is_elsewhere = |id| engine::is_elsewhere(access, unit, R::ROWS, id);
    let error = if target.id().is_some_and(is_elsewhere) {
        let problem = format!("{noun} {name} belongs to another location");
        Error::ForbiddenLocation(Reason::of(path, problem))
    } else {
        let problem = format!("there is no {noun} {name} at this location");
        Error::NotFound(Reason::of(path, problem))
    };
    failure::<R>(target, &error)
}

fn too_many(target: &LinkedRecord) -> LinkFailure {
    let problem = format!(
        "the product would have more than {MAX_OPTION_GROUPS_PER_PRODUCT} option groups; remove \
         some of those that it has"
    );
    failure::<Product>(target, &Error::conflict(&target.path(), problem))
}

fn failure<R: Linked>(target: &LinkedRecord, error: &Error) -> LinkFailure {
    LinkFailure {
        kind: R::KIND,
        reference: target.name.to_string(),
        error: error.detail(),
    }
}

/// A kind of record named in links.
trait Linked: Resource {
    const KIND: LinkTarget;
}

impl Linked for Product {
    const KIND: LinkTarget = LinkTarget::Product;
}

impl Linked for OptionGroup {
    const KIND: LinkTarget = LinkTarget::OptionGroup;
}

impl JsonRecords<Product> {
    /// Adds option groups to products and removes other ones, in one commit.
    /// Products and groups with a fault do not spoil the rest; the answer names them.
    ///
    /// # Errors
    /// The request as a whole is malformed or invalid.
    pub fn link_option_groups(
        &self,
        request: Request<OptionGroupLinks>,
    ) -> impl Future<Output = Result<Answer, Refusal>> + Send + use<> {
        let change = |input| Ok(Box::new(LinkOptionGroups(Links::check(input)?)) as _);
        self.connect.write(&self.access, request, change)
    }
}

impl Records<Product> {
    /// Adds option groups to products and removes other ones, in one commit.
    /// Products and groups with a fault do not spoil the rest; the result names them.
    ///
    /// # Errors
    /// The request as a whole is invalid.
    pub fn link_option_groups(&self, links: OptionGroupLinks) -> Write<OptionLinksResult> {
        let records = self.json().clone();
        let target = format!("{}option-groups", self.target(None));
        Write::new("link", target, links, move |request| {
            Box::pin(records.link_option_groups(request))
        })
    }
}
