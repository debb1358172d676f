//! Whose reading of a text is meant where tools differ.

/// A tool whose reading is followed.
///
/// | | [`Any`](Dialect::Any) | [`Eclipse`](Dialect::Eclipse) | [`Workbench`](Dialect::Workbench) | [`Ipc`](Dialect::Ipc) |
/// |---|---|---|---|---|
/// | `% r = 1.0;` | definition, unless `r` is defined again | definition | comment | comment |
/// | `P <a> Q <b> R` | from the left | from the left | from the right | from the left |
/// | `P <a> Q / {a}` | hides in `Q` | hides in `Q` | hides in both | hides in `Q` |
/// | `P + Q <a> R` | refused | choice last | choice first | choice first |
/// | `-` and `*` in names | no | no | yes | no |
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dialect {
    /// What all tools mean; refused where they differ and nothing sensible is left.
    #[default]
    Any,
    /// The PEPA Eclipse plug-in.
    Eclipse,
    /// The PEPA Workbench, whose reader PRISM uses.
    Workbench,
    /// The Imperial PEPA compiler.
    Ipc,
}

impl Dialect {
    /// All of them.
    pub const ALL: [Dialect; 4] = [Dialect::Any, Dialect::Eclipse, Dialect::Workbench, Dialect::Ipc];

    /// Its name on a command line.
    pub fn name(self) -> &'static str {
        match self {
            Dialect::Any => "any",
            Dialect::Eclipse => "eclipse",
            Dialect::Workbench => "workbench",
            Dialect::Ipc => "ipc",
        }
    }
}
