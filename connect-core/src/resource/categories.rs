//! Categories (specification: Categories).

use async_trait::async_trait;
use smallvec::SmallVec;
use uuid::Uuid;

use super::{
    Access, Answer, Connect, Failure, Json, Outcome, Request,
    answer::single,
    list::PageRequest,
    products,
    write_queue::{Change, MOST_RECORDS},
};
use crate::{
    record::{
        Fault, Index, Reads, Record, Through, Unit,
        keys::{Family, Part, key},
    },
    rules::{product as rules, text},
    storage::{Key, Value},
    wire::{
        Category, CategoryChanged, CategoryInput, Deleted, EventType, Field, Page, Single,
        Timestamp, query::CategoryQuery,
    },
};

impl Record for Category {
    const ROWS: Family = Family::Category;
    const BY_CHANGE: Family = Family::CategoryByChange;
    const TOMBSTONES: Family = Family::CategoryTombstone;

    fn id(&self) -> Uuid {
        self.id
    }

    fn updated_at(&self) -> Timestamp {
        self.updated_at
    }

    /// The index of names is kept by [`take_name`] and [`free_name`].
    fn indexes(&self) -> SmallVec<[Index<'_>; 4]> {
        SmallVec::new()
    }
}

impl Connect {
    /// A page of the location's categories, in the order in which they last changed.
    ///
    /// # Errors
    /// A query parameter is bad.
    pub async fn list_categories(
        &self,
        at: &Access,
        query: &CategoryQuery,
    ) -> Result<Json<Page<Category>>, Failure> {
        let request = PageRequest::of("categories", at, query, &query.sync, self.now())?;
        self.page::<Category>(at, &request, Through::All, Through::All, None)
            .await
    }

    /// One category.
    ///
    /// # Errors
    /// [`FailureKind::NotFound`](super::FailureKind::NotFound).
    pub async fn get_category(
        &self,
        at: &Access,
        id: Uuid,
    ) -> Result<Json<Single<Category>>, Failure> {
        let row = self.store().row::<Category>(at.location().id, id).await?;
        row.map(|row| single(&row))
            .ok_or_else(|| Failure::not_found("category", id))
    }

    /// Makes a category; `name` is required.
    ///
    /// # Errors
    /// A field is invalid, or the name is taken.
    pub async fn create_category(
        &self,
        at: &Access,
        request: Request<CategoryInput>,
    ) -> Result<Answer, Failure> {
        self.write(at, request, |input| {
            let input = rules::check_category(input)?;
            rules::name_of(&input.name)?;
            Ok(Box::new(Create(input)))
        })
        .await
    }

    /// Changes the given fields of a category.
    ///
    /// # Errors
    /// A field is invalid, the name is taken, or there is no such category.
    pub async fn update_category(
        &self,
        at: &Access,
        id: Uuid,
        request: Request<CategoryInput>,
    ) -> Result<Answer, Failure> {
        self.write(at, request, |input| {
            Ok(Box::new(Update(id, rules::check_category(input)?)))
        })
        .await
    }

    /// Deletes a category. Its products stay, without a category.
    ///
    /// # Errors
    /// There is no such category.
    pub async fn delete_category(
        &self,
        at: &Access,
        id: Uuid,
        request: Request<()>,
    ) -> Result<Answer, Failure> {
        self.write(at, request, |()| Ok(Box::new(Delete(id)))).await
    }
}

struct Create(CategoryInput);

#[async_trait]
impl Change for Create {
    fn reads(&self, _: &Access, reads: &mut Reads) {
        reads_of_name(&self.0.name, reads);
    }

    async fn apply(&self, unit: &mut Unit<'_>, _: &Access) -> Result<Answer, Failure> {
        let category = create(unit, &self.0).await?;
        Answer::with(Outcome::Created, &category)
    }
}

struct Update(Uuid, CategoryInput);

#[async_trait]
impl Change for Update {
    fn reads(&self, _: &Access, reads: &mut Reads) {
        let Self(id, input) = self;
        reads.record::<Category>(*id);
        reads.row(folded_name_key(reads.partition(), *id));
        reads_of_name(&input.name, reads);
    }

