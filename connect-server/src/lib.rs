//! connect-server
