//! From inputs to rows and answers: the one place that knows the crates that make them.
use crate::{
    error::Error,
    progress::Progress,
    source::Source,
    stream::{OnBatch, Work},
};
use arrow_array::RecordBatch;
use diagnose::Keep;
use input::{Input, Take};
use report::Options;
use std::{
    collections::BTreeMap,
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
    /// Whether what cannot be read is left out.
    pub(crate) skip: bool,
    /// What paths begin with, and what stands for it in rows; of files that were copied to be read.
    pub(crate) instead: Option<(String, String)>,
}

/// What is read, any number of times.
#[derive(Debug)]
pub(crate) struct Inputs {
    table: Table,
    about: About,
    found: Found,
    /// Paths that cannot be used.
    unusable: Vec<(String, Error)>,
}

#[derive(Debug)]
enum Found {
    /// Inputs that are read together, in their order, with the host that their paths name.
    Groups(Vec<(Option<String>, Vec<Input>)>),
    /// One log, which is looked at when it is read.
    Content(Source),
}

impl Inputs {
    /// Opens nothing but the begins of files.
    pub(crate) fn find(table: Table, source: Source, about: About) -> Result<Inputs, Error> {
        let mut unusable = Vec::new();
        let found = match source {
            Source::Paths(mut paths) => {
                if about.skip {
                    paths.retain(|path| match input::find(std::slice::from_ref(path), nothing()) {
                        Ok(_) => true,
                        Err(error) => {
                            unusable.push((about.shown(&path.to_string_lossy()), error.into()));
                            false
                        }
                    });
                }
                let inputs = input::find(&paths, nothing())?;
                Found::Groups(groups(inputs, !about.origin.host.is_empty()))
            }
            content => Found::Content(content),
        };
        Ok(Inputs { table, about, found, unusable })
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
        groups.iter().flat_map(|it| &it.1).map(of_input).sum()
    }
}

fn nothing() -> Box<dyn io::Read + Send> {
    Box::new(io::empty())
}

/// What is read together: of one host, where there is a recording among it, as what a recording shows is in the
/// log, too. All else is read apart, by as many threads as there are.
fn groups(inputs: Vec<Input>, is_one_host: bool) -> Vec<(Option<String>, Vec<Input>)> {
    let mut groups: Vec<(Option<String>, Vec<Input>)> = Vec::new();
    let mut places = BTreeMap::new();
    for input in inputs {
        let host = if is_one_host { None } else { host_of(path_of(&input)) };
        let next = groups.len();
        let known = is_one_host || host.is_some();
        let place = if known { *places.entry(host.clone()).or_insert(next) } else { next };
        match groups.get_mut(place) {
            Some((_, together)) => together.push(input),
            None => groups.push((host, vec![input])),
        }
    }
    let apart = |(host, inputs): (Option<String>, Vec<Input>)| {
        if inputs.iter().any(|it| !matches!(it, Input::Log(_))) {
            return vec![(host, inputs)];
        }
        inputs.into_iter().map(|it| (host.clone(), vec![it])).collect()
    };
    groups.into_iter().flat_map(apart).collect()
}

fn path_of(input: &Input) -> &str {
    match input {
        Input::Recording(path) | Input::Kept(path, _) => path.to_str().unwrap_or_default(),
        Input::Log(set) => set.name(),
    }
}

/// `NAME` of the directory `host=NAME` that it is in.
fn host_of(path: &str) -> Option<String> {
    let (folders, _) = path.rsplit_once('/')?;
    let host = folders.rsplit('/').find_map(|it| it.strip_prefix("host="))?;
    (!host.is_empty()).then(|| host.to_owned())
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
        let (host, inputs, name) = match &self.inputs.found {
            Found::Groups(groups) => (&groups[index].0, &groups[index].1, None),
            Found::Content(source) => {
                let (reader, name) = source.reader().expect("paths are inputs already");
                of_content = input::find(&[PathBuf::from("-")], reader)?;
                (&None, &of_content, Some(name))
            }
        };
        let about = &self.inputs.about;
        let mut origin = about.origin.clone();
        if let Some(host) = host {
            origin.host.clone_from(host);
        }
        let mut taken = Taken { run: self, index, on_batch, name, read_bytes: 0, failed: None };
        table::host(inputs, &origin, "", Tables::only(self.inputs.table), &mut taken);
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
        if !self.run.inputs.about.skip {
            self.failed.get_or_insert(error);
        }
    }
}

/// The JSON document of the program about one input.
pub(crate) fn explain(path: &Path) -> Result<String, Error> {
    let mut found = input::find(&[path.to_owned()], nothing())?;
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
    let options = Options { over: LIST_OVER, ..Options::default() };
    let mut document = Vec::new();
    report::json::write(&diagnosis, &mut &diagnosis.pauses[..], &options, &mut document)
        .map_err(|error| Error::new(error.to_string(), ""))?;
    String::from_utf8(document).map_err(|error| Error::new(error.to_string(), ""))
}

/// Nothing of the reading is wanted but its end.
struct Silent;

impl Take for Silent {}
