//! Processes.

use super::ast::{ActionSet, Activity, Name, Process, Span};
use super::cursor::Cursor;
use super::diagnostic::Diagnostic;
use super::dialect::Dialect;
use super::token::Kind;

/// What stands between two processes.
enum Between {
    Plus,
    Cooperation(ActionSet),
}

/// What follows a process.
type Chain = Vec<(Between, Process)>;

impl Cursor<'_> {
    /// A process up to what cannot belong to it.
    pub(super) fn process(&mut self) -> Option<Process> {
        self.deeper(Self::chain)
    }

    fn chain(&mut self) -> Option<Process> {
        let begin = self.span();
        let first = self.operand()?;
        let mut rest = Vec::new();
        while let Some(between) = self.between()? {
            rest.push((between, self.operand()?));
        }
        let mut process = self.combine(first, rest, begin)?;
        while self.dialect == Dialect::Workbench && self.eat('/') {
            process = Process::Hiding(process.into(), self.hidden()?);
        }
        Some(process)
    }

    /// `+`, `<…>` or `||`, if one stands here. The outer option is empty after an error.
    fn between(&mut self) -> Option<Option<Between>> {
        let span = self.span();
        match self.kind() {
            Kind::Mark('+') => {
                self.advance();
                Some(Some(Between::Plus))
            }
            Kind::Bars => {
                self.advance();
                Some(Some(Between::Cooperation(ActionSet::Listed(Vec::new()))))
            }
            Kind::Mark('<') => {
                self.advance();
                if self.is('*') {
                    self.advance();
                    self.expect('>', "after `<*`")?;
                    let span = span.to(self.last_span());
                    return Some(Some(Between::Cooperation(ActionSet::Shared(span))));
                }
                let names = self.names_until('>')?;
                Some(Some(Between::Cooperation(ActionSet::Listed(names))))
            }
            Kind::Mark('&') => self.error(
                "extension",
                span,
                "renaming of actions (`& {a:b}`, an extension of pypepa) is not PEPA: write the new names into the \
                 processes",
            ),
            _ => Some(None),
        }
    }

    fn combine(&mut self, first: Process, rest: Chain, begin: Span) -> Option<Process> {
        let pluses = rest.iter().filter(|(b, _)| matches!(b, Between::Plus)).count();
        let mixed = pluses > 0 && pluses < rest.len();
        if mixed && self.dialect == Dialect::Any {
            return self.error(
                "precedence",
                begin.to(self.last_span()),
                "tools read `+` beside a cooperation differently: put parentheses around the choice or around the \
                 cooperation, or say --dialect eclipse (which cooperates first), workbench or ipc (which choose first)",
            );
        }
        // Groups of what binds more strongly, and what stands between them.
        let tight_is_plus = self.dialect != Dialect::Eclipse;
        let mut groups: Vec<(Option<Between>, Process, Chain)> = vec![(None, first, Vec::new())];
        for (between, process) in rest {
            let tight = matches!(between, Between::Plus) == tight_is_plus;
            match groups.last_mut() {
                Some((_, _, members)) if tight => members.push((between, process)),
                _ => groups.push((Some(between), process, Vec::new())),
            }
        }
        let mut outer = Vec::new();
        let mut head = None;
        for (between, first, members) in groups {
            let process = self.same(first, members)?;
            match between {
                None => head = Some(process),
                Some(between) => outer.push((between, process)),
            }
        }
        let head = head?;
        self.same(head, outer)
    }

    /// A choice or a chain of cooperations; `rest` is all one or all the other.
    fn same(&mut self, first: Process, rest: Chain) -> Option<Process> {
        let mut sets = Vec::new();
        let mut others = Vec::new();
        for (between, process) in rest {
            if let Between::Cooperation(set) = between {
                sets.push(set);
            }
            others.push(process);
        }
        if others.is_empty() {
            return Some(first);
        }
        if sets.is_empty() {
            others.insert(0, first);
            return Some(choice(others));
        }
        if self.dialect == Dialect::Any && sets.windows(2).any(|pair| pair[0] != pair[1]) {
            let message = "cooperations on different actions in a row are read from the left; the Workbench reads them \
                           from the right, so parentheses are safer";
            self.problems.push(Diagnostic::note("order", self.last_span().range(), message));
        }
        if self.dialect != Dialect::Workbench {
            return Some(cooperation(first, sets.into_iter().zip(others).collect()));
        }
        if sets.len() > super::cursor::DEPTH {
            let message = "too many cooperations in one chain to be read from the right; put parentheses";
            return self.error("depth", self.last_span(), message);
        }
        let mut right = others.pop()?;
        while let Some(left) = others.pop() {
            right = cooperation(left, vec![(sets.pop()?, right)]);
        }
        Some(cooperation(first, vec![(sets.pop()?, right)]))
    }

    /// Activities and what follows them, or a name or parentheses with what is written behind.
    fn operand(&mut self) -> Option<Process> {
        let mut activities = Vec::new();
        while self.at_activity() {
            activities.push(self.activity()?);
            if !self.eat('.') {
                return self.unexpected("`.` and a process after an activity");
            }
        }
        let last = self.primary()?;
        Some(prefix(activities, last))
    }

    fn at_activity(&self) -> bool {
        self.is('(')
            && matches!(self.ahead(1), Kind::Name(..))
            && matches!(self.ahead(2), Kind::Mark(',' | ':') | Kind::Mark('['))
            && !(matches!(self.ahead(2), Kind::Mark('[')) && self.array_ahead())
    }

    /// Whether the `[` after `(name` belongs to an array in parentheses, not to a priority.
    fn array_ahead(&self) -> bool {
        let mut by = 3;
        while !matches!(self.ahead(by), Kind::Mark(']' | ',') | Kind::End) {
            by += 1;
        }
        // `(a[2], r)` goes on with a comma at once.
        !(matches!(self.ahead(by), Kind::Mark(']')) && matches!(self.ahead(by + 1), Kind::Mark(',')))
    }

    fn activity(&mut self) -> Option<Activity> {
        let begin = self.span();
        self.advance();
        let action = self.action()?;
        self.expect(',', "and a rate after the action")?;
        let rate = self.rate()?;
        self.expect(')', "after the rate")?;
        Some(Activity { action, rate, span: begin.to(self.last_span()) })
    }

    fn primary(&mut self) -> Option<Process> {
        let mut process = match self.kind() {
            Kind::Mark('(') => {
                self.advance();
                let inner = self.process()?;
                self.expect(')', "to close the parenthesis")?;
                inner
            }
            Kind::Name(..) => {
                let name = self.name("a process")?;
                if self.is('.') {
                    return self.error(
                        "extension",
                        name.span,
                        format!(
                            "`{}` has no rate: an activity is written `({}, rate)` (immediate actions, an extension of \
                             ipc, are not PEPA)",
                            name.text, name.text
                        ),
                    );
                }
                Process::Constant(name)
            }
            _ => return self.unexpected("a process: `(action, rate).P`, a name, or one in parentheses"),
        };
        loop {
            if self.is('[') {
                process = self.array(process)?;
            } else if self.is('/') && self.dialect != Dialect::Workbench {
                self.advance();
                process = Process::Hiding(process.into(), self.hidden()?);
            } else {
                return Some(process);
            }
        }
    }

    /// `[n]`, `[n, {a}]` or `[n][a]`
    fn array(&mut self, inner: Process) -> Option<Process> {
        let begin = self.span();
        self.advance();
        let copies = self.number()?;
        let mut set = Vec::new();
        if self.eat(',') {
            self.expect('{', "and the actions that the copies cooperate on")?;
            set = self.names_until('}')?;
        }
        self.expect(']', "after the number of copies")?;
        if set.is_empty() && self.eat('[') {
            set = self.names_until(']')?;
        }
        Some(Process::Array(inner.into(), copies, set, begin.to(self.last_span())))
    }

    /// The set after `/`.
    fn hidden(&mut self) -> Option<Vec<Name>> {
        if self.eat('{') {
            return self.names_until('}');
        }
        if self.eat('<') {
            return self.names_until('>');
        }
        if *self.kind() == Kind::Bars {
            self.advance();
            return Some(Vec::new());
        }
        self.unexpected("the hidden actions, as in `/ {a, b}`")
    }
}

/// A choice, with choices in it opened: `+` is associative.
fn choice(all: Vec<Process>) -> Process {
    let mut flat = Vec::with_capacity(all.len());
    for process in all {
        match process {
            Process::Choice(inner) => flat.extend(inner),
            other => flat.push(other),
        }
    }
    Process::Choice(flat)
}

/// A chain of cooperations, read from the left, which a chain at its left end joins.
fn cooperation(first: Process, rest: Vec<(ActionSet, Process)>) -> Process {
    match first {
        Process::Cooperation(head, mut chain) => {
            chain.extend(rest);
            Process::Cooperation(head, chain)
        }
        other => Process::Cooperation(other.into(), rest),
    }
}

/// Activities before a process, which activities at its front join.
fn prefix(mut activities: Vec<Activity>, then: Process) -> Process {
    match then {
        other if activities.is_empty() => other,
        Process::Prefix(more, then) => {
            activities.extend(more);
            Process::Prefix(activities, then)
        }
        other => Process::Prefix(activities, other.into()),
    }
}
