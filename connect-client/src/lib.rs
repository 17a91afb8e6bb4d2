//! connect-client
