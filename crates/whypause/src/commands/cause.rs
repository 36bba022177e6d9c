//! `whypause cause`: the page of a cause, or the list of all.
use crate::{Exit, Failure, args::CauseArgs, console::Console};
use diagnose::Cause;

pub(crate) fn run(args: &CauseArgs, console: &Console) -> Result<Exit, Failure> {
    let text = match &args.id {
        None => report::page::list(diagnose::causes(), console.style()),
        Some(id) => report::page::render(&remedy::page_of_cause(find(id)?), console.style()),
    };
    console.print(&text)?;
    Ok(Exit::Fine)
}

fn find(id: &str) -> Result<&'static Cause, Failure> {
    let causes = diagnose::causes();
    if let Some(cause) = causes.iter().find(|cause| cause.id == id) {
        return Ok(cause);
    }
    let hint = match diagnose::text::nearest(id, causes.iter().map(|cause| cause.id)) {
        Some(near) => format!("did you mean `{near}`? `whypause cause` lists all"),
        None => "`whypause cause` lists all causes".to_owned(),
    };
    Err(Failure::input(format!("no cause is called `{id}`"), hint))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_is_found() {
        for cause in diagnose::causes() {
            assert_eq!(find(cause.id).expect("it is listed").id, cause.id);
        }
    }
}
