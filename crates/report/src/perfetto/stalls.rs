//! Threads that stood while the JVM ran: episodes on tracks of their own, their stalls on those of the threads.
use super::{Slice, Writer, ns, place, thread_track};
use crate::{
    clean::{MOST_NAME, clean_name},
    view,
};
use diagnose::{Diagnosis, Episode, StallMember, Stalls};
use recording::{Interval, MonoTime};
use std::io;

/// The first track of episodes; those that overlap it are on the ones behind.
const FIRST: u64 = 1 << 16;

/// The threads that stood, by id and name.
pub(super) fn threads(diagnosis: &Diagnosis) -> impl Iterator<Item = (u32, &str)> {
    let named = diagnosis.stalls.iter().flat_map(|it| &it.named);
    named.map(|(tid, it)| (*tid, it.name.as_str()))
}

/// For each episode the number of its track: on one track no slice begins inside of another.
fn rows(stalls: &Stalls) -> Vec<usize> {
    let mut ends: Vec<u64> = Vec::new();
    let row = |it: &Episode| {
        let free = ends.iter().position(|end| *end <= it.interval.start_ns);
        let row = free.unwrap_or_else(|| {
            ends.push(0);
            ends.len() - 1
        });
        ends[row] = it.interval.start_ns + ns(it.interval.duration);
        row
    };
    stalls.episodes.iter().map(row).collect()
}

impl Writer<'_> {
    /// The tracks of the episodes.
    pub(super) fn stall_tracks(&mut self, diagnosis: &Diagnosis) -> io::Result<()> {
        let rows = diagnosis.stalls.as_ref().map(rows).unwrap_or_default();
        let count = rows.iter().max().map_or(0, |it| it + 1);
        for row in 0..count {
            let name = if row == 0 { "Stalls".to_owned() } else { format!("Stalls ({})", row + 1) };
            self.named_track(FIRST + row as u64, &name)?;
        }
        Ok(())
    }

    /// Written before the threads of pauses, which may follow at once: a slice ends before the next one begins.
    pub(super) fn stalls(&mut self, diagnosis: &Diagnosis) -> io::Result<()> {
        let Some(stalls) = &diagnosis.stalls else { return Ok(()) };
        for (it, row) in stalls.episodes.iter().zip(rows(stalls)) {
            self.slice(Slice {
                track: FIRST + row as u64,
                start_ns: it.interval.start_ns,
                length: it.interval.duration,
                name: it.cause.map_or("unexplained", |it| it.short).to_owned(),
                category: "stall",
                about: about(it),
            })?;
        }
        let mut members: Vec<(&StallMember, &Episode)> = stalls
            .episodes
            .iter()
            .flat_map(|it| it.members.iter().map(move |of| (of, it)))
            .collect();
        members.sort_by_key(|it| (it.0.interval.start, it.0.interval.end));
        members.into_iter().try_for_each(|(it, of)| self.stall(diagnosis, stalls, it, of))
    }

    /// A stall of a thread, but for what is shown of the thread in the pauses that are opened.
    fn stall(
        &mut self,
        diagnosis: &Diagnosis,
        stalls: &Stalls,
        it: &StallMember,
        of: &Episode,
    ) -> io::Result<()> {
        let waits = it.holder != it.tid;
        let holder = stalls.named.get(&it.holder).filter(|_| waits);
        let name = match holder {
            Some(holder) => format!("waits for {}", clean_name(&holder.name, MOST_NAME)),
            None => of.cause.map_or("unexplained", |it| it.short).to_owned(),
        };
        let is_place = !waits
            && it.length == of.longest
            && stalls.named.get(&it.tid).is_some_and(|it| it.name == of.place.thread);
        let about = if is_place { place_of(of) } else { Vec::new() };
        let track = thread_track(it.tid);
        for piece in outside(diagnosis, it) {
            self.slice(Slice {
                track,
                start_ns: piece.start.0,
                length: piece.duration(),
                name: name.clone(),
                category: "stall",
                about: about.clone(),
            })?;
        }
        if !waits {
            return Ok(());
        }
        let ends = [(thread_track(it.holder), "let go"), (track, "goes on")];
        self.flow(it.interval.end.0, "stall", ends)
    }
}

/// What of a stall is in no opened pause that has a lane for its thread, in order.
fn outside(diagnosis: &Diagnosis, it: &StallMember) -> Vec<Interval> {
    let with_lane = diagnosis.opened.iter().filter(|of| of.lanes.iter().any(|of| of.tid == it.tid));
    let pauses = with_lane.filter_map(|it| Some(&diagnosis.pauses.get(it.pause)?.pause));
    let mut pauses: Vec<(u64, u64)> =
        pauses.map(|it| (it.start_ns, it.start_ns + ns(it.duration))).collect();
    pauses.sort_unstable();
    let (mut pieces, mut from) = (Vec::new(), it.interval.start.0);
    for (start, end) in pauses {
        if start > from && from < it.interval.end.0 {
            pieces.push((from, start.min(it.interval.end.0)));
        }
        // A thread's last slice in the pause ends with that.
        from = if end >= from { end + 1 } else { from };
    }
    pieces.push((from, it.interval.end.0));
    pieces.retain(|it| it.0 < it.1);
    pieces.into_iter().map(|it| Interval::new(MonoTime(it.0), MonoTime(it.1))).collect()
}

