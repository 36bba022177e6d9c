// What the program gives the page: decided there (`report::view`), only drawn here.
//
// The Rust side is `crates/report/src/html/model.rs`; both change together. All text is cleaned by the
// program (one line, no control characters) and is shown as text, never as markup.

/** Everything on one page. */
export interface Page {
  /** Version of whypause. */
  version: string;
  answer: Answer;
  /** The document of `whypause schema`, without `longest`: nanoseconds, bytes, shares from 0 to 1. */
  numbers: Numbers;
  /** The causes that the page speaks of; other places hold an index into this list. */
  causes: CauseInfo[];
  pauses: Columns;
  /** The longest pauses, to be looked into: of a recording those whose threads were kept. */
  opened: Opened[];
  /** What the host did over time; empty where nothing was read, as for a log. */
  host: HostLine[];
  /** Null where that was not recorded, or no thread stalled. */
  stalls: Stalls | null;
}

/** A number of the host, at most 1,000 readings. */
export interface HostLine {
  kind: HostKind;
  /** The device of a disk, or the JVM whose control group it is of where there are several; empty for all else. */
  name: string;
  /** Whether it is shown at once; the others are on request. */
  is_shown: boolean;
  /** Since time 0, rising; before the first pause less than 0. */
  at_ms: number[];
  value: number[];
}

export type HostKind =
  /** Bytes. */
  | "dirty_bytes" | "available"
  /** Pages. */
  | "dirty_pages"
  /** Nanoseconds for each second. */
  | "disk_busy" | "pressure_io" | "throttled" | "cpu_used" | "pressure_cpu" | "steal" | "pressure_memory"
  /** Pages for each second. */
  | "swap_in" | "swap_out" | "direct_reclaim"
  /** Events for each second. */
  | "major_faults" | "compaction";

/** Kinds of causes, which have a colour and a pattern each. */
export type Class = "gc" | "vm" | "disk" | "quota" | "cpu" | "steal" | "memory" | "late" | "outside" | "unexplained";

/** What the collector did in a pause: `-` no collection, `u` one of unknown kind, `c` a pause of a concurrent cycle,
 * `y` young, `m` mixed, `x` one that found no room for what it moved, `d` degenerated, `f` full. */
export type Collected = "-" | "u" | "c" | "y" | "m" | "x" | "d" | "f";

export interface CauseInfo {
  id: string;
  title: string;
  /** For the middle of a sentence. */
  short: string;
  class: Class;
  nature: "fault" | "symptom" | "ordinary";
  /** Its page of the documentation: what happens, what proves it, what looks alike, … `code` spans are in backticks. */
  page: { heading: string; lines: string[] }[];
}

/** The answer in words, the same as on a terminal. */
export interface Answer {
  /** `orders.jar (pid 4242)` or the log's name. */
  title: string;
  /** One or two sentences. */
  verdict: string;
  /** What to do first, one for each time at which something can be done. */
  steps: { when: string; text: string; copy: string | null }[];
  /** All that can be done, each once, the most useful first. */
  to_do: ToDo[];
  /** The service, its JVM and the time that was looked at. */
  header: string[];
  cards: { value: string; label: string }[];
  /** What a hiccup is, where the answer speaks of any. */
  hiccup: string | null;
  cut_stop: string | null;
  findings: Finding[];
  /** The causes that do not matter, in a few words each. */
  minor: string[];
  /** Numbers of a GC log, as label and text. */
  numbers: [string, string][];
  /** Stopped time that no cause explains. */
  rest: { text: string; seen: [string, string][]; command: string | null } | null;
  not_checked: string[];
  losses: string[];
  notes: string[];
  ruled_out: string[];
  /** Flags of the JVM, where known. */
  flags: string[];
  /** The terms of the first screen. */
  words: Meaning[];
}

/** A term of the field, for those who know no JVM from inside. */
export interface Meaning {
  term: string;
  meaning: string;
}

export interface Finding {
  number: number;
  /** Index into `causes`. */
  cause: number;
  is_main: boolean;
  is_fault: boolean;
  /** `3.79 s in 2 stops`. */
  extent: string;
  /** `92.1 %`. */
  share: string;
  certainty: "measured" | "inferred";
  story: string[];
  mechanisms: string[];
  who: string[];
  place: string;
  frames: string[];
  /** What proves it: the source that saw it, and what it saw. */
  evidence: [string, string][];
  suspects: { title: string; for: string[]; against: string[]; test: string; is_unlikely: boolean }[];
  advice: Advice[];
}

