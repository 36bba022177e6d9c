//! Sizes of heaps for people.

/// Memory as flags and logs count it: powers of 1024, with at most one decimal.
#[must_use]
pub fn memory(bytes: u64) -> String {
    let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
    let Some((shift, unit)) = units.into_iter().find(|(shift, _)| bytes >= 1 << shift) else {
        return format!("{bytes} B");
    };
    let tenths = (u128::from(bytes) * 10 + (1 << (shift - 1))) >> shift;
    match (tenths / 10, tenths % 10) {
        (whole, 0) => format!("{whole} {unit}"),
        (whole, _) if whole >= 100 => format!("{} {unit}", (tenths + 5) / 10),
        (whole, tenth) => format!("{whole}.{tenth} {unit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_short_and_exact_enough() {
        let shown = [0, 1023, 1024, 1536, 5 << 20, (5 << 20) + (1 << 19), 150 << 20, 5 << 30];
        assert_eq!(
            shown.map(memory),
            ["0 B", "1023 B", "1 KiB", "1.5 KiB", "5 MiB", "5.5 MiB", "150 MiB", "5 GiB"]
        );
        assert_eq!(memory((150 << 20) + (1 << 18)), "150 MiB");
        assert_eq!(memory(u64::MAX), "17179869184 GiB");
    }
}