fn about(it: &Episode) -> Vec<(&'static str, String)> {
    let mut about = vec![
        ("threads", view::told(it)),
        ("thread time", crate::duration(it.time)),
        ("longest", crate::duration(it.longest())),
        ("known", it.certainty.id().to_owned()),
    ];
    about.extend(place_of(it));
    about
}

/// Where the longest stall of an episode was, and for what.
fn place_of(it: &Episode) -> Vec<(&'static str, String)> {
    let waits_for = it.proof.map(|it| ("waits for", it.phrase.to_owned()));
    place(&it.place).into_iter().chain(waits_for).collect()
}

#[cfg(test)]
mod tests {
    use super::super::proto::Trace;
    use crate::Options;
    use diagnose::{Diagnosis, facts_text};
    use prost::Message;
    use std::collections::BTreeMap;

    const APPENDERS: &str = "
        stalls 10ms
        missing gc-log
        jvm 17.0.15 g1
        thread 1 vm-thread VM Thread
        thread 7 java holder
        thread 8 java waiter-1
        7 blocked 100ms 3220ms fdatasync a.log stack jbd2_log_wait_commit ext4_sync_file
        8 waiting 120ms 3221ms by 7";

    /// When the times of a text of facts begin.
    const MINUTE_MS: u64 = 60_000;

    fn read(it: &Diagnosis) -> Trace {
        let mut out = Vec::new();
        super::super::write(it, &mut &it.pauses[..], &Options::default(), &mut out)
            .expect("memory");
        Trace::decode(&out[..]).expect("a trace")
    }

    /// `TRACK: SLICE from FROM to TO` in milliseconds, one a line, in the order of their ends.
    #[track_caller]
    fn slices(trace: &Trace) -> Vec<String> {
        let mut names = BTreeMap::new();
        let mut open: BTreeMap<u64, Vec<(String, u64)>> = BTreeMap::new();
        let mut events = Vec::new();
        for packet in &trace.packet {
            if let Some(track) = &packet.track_descriptor {
                let thread = track.thread.as_ref().map(|it| it.thread_name.clone());
                names.insert(track.uuid, thread.or(track.name.clone()).unwrap_or_default());
            }
            events.extend(packet.timestamp.zip(packet.track_event.as_ref()));
        }
        events.sort_by_key(|it| it.0);
        let mut found = Vec::new();
        for (at, event) in events {
            let track = open.entry(event.track_uuid).or_default();
            match event.r#type {
                super::super::BEGIN => track.push((event.name.clone().unwrap_or_default(), at)),
                super::super::END => {
                    let (name, from) = track.pop().expect("it has begun");
                    let of = &names[&event.track_uuid];
                    let [from, to] = [from, at].map(|it| it / 1_000_000 - MINUTE_MS);
                    found.push(format!("{of}: {name} from {from} to {to}"));
                }
                _ => {}
            }
        }
        assert!(open.values().all(Vec::is_empty), "each ends: {open:?}");
        found
    }

    #[test]
    fn an_episode_is_a_slice_and_so_is_each_of_its_stalls() {
        let trace = read(&facts_text::diagnose(APPENDERS));
        assert_eq!(
            slices(&trace),
            [
                "Stalls: fsync blocked from 100 to 3220",
                "holder: fsync blocked from 100 to 3220",
                "waiter-1: waits for holder from 120 to 3220",
            ]
        );
        let events = || trace.packet.iter().filter_map(|it| it.track_event.as_ref());
        let begins: Vec<u64> = events().flat_map(|it| it.flow_ids.clone()).collect();
        let ends: Vec<u64> = events().flat_map(|it| it.terminating_flow_ids.clone()).collect();
        assert_eq!((begins.len(), &begins), (1, &ends), "from the holder to who waited");
        let about = events().flat_map(|it| &it.debug_annotations);
        let texts: Vec<&str> = about.filter_map(|it| it.string_value.as_deref()).collect();
        assert!(texts.contains(&"a.log") && texts.contains(&"a journal commit"), "{texts:?}");
    }

    #[test]
    fn episodes_at_the_same_time_are_on_tracks_of_their_own() {
        let text = format!(
            "{APPENDERS}\n thread 9 java reader\n 9 blocked 90ms 200ms read b.log stack folio_wait_bit_common filemap_read"
        );
        let tracks = slices(&read(&facts_text::diagnose(&text)));
        let of = |name: &str| tracks.iter().filter(|it| it.starts_with(name)).count();
        assert_eq!((of("Stalls: "), of("Stalls (2): ")), (1, 1), "{tracks:?}");
    }

    #[test]
    fn without_stalls_there_is_no_track_of_them() {
        let mut it = facts_text::diagnose(APPENDERS);
        it.stalls = None;
        let trace = read(&it);
        let tracks = trace.packet.iter().filter_map(|it| it.track_descriptor.as_ref());
        assert!(tracks.clone().all(|it| it.thread.is_none()));
        assert!(tracks.clone().all(|it| !it.name.clone().unwrap_or_default().contains("Stall")));
    }
}
