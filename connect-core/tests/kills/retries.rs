//! Writes that were sent and not answered are sent again under their keys.

use super::{Shop, check::Totals, facts::Facts, op::Op};

/// Sends each write twice: it is done once, and both answers are one. Sends some that were
/// answered as well: they are not done again.
pub(super) async fn twice(shop: &Shop, facts: &Facts, totals: &mut Totals) {
    for op in &facts.pending {
        let first = op.send(&shop.connect, &shop.at).await.unwrap();
        match first.replayed {
            true => totals.retried_and_done_before += 1,
            false => totals.retried_and_done_now += 1,
        }
        let is_deletion = matches!(op, Op::DeleteCategory { .. });
        totals.unanswered_deletions += usize::from(is_deletion);
        let again = op.send(&shop.connect, &shop.at).await.unwrap();
        assert!(again.replayed, "{op:?} was done twice");
        assert_eq!((first.outcome, &first.body), (again.outcome, &again.body));
    }
    for op in &facts.recent {
        let again = op.send(&shop.connect, &shop.at).await.unwrap();
        assert!(again.replayed, "{op:?} was acknowledged and is done again");
    }
}
