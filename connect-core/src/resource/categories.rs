//! Categories (specification: Categories).

use std::borrow::Cow;

use async_trait::async_trait;
use uuid::Uuid;

use super::{
    Access, Answer, Connect, Failure, Json, Outcome, Request, answer::single, lane::Change,
    list::Slice, products,
};
use crate::{
    record::{Index, Record, Table, Unit, keys::Family},
    rules::{product as rules, text},
    wire::{
        Category, CategoryChanged, CategoryInput, Deleted, EventType, Field, Page, Single,
        Timestamp, query::CategoryQuery,
    },
};

impl Record for Category {
    const TABLE: Table = Table {
        rows: Family::Category,
        by_id: Family::CategoryById,
        tombstones: Family::CategoryTombstone,
    };

    fn id(&self) -> Uuid {
        self.id
    }

    fn updated_at(&self) -> Timestamp {
        self.updated_at
    }

    fn indexes<'a>(&'a self, each: &mut dyn FnMut(Index<'a>)) {
        each(Index::Unique(
            Family::CategoryByName,
            Cow::Owned(text::folded(&self.name)),
        ));
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
        let slice = Slice::of("categories", at, query, &query.sync, self.now())?;
        let rows = self.slice(at, Category::TABLE, &slice).await?;
        Ok(slice.page(at, &rows, None))
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
        let row = self
            .records(at.location().id)
            .find(Category::TABLE, id)
            .await?;
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
    async fn apply(&self, unit: &mut Unit<'_>, _: &Access) -> Result<Answer, Failure> {
        let category = create(unit, &self.0).await?;
        Answer::with(Outcome::Created, &category)
    }
}

struct Update(Uuid, CategoryInput);

#[async_trait]
impl Change for Update {
    async fn apply(&self, unit: &mut Unit<'_>, _: &Access) -> Result<Answer, Failure> {
        let Self(id, input) = self;
        let old: Category = unit
            .find(*id)
            .await?
            .ok_or_else(|| Failure::not_found("category", id))?;
        let mut category = old.clone();
        rules::apply_category(input, &mut category);
        if category != old {
            check_name_is_free(unit, &category).await?;
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
    async fn apply(&self, unit: &mut Unit<'_>, _: &Access) -> Result<Answer, Failure> {
        let Self(id) = *self;
        let category: Category = unit
            .find(id)
            .await?
            .ok_or_else(|| Failure::not_found("category", id))?;
        unit.remove(&category);
        unit.emit(EventType::CategoryChanged, Deleted { id, deleted: true });
        products::leave_category(unit, id).await?;
        Ok(Answer::new(Outcome::Removed, Vec::new()))
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
    check_name_is_free(unit, &category).await?;
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

async fn check_name_is_free(unit: &mut Unit<'_>, category: &Category) -> Result<(), Failure> {
    let holder = unit
        .find_unique(Family::CategoryByName, &text::folded(&category.name))
        .await?;
    match holder {
        Some(holder) if holder != category.id => Err(Failure::conflict(format!(
            "name: category {holder} has this name already (upper and lower case are the same)"
        ))),
        _ => Ok(()),
    }
}

fn emit_changed(unit: &mut Unit<'_>, category: &Category) {
    let changed = CategoryChanged {
        category: category.clone(),
        deleted: false,
    };
    unit.emit(EventType::CategoryChanged, changed);
}
