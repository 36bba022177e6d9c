//! One table of pauses: what thousands of hosts are asked with, whatever asks it.
//!
//! [`Table`] says which tables and columns there are. A [`PauseRow`] is made of each pause, [`Hour`]s are sums of
//! them, and both become Arrow batches, which the program, the wheel and Spark write and read alike.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod again;
mod bounds;
mod column;
mod columns;
mod file;
mod host;
mod hour;
mod hours;
mod lengths;
mod origin;
mod overlaps;
mod partitions;
mod pauses;
mod read;
mod row;
mod schema;
mod sink;
mod stalls;
mod timeline;
mod who;

pub use arrow_array::RecordBatch;
pub use column::{Column, SCHEMA_VERSION};
pub use file::{ArrowStream, ParquetFile, TableError, plain_schema, read_parquet};
pub use host::host;
pub use hour::{CauseSum, CulpritSum, Hour, Hours, Worst};
pub use hours::hour_rows;
pub use lengths::{Lengths, LengthsError};
pub use origin::{Jvm, Origin, SourceKind};
pub use partitions::{Collected, Partition, partitions};
pub use pauses::PauseBatch;
pub use read::hours_of;
pub use row::{PartRow, PauseRow};
pub use schema::Table;
pub use sink::{Sink, Tables};
pub use stalls::{StallRow, stall_rows};
pub use who::Who;