export interface ToDo {
  when: string;
  /** A command, flags, or a phrase; several commands are several lines. */
  text: string;
  copy: string | null;
  note: string;
  /** `could save up to 3.27 s of pauses: heap pressure (2.86 s), …`. */
  saves: string;
  /** Indices into `causes`. */
  causes: number[];
}

export interface Advice {
  /** `now`, `at the next start`, `in the code`. */
  when: string;
  /** A command, flags, or a phrase; several commands are several lines. */
  text: string;
  /** What the copy button takes; null where there is nothing to paste. */
  copy: string | null;
  note: string;
  /** The command of whypause that does it and can undo it. */
  apply: string | null;
}

/** All pauses in order of time, a list for each property. */
export interface Columns {
  count: number;
  /** Wall clock of time 0 in milliseconds since 1970 UTC; null where the input has uptimes only. */
  origin_wall_ms: number | null;
  /** The JVM's uptime at time 0 in milliseconds, where known. */
  origin_uptime_ms: number | null;
  /** Offset of the zone that the log itself is written in, in minutes; null where there is none. */
  zone_minutes: number | null;
  /** The dates have no zone: they are shown as they stand in the log. */
  zoneless?: boolean;
  /** Of all pauses, by index of the cause and without one, in microseconds; only where all are known. */
  sums?: { cause_us: number[]; rest_us: number };
  /** From time 0 to the end of the input in milliseconds. */
  span_ms: number;
  /** Pauses from this length on count as long, in milliseconds. */
  limit_ms: number;
  /** Start in microseconds, as the difference to the start before (the first: to time 0). */
  start_us: number[];
  /** Length in microseconds. */
  length_us: number[];
  /** Time to safepoint in microseconds. */
  reaching_us: number[];
  /** One character each: `s` a stop, `c` one whose begin or end was not seen, `g` a collection without a line of its stop, `h` a hiccup. */
  kind: string;
  /** One character each, see `Collected`. */
  collected: string;
  /** Index into `operations`. */
  operation: number[];
  operations: string[];
  /** For each pause the number of its parts, then cause and microseconds of each, one after the other.
   * What is missing to the pause's length is unexplained. */
  parts: number[];
  /** Pauses that were left out, all shorter than any that is here; 0 where all are here. */
  left_out: number;
}

/** A pause, opened. Times in microseconds since the pause's start, with fractions. */
export interface Opened {
  /** Index into the columns. */
  pause: number;
  /** Who waited for whom, in one sentence; empty where the threads do not show it. */
  chain: string;
  /** When all application threads had stopped. */
  reached_us: number;
  /** Who was waited for, end to end: the critical path of the pause. */
  segments: { start_us: number; length_us: number; cause: number | null; lane: number | null }[];
  lanes: Lane[];
  waits: Wait[];
  /** Phases of the collection as the GC log gives them; it does not say when each began. */
  phases: { name: string; length_us: number }[];
  /** What followed what, as the GC log has it: together the pause. Empty for what is no stop of the JVM. */
  stages: Stage[];
  /** What the log would need to tell more, a sentence each, with options in backticks; empty where there are lanes. */
  needs: string[];
  /** Slices that were left out for size. */
  left_out: number;
}

export interface Stage {
  kind: "reaching" | "collection" | "rest";
  /** `time to safepoint`, `young collection`, `operation`, `rest of the stop`. */
  name: string;
  /** Its GC cause, or the operation's name; empty where there is none. */
  detail: string;
  length_us: number;
  /** User, system and elapsed time of a collection, where the log has them. */
  cpu_us: [number, number, number] | null;
  /** Name and length of what a collection did, one after the other; at most its length. */
  steps: [string, number][];
}

export interface Lane {
  tid: number;
  name: string;
  /** `VM thread`, `GC thread`, `application thread`, … */
  role: string;
  spans: Span[];
}

export interface Span {
  start_us: number;
  length_us: number;
  state: "cpu" | "runnable" | "throttled" | "blocked" | "idle" | "stopped";
  /** Index into `waits`, where something is known of it. */
  wait: number | null;
  /** The lane whose thread woke it at its end. */
  woken_by: number | null;
}

