//! `files`: files behind descriptors and mappings of the JVM.
use crate::{
    Facts, FileFact, FileKey, Source,
    columns::{Columns, bools, text_lists, texts, u64s},
    schema::{
        Kind::{Bool, Text, Texts, U64},
        Retention, SMALL_ROW_BYTES, Table, column, keep_newest,
    },
};
use arrow_array::ArrayRef;
use std::ops::Range;

/// Recordings before it came lack it.
const DEVICES: &str = "devices";

pub(super) static TABLE: Table = Table {
    name: "files",
    doc: "a file of the JVM; the last row of a device and inode counts",
    columns: &[
        column("device", U64, "device number, as in st_dev"),
        column("inode", U64, "inode number"),
        column("path", Text, "path as the JVM sees it; ends in ' (deleted)' where it has no name"),
        column("file_system", Text, "file system type of the mount, such as ext4"),
        column("device_name", Text, "name of the device, such as sdb1"),
        column("mount_point", Text, "mount point as the JVM sees it"),
        column("mapped", Bool, "whether the JVM has it mapped"),
        column(DEVICES, Texts, "block devices that its bytes pass, uppermost first"),
    ],
    retention: Retention::Reference,
    feeds: &[Source::Files, Source::FileFaults],
    row_bytes: SMALL_ROW_BYTES,
    rows: |facts| facts.files.len(),
    keep_newest: |facts, most| keep_newest(&mut facts.files, most),
    encode,
    decode,
};

fn encode(facts: &Facts, range: Range<usize>) -> Vec<ArrayRef> {
    let rows = &facts.files[range];
    vec![
        u64s(rows, |it| it.key.device),
        u64s(rows, |it| it.key.inode),
        texts(rows, |it| &it.path),
        texts(rows, |it| &it.file_system),
        texts(rows, |it| &it.device_name),
        texts(rows, |it| &it.mount_point),
        bools(rows, |it| it.mapped),
        text_lists(rows, |it| it.devices.iter().map(|name| Some(name.as_str()))),
    ]
}

fn decode(columns: &Columns<'_>, facts: &mut Facts) -> Result<u64, String> {
    let (device, inode) = (columns.u64s("device")?, columns.u64s("inode")?);
    let (path, file_system) = (columns.texts("path")?, columns.texts("file_system")?);
    let (name, mount) = (columns.texts("device_name")?, columns.texts("mount_point")?);
    let mapped = columns.bools("mapped")?;
    let devices = columns.has(DEVICES).then(|| columns.text_lists(DEVICES)).transpose()?;
    facts.files.extend((0..columns.rows()).map(|row| FileFact {
        key: FileKey { device: device.value(row), inode: inode.value(row) },
        path: path.value(row).into(),
        file_system: file_system.value(row).into(),
        device_name: name.value(row).into(),
        mount_point: mount.value(row).into(),
        mapped: mapped.value(row),
        devices: devices.as_ref().map_or_else(Vec::new, |it| it.plain_at(row)),
    }));
    Ok(0)
}
