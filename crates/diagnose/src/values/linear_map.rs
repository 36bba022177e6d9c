//! Values by key, where a log has few keys.
use std::borrow::Borrow;

/// Values by key, in the order in which the keys came. A handful of keys, as kinds of collections
/// or names of operations are, is found sooner by a walk than by a search that compares texts.
#[derive(Clone, Debug)]
pub(crate) struct LinearMap<K, V>(Vec<(K, V)>);

impl<K, V> Default for LinearMap<K, V> {
    fn default() -> LinearMap<K, V> {
        LinearMap(Vec::new())
    }
}

impl<K, V> LinearMap<K, V> {
    /// The value of a key that is there.
    #[inline]
    pub(crate) fn get_mut<Q: PartialEq + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.0.iter_mut().find(|(it, _)| it.borrow() == key).map(|(_, value)| value)
    }

    /// Adds a key that is not there.
    pub(crate) fn insert(&mut self, key: K, value: V) {
        self.0.push((key, value));
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.0.iter().map(|(key, value)| (key, value))
    }

    /// In the order of keys.
    pub(crate) fn sorted(&self) -> Vec<(&K, &V)>
    where
        K: Ord,
    {
        let mut all: Vec<_> = self.iter().collect();
        all.sort_by(|a, b| a.0.cmp(b.0));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::LinearMap;

    #[test]
    fn what_was_put_in_is_found_and_sorted() {
        let mut map: LinearMap<String, u32> = LinearMap::default();
        map.insert("b".to_owned(), 1);
        map.insert("a".to_owned(), 2);
        *map.get_mut("b").expect("it is there") += 10;
        assert_eq!(map.get_mut("c"), None);
        let sorted: Vec<_> = map.sorted().into_iter().map(|(k, v)| (k.as_str(), *v)).collect();
        assert_eq!((map.len(), sorted), (2, vec![("a", 2), ("b", 11)]));
    }
}
