//! Who has the places of `watch --all`: where there are too few, all users have the same.
//!
//! A user who starts many processes, or what only looks like JVMs, hides those of no other user. As long as a
//! place is empty it is any user's, and one that is taken is given up for a user who has two fewer: then
//! none of both gains by a change back. A user is one with all subordinate users, and a container
//! that root has
//! made is one, whichever users are in it ([`Account`]).
use super::Key;
use recorder::Account;
use std::collections::{BTreeMap, BTreeSet};

/// JVMs that are watched at once: each has programs in the kernel of its own, which look at each switch of
/// every thread of the host (`scripts/bench-watch-all.sh` measures what fifty take).
pub(super) const MOST_JVMS: usize = 64;

/// A JVM that has a place, or wants one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Guest {
    /// Its key.
    pub(super) jvm: Key,
    /// On whose account.
    pub(super) account: Account,
}

/// The places of watched JVMs, by account.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// Those that have one, in the order in which they got it.
    taken: Vec<Guest>,
    /// Those of them that were asked to stop, as long as they are there.
    leaving: BTreeSet<Key>,
}

/// What becomes of those that want a place.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Given {
    /// They have one.
    pub(super) watch: Vec<Key>,
    /// These are to give theirs up, for some of those that wait.
    pub(super) stop: Vec<Key>,
}

impl Places {
    /// A JVM is watched no more.
    pub(super) fn free(&mut self, jvm: Key) {
        self.taken.retain(|it| it.jvm != jvm);
        self.leaving.remove(&jvm);
    }

    /// Gives a place to as many of these as there are places, and says who is to make room for others. Those
    /// ask again once it has: a place is theirs when it is empty.
    pub(super) fn give(&mut self, wanted: &[Guest]) -> Given {
        let mut given = Given::default();
        let mut waiting = wanted.to_vec();
        let mut held = self.held();
        // These get empty without any more words.
        let mut coming = self.leaving.len();
        loop {
            // Of the user who has fewest: where there is no place for this one, there is none for any.
            let own = waiting.iter().map(|it| held.get(&it.account).copied().unwrap_or_default());
            let Some((at, own)) = own.enumerate().min_by_key(|(_, own)| *own) else { break };
            let next = waiting.remove(at);
            if self.taken.len() < MOST_JVMS {
                self.taken.push(next);
                given.watch.push(next.jvm);
            } else if coming > 0 {
                coming -= 1;
            } else if let Some(last) = self.newest_of_most(own) {
                *held.entry(last.account).or_default() -= 1;
                self.leaving.insert(last.jvm);
                given.stop.push(last.jvm);
            } else {
                break;
            }
            // Also of a place that is kept for it.
            *held.entry(next.account).or_default() += 1;
        }
        given
    }

    /// How many places each user has, but for those that are given up.
    fn held(&self) -> BTreeMap<Account, usize> {
        let mut held = BTreeMap::new();
        for it in self.taken.iter().filter(|it| !self.leaving.contains(&it.jvm)) {
            *held.entry(it.account).or_default() += 1;
        }
        held
    }

