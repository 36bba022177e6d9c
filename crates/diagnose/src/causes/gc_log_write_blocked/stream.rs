//! The log on standard output or standard error, where that is a pipe, a terminal or a socket.
use crate::{
    Detail, WaitLocation,
    account::tally::Tally,
    cause::{Explanation, os_evidence::spent_in_stops},
    culprits,
    facts::index::Index,
    text,
    wait::outputs,
};
use recording::OutputFact;

pub(super) fn explain(
    tally: &Tally,
    index: &Index<'_>,
    output: &OutputFact,
    place: &WaitLocation,
) -> Explanation {
    let blocked = format!("{} blocked in {} to {}", place.thread, place.call, place.path);
    Explanation {
        story: story(index, output, place),
        culprits: culprits::readers(tally, index, output),
        evidence: vec![spent_in_stops(tally, &blocked)],
        detail: Detail::Stream(Box::new(output.clone())),
    }
}

fn story(index: &Index<'_>, output: &OutputFact, place: &WaitLocation) -> Vec<String> {
    let (thread, call) = (text::the_thread(&place.thread), &place.call);
    let (to, kind) = (outputs::described(index, output), outputs::kind(output));
    let mut story = vec![
        format!("{thread} waited in {call} to {to}, because the {kind} was full."),
        "All application threads waited for this thread.".into(),
    ];
    story.extend(outputs::unknown_reader(index, output));
    if !output.gc_log {
        let what = "a thread dump, a warning, or a log enabled at run time";
        story.push(format!("No flag sends the GC log there: the output was {what}."));
    }
    story
}

#[cfg(test)]
mod tests {
    use super::super::CAUSE;
    use crate::as_text::facts::{check, culprits_of, story_of};

    /// The VM thread blocks in the write of a young collection to a pipe that `cat` reads.
    const PIPE: &str = "
        jvm 17.0.15 g1 flags -Xlog:gc*
        thread 1 vm-thread VM Thread
        output 1 pipe pipe:[9] log looked 40 0
        reader 1 77 cat T 100ms
        reader 1 77 cat T 600ms
        reader 1 77 cat S 900ms
        safepoint 0ms 1000ms op G1CollectForAllocation 1ms 999ms vm 1
        1 on-cpu 0ms 10ms
        1 blocked 10ms 990ms write fd1 stack schedule anon_pipe_write vfs_write ksys_write
        1 on-cpu 990ms 1000ms";

    const PRESENT: &str = "present 980ms measured pipe-full";

    #[test]
    fn full_pipe_is_named_with_its_reader_and_its_state() {
        check(&CAUSE, PIPE, PRESENT);
        assert_eq!(
            story_of(&CAUSE, PIPE),
            "The VM thread waited in write() to standard output (a pipe read by cat, pid 77), because the pipe was full. \
             All application threads waited for this thread."
        );
        assert_eq!(
            culprits_of(&CAUSE, PIPE),
            "process cat: cat (pid 77) holds the read end of the pipe and did not read it fast enough; \
             around this stop it was stopped by a signal in 2 of 3 samples\n"
        );
    }

    #[test]
    fn what_the_reader_read_and_used_is_reported_where_it_was_counted() {
        let counted = format!(
            "{PIPE}
             sample output_reader.77.read_bytes 0ms 1000
             sample output_reader.77.read_bytes 1000ms 5000
             sample output_reader.77.cpu_ms 0ms 10
             sample output_reader.77.cpu_ms 1000ms 30"
        );
        let culprits = culprits_of(&CAUSE, &counted);
        assert!(culprits.contains("read 4 kB and used 20 ms of CPU time"), "{culprits}");
    }

    #[test]
    fn a_terminal_that_is_stopped() {
        let text = PIPE
            .replace("pipe pipe:[9]", "pseudo-terminal /dev/pts/3")
            .replace("anon_pipe_write", "wait_woken n_tty_write file_tty_write");
        check(&CAUSE, &text, PRESENT);
        let story = story_of(&CAUSE, &text);
        let expected = "standard output (the terminal /dev/pts/3 read by cat, pid 77), because the terminal was full";
        assert!(story.contains(expected), "{story}");
        assert!(culprits_of(&CAUSE, &text).contains("holds the master of the terminal"));
    }

    #[test]
    fn a_socket_that_is_not_read() {
        let text = PIPE
            .replace("pipe pipe:[9]", "unix-socket socket:[9]")
            .replace("anon_pipe_write", "sock_alloc_send_pskb unix_stream_sendmsg");
        check(&CAUSE, &text, PRESENT);
        assert!(story_of(&CAUSE, &text).contains("(a socket read by cat, pid 77)"));
    }

