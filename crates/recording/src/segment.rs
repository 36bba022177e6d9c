//! Live segments: an Arrow IPC stream per table that grows by one batch per write.
//!
//! A segment has no end marker. Each batch is written with one call, so that what a killed writer
//! leaves is a run of whole batches and at most one torn one. pyarrow and Polars read it as it is.
//!
//! Reading does the framing itself: lengths are checked against limits and against the bytes that
//! are there before the Arrow library sees anything, so that a damaged length cannot make it
//! allocate or index what is not there. The schema is read here as well: the library panics on types
//! that it does not know.
use crate::schema::Table;
use arrow_array::RecordBatch;
use arrow_ipc::{
    FieldNode, KeyValue, Message, MessageHeader, MetadataVersion, Type, reader::read_record_batch,
    root_as_message, writer::StreamWriter,
};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use std::{
    collections::HashMap,
    fmt,
    fs::File,
    io::{self, Read, Seek, Write},
    sync::Arc,
};

/// First four bytes of every message (Arrow columnar format, "Encapsulated message format").
const CONTINUATION: [u8; 4] = [0xff; 4];
/// Longest message head that is read. The largest schema here takes under 8 KiB.
const MAX_HEAD_BYTES: usize = 1 << 20;
/// Longest message body that is read. Writers split batches at a quarter of it.
const MAX_BODY_BYTES: u64 = 32 << 20;
/// Most columns of a segment. The widest table has 25.
const MAX_COLUMNS: usize = 128;
/// A buffer that grew over this for one large batch is given back after it.
const KEEP_BUFFER_BYTES: usize = 256 << 10;

/// A segment that is being written.
pub(crate) struct SegmentWriter {
    file: File,
    stream: StreamWriter<Vec<u8>>,
    /// Bytes of the stream's head, which goes out with the first batch.
    head: usize,
    /// Bytes in the file.
    bytes: u64,
    /// Rows in it.
    rows: u64,
}

impl fmt::Debug for SegmentWriter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("SegmentWriter").field("bytes", &self.bytes).finish_non_exhaustive()
    }
}

impl SegmentWriter {
    /// Starts a segment in an empty file.
    pub(crate) fn new(file: File, table: &Table) -> io::Result<SegmentWriter> {
        let stream =
            StreamWriter::try_new(Vec::new(), &table.schema()).map_err(io::Error::other)?;
        let head = stream.get_ref().len();
        Ok(SegmentWriter { file, stream, head, bytes: 0, rows: 0 })
    }

    /// Adds a batch; how many bytes it took. After an error the segment holds what it held before.
    pub(crate) fn write(&mut self, batch: &RecordBatch) -> io::Result<u64> {
        let encoded = self.stream.write(batch).map_err(io::Error::other);
        let buffer = self.stream.get_mut();
        if let Err(error) = encoded.and_then(|()| self.file.write_all(buffer)) {
            buffer.truncate(if self.bytes == 0 { self.head } else { 0 });
            self.file.set_len(self.bytes)?;
            self.file.seek(io::SeekFrom::Start(self.bytes))?;
            return Err(error);
        }
        let written = buffer.len() as u64;
        buffer.clear();
        buffer.shrink_to(KEEP_BUFFER_BYTES);
        self.bytes += written;
        self.rows += batch.num_rows() as u64;
        Ok(written)
    }

    /// The rows in it, if the file was removed: what is written to it cannot be read any more.
    pub(crate) fn removed_rows(&self) -> Option<u64> {
        let status = rustix::fs::fstat(&self.file).ok()?;
        (status.st_nlink == 0).then_some(self.rows)
    }
}

/// A whole segment with one batch.
pub(crate) fn whole(table: &Table, batch: &RecordBatch) -> io::Result<Vec<u8>> {
    let mut stream =
        StreamWriter::try_new(Vec::new(), &table.schema()).map_err(io::Error::other)?;
    stream.write(batch).map_err(io::Error::other)?;
    Ok(std::mem::take(stream.get_mut()))
}

/// A segment that is being read.
pub(crate) struct SegmentReader {
    file: io::BufReader<File>,
    schema: SchemaRef,
    /// Bytes of the file that were not read yet.
    left: u64,
}

