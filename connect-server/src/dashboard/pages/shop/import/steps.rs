//! The steps of an import.

use connect_core::{Error, Reason, UserRight};
use http::StatusCode;

use super::{
    fields::ImportField,
    form::{FILE, ImportForm},
    pages::{columns_page, upload_page},
    report::{report_page, result_page},
    rows::{ImportRows, read},
    run::{known_categories, run},
    sheet::SheetProblem,
};
use crate::dashboard::{
    Answer,
    page_request::SignedIn,
    pages::shop::{PageLocation, nowhere, products::PATH as PRODUCTS},
};

/// Shows the page to choose a file, also again.
pub(crate) fn show(to: &SignedIn<'_>) -> Result<Answer, Error> {
    Ok(match find(to)? {
        Some(shop) if to.has_too_large_file => {
            let reason = Reason::of(FILE, SheetProblem::TooLarge.text());
            let page = upload_page(to, &shop, Some(&reason));
            page.with_status(StatusCode::PAYLOAD_TOO_LARGE)
        }
        Some(shop) => upload_page(to, &shop, None),
        None => no_place(to),
    })
}

/// Reads a file, and shows the page to choose its columns.
pub(crate) async fn upload(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let Some(shop) = find(to)? else {
        return Ok(no_place(to));
    };
    Ok(match ImportForm::read(to).await {
        Ok(import) => columns_page(to, &shop, &import, None),
        Err(reason) => refused(upload_page(to, &shop, Some(&reason))),
    })
}

/// Tries the import without writing anything, and shows its report.
pub(crate) async fn check(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let Some(shop) = find(to)? else {
        return Ok(no_place(to));
    };
    let import = match readable(to, &shop).await {
        Ok(import) => import,
        Err(answer) => return Ok(*answer),
    };
    let rows = rows(&shop, &import).await?;
    let found = run(&shop, &import.columns, rows, true).await?;
    Ok(report_page(to, &shop, &import, &found, false))
}

/// Imports the file, and shows the result.
/// With a faulty line nothing is written, unless these are to be left out.
pub(crate) async fn apply(to: &SignedIn<'_>) -> Result<Answer, Error> {
    let Some(shop) = find(to)? else {
        return Ok(no_place(to));
    };
    let import = match readable(to, &shop).await {
        Ok(import) => import,
        Err(answer) => return Ok(*answer),
    };
    if !import.may_skip_faulty {
        let rows = rows(&shop, &import).await?;
        let found = run(&shop, &import.columns, rows, true).await?;
        if !found.problems.is_empty() {
            return Ok(refused(report_page(to, &shop, &import, &found, true)));
        }
    }
    let rows = rows(&shop, &import).await?;
    let done = run(&shop, &import.columns, rows, false).await?;
    Ok(result_page(to, &shop, &import, &done))
}

fn find(to: &SignedIn<'_>) -> Result<Option<PageLocation>, Error> {
    PageLocation::find(to, UserRight::ChangeCatalog)
}

fn no_place(to: &SignedIn<'_>) -> Answer {
    nowhere(to, PRODUCTS, &text!("import-title"))
}

/// Reads the form of a step with a column for codes.
/// Without a file or this column, it is the page of the step before.
async fn readable(to: &SignedIn<'_>, shop: &PageLocation) -> Result<ImportForm, Box<Answer>> {
    let page = |answer| Err(Box::new(refused(answer)));
    let import = match ImportForm::read(to).await {
        Ok(import) => import,
        Err(reason) => return page(upload_page(to, shop, Some(&reason))),
    };
    if import.columns.of(ImportField::Code).is_none() {
        let reason = Reason::of(ImportField::Code.name(), text!("word-must-be-chosen"));
        return page(columns_page(to, shop, &import, Some(&reason)));
    }
    Ok(import)
}

/// Reads the lines, with the categories of the location if none may be created.
async fn rows<'s>(shop: &PageLocation, import: &'s ImportForm) -> Result<ImportRows<'s>, Error> {
    let has_category = import.columns.of(ImportField::Category).is_some();
    let known = match has_category && !import.may_create_categories {
        true => Some(known_categories(shop).await?),
        false => None,
    };
    Ok(read(&import.sheet, &import.columns, known.as_ref()))
}

fn refused(answer: Answer) -> Answer {
    answer.with_status(StatusCode::UNPROCESSABLE_ENTITY)
}
