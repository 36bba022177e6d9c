//! Files made from the argument definitions: man pages and completions.
mod environment;

use crate::args::Cli;
use clap::{Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;
use std::io;

/// The shells that there are completions for.
const SHELLS: [Shell; 3] = [Shell::Bash, Shell::Zsh, Shell::Fish];

/// Every generated file: its path below `packaging/` and its content. The same every time.
///
/// # Errors
///
/// None in practice: everything is written to memory.
pub fn files() -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut files = Vec::new();
    for (name, page) in man_pages()? {
        files.push((format!("man/{name}.1"), page));
    }
    for shell in SHELLS {
        let name = match shell {
            Shell::Zsh => "_whypause".to_owned(),
            Shell::Fish => "whypause.fish".to_owned(),
            shell => format!("whypause.{shell}"),
        };
        files.push((format!("completions/{name}"), completions(shell)));
    }
    Ok(files)
}

/// The completions of one shell.
#[must_use]
pub fn completions(shell: Shell) -> Vec<u8> {
    let mut out = Vec::new();
    let mut program = without_hidden(&Cli::command());
    clap_complete::generate(shell, &mut program, "whypause", &mut out);
    out
}

/// The same command without commands and options that are hidden: completions would offer them too.
fn without_hidden(command: &Command) -> Command {
    let mut shown = Command::new(command.get_name().to_owned());
    if let Some(about) = command.get_about() {
        shown = shown.about(about.clone());
    }
    if let Some(about) = command.get_long_about() {
        shown = shown.long_about(about.clone());
    }
    if let Some(version) = command.get_version() {
        shown = shown.version(version.to_owned());
    }
    let inner = command.get_subcommands().filter(|it| !it.is_hide_set());
    shown
        .args(command.get_arguments().filter(|it| !it.is_hide_set()).cloned())
        .groups(command.get_groups().cloned())
        .subcommands(inner.map(without_hidden))
}

/// Name and text (roff) of every man page: the program's and one for each command.
///
/// # Errors
///
/// None in practice: everything is written to memory.
pub fn man_pages() -> io::Result<Vec<(String, Vec<u8>)>> {
    // Building fills in the full names of the inner commands: `whypause-lab-run`.
    // `help` has no page: each command's page is that.
    let mut program = Cli::command().disable_help_subcommand(true);
    program.build();
    let mut pages = Vec::new();
    add_pages(&program, &mut pages)?;
    Ok(pages)
}

fn add_pages(command: &Command, pages: &mut Vec<(String, Vec<u8>)>) -> io::Result<()> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
    let mut page = Vec::new();
    render(command, &name, &mut page)?;
    pages.push((name, page));
    for inner in command.get_subcommands().filter(|it| !it.is_hide_set()) {
        add_pages(inner, pages)?;
    }
    Ok(())
}

fn render(command: &Command, name: &str, out: &mut Vec<u8>) -> io::Result<()> {
    let source = concat!("whypause ", env!("CARGO_PKG_VERSION"));
    let man = Man::new(command.clone()).title(name.to_uppercase()).source(source);
    let man = man.manual("whypause manual");
    man.render_title(out)?;
    man.render_name_section(out)?;
    man.render_synopsis_section(out)?;
    man.render_description_section(out)?;
    man.render_options_section(out)?;
    if command.has_subcommands() {
        man.render_subcommands_section(out)?;
    }
    let mut end = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    if !end.contains(EXIT_CODES) {
        end = format!("{end}\n\n{EXIT_CODES}{}", exit_codes());
    }
    // The heading that readers of man pages look for.
    let end = end.replace(EXIT_CODES, "EXIT STATUS:");
    out.extend_from_slice(sections(&end).as_bytes());
    out.extend_from_slice(environment::section(name).as_bytes());
    Ok(())
}

/// The heading in help texts.
const EXIT_CODES: &str = "EXIT CODES:";

/// The exit codes that are the same for every command.
fn exit_codes() -> String {
    let end = Cli::command().get_after_help().map(ToString::to_string).unwrap_or_default();
    end.split_once(EXIT_CODES).map(|(_, codes)| codes.to_owned()).unwrap_or_default()
}

/// What follows the options in a help text, as sections of a man page: a line such as `EXAMPLES:`
/// begins one, and lines are kept as they are.
fn sections(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        match line.strip_suffix(':').filter(|it| it.chars().all(|c| c.is_uppercase() || c == ' ')) {
            Some(heading) => out.push_str(&format!(".SH \"{heading}\"\n.nf\n")),
            None => {
                let line = line.replace('\\', "\\e").replace('-', "\\-");
                // A dot or quote in the first column would be a request to roff.
                let guard = if line.starts_with(['.', '\'']) { "\\&" } else { "" };
                out.push_str(&format!("{guard}{line}\n"));
            }
        }
    }
    if !out.is_empty() {
        out.push_str(".fi\n");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_keep_their_lines_and_cannot_be_requests() {
        let expected = ".SH \"EXAMPLES\"\n.nf\n  a \\-b \\e\n\\&.c\n.fi\n";
        assert_eq!(sections("EXAMPLES:\n  a -b \\\n.c"), expected);
    }
}