/// Message head and body.
type Frame = (Vec<u8>, Vec<u8>);

impl SegmentReader {
    /// Reads the head of a segment. `Ok(None)` for a file without a byte: its writer was killed
    /// before the first batch.
    pub(crate) fn open(file: File) -> Result<Option<SegmentReader>, String> {
        let left = file.metadata().map_err(|error| error.to_string())?.len();
        if left == 0 {
            return Ok(None);
        }
        let mut reader = SegmentReader {
            file: io::BufReader::with_capacity(64 << 10, file),
            schema: Arc::new(Schema::empty()),
            left,
        };
        let (head, _) = reader.frame()?.ok_or("cut off in its first bytes")?;
        reader.schema = schema(&head)?;
        Ok(Some(reader))
    }

    /// Its schema.
    pub(crate) fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// The next batch, or `None` at the end of the whole batches.
    ///
    /// # Errors
    ///
    /// Where the rest cannot be read: it is damaged, or cut off in the middle of a batch.
    pub(crate) fn next(&mut self) -> Result<Option<RecordBatch>, String> {
        let left = self.left;
        let torn = || format!("{TORN_BATCH}, {left} bytes left out");
        if left == 0 {
            return Ok(None);
        }
        let (head, body) = match self.frame() {
            Ok(Some(frame)) => frame,
            Ok(None) => return Ok(None),
            Err(why) if why == TORN => return Err(torn()),
            Err(why) => return Err(format!("{why}, {left} bytes left out")),
        };
        let schema = self.schema();
        batch(&head, body, schema).map(Some).map_err(|why| format!("{why}, {left} bytes left out"))
    }

    /// The next message; `None` at an end-of-stream marker.
    fn frame(&mut self) -> Result<Option<Frame>, String> {
        let mut prefix = [0; 8];
        self.fill(&mut prefix)?;
        let [a, b, c, d, length @ ..] = prefix;
        if [a, b, c, d] != CONTINUATION {
            return Err("damaged".into());
        }
        let length = u32::from_le_bytes(length) as usize;
        if length == 0 {
            return Ok(None);
        }
        if length > MAX_HEAD_BYTES {
            return Err("damaged".into());
        }
        let head = self.take(length)?;
        let body = self.take(body_bytes(&head)?)?;
        Ok(Some((head, body)))
    }

    fn take(&mut self, bytes: usize) -> Result<Vec<u8>, String> {
        if bytes as u64 > self.left {
            return Err(TORN.into());
        }
        let mut buffer = vec![0; bytes];
        self.fill(&mut buffer)?;
        Ok(buffer)
    }

    fn fill(&mut self, buffer: &mut [u8]) -> Result<(), String> {
        if buffer.len() as u64 > self.left {
            return Err(TORN.into());
        }
        self.file.read_exact(buffer).map_err(|error| error.to_string())?;
        self.left -= buffer.len() as u64;
        Ok(())
    }
}

const TORN: &str = "cut off";
/// How the message begins of a segment that is as a killed writer leaves it.
pub(crate) const TORN_BATCH: &str = "cut off in the middle of a batch";

fn message(head: &[u8]) -> Result<Message<'_>, String> {
    root_as_message(head).map_err(|_| "damaged".to_owned())
}

fn body_bytes(head: &[u8]) -> Result<usize, String> {
    u64::try_from(message(head)?.bodyLength())
        .ok()
        .filter(|bytes| *bytes <= MAX_BODY_BYTES)
        .and_then(|bytes| usize::try_from(bytes).ok())
        .ok_or_else(|| "damaged".to_owned())
}

fn schema(head: &[u8]) -> Result<SchemaRef, String> {
    let schema = message(head)?.header_as_schema().ok_or("damaged")?;
    let fields = schema.fields().filter(|it| it.len() <= MAX_COLUMNS).ok_or("damaged")?;
    let fields: Result<Vec<Field>, String> = fields.iter().map(|it| field(it, true)).collect();
    let entries = schema.custom_metadata().into_iter().flatten();
    Ok(Arc::new(Schema::new_with_metadata(fields?, metadata(entries))))
}

