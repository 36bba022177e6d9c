//! Compiles the workloads under `java/workloads`, with the libraries of `java` that they use, and
//! lists their class files for embedding, so that the program carries its lab with it.
//!
//! Without a `javac` the list is empty and a warning says so; everything else still builds.
#![allow(clippy::print_stdout, reason = "this is how a build script speaks to cargo")]
use std::{
    env,
    error::Error,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Arguments that make class files for JDK 8, most exact first. A later JDK may refuse the first.
const TARGETS: [&[&str]; 3] = [&["--release", "8"], &["-source", "8", "-target", "8"], &[]];

/// Folders of `java`. One without sources is left out.
const MODULES: [&str; 3] = ["workloads", "unmap", "logging"];

fn main() -> Result<(), Box<dyn Error>> {
    let java = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("../../java");
    let mut sources = Vec::new();
    for module in MODULES {
        let dir = java.join(module).join("src/main/java");
        println!("cargo:rerun-if-changed={}", dir.display());
        sources.append(&mut files(&dir, "java")?);
    }
    println!("cargo:rerun-if-env-changed=JAVA_HOME");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let classes = out.join("classes");
    let _ = fs::remove_dir_all(&classes);
    fs::create_dir_all(&classes)?;
    if let Err(why) = compile(&sources, &classes) {
        println!("cargo:warning=the lab's Java workloads were left out: {why}");
        let _ = fs::remove_dir_all(&classes);
        fs::create_dir_all(&classes)?;
    }
    fs::write(out.join("classes.rs"), list(&classes)?)?;
    Ok(())
}

/// Tries each javac with each set of arguments until one succeeds.
#[allow(clippy::disallowed_methods, reason = "cargo waits for this program and its children")]
fn compile(sources: &[PathBuf], classes: &Path) -> Result<(), String> {
    if sources.is_empty() {
        return Err("no sources found".into());
    }
    let mut why = "no javac on this machine (Debian: openjdk-17-jdk-headless)".to_owned();
    for javac in compilers() {
        for target in TARGETS {
            let result = Command::new(&javac)
                .args(target)
                .args(["-nowarn", "-Xlint:-options", "-encoding", "UTF-8", "-g", "-d"])
                .arg(classes)
                .args(sources)
                .output();
            match result {
                Ok(output) if output.status.success() => return Ok(()),
                Ok(output) => why = first_error(&output.stderr),
                // a javac that does not exist is no news
                Err(_) => break,
            }
        }
    }
    Err(why)
}

fn first_error(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let line = text.lines().find(|line| line.contains("error")).unwrap_or("javac failed");
    line.to_owned()
}

fn compilers() -> Vec<PathBuf> {
    let mut found = Vec::new();
    if let Some(home) = env::var_os("JAVA_HOME") {
        found.push(PathBuf::from(home).join("bin/javac"));
    }
    found.push(PathBuf::from("javac"));
    if let Ok(entries) = fs::read_dir("/usr/lib/jvm") {
        let mut paths: Vec<_> = entries.flatten().map(|it| it.path().join("bin/javac")).collect();
        paths.sort();
        found.append(&mut paths);
    }
    found
}

/// All files under `dir` with this extension, in order of path.
fn files(dir: &Path, extension: &str) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![dir.to_path_buf()];
    while let Some(dir) = open.pop() {
        let Ok(entries) = fs::read_dir(&dir) else { continue };
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|it| it == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Rust source of a slice with name and bytes of every class file.
fn list(classes: &Path) -> Result<String, Box<dyn Error>> {
    let mut text = String::from("&[\n");
    for file in files(classes, "class")? {
        let name = file.strip_prefix(classes)?.to_str().ok_or("a class with an unreadable name")?;
        writeln!(text, "    ({name:?}, include_bytes!({:?})),", file.to_str().ok_or("path")?)?;
    }
    text.push_str("]\n");
    Ok(text)
}
