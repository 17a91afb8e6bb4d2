//! Sends reads; several callers share a statement.

use super::{
    batcher::{BatchedWork, QueuedItem},
    connections::Connections,
    reads::{self, Question},
};
use crate::storage::{Found, State, StorageError};

/// The concurrent statements for small reads.
/// With one, many callers read as fast, but of two callers one would wait for the other. With four, three
/// busy servers made a third more transactions for the same work.
pub(super) const UNDER_WAY: usize = 2;

/// Reads on the connections of a process.
pub(super) struct Reader(pub(super) Connections);

impl Reader {
    /// Answers all reads of a question.
    ///
    /// # Errors
    /// The database gave no answer.
    async fn answer(&self, question: &Question) -> Result<Vec<Found>, StorageError> {
        let connection = self.0.get().await?;
        match reads::answer(&connection, question).await {
            // The database or a pooler was restarted: another connection may work.
            Err(_) if connection.is_closed() => {
                drop(connection);
                reads::answer(&self.0.get().await?, question).await
            }
            answer => answer,
        }
    }
}

impl BatchedWork for Reader {
    type Item = Question;
    type Answer = Result<State, StorageError>;

    fn is_small(question: &Question) -> bool {
        question.is_small()
    }

    async fn send(&self, question: Question) -> Self::Answer {
        self.answer(&question).await.map(State::new)
    }

    async fn send_all(&self, mut items: Vec<QueuedItem<Self>>) {
        let mut all = Question::default();
        let lengths: Vec<usize> = items.iter().map(|one| one.item.len()).collect();
        for one in &mut items {
            all.append(std::mem::take(&mut one.item));
        }
        match self.answer(&all).await {
            Ok(found) => {
                let mut found = found.into_iter();
                for (one, length) in items.into_iter().zip(lengths) {
                    one.answer(Ok(State::new(found.by_ref().take(length).collect())));
                }
            }
            Err(error) => {
                for one in items {
                    one.answer(Err(error.clone()));
                }
            }
        }
    }
}
