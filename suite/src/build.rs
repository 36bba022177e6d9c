//! Compiles the program and all tests, and finds the test programs.
use crate::{
    arguments::Arguments,
    job::{Done, Job, LOGS, Lane},
    lanes::Lanes,
};
use anyhow::Context;
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// What the job is called that compiles.
pub(crate) const COMPILING: &str = "compiling";

/// A program with tests in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TestProgram {
    /// Its crate.
    pub(crate) package: String,
    /// What of the crate it tests: its library, its program, or the name of a folder or file of `tests/`.
    pub(crate) part: Part,
    /// The folder of its crate, in which it is run.
    pub(crate) folder: PathBuf,
    /// The program.
    pub(crate) file: PathBuf,
}

/// A part of a crate that has tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Those beside the library's code.
    Library,
    /// Those beside the code of a program.
    Program(String),
    /// Those of `tests/`.
    Tests(String),
}

impl TestProgram {
    /// `lab`, `recorder hostile`, `whypause (program)`.
    pub(crate) fn name(&self) -> String {
        match &self.part {
            Part::Library => self.package.clone(),
            Part::Program(_) => format!("{} (program)", self.package),
            Part::Tests(name) => format!("{} {name}", self.package),
        }
    }

    /// Cargo's words for it alone.
    pub(crate) fn selection(&self) -> String {
        match &self.part {
            Part::Library => format!("-p {} --lib", self.package),
            Part::Program(name) => format!("-p {} --bin {name}", self.package),
            Part::Tests(name) => format!("-p {} --test {name}", self.package),
        }
    }
}

/// Compiles, with these checks beside it, and returns how all that went and the test programs.
///
/// # Errors
/// Where cargo cannot be started, or what it says cannot be read.
pub(crate) fn tests(
    arguments: &Arguments,
    lanes: &mut Lanes<'_>,
    checks: Vec<Job>,
) -> anyhow::Result<(Vec<Done>, Vec<TestProgram>)> {
    let words = ["cargo", "test", "--locked", "--workspace", "--no-run"];
    let mut job = Job::command(COMPILING, Lane::Host, &words);
    job.words.push("--message-format=json-render-diagnostics".into());
    job.words.extend(arguments.features.iter().map(Into::into));
    let answers = Path::new(LOGS).join("programs.json");
    job.answers = Some(answers.clone());
    let jobs = checks.into_iter().chain([job]).collect();
    let done = lanes.step("format, scripts, compiling the program and its tests", jobs)?;
    let text = fs::read_to_string(&answers).context("cargo said nothing")?;
    Ok((done, programs(&text)))
}

/// The test programs that cargo's messages name: a JSON object a line.
fn programs(messages: &str) -> Vec<TestProgram> {
    messages.lines().filter_map(|it| program(&serde_json::from_str(it).ok()?)).collect()
}

fn program(message: &Value) -> Option<TestProgram> {
    if message["reason"] != "compiler-artifact" || message["profile"]["test"] != true {
        return None;
    }
    let target = &message["target"];
    let name = target["name"].as_str()?.to_owned();
    let part = match target["kind"][0].as_str()? {
        "test" => Part::Tests(name),
        "bin" => Part::Program(name),
        "bench" | "example" | "custom-build" => return None,
        _ => Part::Library,
    };
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?.to_owned();
    Some(TestProgram {
        package: folder.file_name()?.to_str()?.to_owned(),
        part,
        file: message["executable"].as_str()?.into(),
        folder,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(kind: &str, name: &str, is_test: bool) -> String {
        format!(
            "{{\"reason\":\"compiler-artifact\",\"manifest_path\":\"/p/crates/lab/Cargo.toml\",\
             \"target\":{{\"kind\":[\"{kind}\"],\"name\":\"{name}\"}},\
             \"profile\":{{\"test\":{is_test}}},\"executable\":\"/t/{name}-1\"}}\n"
        )
    }

    #[test]
    fn libraries_programs_and_tests_have_tests() {
        let found = programs(
            &[
                message("lib", "lab", true),
                message("bin", "lab", true),
                message("test", "it", true),
                message("bench", "cost", true),
                message("bin", "lab", false),
                "{\"reason\":\"build-finished\"}\n".to_owned(),
            ]
            .concat(),
        );
        let names: Vec<_> = found.iter().map(TestProgram::name).collect();
        assert_eq!(names, ["lab", "lab (program)", "lab it"]);
        let words: Vec<_> = found.iter().map(TestProgram::selection).collect();
        assert_eq!(words, ["-p lab --lib", "-p lab --bin lab", "-p lab --test it"]);
        assert_eq!(found[2].file, Path::new("/t/it-1"));
        assert_eq!(found[2].folder, Path::new("/p/crates/lab"));
    }
}
