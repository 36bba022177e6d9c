//! Parts: the files of a recording and their names.
use crate::schema::Table;
use std::cmp::Ordering;

/// How a part is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Form {
    /// Parquet, complete. First, because it is preferred to a segment of the same number.
    Sealed,
    /// Arrow IPC stream, growing or left by a crash.
    Live,
}

/// One file of a recording.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    /// Whose rows it holds.
    pub(crate) table: &'static Table,
    /// Rotation in which it was written. Live and sealed parts of one number hold the same rows.
    pub(crate) number: u32,
    /// How it is stored.
    pub(crate) form: Form,
}

impl Part {
    /// Its file name, such as `slices-0003.parquet`.
    pub(crate) fn name(self) -> String {
        let extension = match self.form {
            Form::Sealed => "parquet",
            Form::Live => "arrows",
        };
        format!("{}-{:04}.{extension}", self.table.name, self.number)
    }

    /// The name under which it is written before it is complete.
    pub(crate) fn unfinished_name(self) -> String {
        format!("{}.tmp", self.name())
    }

    /// The part with this file name, or `None` for any other file.
    pub(crate) fn parse(name: &str) -> Option<Part> {
        let (stem, extension) = name.rsplit_once('.')?;
        let (table, number) = stem.rsplit_once('-')?;
        let form = match extension {
            "parquet" => Form::Sealed,
            "arrows" => Form::Live,
            _ => return None,
        };
        let part = Part { table: Table::named(table)?, number: number.parse().ok()?, form };
        // `slices-3` and `slices-+003` are no names that a writer gives.
        (part.name() == name).then_some(part)
    }

    /// The same rows in the other form.
    pub(crate) fn in_form(self, form: Form) -> Part {
        Part { form, ..self }
    }

    fn key(self) -> (u32, &'static str, Form) {
        (self.number, self.table.name, self.form)
    }
}

impl PartialEq for Part {
    fn eq(&self, other: &Part) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Part {}

impl PartialOrd for Part {
    fn partial_cmp(&self, other: &Part) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Part {
    fn cmp(&self, other: &Part) -> Ordering {
        self.key().cmp(&other.key())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, is_part: bool) {
        assert_eq!(Part::parse(name).map(Part::name), is_part.then(|| name.to_owned()));
    }

    #[test]
    fn only_names_that_a_writer_gives_are_parts() {
        check("slices-0000.arrows", true);
        check("kernel_work-0012.parquet", true);
        check("slices-12345.parquet", true);
        for other in ["slices.parquet", "slices-1.arrows", "slices-+001.arrows", "x-0001.arrows"] {
            check(other, false);
        }
        for other in ["", ".", "slices-0001.parquet.tmp", "slices-0001", "-0001.parquet"] {
            check(other, false);
        }
    }

    #[test]
    fn parts_sort_by_age_and_the_sealed_form_first() {
        let part = |name| Part::parse(name).expect("a part's name");
        assert!(part("stacks-0001.parquet") < part("host-0002.parquet"));
        assert!(part("host-0002.parquet") < part("host-0002.arrows"));
    }
}
