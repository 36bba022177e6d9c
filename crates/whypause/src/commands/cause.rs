//! `whypause cause`: the page of a cause, or the list of all.
use crate::{
    Exit, Failure,
    args::{CauseArgs, ListFormat},
    console::Console,
};
use diagnose::{Cause, Mechanism};
use std::io::{self, Write};

pub(crate) fn run(args: &CauseArgs, console: &Console) -> Result<Exit, Failure> {
    let subject = args.id.as_deref().map(find).transpose()?;
    if args.format == ListFormat::Json {
        let mut out = io::stdout().lock();
        match subject {
            None => report::cause::write_list(&mut out)?,
            Some((cause, by)) => report::cause::write_one(cause, by, &mut out)?,
        }
        out.flush()?;
        return Ok(Exit::Fine);
    }
    let text = match subject {
        None => {
            let mechanisms: Vec<&Mechanism> = diagnose::mechanisms().collect();
            report::page::list(diagnose::causes(), &mechanisms, console.style())
        }
        Some((cause, by)) => report::page::render(&page(cause, by), console.style()),
    };
    console.print(&text)?;
    Ok(Exit::Fine)
}

/// The page of a cause; where a mechanism led to it, that one's page comes first.
fn page(cause: &Cause, by: Option<&Mechanism>) -> String {
    let page = remedy::page_of_cause(cause);
    let Some(by) = by else { return page };
    let others: Vec<String> = by.causes[1..].iter().map(|id| format!("`{id}`")).collect();
    let others = match others.as_slice() {
        [] => String::new(),
        others => format!(" It is one of {}, too.", others.join(", ")),
    };
    let (id, of) = (by.id, cause.id);
    let first = format!("`{id}` is a mechanism of `{of}`, whose page follows its own.{others}");
    format!("{first}\n\n{}\n\n{page}", by.page())
}

/// The cause of this id, or that of the mechanism of this id.
fn find(id: &str) -> Result<(&'static Cause, Option<&'static Mechanism>), Failure> {
    let causes = diagnose::causes();
    let cause = |id: &str| causes.iter().copied().find(|cause| cause.id == id);
    if let Some(cause) = cause(id) {
        return Ok((cause, None));
    }
    let by = diagnose::mechanisms().find(|it| it.id == id);
    if let Some((by, cause)) = by.and_then(|by| Some((by, cause(by.causes.first()?)?))) {
        return Ok((cause, Some(by)));
    }
    let ids = causes.iter().map(|it| it.id).chain(diagnose::mechanisms().map(|it| it.id));
    let ids: Vec<&str> = ids.collect();
    let hint = match diagnose::text::nearest(id, ids.iter().copied()) {
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
            let (found, by) = find(cause.id).expect("it is listed");
            assert_eq!((found.id, by.is_none()), (cause.id, true));
        }
        for mechanism in diagnose::mechanisms() {
            let (found, by) = find(mechanism.id).expect("it is listed");
            assert_eq!(found.id, mechanism.causes[0]);
            assert_eq!(by.map(|it| it.id), Some(mechanism.id));
        }
    }
}