    /// Of the user who has most the JVM that got its place last; `None` where that user has not two more
    /// than `own`.
    fn newest_of_most(&self, own: usize) -> Option<Guest> {
        let (account, most) = self.held().into_iter().max_by_key(|(_, count)| *count)?;
        let mut theirs = self.taken.iter().filter(|it| it.account == account);
        let newest = theirs.rfind(|it| !self.leaving.contains(&it.jvm)).copied();
        newest.filter(|_| most >= own + 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The JVMs of a host, of users 1, 2 and 3.
    #[derive(Default)]
    struct Host {
        jvms: Vec<Guest>,
        started: u32,
        places: Places,
        watched: Vec<Key>,
        going: Vec<Key>,
    }

    impl Host {
        fn start(&mut self, uid: u32, count: usize) {
            for _ in 0..count {
                self.started += 1;
                self.jvms.push(Guest { jvm: (self.started, 1), account: Account::User(uid) });
            }
        }

        /// The first JVMs of a user end.
        fn end(&mut self, uid: u32, count: usize) {
            for _ in 0..count {
                let at = self.jvms.iter().position(|it| it.account == Account::User(uid)).unwrap();
                let Guest { jvm, .. } = self.jvms.remove(at);
                self.watched.retain(|it| *it != jvm);
                self.places.free(jvm);
            }
        }

        /// One round: those asked to stop in the last one have stopped.
        fn round(&mut self) {
            for jvm in std::mem::take(&mut self.going) {
                self.watched.retain(|it| *it != jvm);
                self.places.free(jvm);
            }
            let is_new = |it: &&Guest| !self.watched.contains(&it.jvm);
            let wanted: Vec<Guest> = self.jvms.iter().filter(is_new).copied().collect();
            let given = self.places.give(&wanted);
            self.watched.extend(given.watch);
            self.going = given.stop;
            assert!(self.watched.len() <= MOST_JVMS);
        }

        /// How many of each user are watched after three rounds, the last of which changes nothing.
        #[track_caller]
        fn check(&mut self, wanted: [usize; 3]) {
            self.round();
            self.round();
            let before = self.watched.clone();
            self.round();
            assert_eq!((&before, &self.going), (&self.watched, &vec![]), "it settles");
            let of = |uid| {
                let theirs = self.jvms.iter().filter(|it| it.account == Account::User(uid));
                theirs.filter(|it| self.watched.contains(&it.jvm)).count()
            };
            assert_eq!([1, 2, 3].map(of), wanted);
        }
    }

    /// A user with 16 got none of the last 16, though they were empty.
    #[test]
    fn a_user_who_is_alone_has_all_places() {
        let mut host = Host::default();
        host.start(1, 50);
        host.check([50, 0, 0]);
        host.start(1, 30);
        host.check([64, 0, 0]);
        host.end(1, 70);
        host.check([10, 0, 0]);
    }

    #[test]
    fn no_user_takes_all_places() {
        let mut host = Host::default();
        host.start(1, 70);
        host.check([64, 0, 0]);
        host.start(2, 1);
        host.check([63, 1, 0]);
        host.start(2, 40);
        host.check([32, 32, 0]);
        // Of those who have the same one gives way as well as the other.
        host.start(3, 5);
        host.check([30, 29, 5]);
        // What ends makes room, and what comes back gets its part again.
        host.end(1, 70);
        host.check([0, 41, 5]);
        host.start(1, 70);
        host.check([29, 30, 5]);
        host.start(3, 100);
        host.check([22, 21, 21]);
        host.end(2, 41);
        host.check([32, 0, 32]);
    }

    #[test]
    fn a_jvm_that_restarts_again_and_again_has_its_place_each_time() {
        let mut host = Host::default();
        host.start(1, 100);
        host.start(2, 1);
        host.check([63, 1, 0]);
        for _ in 0..10 {
            host.end(2, 1);
            host.check([64, 0, 0]);
            host.start(2, 1);
            host.check([63, 1, 0]);
        }
    }

    #[test]
    fn the_newest_gives_way_and_only_one_for_each_that_comes() {
        let mut host = Host::default();
        host.start(1, 64);
        host.round();
        host.start(2, 1);
        let wanted = [Guest { jvm: (65, 1), account: Account::User(2) }];
        let given = |watch: &[u32], stop: &[u32]| {
            let keys = |pids: &[u32]| pids.iter().map(|pid| (*pid, 1)).collect();
            Given { watch: keys(watch), stop: keys(stop) }
        };
        assert_eq!(host.places.give(&wanted), given(&[], &[64]));
        // It is still there, as it was just being attached to.
        assert_eq!(host.places.give(&wanted), given(&[], &[]));
        host.places.free((64, 1));
        // Both want the place now.
        let wanted = [Guest { jvm: (64, 1), account: Account::User(1) }, wanted[0]];
        assert_eq!(host.places.give(&wanted), given(&[65], &[]));
    }
}
