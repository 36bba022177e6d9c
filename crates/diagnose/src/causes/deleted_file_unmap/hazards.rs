//! Large files that were deleted and are still mapped.
use crate::{
    Culprit, CulpritKind, Detail, HazardKind, Likelihood, Scope,
    cause::exposure::{Check, Exposed, Exposure},
    text,
};
use recording::FileFact;

pub(super) static HAZARDS: [HazardKind; 1] = [HazardKind {
    id: "deleted-files-mapped",
    title: "Deleted files that the JVM still has mapped",
    subject: "deleted files",
    about: "The blocks of a deleted file are freed when its last use ends. Where that is a mapping \
            that the collector releases, a thread of the JVM frees them, and for large files that \
            takes long.",
    scope: Scope::Jvm,
    check: mapped,
}];

/// Giving the blocks of less back takes a few milliseconds.
const MIN_BYTES: u64 = 64 << 20;
/// Files that are named.
const MOST: usize = 3;

fn mapped(exposure: &Exposure<'_>) -> Check {
    let survey = exposure.survey;
    if !exposure.runs() {
        return Check::Inapplicable;
    }
    if !survey.mappings_read {
        return Check::Unknown("whether deleted files are still mapped");
    }
    let bytes = survey.deleted.iter().fold(0, |sum: u64, it| sum.saturating_add(it.mapped_bytes));
    if bytes < MIN_BYTES {
        return Check::Fine;
    }
    let named =
        survey.deleted.iter().filter_map(|it| Some((exposure.file(it.key)?, it.mapped_bytes)));
    let named: Vec<(&FileFact, u64)> = named.take(MOST).collect();
    let path = named.first().map(|(file, _)| without_mark(&file.path).to_owned());
    let (size, count) = (text::memory(bytes), survey.deleted.len());
    let files =
        if count == 1 { "1 file that was".into() } else { format!("{count} files that were") };
    let statement = format!(
        "The JVM has {size} of {files} deleted still mapped, and the thread that unmaps them frees \
         their blocks."
    );
    Check::of(Some(Exposed {
        culprits: named.iter().map(|(file, bytes)| culprit(file, *bytes)).collect(),
        ..Exposed::new(Likelihood::Possible, statement)
            .with_detail(Detail::DeletedFile { path: path.unwrap_or_default() })
    }))
}

fn without_mark(path: &str) -> &str {
    path.trim_end_matches(" (deleted)")
}

fn culprit(file: &FileFact, bytes: u64) -> Culprit {
    let path = without_mark(&file.path);
    let (fs, device) = (&file.file_system, &file.device_name);
    Culprit {
        kind: CulpritKind::File,
        name: path.into(),
        pid: None,
        statement: format!("{path} ({fs} on {device}): {} mapped", text::memory(bytes)),
    }
}

#[cfg(test)]
mod tests {
    use crate::hazards::{check, evidence_of};

    #[test]
    fn deleted_files_are_reported_from_64_mib_on() {
        let of =
            |first: u32| format!("jvm 17.0.15 g1\nmappings\ndeleted {first} /d/1\ndeleted 30 /d/2");
        check(&of(33), "deleted-file-unmap ");
        let said = "deleted-file-unmap possible deleted-files-mapped: The JVM has 64 MiB of 2 \
                    files that were deleted still mapped, and the thread that unmaps them frees \
                    their blocks.";
        check(&of(34), said);
        let named = "/d/1 (ext4 on sdb1): 34 MiB mapped\n/d/2 (ext4 on sdb1): 30 MiB mapped\n";
        assert_eq!(evidence_of(&of(34)), named);
    }

    #[test]
    fn mappings_that_were_not_read_are_not_reported_as_fine_or_not() {
        check("jvm 17.0.15 g1", "deleted-file-unmap ");
    }
}
