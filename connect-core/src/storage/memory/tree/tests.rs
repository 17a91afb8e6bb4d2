//! Tests of the tree against the standard library's map.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

/// Short and long keys. Neighbours differ in their last bytes.
fn rest(number: u32) -> KeySuffix {
    let length = if number.is_multiple_of(3) { 60 } else { 4 };
    KeySuffix::of(&number.to_be_bytes().repeat(length / 4))
}

/// Checks the size of nodes, and the equal depth of leaves.
fn depth<V: Clone>(node: &Node<V>) -> usize {
    assert!((1..=MOST).contains(&node.len()));
    match node {
        Node::Leaf(entries) => {
            assert!(entries.capacity() <= MOST);
            1
        }
        Node::Branch(children) => {
            let depths: Vec<_> = children.iter().map(|(_, node)| depth(node)).collect();
            assert!(depths.iter().all(|depth| *depth == depths[0]));
            depths[0] + 1
        }
    }
}

fn entries(tree: &Tree<u32>, bounds: Bounds<'_>, is_reverse: bool) -> Vec<(KeySuffix, u32)> {
    let mut entries = Vec::new();
    tree.scan(bounds, is_reverse, &mut |key, value| {
        entries.push((key.clone(), *value));
        true
    });
    entries
}

/// A run of numbers, inserted or removed one after another.
#[derive(Clone, Debug)]
struct Run {
    is_insert: bool,
    start: u32,
    step: u32,
    count: u32,
}

fn run() -> impl Strategy<Value = Run> {
    // Steps up, down (by wrapping around), and all over the place.
    let step = prop::sample::select(vec![1, 2, 5, 7919, 10_006]);
    (prop::bool::weighted(0.6), 0..10_007_u32, step, 0..6000_u32).prop_map(
        |(is_insert, start, step, count)| Run {
            is_insert,
            start,
            step,
            count,
        },
    )
}

impl Run {
    fn numbers(&self) -> impl Iterator<Item = u32> {
        (0..self.count).map(|index| (self.start + index * self.step) % 10_007)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn it_holds_what_the_standard_map_does(
        runs in proptest::collection::vec(run(), 1..8),
        from in 0..10_007_u32,
        to in 0..10_007_u32,
    ) {
        let (mut tree, mut model) = (Tree::default(), BTreeMap::new());
        for (value, run) in (0..).zip(&runs) {
            let (copy, before) = (tree.clone(), model.clone());
            for number in run.numbers() {
                if run.is_insert {
                    tree.insert(rest(number), value);
                    model.insert(rest(number), value);
                } else {
                    tree.remove(&rest(number));
                    model.remove(&rest(number));
                }
            }
            prop_assert_eq!(tree.is_empty(), model.is_empty());
            if !tree.is_empty() {
                depth(&tree.root);
            }
            let of_model = |model: BTreeMap<KeySuffix, u32>| model.into_iter().collect::<Vec<_>>();
            prop_assert!(entries(&tree, Bounds::default(), false) == of_model(model.clone()));
            prop_assert!(entries(&copy, Bounds::default(), false) == of_model(before), "the copy");
        }
        for number in [from, to] {
            prop_assert_eq!(tree.get(&rest(number)), model.get(&rest(number)));
        }
        let (from, to) = (&rest(from), &rest(to));
        let bounds = Bounds { from: Some(from), to: Some(to) };
        let mut within = Vec::new();
        if from < to {
            within.extend(model.range(from..to).map(|(key, value)| (key.clone(), *value)));
        }
        prop_assert!(entries(&tree, bounds, false) == within, "in order");
        within.reverse();
        prop_assert!(entries(&tree, bounds, true) == within, "in reverse");
    }
}

#[test]
fn keys_in_order_fill_their_nodes() {
    let mut tree = Tree::default();
    for number in 0..10_000 {
        tree.insert(KeySuffix::of(&u32::to_be_bytes(number)), ());
    }
    let Node::Branch(branches) = &*tree.root else {
        unreachable!("10 000 entries are no leaf");
    };
    let leaves = branches.iter().map(|(_, branch)| branch.len());
    assert_eq!(leaves.sum::<usize>(), 10_000_usize.div_ceil(MOST));
}

#[test]
fn what_is_left_of_many_is_joined() {
    let mut tree = Tree::default();
    for number in 0..10_000 {
        tree.insert(rest(number), ());
    }
    assert_eq!(depth(&tree.root), 3);
    for number in (0..10_000).filter(|number| number % 100 != 0) {
        tree.remove(&rest(number));
    }
    assert_eq!(depth(&tree.root), 2);
    assert!(tree.root.len() <= 100 / FEW + 1);
}

#[test]
fn a_scan_ends_when_it_is_told_to() {
    let mut tree = Tree::default();
    for number in 0..1000 {
        tree.insert(rest(number), number);
    }
    for is_reverse in [false, true] {
        let mut left = 100;
        let is_over = !tree.scan(Bounds::default(), is_reverse, &mut |_, _| {
            left -= 1;
            left > 0
        });
        assert!(is_over);
        assert_eq!(left, 0);
    }
}
