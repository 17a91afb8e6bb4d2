//! The states of an order (contract: Orders).

use crate::wire::OrderStatus;

/// Returns true if an order may move from one state to another.
pub(crate) fn may_move(from: &OrderStatus, to: &OrderStatus) -> bool {
    use OrderStatus::{Accepted, Cancelled, Completed, New, Preparing, Ready};
    let step = |status: &OrderStatus| match status {
        New => Some(0),
        Accepted => Some(1),
        Preparing => Some(2),
        Ready => Some(3),
        Completed => Some(4),
        Cancelled | OrderStatus::Unknown(_) => None,
    };
    match (from, to) {
        (Completed | Cancelled, _) => false,
        (_, Cancelled) => true,
        _ => step(from).zip(step(to)).is_some_and(|(from, to)| from < to),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_moves_forward_or_is_cancelled() {
        // One row for each state, one column for each target state.
        let table = [
            ("new", ".xxxxx"),
            ("accepted", "..xxxx"),
            ("preparing", "...xxx"),
            ("ready", "....xx"),
            ("completed", "......"),
            ("cancelled", "......"),
        ];
        for (from, row) in table {
            for ((to, _), cell) in table.iter().zip(row.chars()) {
                let moves = may_move(&from.into(), &(*to).into());
                assert_eq!(moves, cell == 'x', "{from} to {to}");
            }
        }
    }
}