    async fn apply(&self, unit: &mut Unit<'_>, _: &Access) -> Result<Answer, Failure> {
        let Self(id, input) = self;
        let old: Category = unit
            .find(*id)
            .await?
            .ok_or_else(|| Failure::not_found("category", id))?;
        let mut category = old.clone();
        rules::apply_category(input, &mut category);
        if category != old {
            if category.name != old.name {
                free_name(unit, *id).await?;
                take_name(unit, &category).await?;
            }
            category.updated_at = unit.time();
            unit.save(Some(&old), &category);
            emit_changed(unit, &category);
        }
        Answer::with(Outcome::Done, &category)
    }
}

struct Delete(Uuid);

#[async_trait]
impl Change for Delete {
    fn reads(&self, _: &Access, reads: &mut Reads) {
        reads.record::<Category>(self.0);
        reads.row(folded_name_key(reads.partition(), self.0));
    }

    async fn apply(&self, unit: &mut Unit<'_>, _: &Access) -> Result<Answer, Failure> {
        let Self(id) = *self;
        let category: Category = unit
            .find(id)
            .await?
            .ok_or_else(|| Failure::not_found("category", id))?;
        free_name(unit, id).await?;
        unit.remove(&category);
        unit.emit(EventType::CategoryChanged, Deleted { id, deleted: true });
        products::leave_category(unit, id).await?;
        Ok(Answer::new(Outcome::Removed, Vec::new()))
    }

    /// It may touch a whole catalog, so nothing else shares its commit.
    fn weight(&self) -> usize {
        MOST_RECORDS
    }
}

/// Adds what taking a name looks up.
pub(super) fn reads_of_name(name: &Field<String>, reads: &mut Reads) {
    if let Some(name) = name.value() {
        reads.entry(Family::CategoryByName, &text::folded(name));
    }
}

/// Makes a category from checked input that has a name.
async fn create(unit: &mut Unit<'_>, input: &CategoryInput) -> Result<Category, Failure> {
    let mut category = Category {
        id: unit.next_id(),
        name: rules::name_of(&input.name)?.clone(),
        is_active: true,
        position: 0,
        created_at: unit.time(),
        updated_at: unit.time(),
    };
    rules::apply_category(input, &mut category);
    take_name(unit, &category).await?;
    unit.save(None, &category);
    emit_changed(unit, &category);
    Ok(category)
}

/// The id of the category of this name, which is made when there is none.
pub(super) async fn find_or_create(unit: &mut Unit<'_>, name: &str) -> Result<Uuid, Failure> {
    if let Some(id) = unit
        .find_unique(Family::CategoryByName, &text::folded(name))
        .await?
    {
        return Ok(id);
    }
    let input = CategoryInput {
        name: Field::Value(name.to_owned()),
        ..CategoryInput::default()
    };
    create(unit, &input).await.map(|category| category.id)
}

/// Enters the name of a category in the index of names.
async fn take_name(unit: &mut Unit<'_>, category: &Category) -> Result<(), Failure> {
    let folded = text::folded(&category.name);
    match unit.find_unique(Family::CategoryByName, &folded).await? {
        Some(holder) if holder != category.id => {
            return Err(Failure::conflict(format!(
                "name: category {holder} has this name already (upper and lower case are the same)"
            )));
        }
        _ => {}
    }
    let partition = unit.partition();
    let id = Value::from(category.id.as_bytes().as_slice());
    unit.put(name_key(partition, &folded), id);
    let folded_name = folded_name_key(partition, category.id);
    unit.put(folded_name, Value::from(folded.as_bytes()));
    Ok(())
}

/// Takes a category's name out of the index of names. It stands there as it was folded then,
/// whatever folding makes of it today.
async fn free_name(unit: &mut Unit<'_>, id: Uuid) -> Result<(), Fault> {
    let partition = unit.partition();
    let folded_name = folded_name_key(partition, id);
    if let Some(folded) = unit.get(&folded_name).await? {
        let folded = std::str::from_utf8(&folded).map_err(|e| Fault::corrupt(&folded_name, e))?;
        unit.delete(name_key(partition, folded));
        unit.delete(folded_name);
    }
    Ok(())
}

fn name_key(partition: Uuid, folded: &str) -> Key {
    key(partition, Family::CategoryByName, &[Part::Text(folded)])
}

fn folded_name_key(partition: Uuid, category: Uuid) -> Key {
    key(partition, Family::CategoryFoldedName, &[Part::Id(category)])
}

fn emit_changed(unit: &mut Unit<'_>, category: &Category) {
    let changed = CategoryChanged {
        category: category.clone(),
        deleted: false,
    };
    unit.emit(EventType::CategoryChanged, changed);
}
