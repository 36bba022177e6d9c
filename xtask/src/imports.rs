//! Which files of a crate name which: its modules as a graph, with what lies in circles.
//!
//! Read from every path in the code, not only from `use`: `crate::index::Index` in a signature is an arrow,
//! too. A name that a module re-exports leads to the file that has it. A `mod` is no arrow, and tests have none.
use crate::tree;
use anyhow::{Context, Result};
use std::collections::{BTreeMap, BTreeSet};
use syn::{
    Attribute, Item, UseTree,
    visit::{self, Visit},
};

/// A module by its path in the crate; the root is empty.
type Module = Vec<String>;

/// The modules of a crate and their arrows.
#[derive(Debug)]
pub(crate) struct Imports {
    arrows: BTreeMap<Module, BTreeSet<Module>>,
}

/// What one file says.
#[derive(Debug, Default)]
struct File {
    /// Every path that it names, as written.
    paths: BTreeSet<Vec<String>>,
    /// What it brings in or hands on, by the name it has here: `*` is everything of that module.
    uses: Vec<(String, Vec<String>)>,
    /// Files whose modules are declared for tests alone.
    for_tests: Vec<String>,
}

impl Imports {
    /// Of `crates/NAME/src`.
    pub(crate) fn of(name: &str) -> Result<Imports> {
        let folder = format!("crates/{name}/src/");
        let mut files = BTreeMap::new();
        for path in tree::paths() {
            let inner = path.strip_prefix(&folder).and_then(|it| it.strip_suffix(".rs"));
            if let Some(inner) = inner.filter(|it| *it != "main") {
                let text = std::fs::read_to_string(tree::root().join(&path))?;
                files.insert(module(inner), read(&text).with_context(|| path.clone())?);
            }
        }
        Ok(Imports::new(files))
    }

    fn new(mut files: BTreeMap<Module, File>) -> Imports {
        let tests: Vec<Module> = files
            .iter()
            .flat_map(|(module, file)| file.for_tests.iter().map(|it| child(module, it)))
            .collect();
        files.retain(|module, _| !tests.iter().any(|it| module.starts_with(it)));
        let arrows = |(module, file): (&Module, &File)| {
            let named = file.paths.iter().filter_map(|path| resolve(&files, module, path, 0));
            (module.clone(), named.filter(|it| it != module && !it.is_empty()).collect())
        };
        let mut arrows: BTreeMap<_, _> = files.iter().map(arrows).collect();
        // The root declares and hands on; whoever it hands on to is reached without it.
        arrows.remove(&Module::new());
        Imports { arrows }
    }

    /// Files in a circle, the largest circles first.
    pub(crate) fn circles(&self) -> Vec<Vec<String>> {
        let circles = circles(&self.arrows).into_iter();
        circles.map(|it| it.iter().map(|module| module.join("::")).collect()).collect()
    }

    /// Folders, or files that lie beside these, in a circle: what lies below the same name counts as one.
    /// With the names that are one level down within each folder, and so on.
    pub(crate) fn folder_circles(&self) -> Vec<Vec<String>> {
        let mut found = Vec::new();
        for depth in 1..=self.arrows.keys().map(Vec::len).max().unwrap_or(0) {
            let mut arrows: BTreeMap<Module, BTreeSet<Module>> = BTreeMap::new();
            for (from, to) in &self.arrows {
                for to in to.iter().filter(|to| is_beside(from, to, depth)) {
                    arrows.entry(from[..depth].to_vec()).or_default().insert(to[..depth].to_vec());
                    arrows.entry(to[..depth].to_vec()).or_default();
                }
            }
            found.extend(circles(&arrows));
        }
        found.into_iter().map(|it| it.iter().map(|module| module.join("::")).collect()).collect()
    }

    /// Files, arrows, and those of them within circles.
    pub(crate) fn counts(&self) -> (usize, usize, usize) {
        let circles = circles(&self.arrows);
        let inside = |from: &Module, to: &Module| {
            circles.iter().any(|it| it.contains(from) && it.contains(to))
        };
        let all = || self.arrows.iter().flat_map(|(from, to)| to.iter().map(move |to| (from, to)));
        (self.arrows.len(), all().count(), all().filter(|it| inside(it.0, it.1)).count())
    }

    /// How many modules lie side by side in the root.
    pub(crate) fn siblings(&self) -> usize {
        self.arrows.keys().filter(|it| it.len() == 1).count()
    }

    /// The arrows between two modules and what is below them, as `from -> to`; `.` is the whole crate.
    pub(crate) fn arrows_between(&self, from: &str, to: &str) -> Vec<String> {
        let below = |it: &Module, folder: &str| {
            let folder: Module =
                folder.split("::").filter(|it| *it != ".").map(str::to_owned).collect();
            it.starts_with(&folder)
        };
        let from = self.arrows.iter().filter(|it| below(it.0, from));
        let arrows = from.flat_map(|(from, all)| all.iter().map(move |to| (from, to)));
        let arrows = arrows.filter(|it| below(it.1, to));
        arrows.map(|(from, to)| format!("{} -> {}", from.join("::"), to.join("::"))).collect()
    }
}

