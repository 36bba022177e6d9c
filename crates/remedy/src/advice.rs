//! A piece of advice.
use crate::{Action, Command};
use diagnose::Finding;
use std::time::Duration;

/// When a piece of advice can be followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AdviceWhen {
    /// On the running JVM or host.
    Now,
    /// When the JVM is started the next time.
    NextStart,
    /// In the application's code.
    Code,
}

impl AdviceWhen {
    /// `now`, `at the next start`, `in the code`.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            AdviceWhen::Now => "now",
            AdviceWhen::NextStart => "at the next start",
            AdviceWhen::Code => "in the code",
        }
    }
}

/// One way out, fitted to the JVM at hand: never a flag it already has or would refuse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    /// The remedy's id, such as `gc-log-async`.
    pub remedy: &'static str,
    /// When it can be applied.
    pub when: AdviceWhen,
    /// What to do: flags, commands, or a short phrase.
    pub action: Action,
    /// What it costs or risks; one short sentence, may be empty.
    pub note: String,
    /// What to know before it is done by hand; may be empty.
    pub caution: String,
    /// The command of this program that does it, where there is one.
    pub apply: Option<Command>,
    /// Flags given now that go: with both the JVM would not start, or do the old thing as well.
    pub replaces: Vec<String>,
}

/// Remedies that change nothing: they tell more of a cause, and end no pause.
const ONLY_TELL: [&str; 5] =
    ["find-host-pauses", "find-late-code", "find-who-stops", "less-live-data", "name-operations"];

/// Remedies that work on collections alone, and on no thread of the application.
const FOR_STOPS: [&str; 1] = ["gc-threads"];

impl Advice {
    /// The time of a finding that it may end.
    #[must_use]
    pub fn reach(&self, finding: &Finding) -> Duration {
        match FOR_STOPS.contains(&self.remedy) {
            true => finding.time.saturating_sub(finding.in_hiccups),
            false => finding.time,
        }
    }

    /// Whether it tells more of a cause and ends no pause by itself.
    #[must_use]
    pub fn only_tells(&self) -> bool {
        ONLY_TELL.contains(&self.remedy)
    }

    /// For the running JVM or host.
    pub(crate) fn now(action: Action, note: impl Into<String>) -> Advice {
        Advice::new(AdviceWhen::Now, action, note.into())
    }

    /// For the next start.
    pub(crate) fn at_next_start(action: Action, note: impl Into<String>) -> Advice {
        Advice::new(AdviceWhen::NextStart, action, note.into())
    }

    /// For the code.
    pub(crate) fn in_code(action: impl AsRef<str>, note: impl Into<String>) -> Advice {
        Advice::new(AdviceWhen::Code, Action::say(action), note.into())
    }

    /// Lines for the code, in a file of it.
    pub(crate) fn in_file(lines: Action, note: impl Into<String>) -> Advice {
        Advice::new(AdviceWhen::Code, lines, note.into())
    }

    fn new(when: AdviceWhen, action: Action, note: String) -> Advice {
        // The registry puts the id in.
        Advice {
            remedy: "",
            when,
            action,
            note,
            caution: String::new(),
            apply: None,
            replaces: Vec::new(),
        }
    }

    /// What is shown to a person: the command that does it, or else what to do by hand, and what to
    /// know before.
    #[must_use]
    pub fn shown(&self) -> (Action, String) {
        match &self.apply {
            Some(command) => (Action::run([command.clone()]), self.note.clone()),
            None => (self.action.clone(), self.noted()),
        }
    }

    /// All that is to be known where it is done by hand.
    #[must_use]
    pub fn noted(&self) -> String {
        let both = [self.note.as_str(), self.caution.as_str()];
        both.into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>().join("; ")
    }

    /// The same with something to know before it is done by hand.
    pub(crate) fn cautioned(self, caution: &str) -> Advice {
        Advice { caution: caution.to_owned(), ..self }
    }

    /// The same in place of `flags`, which the note names.
    pub(crate) fn in_place_of<'a>(self, flags: impl IntoIterator<Item = &'a str>) -> Advice {
        let replaces: Vec<String> = flags.into_iter().map(str::to_owned).collect();
        let note = match replaces.as_slice() {
            [] => self.note,
            flags => format!("in place of {}: {}", flags.join(" "), self.note),
        };
        Advice { note, replaces, ..self }
    }
}
