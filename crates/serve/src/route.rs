//! A path, and who answers there.
use crate::{Request, Response};
use std::fmt;

/// Answers the requests of one path. Called in the server's thread: it must not wait.
pub(crate) type Handler = Box<dyn Fn(&Request<'_>) -> Response + Send + Sync>;

/// A path and who answers there.
pub(crate) struct Route {
    pub(crate) path: String,
    pub(crate) handler: Handler,
}

impl fmt::Debug for Route {
    /// Without the path, which may hold a secret.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Route").finish_non_exhaustive()
    }
}
