//! From inputs to rows and answers: the one place that knows the crates that make them.
use crate::{
    error::Error,
    progress::Progress,
    source::Source,
    stream::{OnBatch, Work},
};
use arrow_array::RecordBatch;
use diagnose::Keep;
use input::{HostInputs, Input, Take};
use report::Options;
use std::{
    io,
    ops::ControlFlow::{self, Break},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};
use table::{Origin, Sink, Table, Tables};

/// From how long on pauses are listed in an answer: what `whypause explain` does where nothing is asked for.
const LIST_OVER: Duration = Duration::from_millis(50);
/// As many pauses of a log are kept for an answer as any report lists, and then some.
const LONGEST: Keep = Keep::Longest(1_000);

/// The table of that name.
pub(crate) fn table_named(name: &str) -> Option<Table> {
    Table::ALL.into_iter().find(|it| it.id() == name)
}

/// What is known of the inputs beside what is in them, and how they are read.
#[derive(Clone, Debug, Default)]
pub(crate) struct About {
    pub(crate) origin: Origin,
    /// What the host is called where neither that, nor a path, nor a recording says it.
    pub(crate) otherwise: Option<String>,
    /// Whether what cannot be read is left out; where that is not said, what was not named is.
    pub(crate) skip: Option<bool>,
    /// What paths begin with, and what stands for it in rows; of files that were copied to be read.
    pub(crate) instead: Option<(String, String)>,
}

/// What is read, any number of times.
#[derive(Debug)]
pub(crate) struct Inputs {
    table: Table,
    about: About,
    skip: bool,
    found: Found,
    /// Paths that cannot be used.
    unusable: Vec<(String, Error)>,
}

#[derive(Debug)]
enum Found {
    /// What is read together: inputs, and which host they are of.
    Groups(Vec<HostInputs>),
    /// One log, which is looked at when it is read.
    Content(Source),
}

impl Inputs {
    /// Opens nothing but the begins of files.
    pub(crate) fn find(table: Table, source: Source, about: About) -> Result<Inputs, Error> {
        let Source::Paths(mut paths) = source else {
            let (skip, found) = (about.skip == Some(true), Found::Content(source));
            return Ok(Inputs { table, about, skip, found, unusable: Vec::new() });
        };
        let is_searched = |it: &PathBuf| it.is_dir() && !recording::is_recording(it);
        let skip = about.skip.unwrap_or_else(|| paths.iter().any(is_searched));
        let mut unusable = Vec::new();
        if skip {
            paths.retain(|path| match path.metadata() {
                Ok(_) => true,
                Err(_) => {
                    let error = input::hosts(std::slice::from_ref(path)).err();
                    unusable.extend(error.map(|error| (path.clone(), error)));
                    false
                }
            });
        }
        let mut hosts = input::hosts(&paths)?;
        unusable.append(&mut hosts.unusable);
        if let (false, Some((_, error))) = (skip, unusable.first()) {
            return Err(error.clone().into());
        }
        let unusable = unusable
            .into_iter()
            .map(|(path, error)| (about.shown(&path.to_string_lossy()), error.into()));
        let unusable = unusable.collect();
        let is_one_host = !about.origin.host.is_empty() || about.otherwise.is_some();
        let mut groups = groups(hosts.hosts, is_one_host);
        for it in &mut groups {
            it.directory =
                about.otherwise.clone().unwrap_or_else(|| std::mem::take(&mut it.directory));
        }
        let found = Found::Groups(groups);
        Ok(Inputs { table, about, skip, found, unusable })
    }

    /// How far a reading is that is to begin.
    pub(crate) fn progress(&self) -> Progress {
        Progress::new(self.size_bytes(), self.unusable.clone())
    }

    fn size_bytes(&self) -> Option<u64> {
        let Found::Groups(groups) = &self.found else { return None };
        let of_input = |it: &Input| match it {
            Input::Log(set) => set.size_bytes(),
            Input::Recording(_) | Input::Kept(..) => Some(0),
        };
        let of_table = |it: &PathBuf| Some(it.metadata().map_or(0, |it| it.len()));
        let inputs = groups.iter().flat_map(|it| &it.inputs).map(of_input);
        inputs.chain(groups.iter().flat_map(|it| &it.tables).map(of_table)).sum()
    }
}

