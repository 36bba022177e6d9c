//! Real logs of JVMs of one kind, cut into pieces.
use super::{
    line::Line,
    piece::{Piece, pieces},
};
use anyhow::{Context, Result, ensure};
use flate2::read::GzDecoder;
use std::{fs, io::Read, path::Path};

/// The longest stop of a piece that is taken for an ordinary one.
const LONGEST_ORDINARY_NS: i64 = 60_000_000;
/// The longest piece that is taken.
const LONGEST_PIECE_NS: i64 = 30_000_000_000;
/// What has causes of its own.
const EXTRAORDINARY: [&str; 5] =
    ["System.gc()", "Pause Full", "Humongous Allocation", "Evacuation Failure", "To-space"];
/// What collections for humongous objects say.
const HUMONGOUS: &str = "(G1 Humongous Allocation)";

/// JVMs of one kind: version and size of the heap are alike.
#[derive(Debug)]
pub(crate) struct Family {
    /// What a JVM writes when it starts.
    pub(crate) init: Vec<Line>,
    /// Ordinary pieces.
    pub(crate) pieces: Vec<Piece>,
    /// Pieces with collections for humongous objects, from the shortest to the longest; there are none of heaps that
    /// are large.
    pub(crate) humongous: Vec<Piece>,
}

/// Which real logs a family is made of: the first gives the lines of the start.
const FAMILIES: [&[&str]; 3] = [
    &[
        "labelled/hsperf-ext4-FAULT-1.jdk17.log.gz",
        "labelled/hsperf-ext4-FAULT-2.jdk17.log.gz",
        "labelled/hsperf-ext4-FAULT-3.jdk17.log.gz",
        "labelled/applog-raw-FAULT-1.jdk17.log.gz",
        "labelled/applog-raw-FAULT-3.jdk17.log.gz",
        "labelled/gclog-ext4-FAULT-jbd2-hi-1.jdk17.log.gz",
        "labelled/gclog-ext4-FAULT-jbd2-hi-2.jdk17.log.gz",
        "labelled/gclog-ext4-FAULT-jbd2-hi-3.jdk17.log.gz",
    ],
    &["gclogs/jdk17/g1/young.log", "gclogs/jdk17/g1/mixed.log", "gclogs/jdk17/g1/humongous.log"],
    &["gclogs/jdk21/g1/young.log", "gclogs/jdk21/g1/mixed.log", "gclogs/jdk21/g1/humongous.log"],
];

/// All families.
#[derive(Debug)]
pub(crate) struct Families(Vec<Family>);

impl Families {
    /// Reads them from `testdata`.
    pub(crate) fn read(testdata: &Path) -> Result<Families> {
        let each = FAMILIES.iter().map(|files| Family::read(testdata, files));
        Ok(Families(each.collect::<Result<_>>()?))
    }

    /// All of them.
    pub(crate) fn all(&self) -> &[Family] {
        &self.0
    }
}

impl Family {
    fn read(testdata: &Path, files: &[&str]) -> Result<Family> {
        let mut family = Family { init: Vec::new(), pieces: Vec::new(), humongous: Vec::new() };
        for file in files {
            let lines = read(&testdata.join(file))?;
            let (init, all) = pieces(&lines);
            if family.init.is_empty() {
                family.init = init.to_vec();
            }
            let short = |it: &Piece| it.length_ns < LONGEST_PIECE_NS;
            let ordinary = |it: &Piece| {
                it.longest_stop_ns <= LONGEST_ORDINARY_NS
                    && !EXTRAORDINARY.iter().any(|text| it.says(text))
            };
            let is_humongous = |it: &Piece| it.says(HUMONGOUS) && !it.says("Pause Full");
            family.pieces.extend(all.iter().filter(|it| short(it) && ordinary(it)).cloned());
            family.humongous.extend(all.into_iter().filter(|it| short(it) && is_humongous(it)));
        }
        family.humongous.sort_by_key(|it| it.longest_stop_ns);
        ensure!(!family.pieces.is_empty(), "no whole collection in {files:?}");
        Ok(family)
    }
}

fn read(path: &Path) -> Result<Vec<Line>> {
    let bytes = fs::read(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    let mut text = String::new();
    match path.extension().is_some_and(|it| it == "gz") {
        true => GzDecoder::new(bytes.as_slice()).read_to_string(&mut text),
        false => bytes.as_slice().read_to_string(&mut text),
    }
    .with_context(|| format!("cannot unpack `{}`", path.display()))?;
    Ok(text.lines().filter_map(Line::parse).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_family_has_many_pieces_and_those_of_small_heaps_have_humongous_ones() {
        let testdata = crate::testdata();
        let families = Families::read(&testdata).expect("families");
        let counts: Vec<(bool, bool)> = families
            .all()
            .iter()
            .map(|it| (it.pieces.len() > 10, !it.humongous.is_empty()))
            .collect();
        assert_eq!(counts, [(true, false), (true, true), (true, true)]);
    }
}