/// Types other than those of [`Kind`](crate::Kind) have values that take no byte of the body, or any
/// number of them.
fn field(field: arrow_ipc::Field<'_>, may_be_list: bool) -> Result<Field, String> {
    let other = || "damaged: a column of a type that no recording has".to_owned();
    let number = field.type_as_int().map(|it| (it.bitWidth(), it.is_signed()));
    let data_type = match (field.type_type(), number) {
        _ if field.dictionary().is_some() => return Err(other()),
        (Type::Utf8, _) => DataType::Utf8,
        (Type::Bool, _) => DataType::Boolean,
        (Type::Int, Some((32, false))) => DataType::UInt32,
        (Type::Int, Some((64, false))) => DataType::UInt64,
        (Type::Int, Some((32, true))) => DataType::Int32,
        (Type::Int, Some((64, true))) => DataType::Int64,
        (Type::List, _) if may_be_list => {
            let items = field.children().filter(|it| it.len() == 1).ok_or_else(other)?;
            DataType::List(Arc::new(self::field(items.get(0), false)?))
        }
        _ => return Err(other()),
    };
    let name = field.name().ok_or("damaged")?;
    let entries = field.custom_metadata().into_iter().flatten();
    Ok(Field::new(name, data_type, field.nullable()).with_metadata(metadata(entries)))
}

fn metadata<'a>(entries: impl Iterator<Item = KeyValue<'a>>) -> HashMap<String, String> {
    let texts = entries.filter_map(|it| Some((it.key()?.to_owned(), it.value()?.to_owned())));
    texts.collect()
}

fn batch(head: &[u8], body: Vec<u8>, schema: SchemaRef) -> Result<RecordBatch, String> {
    let message = message(head)?;
    if message.header_type() != MessageHeader::RecordBatch
        || message.version() < MetadataVersion::V4
    {
        return Err("damaged".into());
    }
    let batch = message.header_as_record_batch().ok_or("damaged")?;
    check_lengths(&batch, &schema, body.len())?;
    let none = HashMap::new();
    read_record_batch(&body.into(), batch, schema, &none, None, &message.version())
        .map_err(|_| "damaged".to_owned())
}

/// Every buffer must lie inside the body and hold as many values as its column says. No column may
/// have more values than the body has bits.
fn check_lengths(
    batch: &arrow_ipc::RecordBatch<'_>,
    schema: &Schema,
    body: usize,
) -> Result<(), String> {
    let inside = |start: i64, length: i64| {
        let (start, length) = (usize::try_from(start).ok(), usize::try_from(length).ok());
        start.zip(length).and_then(|(a, b)| a.checked_add(b)).is_some_and(|end| end <= body)
    };
    let most = i64::try_from(body.saturating_mul(8)).unwrap_or(i64::MAX);
    let mut buffers = batch.buffers().into_iter().flatten();
    let mut nodes = batch.nodes().into_iter().flatten();
    let sound = (0..=most).contains(&batch.length())
        && batch.compression().is_none()
        && buffers.clone().all(|it| inside(it.offset(), it.length()))
        && nodes.clone().all(|it| {
            (0..=most).contains(&it.length()) && (0..=it.length()).contains(&it.null_count())
        });
    let mut fields = schema.fields().iter();
    if sound && fields.all(|it| holds(it.data_type(), &mut nodes, &mut buffers)) {
        Ok(())
    } else {
        Err("damaged".into())
    }
}

/// Whether a column's buffers are as long as its number of values asks for, where the library takes
/// that for granted.
fn holds<'a>(
    data: &DataType,
    nodes: &mut impl Iterator<Item = &'a FieldNode>,
    buffers: &mut impl Iterator<Item = &'a arrow_ipc::Buffer>,
) -> bool {
    let (Some(node), Some(nulls), Some(values)) = (nodes.next(), buffers.next(), buffers.next())
    else {
        return false;
    };
    let has_bits = |it: &arrow_ipc::Buffer| it.length().saturating_mul(8) >= node.length();
    // Each of them has four bytes.
    let are_offsets = values.length() % 4 == 0;
    (node.null_count() == 0 || has_bits(nulls))
        && match data {
            DataType::Boolean => has_bits(values),
            DataType::Utf8 => are_offsets && buffers.next().is_some(),
            DataType::List(item) => are_offsets && holds(item.data_type(), nodes, buffers),
            _ => true,
        }
}
