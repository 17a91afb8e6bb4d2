//! The entries of a record go with it: none is left behind, and none is missing.

use connect_core::wire::{CategoryInput, Field, OptionGroupInput, OptionInput, ProductInput};

use crate::shop::Shop;

#[tokio::test]
async fn every_change_takes_the_entries_along() {
    let shop = Shop::open().await;
    let here = shop.connect.location(&shop.at);
    let (mut categories, mut groups) = (Vec::new(), Vec::new());
    for name in ["A", "B", "C"] {
        let category = here.categories().create(CategoryInput::named(name)).await;
        categories.push(category.unwrap().id);
        let group = OptionGroupInput::named(name, vec![OptionInput::named("Ketchup")]);
        groups.push(here.option_groups().create(group).await.unwrap().id);
    }
    let blank = ProductInput::default;
    let in_category = |place: usize| ProductInput {
        category_id: Field::Value(categories[place]),
        ..blank()
    };
    let with_groups = |places: &[usize]| ProductInput {
        option_group_ids: Field::Value(places.iter().map(|place| groups[*place]).collect()),
        ..blank()
    };
    let product = here.products().create(ProductInput::named("Rye")).await;
    let product = product.unwrap().id;
    for change in [
        in_category(0),
        blank().price_cents(1),
        in_category(1),
        blank().price_cents(2),
        blank().external_id("A"),
        blank().external_id("B"),
        ProductInput {
            barcode: Field::Value("1".into()),
            ..blank()
        },
        ProductInput {
            barcode: Field::Value("2".into()),
            ..in_category(2)
        },
        with_groups(&[0, 1]),
        blank().price_cents(3),
        with_groups(&[1, 2]),
        with_groups(&[2, 1]),
        with_groups(&[]),
        with_groups(&[0]),
        ProductInput {
            category_id: Field::Null,
            external_id: Field::Null,
            barcode: Field::Null,
            ..blank()
        },
    ] {
        shop.clock.advance(1);
        let told = format!("{change:?}");
        here.products().update(product, change).await.unwrap();
        let report = shop.connect.check(&mut |_| {}).await.unwrap();
        assert_eq!(report.problems, [], "{told}");
    }
    here.option_groups().delete(groups[0]).await.unwrap();
    let left = here.products().get(product).await.unwrap();
    assert!(left.option_group_ids.is_empty());
    here.products().delete(product).await.unwrap();
    let report = shop.connect.check(&mut |_| {}).await.unwrap();
    assert_eq!(report.problems, []);
}
