//! throw-away
#![allow(clippy::all, missing_docs, clippy::unwrap_used, clippy::print_stdout)]
use lab::*;
use std::io::IsTerminal;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    if a[1] == "clean" { println!("{:?}", clean()); return; }
    let mut o = RunOptions::new(&a[2]);
    o.jdks = a[1].split(',').map(String::from).collect();
    o.program = Some(a[3].clone().into());
    o.verify_writes = true;
    if let Some(v) = a.get(4) { o.variants = v.split(',').map(String::from).collect(); }
    if let Some(v) = a.get(5) { o.runs = v.parse().unwrap(); }
    o.keep = Some("/tmp/labtest/keep".into());
    let mut out = Output { results: &mut std::io::stdout(), messages: &mut std::io::stderr(), terminal: std::io::stderr().is_terminal() };
    match run(&o, &mut out) {
        Ok(x) => println!("passed {}", x.passed),
        Err(e) => println!("error: {e} hint {:?}", e.hint()),
    }
}
