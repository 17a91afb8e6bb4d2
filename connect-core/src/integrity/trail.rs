//! The verification of the audit trail: every chain of entries, from its first to its last.
//!
//! The check of rows does not repeat it: it looks at each entry alone.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    Connect,
    storage::{Entry, Range, Read},
    transaction::{
        ChangeClock, Error, Fault, ReadKey, TrailEntry, TrailHash, TrailHead, clock_key,
        keys::GLOBAL, trail_anchor_key, trail_key,
    },
};

/// The number of entries per read.
const PIECE: usize = 100;

/// The result of a verification.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TrailReport {
    /// The number of verified entries.
    pub entries: u64,
    /// The last entries of all chains, to be noted outside of the store.
    pub chains: Vec<TrailEnd>,
    /// The first fault of each chain with one.
    pub faults: Vec<TrailFault>,
    /// The chain to continue after; `None` at the end.
    pub next: Option<Uuid>,
}

/// The last entry of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TrailEnd {
    /// The location, the account, or nil for the store.
    pub chain: Uuid,
    /// The number of the entry.
    pub number: u64,
    /// The hash of the entry.
    pub hash: TrailHash,
}

/// The first altered, removed or misplaced entry of a chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TrailFault {
    /// The location, the account, or nil for the store.
    pub chain: Uuid,
    /// The number of the entry.
    pub number: u64,
    /// The fault in words.
    pub problem: String,
}

impl Connect {
    /// Verifies the chains of the trail, beside writers.
    /// Begins after a chain, and ends with the chain that brings the entries to `most`. `progress` gets the
    /// number of entries so far.
    ///
    /// Rows removed at the end together with the clock of their partition leave no trace in the store. So
    /// compare [`TrailReport::chains`] with those of an earlier report.
    ///
    /// # Errors
    /// The storage failed. Faults are no error; they are in the report.
    pub async fn verify_trail(
        &self,
        after: Option<Uuid>,
        most: u64,
        progress: &mut (dyn FnMut(u64) + Send),
    ) -> Result<TrailReport, Error> {
        let mut chains = vec![GLOBAL];
        for account in self.account_ids().await? {
            chains.push(account.uuid());
            let locations = self.account(account).await?.locations;
            chains.extend(locations.iter().map(|at| at.id.uuid()));
        }
        let begin = chains.iter().position(|chain| Some(*chain) == after);
        let rest = &chains[begin.map_or(0, |begin| begin + 1)..];
        let mut report = TrailReport::default();
        for chain in rest {
            if report.entries >= most {
                return Ok(report);
            }
            self.verify_chain(*chain, &mut report, progress).await?;
            report.next = Some(*chain);
        }
        report.next = None;
        Ok(report)
    }

    async fn verify_chain(
        &self,
        chain: Uuid,
        report: &mut TrailReport,
        progress: &mut (dyn FnMut(u64) + Send),
    ) -> Result<(), Fault> {
        let Ends {
            removed: mut last,
            head,
            newest,
        } = self.ends(chain).await?;
        let end = trail_key(chain, head.number + 1);
        let mut from = trail_key(chain, 0);
        let mut fault = (newest > head.number).then(|| {
            let problem = "is behind the last entry by the clock of its chain";
            (newest, problem.to_owned())
        });
        while fault.is_none() {
            let scan = Read::Scan {
                range: Range {
                    from: &from,
                    to: Some(&end),
                },
                limit: PIECE,
                newest_first: false,
            };
            let rows = self.store().read(&[scan]).await?.entries()?;
            let verified = rows.iter().try_for_each(|row| {
                last = follow(chain, last, row)?;
                report.entries += 1;
                Ok(())
            });
            if let Err(found) = verified {
                // Maintenance may have removed the oldest entries meanwhile.
                let removed = self.ends(chain).await?.removed;
                if removed.number > last.number {
                    last = removed;
                    from = trail_key(chain, 0);
                    continue;
                }
                fault = Some(found);
            } else if rows.len() < PIECE {
                if last.number < head.number {
                    fault = Some((last.number + 1, "is missing".to_owned()));
                } else if last.hash != head.hash {
                    fault = Some((last.number, "was altered".to_owned()));
                }
                break;
            }
            from = trail_key(chain, last.number + 1);
            progress(report.entries);
        }
        if let Some((number, problem)) = fault {
            report.faults.push(TrailFault {
                chain,
                number,
                problem,
            });
        } else if head.number > 0 {
            report.chains.push(TrailEnd {
                chain,
                number: head.number,
                hash: head.hash,
            });
        }
        Ok(())
    }

    /// Reads the ends of a chain, in one state.
    async fn ends(&self, chain: Uuid) -> Result<Ends, Fault> {
        let (clock, anchor) = (clock_key(chain), trail_anchor_key(chain));
        let (first, end) = (trail_key(chain, 0), trail_key(chain, u64::MAX));
        let newest = Read::Scan {
            range: Range {
                from: &first,
                to: Some(&end),
            },
            limit: 1,
            newest_first: true,
        };
        let reads = [Read::Get(&clock), Read::Get(&anchor), newest];
        let mut state = self.store().read(&reads).await?;
        let head = ChangeClock::read(&clock, state.value()?.as_ref())?.trail;
        let removed = TrailHead::read_anchor(&anchor, state.value()?.as_ref())?;
        let newest = state.entries()?.pop();
        let newest = newest.and_then(|(key, _)| ReadKey::of(&key)?.number());
        Ok(Ends {
            removed,
            head: head.unwrap_or(removed),
            newest: newest.unwrap_or_default(),
        })
    }
}

/// The ends of a chain.
struct Ends {
    /// The last entry removed for its age.
    removed: TrailHead,
    /// The last entry by the clock.
    head: TrailHead,
    /// The number of the last stored entry.
    newest: u64,
}

/// Verifies the entry behind `last`. Returns its number and hash, or the number and the fault.
fn follow(chain: Uuid, last: TrailHead, (key, row): &Entry) -> Result<TrailHead, (u64, String)> {
    let number = ReadKey::of(key)
        .and_then(|key| key.number())
        .unwrap_or_default();
    let next = last.number + 1;
    if number > next {
        return Err((next, "is missing".to_owned()));
    }
    if number < next {
        return Err((number, "is there, and was removed for its age".to_owned()));
    }
    let entry: TrailEntry = serde_json::from_slice(row).map_err(|e| (number, e.to_string()))?;
    if (entry.chain, entry.number) != (chain, number) {
        let problem = format!("is entry {} of chain {}", entry.number, entry.chain);
        return Err((number, problem));
    }
    if entry.previous != last.hash {
        // The first kept entry is compared with the note about the removed ones.
        let problem = format!("was altered, or entry {number} no longer names its hash");
        return Err((last.number.max(1), problem));
    }
    Ok(TrailHead {
        number,
        hash: TrailHash::of(row),
    })
}
