//! Every pause of an input, to be listed one by one without being in memory all at once.
use crate::packed::{PackedPauses, rank};
use diagnose::Attribution;
use std::{cmp::Reverse, io};

/// What is done with each pause; an error ends the list.
pub type TakePause<'a> = &'a mut dyn FnMut(&Attribution) -> io::Result<()>;

/// What is sorted at once. With the rest of the program it stays below 256 MiB, and the pauses of a
/// log of 100 MB fit.
pub const SORTED_BYTES: usize = 96 << 20;

/// Every pause of an input. A list may be asked for more than once, and is the same each time.
pub trait Pauses {
    /// Gives each to `take`, in the order of time.
    ///
    /// # Errors
    ///
    /// Those of `take`, and of reading the input.
    fn each(&mut self, take: TakePause<'_>) -> io::Result<()>;

    /// Gives each to `take`, the longest first, and of pauses of one length the earlier. In bounded
    /// memory: the input is gone through once for as many pauses as fit.
    ///
    /// # Errors
    ///
    /// Those of `take`, and of reading the input.
    fn longest_first(&mut self, take: TakePause<'_>) -> io::Result<()> {
        longest_first(self, SORTED_BYTES, take)
    }
}

/// Pauses that are in memory anyway.
impl Pauses for &[Attribution] {
    fn each(&mut self, take: TakePause<'_>) -> io::Result<()> {
        self.iter().try_for_each(take)
    }

    fn longest_first(&mut self, take: TakePause<'_>) -> io::Result<()> {
        let mut order: Vec<&Attribution> = self.iter().collect();
        order.sort_by_key(|it| Reverse(it.pause.duration));
        order.into_iter().try_for_each(take)
    }
}

impl Pauses for PackedPauses {
    fn each(&mut self, take: TakePause<'_>) -> io::Result<()> {
        self.in_order().try_for_each(|it| take(&it))
    }

    fn longest_first(&mut self, take: TakePause<'_>) -> io::Result<()> {
        self.ranked().try_for_each(|(_, it)| take(&it))
    }
}

fn longest_first(
    pauses: &mut (impl Pauses + ?Sized),
    most_bytes: usize,
    take: TakePause<'_>,
) -> io::Result<()> {
    let mut last = None;
    loop {
        let (mut packed, mut number) = (PackedPauses::new(most_bytes), 0);
        pauses.each(&mut |it| {
            let rank = rank(it, number);
            number += 1;
            if last.is_none_or(|last| rank > last) {
                packed.add_ranked(it, rank);
            }
            Ok(())
        })?;
        packed.ranked().try_for_each(|(rank, it)| {
            last = Some(rank);
            take(&it)
        })?;
        if packed.left_out() == 0 {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packed::tests::attribution;
    use std::time::Duration;

    /// This many pauses, many of them of equal length.
    fn pauses(count: u64) -> Vec<Attribution> {
        let length = |it| Duration::from_millis(it * 7919 % 97);
        (0..count).map(|it| attribution(it, length(it))).collect()
    }

    fn listed(list: impl FnOnce(TakePause<'_>) -> io::Result<()>) -> Vec<(u64, Duration)> {
        let mut listed = Vec::new();
        let take = &mut |it: &Attribution| {
            listed.push((it.pause.start_ns, it.pause.duration));
            Ok(())
        };
        list(take).expect("nothing fails");
        listed
    }

    #[test]
    fn the_order_does_not_depend_on_the_memory() {
        let pauses = pauses(2_000);
        let expected = listed(|take| (&pauses[..]).longest_first(take));
        assert_eq!(expected.len(), 2_000);
        assert!(expected.is_sorted_by_key(|it| (Reverse(it.1), it.0)));
        for most_bytes in [1, 200, 5_000, 60_000, SORTED_BYTES] {
            let mut all = &pauses[..];
            let found = listed(|take| longest_first(&mut all, most_bytes, take));
            assert_eq!(found, expected, "{most_bytes}");
        }
    }

    #[test]
    fn packed_pauses_come_in_both_orders_again_and_again() {
        let pauses = pauses(500);
        let mut packed = PackedPauses::new(SORTED_BYTES);
        pauses.iter().for_each(|it| packed.add(it));
        for _ in 0..2 {
            let sorted = listed(|take| packed.longest_first(take));
            assert_eq!(sorted, listed(|take| (&pauses[..]).longest_first(take)));
            let in_order = listed(|take| packed.each(take));
            assert_eq!(in_order, listed(|take| (&pauses[..]).each(take)));
        }
    }

    #[test]
    fn an_error_ends_the_list() {
        let pauses = pauses(10);
        let mut taken = 0;
        let ended = (&pauses[..]).each(&mut |_| {
            taken += 1;
            if taken == 3 { Err(io::ErrorKind::BrokenPipe.into()) } else { Ok(()) }
        });
        assert_eq!(ended.map_err(|it| it.kind()), Err(io::ErrorKind::BrokenPipe));
        assert_eq!(taken, 3);
    }
}