/// What is read together: of one host, where there are recordings or rows among it, as what they show is in the
/// log, too. All else is read apart, by as many threads as there are.
fn groups(mut hosts: Vec<HostInputs>, is_one_host: bool) -> Vec<HostInputs> {
    if is_one_host {
        let mut whole = HostInputs::default();
        for it in &mut hosts {
            whole.inputs.append(&mut it.inputs);
            whole.tables.append(&mut it.tables);
        }
        hosts = vec![whole];
    }
    let apart = |of: HostInputs| {
        if !of.tables.is_empty() || of.inputs.iter().any(|it| !matches!(it, Input::Log(_))) {
            return vec![of];
        }
        let alone = |input| HostInputs {
            host: of.host.clone(),
            directory: of.directory.clone(),
            inputs: vec![input],
            tables: Vec::new(),
        };
        of.inputs.into_iter().map(alone).collect()
    };
    hosts.into_iter().flat_map(apart).collect()
}

impl About {
    /// What a path is called in rows and messages.
    fn shown(&self, path: &str) -> String {
        match &self.instead {
            Some((begin, instead)) => path.replacen(begin, instead, 1),
            None => path.to_owned(),
        }
    }
}

/// One reading.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) inputs: Arc<Inputs>,
    pub(crate) progress: Arc<Progress>,
}

impl Work for Run {
    fn count(&self) -> usize {
        match &self.inputs.found {
            Found::Groups(groups) => groups.len(),
            Found::Content(_) => 1,
        }
    }

    fn run(&self, index: usize, on_batch: OnBatch<'_>) -> Result<(), Error> {
        let of_content;
        let (of, name) = match &self.inputs.found {
            Found::Groups(groups) => (&groups[index], None),
            Found::Content(source) => {
                let (reader, name) = source.reader().expect("paths are inputs already");
                let inputs = input::find(&[PathBuf::from("-")], reader)?;
                of_content = HostInputs { inputs, ..HostInputs::default() };
                (&of_content, Some(name))
            }
        };
        let mut taken = Taken { run: self, index, on_batch, name, read_bytes: 0, failed: None };
        let origin = &self.inputs.about.origin;
        table::host(of, origin, Tables::only(self.inputs.table), &mut taken);
        taken.failed.map_or(Ok(()), Err)
    }

    fn end(&self) {
        self.progress.end();
    }
}

/// Takes what one group of inputs comes to.
struct Taken<'a> {
    run: &'a Run,
    index: usize,
    on_batch: OnBatch<'a>,
    /// What content is called.
    name: Option<&'a str>,
    /// Of the log that is read.
    read_bytes: u64,
    /// The first error, where that is to end the reading.
    failed: Option<Error>,
}

impl Sink for Taken<'_> {
    fn batch(&mut self, _: Table, rows: RecordBatch) -> ControlFlow<()> {
        if self.failed.is_some() { Break(()) } else { (self.on_batch)(rows) }
    }

    fn source(&mut self, path: &str) -> String {
        self.read_bytes = 0;
        match self.name {
            Some(name) => name.to_owned(),
            None => self.run.inputs.about.shown(path),
        }
    }

    fn progress(&mut self, read_bytes: u64) {
        self.run.progress.add(read_bytes.saturating_sub(self.read_bytes));
        self.read_bytes = self.read_bytes.max(read_bytes);
    }

    fn unread(&mut self, source: &str, error: &input::Error) {
        let error = Error::from(error.clone());
        self.run.progress.fail(self.index, source.to_owned(), error.clone());
        if !self.run.inputs.skip {
            self.failed.get_or_insert(error);
        }
    }
}

/// The JSON document of the program about one input.
pub(crate) fn explain(path: &Path) -> Result<String, Error> {
    let mut found = input::find(&[path.to_owned()], Box::new(io::empty()))?;
    let (Some(input), true) = (found.pop(), found.is_empty()) else {
        return Err(Error::new(
            format!("`{}` holds the logs of several JVMs", path.display()),
            "name the files of one, such as `DIRECTORY/gc.log*`",
        ));
    };
    let diagnosis = match &input {
        Input::Recording(path) | Input::Kept(path, _) => {
            input::recording(path, |_| {}, &mut Silent)?.1
        }
        Input::Log(set) => input::log(set, set.name(), LONGEST, &mut Silent)?.diagnosis,
    };
    input::enough(&diagnosis)?;
    let options = Options { over: LIST_OVER, ..Options::default() };
    let mut document = Vec::new();
    report::json::write(&diagnosis, &mut &diagnosis.pauses[..], &options, &mut document)
        .map_err(|error| Error::new(error.to_string(), ""))?;
    String::from_utf8(document).map_err(|error| Error::new(error.to_string(), ""))
}

/// Nothing of the reading is wanted but its end.
struct Silent;

impl Take for Silent {}
