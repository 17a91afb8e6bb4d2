//! A request, and the stores that answer it.

/// A request of a client.
#[derive(Debug)]
pub enum Work {
    /// Create this product.
    Create(Vec<u8>),
    /// Create these products, in one transaction.
    CreateMany(Vec<u8>),
    /// Update these products, in one transaction.
    UpdateMany(Vec<u8>),
    /// The product of this number.
    Get(usize),
    /// Some page of 200, chosen by this number.
    Page(usize),
    /// The 200 products after the last change of the product of this number.
    Delta(usize),
}

impl Work {
    /// Makes sure that an answer is one.
    pub fn check(&self, answer: &[u8]) {
        let least = match self {
            Self::Create(_) => 10,
            Self::CreateMany(_) | Self::UpdateMany(_) => 1000,
            Self::Get(_) => 300,
            Self::Page(_) | Self::Delta(_) => 60_000,
        };
        let start = String::from_utf8_lossy(&answer[..answer.len().min(300)]);
        assert!(answer.len() >= least, "{self:?} was answered by {start}");
    }
}

/// A store under measurement.
pub trait Peer {
    /// Its name in the table.
    fn name(&self) -> &'static str;

    /// Returns the body of a request with these products, each its number and JSON.
    fn body(&self, products: &[(usize, String)]) -> Vec<u8>;

    /// Answers the requests of all clients, those of one client one after another.
    fn run(&self, clients: Vec<Vec<Work>>);

    /// Prepares for [`run`](Self::run), outside of the measured time.
    fn prepare(&self) {}
}
