//! What answers are made of: counts, percentiles, ratios, intervals, a pause. Values and their arithmetic.
//!
//! Nothing here knows of a recording, a log or a cause.
pub(crate) mod certainty;
pub(crate) mod cpu_list;
pub(crate) mod intervals;
pub(crate) mod linear_map;
pub(crate) mod mechanism;
pub(crate) mod numbers;
pub(crate) mod pause;
pub(crate) mod percentiles;
pub(crate) mod ratio;
pub(crate) mod value;
