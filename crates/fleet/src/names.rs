//! Names as numbers: a name is kept once, however many sums have it.
use std::{borrow::Borrow, collections::HashMap, hash::Hash};

/// Names in the order in which they came.
#[derive(Clone, Debug)]
pub(crate) struct Names<T> {
    all: Vec<T>,
    places: HashMap<T, u32>,
}

impl<T> Default for Names<T> {
    fn default() -> Names<T> {
        Names { all: Vec::new(), places: HashMap::new() }
    }
}

impl<T: Clone + Eq + Hash> Names<T> {
    /// The number of a name, if it has one.
    pub(crate) fn find<Q: Eq + Hash + ?Sized>(&self, name: &Q) -> Option<u32>
    where
        T: Borrow<Q>,
    {
        self.places.get(name).copied()
    }

    /// The number of a name, which is given one if need be.
    pub(crate) fn number(&mut self, name: T) -> u32 {
        if let Some(place) = self.places.get(&name) {
            return *place;
        }
        let place = u32::try_from(self.all.len()).expect("fewer than 2^32 names fit in memory");
        self.all.push(name.clone());
        self.places.insert(name, place);
        place
    }

    pub(crate) fn name(&self, number: u32) -> &T {
        &self.all[number as usize]
    }

    pub(crate) fn all(&self) -> &[T] {
        &self.all
    }
}