/** What is known of a wait. Empty text where nothing is. */
export interface Wait {
  /** `write(fd 5)`, `a page fault`. */
  call: string;
  file: string;
  file_system: string;
  device: string;
  /** `a journal commit`. */
  waits_for: string;
  /** For a thread without a CPU: who had it. */
  cpu_holder: string;
  /** `measured` or `inferred`. */
  certainty: string;
  /** Who wrote to that device meanwhile, and how much. */
  writers: string[];
  /** Kernel functions, innermost first. */
  stack: string[];
  /** The frame that proves what it waits for. */
  marked: number | null;
  /** Of a thread that stood for another one: which. Set by the page. */
  thread?: string;
}

/** Threads that stood still while the JVM ran: outside of pauses, and in no number of those. */
export interface Stalls extends Episodes {
  /** `Stalls while the JVM ran: 8 threads for 31.0 s in all, up to 4.90 s`. */
  heading: string;
  findings: Finding[];
  /** `unexplained  27.2 s`; null where that is nothing to speak of. */
  rest: string | null;
  /** How many episodes there were, also those that are not here. */
  episode_count: number;
}

/** Threads that stood for the same reason at the same time, and what their numbers mean. */
export interface Episodes {
  threads: { tid: number; name: string; pool: number }[];
  /** Names of threads with `*` for the number: `appender-*`. */
  pools: string[];
  places: Place[];
  /** In order of time. */
  episodes: EpisodeData[];
}

/** Where the longest stall of an episode was; empty text where that is not known. */
export interface Place {
  thread: string;
  call: string;
  file: string;
  file_system: string;
  device: string;
  /** Kernel functions, innermost first. */
  stack: string[];
  /** What they show that it waited for: `a journal commit`. */
  waits_for: string;
  /** The frame that proves it. */
  marked: number | null;
}

/** One episode. Its time is that of all its threads together. */
export interface EpisodeData {
  /** Since time 0. */
  start_us: number;
  length_us: number;
  stalls: number;
  threads: number;
  time_us: number;
  longest_us: number;
  unexplained_us: number;
  /** `8 threads (appender-*) for 31.0 s, up to 4.90 s: fsync blocked; 2 waited for holder`. */
  told: string;
  /** `waiter-*, holder`. */
  pools: string;
  /** Index into `causes`; null for what no cause explains. */
  cause: number | null;
  certainty: "measured" | "inferred";
  /** How exactly, with the time of each in microseconds, most first. */
  mechanisms: [string, number][];
  /** Index into `places`. */
  place: number;
  /** Index into `threads`: whom others waited for. */
  holder: number | null;
  /** Its stalls in order of time: for each the thread, the thread that it waited for (itself where it waited for
   * none), the begin in microseconds since that of the episode, the length, and how much of that was in no stop of the JVM, one
   * after the other. */
  members: number[];
  /** Stalls that are not here, all shorter than those that are. */
  left_out: number;
}

/** The parts of the JSON contract that the page draws; see `whypause schema` for all of it. */
export interface Numbers {
  clock: string;
  span_ns: number;
  throughput: number | null;
  pauses: { count: number; total_ns: number; max_ns: number; mean_ns: number; p50_ns: number; p90_ns: number; p99_ns: number; p99_9_ns: number; over: Record<string, number>; time_to_safepoint: Count; hiccups: Count };
  gc: Gc | null;
  memory: Memory | null;
  jvm: { version: string | null; collector: string | null; main: string | null; pid: number | null; gc_threads: number | null };
  coverage: { sources: string[]; lost_events: number; missing: { source: string; reason: string }[]; cost: { recorder_cpu_ns: number; recorder_rss_bytes: number; jvm_cpu_ns: number } };
}
export interface Count { count: number; total_ns: number; max_ns: number }
export interface Gc {
  pauses: Count & { mean_ns: number; p50_ns: number; p90_ns: number; p99_ns: number; p99_9_ns: number };
  by_kind: (Count & { kind: string })[];
  by_cause: (Count & { cause: string })[];
  by_phase: (Count & { phase: string })[];
  cpu: { collections: number; user_ns: number; sys_ns: number; real_ns: number } | null;
  references: ({ collections: number } & Record<string, number>) | null;
  concurrent_cycles: number;
  young_cycles: number;
  cycle_time: Count;
  cycle_interval_ns: number | null;
  allocation_stalls: Count;
  evacuation_failures: number;
  promotion_failures: number;
  concurrent_mode_failures: number;
  humongous: { collections: number; most_regions: number; requests: number; largest_bytes: number | null; region_size_bytes: number | null; region_size_needed_bytes: number | null } | null;
}
export interface Memory {
  allocated_bytes: number;
  allocation_bytes_per_s: number | null;
  allocation_is_exact: boolean;
  promoted_bytes: number | null;
  promotion_bytes_per_s: number | null;
  most_used_bytes: number;
  most_capacity_bytes: number;
  max_heap_bytes: number | null;
  live_set: { samples: number; first_bytes: number; last_bytes: number; min_bytes: number; max_bytes: number; growth_bytes_per_hour: number | null } | null;
  generations: { name: string; max_before_bytes: number; max_after_bytes: number; last_after_bytes: number; min_capacity_bytes: number | null; max_capacity_bytes: number | null }[];
  /** `[milliseconds since time 0, before, after, capacity]`, at most 512. */
  series: [number, number, number, number | null][];
}

