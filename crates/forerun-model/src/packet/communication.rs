//! How packets go from stage to stage.

/// What a stage makes of the packets that it takes in (Du and Agrawal, section 3.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Communication {
    /// A packet goes out for every packet that comes in, and its size is scaled by the stage's ratio.
    FixedFrequency,
    /// All packets have one size, but the last: a stage gathers what it gives out until a packet is full.
    FixedSize,
}

impl Communication {
    /// Both.
    pub const ALL: [Communication; 2] = [Communication::FixedFrequency, Communication::FixedSize];

    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Communication::FixedFrequency => "fixed-frequency",
            Communication::FixedSize => "fixed-size",
        }
    }
}