/// Whether an arrow is one between two names at this depth of the same folder.
fn is_beside(from: &Module, to: &Module, depth: usize) -> bool {
    from.len() >= depth
        && to.len() >= depth
        && from[..depth - 1] == to[..depth - 1]
        && from[depth - 1] != to[depth - 1]
}

fn module(path: &str) -> Module {
    let mut parts: Module = path.split('/').map(str::to_owned).collect();
    if parts.last().is_some_and(|it| ["mod", "lib"].contains(&it.as_str())) {
        parts.pop();
    }
    parts
}

fn child(module: &Module, name: &str) -> Module {
    let mut path = module.clone();
    path.push(name.to_owned());
    path
}

/// The file that has what a path in `module` names; `None` where it is of another crate.
fn resolve(
    files: &BTreeMap<Module, File>,
    module: &Module,
    path: &[String],
    depth: usize,
) -> Option<Module> {
    // Two modules that hand on everything of each other would lead in a circle.
    if depth > 8 {
        return None;
    }
    let mut at = module.clone();
    let mut rest = path;
    match rest.first()?.as_str() {
        "crate" => (at, rest) = (Module::new(), &rest[1..]),
        "self" => rest = &rest[1..],
        "super" => {
            while rest.first().is_some_and(|it| it == "super") {
                at.pop()?;
                rest = &rest[1..];
            }
        }
        first if files.contains_key(&child(&at, first)) => {}
        // A name that was brought in stands for what it was brought in as.
        first => {
            let used = files.get(&at)?.uses.iter().find(|it| it.0 == first)?;
            return resolve(files, module, &used.1, depth + 1);
        }
    }
    while let Some(name) = rest.first() {
        let next = child(&at, name);
        if files.contains_key(&next) {
            (at, rest) = (next, &rest[1..]);
            continue;
        }
        let uses = &files.get(&at)?.uses;
        let named = uses.iter().find(|it| it.0 == *name);
        let handed_on = named.and_then(|it| resolve(files, &at, &it.1, depth + 1));
        let of_glob = || {
            let globs = uses.iter().filter(|it| it.0 == "*");
            let mut found = globs.filter_map(|it| resolve(files, &at, &it.1, depth + 1));
            found.find(|it| files.get(it).is_some_and(|file| defines(file, name)))
        };
        return handed_on.or_else(of_glob).or(Some(at));
    }
    Some(at)
}

fn defines(file: &File, name: &str) -> bool {
    file.uses.iter().any(|it| it.0 == name)
}

fn read(text: &str) -> Result<File> {
    let parsed = syn::parse_file(text)?;
    let mut file = File::default();
    file.visit_file(&parsed);
    Ok(file)
}

impl<'a> Visit<'a> for File {
    fn visit_item(&mut self, item: &'a Item) {
        let (attributes, name) = match item {
            Item::Mod(it) => (&it.attrs, it.content.is_none().then(|| it.ident.to_string())),
            Item::Fn(it) => (&it.attrs, None),
            Item::Impl(it) => (&it.attrs, None),
            Item::Use(it) => (&it.attrs, None),
            Item::Static(it) => (&it.attrs, None),
            Item::Const(it) => (&it.attrs, None),
            Item::Struct(it) => (&it.attrs, None),
            Item::Enum(it) => (&it.attrs, None),
            Item::Macro(it) => (&it.attrs, None),
            _ => return visit::visit_item(self, item),
        };
        if attributes.iter().any(is_for_tests) {
            self.for_tests.extend(name);
        } else {
            visit::visit_item(self, item);
        }
    }

    fn visit_use_tree(&mut self, tree: &'a UseTree) {
        write_out(tree, &mut Vec::new(), &mut self.uses);
        self.paths.extend(self.uses.iter().map(|it| it.1.clone()));
    }

