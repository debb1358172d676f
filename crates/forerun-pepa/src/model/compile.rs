//! From what is written to what it means.

use super::names::Names;
use super::rates::{Rates, Settings};
use super::sequential::Sequential;
use super::system::{System, Tree, alphabet};
use crate::syntax::{ActionSet, Diagnostic, Model, Name, Process, Span};

/// Most sequential components of a system, arrays counted once.
pub const COMPONENTS: usize = 4096;

/// What compiling gave.
#[derive(Debug)]
pub struct Compiled {
    /// The system, if nothing is wrong with the model.
    pub system: Option<System>,
    /// Where each local state of the system is written, in bytes of the text.
    pub spans: Vec<Span>,
    /// The names of the rates that something uses.
    pub used: Vec<String>,
    /// Errors.
    pub problems: Vec<Diagnostic>,
}

/// Looks names up, reckons rates and derives the local states. Several errors are found at once.
/// Cost: about linear in the size of the model and in the number of its components.
pub fn compile(model: &Model, settings: &Settings) -> Compiled {
    let sequential = Sequential::new(Names::of(model), Rates::of(model, settings));
    let mut compiler = Compiler { sequential, components: 0, within: Vec::new() };
    let tree = compiler.tree(&model.system);
    // What nothing leads to is looked through as well, for names that are not there.
    for process in &model.processes {
        if !compiler.sequential.names.is_composite(&process.name.text) {
            compiler.sequential.local(&process.body);
        }
    }
    let Sequential { names, rates, actions, locals, spans, mut problems, .. } = compiler.sequential;
    problems.extend(names.problems);
    let mut rate_problems = rates.problems;
    rate_problems.dedup();
    for problem in rate_problems {
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    }
    problems.sort_by_key(|d| d.span.start);
    let used = rates.used.keys().map(|name| name.to_string()).collect();
    let system = match tree {
        Some(tree) if problems.is_empty() => Some(System { actions, locals, tree }),
        _ => None,
    };
    Compiled { system, spans, used, problems }
}

struct Compiler<'a> {
    sequential: Sequential<'a>,
    components: usize,
    /// The names that are being opened.
    within: Vec<&'a str>,
}

impl<'a> Compiler<'a> {
    /// The components of a process of the system equation. Nothing after an error.
    fn tree(&mut self, process: &'a Process) -> Option<Tree> {
        if self.components > COMPONENTS {
            // Said already. There may be any number of them.
            return None;
        }
        match process {
            Process::Cooperation(first, rest) => self.cooperation(first, rest),
            Process::Hiding(inner, set) => {
                let inner = self.tree(inner);
                let set = self.set(set);
                Some(Tree::Hiding(set, inner?.into()))
            }
            Process::Array(inner, copies, set, span) => {
                let inner = self.tree(inner);
                let set = self.set(set);
                let copies = self.sequential.rates.copies(copies);
                self.array(inner?, copies?, set, *span)
            }
            Process::Constant(name) if self.sequential.names.is_composite(&name.text) => self.opened(name),
            Process::Constant(_) | Process::Prefix(..) | Process::Choice(_) => self.leaf(process),
        }
    }

    fn leaf(&mut self, process: &'a Process) -> Option<Tree> {
        self.count(1, process.span())?;
        Some(Tree::Leaf(self.sequential.local(process)))
    }

    fn count(&mut self, more: usize, span: Span) -> Option<()> {
        self.components += more;
        if self.components > COMPONENTS {
            let message = format!(
                "the system has more than {COMPONENTS} components; write copies of a sequential component as an array, \
                 `P[n]`"
            );
            self.sequential.report("components", span, message);
            return None;
        }
        Some(())
    }

    /// A name that stands for a cooperation.
    fn opened(&mut self, name: &'a Name) -> Option<Tree> {
        if self.within.contains(&name.text.as_str()) {
            let message = format!("`{}` contains itself; a system has finitely many components", name.text);
            self.sequential.report("recursion", name.span, message);
            return None;
        }
        let body = self.sequential.names.get(name)?;
        self.within.push(&name.text);
        let tree = self.tree(body);
        self.within.pop();
        tree
    }

    fn cooperation(&mut self, first: &'a Process, rest: &'a [(ActionSet, Process)]) -> Option<Tree> {
        let mut left = self.tree(first);
        for (set, process) in rest {
            let right = self.tree(process);
            let (Some(l), Some(r)) = (left.take(), right) else { continue };
            let set = match set {
                ActionSet::Listed(names) => self.set(names),
                ActionSet::Shared(_) => self.shared(&l, &r),
            };
            left = Some(join(set, l, r));
        }
        left
    }

    /// What both sides of `<*>` can perform.
    fn shared(&self, left: &Tree, right: &Tree) -> Vec<u32> {
        let locals = &self.sequential.locals;
        let right = alphabet(locals, right);
        alphabet(locals, left).into_iter().filter(|a| right.binary_search(a).is_ok()).collect()
    }

    fn array(&mut self, inner: Tree, copies: u32, set: Vec<u32>, span: Span) -> Option<Tree> {
        if let Tree::Leaf(local) = inner {
            let alone =
                alphabet(&self.sequential.locals, &inner).iter().all(|a| set.binary_search(a).is_err());
            if alone || copies == 1 {
                return Some(Tree::Array(local, copies));
            }
        }
        self.count((copies as usize - 1).saturating_mul(leaves(&inner)), span)?;
        Some(Tree::Cooperation(set, vec![inner; copies as usize]))
    }

    fn set(&mut self, names: &[Name]) -> Vec<u32> {
        let mut set: Vec<u32> = names.iter().map(|n| self.sequential.action(&n.text)).collect();
        set.sort_unstable();
        set.dedup();
        set
    }
}

fn leaves(tree: &Tree) -> usize {
    match tree {
        Tree::Leaf(_) | Tree::Array(..) => 1,
        Tree::Cooperation(_, parts) => parts.iter().map(leaves).sum(),
        Tree::Hiding(_, inner) => leaves(inner),
    }
}

/// A cooperation, with those on the same actions in it opened: it is associative.
fn join(set: Vec<u32>, left: Tree, right: Tree) -> Tree {
    let mut parts = Vec::new();
    for tree in [left, right] {
        match tree {
            Tree::Cooperation(inner, more) if inner == set => parts.extend(more),
            other => parts.push(other),
        }
    }
    Tree::Cooperation(set, parts)
}
