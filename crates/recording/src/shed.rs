//! Rows that are given up where there is no room for all: those that later ones replace, then detail,
//! and last what rows of later batches cannot be understood without.
use crate::{
    Facts,
    schema::{Retention, Table},
};
use std::collections::{BTreeMap, btree_map::Entry};

impl Facts {
    /// Drops the rows that later ones replace. A row keeps the place of its first version.
    pub fn drop_replaced(&mut self) {
        replace_earlier(&mut self.threads, |it| it.tid);
        replace_earlier(&mut self.files, |it| it.key);
        replace_earlier(&mut self.stacks, |it| it.id);
        replace_earlier(&mut self.outputs, |it| it.fd);
    }

    /// Gives up all rows of each table but its newest `most`.
    pub fn keep_newest(&mut self, most: usize) {
        Table::all().iter().for_each(|table| (table.keep_newest)(self, most));
    }

    /// Gives up rows until no more than `most` are left, or four, and says how many; those that later
    /// ones replace are not counted.
    ///
    /// Detail of stops goes first, and all of it: with a part of its slices the account of a stop is
    /// worse than without. Then go the oldest rows of tables that nothing refers to, and last the
    /// oldest of those that later batches refer to: threads, files, stacks, clocks and the like.
    /// Tables of one kind share the room, the largest ones giving up most. Of the JVM, the host, its
    /// limits and the coverage the last row always stays.
    pub fn shed(&mut self, most: usize) -> u64 {
        self.drop_replaced();
        let before = self.rows();
        let mut room = if before > most { most } else { return 0 };
        for retention in [Retention::LastRow, Retention::Reference, Retention::Fact] {
            room = room.saturating_sub(self.share(retention, room));
        }
        for table in Table::all().iter().filter(|it| it.retention == Retention::Detail) {
            (table.keep_newest)(self, 0);
        }
        (before - self.rows()) as u64
    }

    /// Shares `room` among the tables of one class of retention; how many rows they have then.
    fn share(&mut self, retention: Retention, room: usize) -> usize {
        let mut tables: Vec<&Table> =
            Table::all().iter().copied().filter(|it| it.retention == retention).collect();
        tables.sort_by_key(|it| (it.rows)(self));
        let mut used = 0;
        for (n, table) in tables.iter().enumerate() {
            let part = room.saturating_sub(used) / (tables.len() - n);
            (table.keep_newest)(self, part.max(usize::from(retention == Retention::LastRow)));
            used += (table.rows)(self);
        }
        used
    }
}

fn replace_earlier<T, K: Ord>(rows: &mut Vec<T>, key: impl Fn(&T) -> K) {
    let mut places = BTreeMap::new();
    let mut kept: Vec<T> = Vec::with_capacity(rows.len());
    for row in rows.drain(..) {
        match places.entry(key(&row)) {
            Entry::Occupied(place) => kept[*place.get()] = row,
            Entry::Vacant(place) => {
                place.insert(kept.len());
                kept.push(row);
            }
        }
    }
    *rows = kept;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::sample;

    /// Names of the tables that have rows after all but `most` of the sample's were given up.
    fn left(most: usize) -> (Vec<&'static str>, u64) {
        let mut facts = sample();
        let all = facts.rows();
        let shed = facts.shed(most);
        assert_eq!(all - facts.rows(), shed as usize, "each row that is given up is counted");
        let tables = Table::all().iter().filter(|it| (it.rows)(&facts) > 0);
        (tables.map(|it| it.name).collect(), shed)
    }

    fn of(classes: &[Retention]) -> Vec<&'static str> {
        let tables = Table::all().iter().filter(|it| classes.contains(&it.retention));
        tables.map(|it| it.name).collect()
    }

    #[test]
    fn where_there_is_room_for_all_nothing_goes() {
        let all = sample().rows();
        assert_eq!(left(all).0.len(), Table::all().len());
        assert_eq!(left(all).1, 0);
    }

    #[test]
    fn detail_goes_first_and_what_others_refer_to_last() {
        let rows = |classes: &[Retention]| -> usize {
            let tables = Table::all().iter().filter(|it| classes.contains(&it.retention));
            tables.map(|it| (it.rows)(&sample())).sum()
        };
        let (detail, kept) = (Retention::Detail, [Retention::LastRow, Retention::Reference]);
        assert_eq!(left(sample().rows() - 1).1, rows(&[detail]) as u64);
        let all = [Retention::LastRow, Retention::Reference, Retention::Fact];
        assert_eq!(left(sample().rows() - 1).0, of(&all));
        assert_eq!(left(rows(&kept)).0, of(&kept));
        assert_eq!(left(0).0, of(&[Retention::LastRow]));
    }

    #[test]
    fn the_newest_rows_stay_and_a_large_table_takes_nothing_from_small_ones() {
        let mut facts = sample();
        let thread = facts.threads[0].clone();
        facts.threads.extend((100..5100).map(|tid| crate::ThreadFact { tid, ..thread.clone() }));
        let before = facts.clone();
        facts.shed(1000);
        assert_eq!(facts.rows(), 1000);
        assert_eq!(facts.threads.last().map(|it| it.tid), Some(5099));
        let others = |it: &Facts| (it.files.clone(), it.stacks.clone(), it.clocks.clone());
        assert_eq!(others(&facts), others(&before));
    }
}