    #[test]
    fn a_connection_to_another_host_has_no_reader_here() {
        let text = PIPE
            .replace(
                "pipe pipe:[9] log looked 40 0",
                "tcp-socket 10.0.0.7:514 log hidden it is far",
            )
            .replace("anon_pipe_write", "sk_stream_wait_memory tcp_sendmsg_locked");
        let text: String =
            text.lines().filter(|it| !it.contains("reader")).map(|it| format!("{it}\n")).collect();
        check(&CAUSE, &text, PRESENT);
        let story = story_of(&CAUSE, &text);
        assert!(story.contains("(a TCP connection to 10.0.0.7:514)"), "{story}");
        assert!(story.contains("The process that reads it is unknown: it is far."), "{story}");
    }

    #[test]
    fn a_reader_that_was_not_found_is_said_to_be_unknown_and_nobody_is_blamed() {
        let unknown = |looked: &str| {
            let text = PIPE.replace("looked 40 0", looked);
            let text: String = text
                .lines()
                .filter(|it| !it.contains("reader"))
                .map(|it| format!("{it}\n"))
                .collect();
            check(&CAUSE, &text, PRESENT);
            assert_eq!(culprits_of(&CAUSE, &text), "");
            story_of(&CAUSE, &text)
        };
        assert!(unknown("looked 40 0").contains("none of 40 processes holds it."));
        let some = unknown("looked 40 3");
        assert!(
            some.contains("none of 40 processes holds it, 3 could not be inspected."),
            "{some}"
        );
        assert!(unknown("").contains("it was not searched for"));
    }

    #[test]
    fn where_several_hold_the_other_end_none_is_blamed_alone() {
        let text = format!("{PIPE}\nreader 1 88 tee S 100ms");
        assert!(story_of(&CAUSE, &text).contains("read by cat, pid 77, and 1 more"));
        let culprits = culprits_of(&CAUSE, &text);
        assert_eq!(culprits.lines().count(), 2);
        assert!(
            culprits.contains("tee (pid 88) is one of 2 processes that hold the read end of the pipe, which was not read fast enough"),
            "{culprits}"
        );
    }

    #[test]
    fn what_no_flag_sends_there_is_not_called_the_gc_log() {
        let text = PIPE.replace("pipe:[9] log", "pipe:[9]");
        check(&CAUSE, &text, PRESENT);
        assert!(story_of(&CAUSE, &text).contains("No flag sends the GC log there"));
    }

    #[test]
    fn a_sample_of_the_wait_is_enough_also_without_its_descriptor() {
        let sampled = PIPE.replace("write fd1 stack schedule", "- - sampled stack");
        let sampled = sampled.replace(" vfs_write ksys_write", "");
        let sampled =
            format!("missing scheduler\nmissing kernel-stacks\nrecorded thread-samples\n{sampled}");
        check(&CAUSE, &sampled, "present 980ms inferred pipe-full");
        assert!(
            story_of(&CAUSE, &sampled).contains("write() to standard output (a pipe read by cat")
        );
        check(
            &CAUSE,
            &sampled.replace("anon_pipe_write", "wait_woken"),
            "present 980ms inferred pipe-full",
        );
        check(&CAUSE, &sampled.replace("anon_pipe_write", "do_epoll_wait"), "unknown scheduler");
        // A Java thread writes to other pipes as well.
        let java = sampled.replace("vm-thread VM Thread", "java http-1").replace("vm 1", "vm 2");
        check(&CAUSE, &java, "unknown scheduler");
    }

    #[test]
    fn threads_without_names_count_where_the_flags_send_the_log_there() {
        let text = "
            missing safepoint-probes
            recorded safepoint-counters
            jvm 8.0.432 g1
            thread 1 java java
            output 1 pipe pipe:[9] log looked 40 0
            safepoint 0ms 1000ms op - 1ms 999ms vm 1
            1 blocked 10ms 990ms write fd1 stack pipe_write vfs_write";
        check(&CAUSE, text, PRESENT);
        let counted = text.replace("vm 1", "vm 0");
        check(&CAUSE, &counted, "present 980ms inferred pipe-full");
        check(&CAUSE, &counted.replace(" log looked", " looked"), "absent");
        check(&CAUSE, &counted.replace("write fd1", "write fd2"), "absent");
    }

    #[test]
    fn where_nothing_tells_of_stops_no_cause_is_ruled_out() {
        let text = "
            missing safepoint-probes
            missing safepoint-symbols
            missing safepoint-counters
            missing gc-log
            jvm 8.0.432 parallel
            thread 1 java java
            output 1 pipe pipe:[9] log looked 40 0
            1 blocked 10ms 990ms write fd1 stack pipe_write vfs_write";
        check(&CAUSE, text, "unknown gc-log");
        for seen in ["safepoint-counters", "gc-log"] {
            check(&CAUSE, &text.replace(&format!("missing {seen}"), ""), "absent");
        }
    }
}