    /// `pub(super)` names nothing that is used.
    fn visit_visibility(&mut self, _: &'a syn::Visibility) {}

    fn visit_path(&mut self, path: &'a syn::Path) {
        self.paths.insert(path.segments.iter().map(|it| it.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, called: &'a syn::Macro) {
        self.paths.extend(paths_in(&called.tokens.to_string()));
        visit::visit_macro(self, called);
    }
}

/// `cfg(test)`, and what else is there only for tests.
fn is_for_tests(it: &Attribute) -> bool {
    let syn::Meta::List(list) = &it.meta else { return false };
    let condition = list.tokens.to_string();
    list.path.is_ident("cfg") && (condition.contains("test") || condition.contains("facts-text"))
}

fn write_out(tree: &UseTree, prefix: &mut Vec<String>, found: &mut Vec<(String, Vec<String>)>) {
    match tree {
        UseTree::Path(it) => {
            prefix.push(it.ident.to_string());
            write_out(&it.tree, prefix, found);
            prefix.pop();
        }
        UseTree::Name(it) if it.ident == "self" => {
            found.extend(prefix.last().map(|name| (name.clone(), prefix.clone())));
        }
        UseTree::Name(it) => {
            found.push((it.ident.to_string(), child(prefix, &it.ident.to_string())))
        }
        UseTree::Rename(it) => {
            found.push((it.rename.to_string(), child(prefix, &it.ident.to_string())));
        }
        UseTree::Glob(_) => found.push(("*".to_owned(), prefix.clone())),
        UseTree::Group(it) => it.items.iter().for_each(|it| write_out(it, prefix, found)),
    }
}

/// Paths in the arguments of a macro, whose grammar is its own.
fn paths_in(tokens: &str) -> Vec<Vec<String>> {
    let glued = tokens.replace(" :: ", "::");
    let words = glued.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
    let paths = words.filter(|it| it.contains("::"));
    paths.map(|it| it.split("::").map(str::to_owned).collect()).collect()
}

/// The strongly connected parts of more than one member, the largest first.
fn circles(arrows: &BTreeMap<Module, BTreeSet<Module>>) -> Vec<Vec<Module>> {
    let reach: BTreeMap<&Module, BTreeSet<&Module>> =
        arrows.keys().map(|from| (from, reached(arrows, from))).collect();
    let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
    for from in arrows.keys() {
        let together = |it: &&&Module| reach.get(**it).is_some_and(|back| back.contains(from));
        let circle: Vec<Module> =
            reach[from].iter().filter(together).map(|it| (*it).clone()).collect();
        if circle.len() > 1 && seen.insert(circle.clone()) {
            found.push(circle);
        }
    }
    found.sort_by_key(|it| std::cmp::Reverse(it.len()));
    found
}

fn reached<'a>(
    arrows: &'a BTreeMap<Module, BTreeSet<Module>>,
    from: &'a Module,
) -> BTreeSet<&'a Module> {
    let (mut found, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(at) = open.pop() {
        for to in arrows.get(at).into_iter().flatten() {
            if found.insert(to) {
                open.push(to);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn imports(files: &[(&str, &str)]) -> Imports {
        let files =
            files.iter().map(|(path, text)| (module(path), read(text).expect("it is Rust")));
        Imports::new(files.collect())
    }

    #[track_caller]
    fn check(files: &[(&str, &str)], expected: &[&[&str]]) {
        assert_eq!(imports(files).circles(), expected);
    }

    #[test]
    fn two_files_that_name_each_other_are_a_circle() {
        check(&[("a", "use crate::b::B;"), ("b", "fn f(it: crate::a::A) {}")], &[&["a", "b"]]);
        check(&[("a", "use crate::b::B;"), ("b", "pub struct B;")], &[]);
    }

    #[test]
    fn a_name_that_the_root_hands_on_leads_to_the_file_that_has_it() {
        let lib = ("lib", "mod a; mod b; pub use b::B; pub use a::*;");
        check(&[lib, ("a", "use crate::B;"), ("b", "use crate::a::A;")], &[&["a", "b"]]);
        check(&[lib, ("a", "pub struct A;"), ("b", "use crate::A;")], &[]);
    }

    #[test]
    fn a_child_that_names_its_parent_which_uses_it_is_one() {
        let parent = ("a/mod", "mod b; use b::f;");
        check(&[parent, ("a/b", "use super::A;")], &[&["a", "a::b"]]);
        check(&[parent, ("a/b", "fn f() {}")], &[]);
    }

    #[test]
    fn tests_and_macros() {
        let test = "#[cfg(test)] mod tests { use crate::a::A; }";
        check(&[("a", "use crate::b::B;"), ("b", test)], &[]);
        check(
            &[("a", "use crate::b::B;"), ("b", "fn f() { x!(1, crate::a::A); }")],
            &[&["a", "b"]],
        );
        let declared = ("b", "#[cfg(test)] mod tests;");
        check(&[("a", "use crate::b::B;"), declared, ("b/tests", "use crate::a::A;")], &[]);
    }

    #[test]
    fn folders_that_name_each_other_are_found_at_each_depth() {
        let a = [("a", ""), ("b", ""), ("b/y", "")];
        let b = [("a/x", "use crate::b::y::Y;"), ("b/z", "use crate::a::x::X;")];
        let files = [&a[..], &b].concat();
        assert_eq!(imports(&files).folder_circles(), [["a", "b"]]);
        let files = [
            ("c/a/x", "use crate::c::b::y::Y;"),
            ("c/b/z", "use super::super::a::x::X;"),
            ("c", ""),
            ("c/a", ""),
            ("c/b", ""),
            ("c/b/y", ""),
        ];
        assert_eq!(imports(&files).folder_circles(), [["c::a", "c::b"]]);
    }
}
