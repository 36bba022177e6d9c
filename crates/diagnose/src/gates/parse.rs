//! From text to a gate.
use super::{
    gate::{Argument, Gate, GateError, OPERATORS, Operator},
    metrics::{Metric, metrics},
    quantity,
};
use crate::text::nearest;

/// Longer texts are no gates; what is wrong with them is not worth a long message either.
const LONGEST: usize = 200;

impl Gate {
    /// Reads `METRIC OP VALUE`, such as `over(200ms) > 3`.
    ///
    /// # Errors
    ///
    /// One line that says what is wrong, and a hint with the nearest metric or an example.
    pub fn parse(text: &str) -> Result<Gate, GateError> {
        let text = text.trim();
        if text.len() > LONGEST {
            return Err(error("the condition is too long".to_owned(), EXAMPLE));
        }
        let (name, operator, value) = split(text)?;
        let (metric, argument) = metric(name)?;
        let limit =
            quantity::parse(value, metric.kinds).ok_or_else(|| wrong_value(text, metric, value))?;
        Ok(Gate { text: text.to_owned(), metric, argument, operator, limit })
    }
}

const EXAMPLE: &str = "write METRIC OP VALUE, such as `max>200ms` or `throughput<95%`";

fn error(message: String, hint: impl Into<String>) -> GateError {
    GateError { message, hint: hint.into() }
}

fn split(text: &str) -> Result<(&str, Operator, &str), GateError> {
    let missing = || error(format!("`{text}` has no operator"), EXAMPLE);
    let at = text.find(['>', '<', '=', '!']).ok_or_else(missing)?;
    let (name, rest) = text.split_at(at);
    let found = OPERATORS
        .iter()
        .find_map(|(sign, operator)| rest.strip_prefix(sign).map(|value| (*operator, value)));
    let (operator, value) = found.ok_or_else(|| {
        error(format!("`{text}` has no operator that is known"), "use one of > >= < <= == !=")
    })?;
    Ok((name.trim(), operator, value.trim()))
}

fn metric(name: &str) -> Result<(&'static Metric, Argument), GateError> {
    let (word, argument) = match name.split_once('(') {
        None => (name, None),
        Some((word, rest)) => {
            let inside = rest
                .strip_suffix(')')
                .ok_or_else(|| error(format!("`{name}` has no closing parenthesis"), EXAMPLE))?;
            (word.trim(), Some(inside.trim()))
        }
    };
    let metric = metrics().iter().find(|it| it.word() == word).ok_or_else(|| unknown(word))?;
    let argument = match (metric.word(), argument) {
        ("over", Some(time)) => quantity::time(time).map(Argument::Time),
        ("cause", Some(id)) => Some(Argument::Cause(cause(id)?)),
        ("over" | "cause", None) | (_, Some(_)) => None,
        (_, None) => Some(Argument::None),
    };
    let argument = argument.ok_or_else(|| {
        error(format!("`{name}` is not written as `{}`", metric.name), example(metric))
    })?;
    Ok((metric, argument))
}

fn unknown(word: &str) -> GateError {
    let message = match word {
        "" => "the condition names no metric".to_owned(),
        word => format!("no metric is called `{word}`"),
    };
    let near = nearest(word, metrics().iter().map(Metric::word));
    let near = near.and_then(|near| metrics().iter().find(|it| it.word() == near));
    match near {
        Some(near) => error(message, format!("did you mean `{}`? {}", near.name, example(near))),
        None => error(message, "`whypause check --help` lists all metrics"),
    }
}

fn cause(id: &str) -> Result<&'static str, GateError> {
    let causes = crate::causes();
    if let Some(cause) = causes.iter().find(|it| it.id == id) {
        return Ok(cause.id);
    }
    let hint = match nearest(id, causes.iter().map(|it| it.id)) {
        Some(near) => format!("did you mean `cause({near})`? `whypause cause` lists all"),
        None => "`whypause cause` lists all causes".to_owned(),
    };
    Err(error(format!("no cause is called `{id}`"), hint))
}

fn wrong_value(text: &str, metric: &Metric, value: &str) -> GateError {
    let message = match value {
        "" => format!("`{text}` has no value"),
        value => format!("`{value}` is no value for `{}`", metric.name),
    };
    let units: Vec<String> = metric.units().iter().map(|it| format!("`{it}`")).collect();
    error(message, format!("write it like {}; {}", units.join(" or "), example(metric)))
}

fn example(metric: &Metric) -> String {
    format!("for example `{}`", metric.example)
}
