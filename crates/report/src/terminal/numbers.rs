//! The numbers of a GC log.
use crate::text::{Page, clean};
use diagnose::Diagnosis;

/// Column of the text.
const TEXT: usize = 15;

pub(super) fn rows(page: &mut Page, diagnosis: &Diagnosis) {
    let rows = crate::numbers::rows(diagnosis);
    if !rows.is_empty() {
        page.blank();
    }
    for (label, text) in rows {
        page.field(2, label, TEXT, None, &clean(&text));
    }
}
