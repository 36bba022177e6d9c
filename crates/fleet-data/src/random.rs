//! Numbers that look random and are the same for the same seed, on every machine.

/// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// A sequence of its own for each `stream` of a seed, so that what one host has does not depend on the others.
    pub(crate) fn new(seed: u64, stream: u64) -> Random {
        let mut first = Random(seed);
        Random(first.next().wrapping_add(stream.wrapping_mul(0xd134_2543_de82_ef95)))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// From 0 to `end`, without it. 0 where `end` is 0.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        let wide = u128::from(self.next()) * u128::from(end);
        u64::try_from(wide >> 64).expect("the upper half has 64 bits")
    }

    /// From 0 to `end`, without it, as a place in a list. 0 where `end` is 0.
    pub(crate) fn index(&mut self, end: usize) -> usize {
        usize::try_from(self.below(end as u64)).expect("less than a `usize`")
    }

    /// From `start` to `end`, without `end`.
    pub(crate) fn between(&mut self, start: i64, end: i64) -> i64 {
        let width = u64::try_from(end - start).unwrap_or(0);
        start + i64::try_from(self.below(width)).expect("less than the width")
    }

    /// Whether one of `out_of` such draws, on average.
    pub(crate) fn one_of(&mut self, out_of: u64) -> bool {
        self.below(out_of) == 0
    }

    /// Brings `items` into another order (Fisher and Yates).
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.index(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_numbers_and_another_stream_others() {
        let first = |seed, stream| {
            let mut random = Random::new(seed, stream);
            [random.below(1 << 40), random.below(1 << 40)]
        };
        assert_eq!(first(1, 0), first(1, 0));
        assert_ne!(first(1, 0), first(1, 1));
        assert_ne!(first(1, 0), first(2, 0));
    }

    #[test]
    fn numbers_stay_within_their_bounds() {
        let mut random = Random::new(7, 0);
        let drawn: Vec<i64> = (0..1000).map(|_| random.between(-2, 3)).collect();
        assert_eq!((drawn.iter().min(), drawn.iter().max()), (Some(&-2), Some(&2)));
        assert_eq!((random.below(0), random.index(1)), (0, 0));
    }

    #[test]
    fn shuffled_items_are_the_same_items() {
        let mut items: Vec<u32> = (0..50).collect();
        Random::new(7, 0).shuffle(&mut items);
        assert_ne!(items, (0..50).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..50).collect::<Vec<_>>());
    }
}
