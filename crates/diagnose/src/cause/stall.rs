//! What can be said of the stalls that any cause claimed: where the threads stood, and for how long.
use crate::{
    Evidence, WaitLocation, account::tally::Tally, cause::os_evidence::spent, facts::index::Index,
    text,
};
use recording::Source;

/// ``Thread `appender-3` waited in fdatasync() on /data/a.log (ext4 on sdb1) for a journal commit.``
pub(crate) fn story(tally: &Tally, index: &Index<'_>) -> Vec<String> {
    let place = tally.place(index).unwrap_or_default();
    let why = tally.mechanism_shares().first().map(|it| format!(" for {}", it.phrase));
    let (thread, what, on) = (text::the_thread(&place.thread), what(&place), on(&place));
    vec![format!("{thread} {what}{on}{}.", why.unwrap_or_default())]
}

/// `blocked in fdatasync() for 3.2 s in 4 stalls, up to 1.1 s in one`.
pub(crate) fn evidence(tally: &Tally, index: &Index<'_>) -> Evidence {
    let place = tally.place(index).unwrap_or_default();
    let what = match place.call.as_str() {
        "" => "runnable, waiting for a CPU,".to_owned(),
        call => format!("blocked in {call}"),
    };
    spent(tally, Source::Scheduler, &what)
}

fn what(place: &WaitLocation) -> String {
    match place.call.as_str() {
        "" => "was runnable and waited for a CPU".into(),
        call => format!("waited in {call}"),
    }
}

fn on(place: &WaitLocation) -> String {
    if place.path.is_empty() { String::new() } else { format!(" on {}", text::file(place)) }
}
