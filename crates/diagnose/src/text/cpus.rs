//! CPUs of a quota.

/// `2 CPUs` of 2000, `0.5 CPUs` of 500: how much of them a quota gives.
#[must_use]
pub fn cpus(milli: u64) -> String {
    let (whole, rest) = (milli / 1000, milli % 1000);
    match (whole, rest) {
        (1, 0) => "1 CPU".into(),
        (_, 0) => format!("{whole} CPUs"),
        _ => format!("{whole}.{} CPUs", format!("{rest:03}").trim_end_matches('0')),
    }
}

/// How many CPUs were busy on average, from hundredths: `9.6` of 964, `20` of 2003.
pub(crate) fn busy_cpus(hundredths: u64) -> String {
    let tenths = (hundredths + 5) / 10;
    match tenths {
        ..100 => format!("{}.{}", tenths / 10, tenths % 10),
        _ => ((hundredths + 50) / 100).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_busy_cpus_and_more_have_no_decimal() {
        let shown = [0, 100, 964, 994, 995, 2003].map(busy_cpus);
        assert_eq!(shown, ["0.0", "1.0", "9.6", "9.9", "10", "20"]);
    }

    #[test]
    fn parts_of_cpus_are_exact() {
        let shown = [0, 5, 500, 1000, 1250, 2000].map(cpus);
        assert_eq!(shown, ["0 CPUs", "0.005 CPUs", "0.5 CPUs", "1 CPU", "1.25 CPUs", "2 CPUs"]);
    }
}