/** First event of a live page, `hello`: what is watched. */
export interface Hello {
  version: string;
  /** `orders.jar (pid 4242)`. */
  title: string;
  /** Pauses from this length on are told, in milliseconds. */
  limit_ms: number;
  /** Since when it is watched, in milliseconds since 1970 UTC. */
  since_wall_ms: number;
  zone_minutes: number | null;
  /** Pauses older than this are forgotten, in milliseconds. */
  kept_ms: number;
  /** Of so many pauses, the longest, it is shown what their threads did. */
  opened: number;
  /** The documentation of all causes, by their ids: the causes of `LivePause` come without. */
  pages: Record<string, CauseInfo["page"]>;
  /** What the terms of the field mean. */
  words: Meaning[];
}

/** Each pause of a live page as it ends, event `pause`; those of the last hour come again after `hello`. */
export interface LivePause {
  /** What it was, in one line, as `whypause watch` prints it. */
  line: string;
  /** Whose it is, where several JVMs are watched. */
  jvm: string | null;
  /** The causes that this event speaks of; indices are into this list alone. */
  causes: CauseInfo[];
  /** One pause. `origin_wall_ms` is that of this event alone. */
  pauses: Columns;
  findings: Finding[];
  /** At most one, of pause 0. */
  opened: Opened[];
}

/** Threads that stood while a JVM ran, event `stall`; those of the last hour come again after `hello`. */
export interface LiveStall {
  line: string;
  jvm: string | null;
  /** The causes that this event speaks of; indices are into this list alone. */
  causes: CauseInfo[];
  /** When its time 0 was, in milliseconds since 1970 UTC. */
  origin_wall_ms: number;
  /** One episode. */
  stalls: Episodes;
  /** Who did it, where that is known. */
  who: string[];
}

/** What was read of the host and the heap since the last one, event `readings`, about once a second; once more with all
 * that is kept when a browser connects. Times are since `since_wall_ms` of `Hello`. */
export interface LiveReadings {
  /** All lines, in the order in which they are worth a place; of each the readings that are new. */
  host: HostLine[];
  heap: Memory["series"];
}

/** The pauses and stalls of which recordings were kept, as events of a live page. */
export interface KeptPage {
  hello: Hello;
  pauses: LivePause[];
  stalls: LiveStall[];
}

/** The last event, `end`: the watch is over. */
export interface LiveEnd {
  why: string;
  /** Another JVM is awaited, whose events will come from the same address. */
  next: boolean;
}

/** Two runs beside each other; the Rust side is `crates/report/src/html/compared.rs`. */
export interface ComparePage {
  version: string;
  /** Sentences, the most important first. */
  verdict: string[];
  /** Why the runs may not be comparable. */
  caveats: string[];
  hiccup: string | null;
  /** Only one of the runs knows every stop: pauses are those of collections, in both. */
  of_collections: boolean;
  /** Before and after. */
  runs: [ComparedRun, ComparedRun];
  cards: { label: string; before: string; after: string }[];
  /** Most time first; `share` is of the run's time and linear. */
  causes: { name: string; class: Class; before: { share: number; text: string }; after: { share: number; text: string }; note: string }[];
  /** Name, before, after, change, note. */
  rows: { cells: string[]; is_significant: boolean }[];
  /** What the terms of the first screen mean. */
  words: Meaning[];
}

export interface ComparedRun {
  title: string;
  header: string[];
  /** 0 where the input has no times. */
  span_us: number;
  pauses: Columns;
  /** Without their pages. */
  causes: CauseInfo[];
}
