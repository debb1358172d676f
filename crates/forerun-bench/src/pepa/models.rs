//! The models, written as PEPA from their definitions.

use std::fmt::Write as _;

/// A model, and an action whose throughput is compared.
pub(super) struct Model {
    pub(super) name: String,
    pub(super) text: String,
    pub(super) action: &'static str,
    /// The same in PRISM's language, where it is not written by `forerun pepa export`: that lists the steps of a component one
    /// by one.
    pub(super) prism: Option<String>,
}

/// Clients that ask servers, which fail and are repaired.
pub(super) fn client_server(clients: usize, servers: usize) -> Model {
    let text = format!(
        "Client = (request, 2).Waiting; Waiting = (response, 4).Thinking; Thinking = (think, 0.27).Client;
         Server = (request, 0.5).Busy + (fail, 0.01).Broken;
         Busy = (response, 4).Server + (fail, 0.01).Broken; Broken = (repair, 1).Server;
         Client[{clients}] <request, response> Server[{servers}]"
    );
    Model { name: format!("{clients} clients, {servers} servers"), text, action: "response", prism: None }
}

/// A server that goes round `stations` with a place for one customer each (Ibe and Trivedi, *Stochastic Petri net models of
/// polling systems*, IEEE JSAC 8, 1990; rates as in the benchmark suites of PRISM and Storm).
pub(super) fn polling(stations: usize) -> Model {
    let mut text = format!("mu = 1; gamma = 200; lambda = mu / {stations};\n");
    let mut set = Vec::new();
    let mut all = Vec::new();
    for s in 1..=stations {
        let next = s % stations + 1;
        let _ = writeln!(
            text,
            "At_{s} = (skip_{s}, gamma).At_{next} + (begin_{s}, gamma).Serving_{s};
             Serving_{s} = (serve_{s}, mu).At_{next};
             Empty_{s} = (arrive_{s}, lambda).Full_{s} + (skip_{s}, infty).Empty_{s};
             Full_{s} = (begin_{s}, infty).Full_{s} + (serve_{s}, infty).Empty_{s};"
        );
        set.push(format!("skip_{s}, begin_{s}, serve_{s}"));
        all.push(format!("Empty_{s}"));
    }
    let _ = writeln!(text, "At_1 <{}> ({})", set.join(", "), all.join(" <> "));
    Model { name: format!("Polling of {stations} stations"), text, action: "serve_1", prism: None }
}

/// Two queues of `c` places one after the other, the first with service in two phases (Hermanns, Meyer-Kayser and Siegle,
/// *Multi-terminal binary decision diagrams to represent and analyse continuous-time Markov chains*, NSMC 1999). It
/// mixes slowly: arrivals are thousands of times as fast as what empties the second queue.
pub(super) fn tandem(c: usize) -> Model {
    let mut text = format!("lambda = {}; mu1a = 0.2; mu1b = 1.8; mu2 = 2; kappa = 4;\n", 4 * c);
    for n in 0..=c {
        let mut first = Vec::new();
        let mut second = Vec::new();
        if n < c {
            first.push(format!("(arrive, lambda).First_{}", n + 1));
            second.push(format!("(arrive, lambda).Second_{}", n + 1));
        }
        if n > 0 {
            first.push(format!("(phase, mu1a).Second_{n} + (route, mu1b).First_{}", n - 1));
            second.push(format!("(route, mu2).First_{}", n - 1));
            let _ = writeln!(text, "Second_{n} = {};", second.join(" + "));
        }
        let _ = writeln!(text, "First_{n} = {};", first.join(" + "));
        let mut queue = Vec::new();
        if n < c {
            queue.push(format!("(route, infty).Queue_{}", n + 1));
        }
        if n > 0 {
            queue.push(format!("(leave, kappa).Queue_{}", n - 1));
        }
        let _ = writeln!(text, "Queue_{n} = {};", queue.join(" + "));
    }
    text += "First_0 <route> Queue_0\n";
    let prism = format!(
        "ctmc
         const double lambda = {};
         module first
           n : [0..{c}] init 0;
           second : bool init false;
           [arrive] n < {c} -> lambda : (n' = n + 1);
           [phase] n > 0 & !second -> 0.2 : (second' = true);
           [route] n > 0 & !second -> 1.8 : (n' = n - 1);
           [route] n > 0 & second -> 2 : (n' = n - 1) & (second' = false);
         endmodule
         module queue
           m : [0..{c}] init 0;
           [route] m < {c} -> 1 : (m' = m + 1);
           [leave] m > 0 -> 4 : (m' = m - 1);
         endmodule
         rewards \"leave_a\"
           [leave] true : 1;
         endrewards
",
        4 * c
    );
    Model { name: format!("Tandem queue, c = {c}"), text, action: "leave", prism: Some(prism) }
}

/// Workers who take two tools each, half of them in the other order, and never wait for each other in a circle because
/// there are more hammers than may be held by those who wait (the jobshop of the PEPA tools' examples, with 4 + 4
/// workers, 5 hammers and 4 chisels).
pub(super) fn workshop() -> Model {
    let worker = |name: &str, one: &str, other: &str| {
        format!(
            "{name} = (get_{one}, 1).(get_{other}, 1).(work, 1).(put_{other}, 1).(put_{one}, 1).{name};\n"
        )
    };
    let tool = |name: &str| format!("T_{name} = (get_{name}, infty).(put_{name}, infty).T_{name};\n");
    let many = |name: &str, count: usize| vec![name; count].join(" <> ");
    let text = worker("Left", "hammer", "chisel")
        + &worker("Right", "chisel", "hammer")
        + &tool("hammer")
        + &tool("chisel")
        + &format!(
            "({} <> {}) <get_hammer, put_hammer, get_chisel, put_chisel> ({} <> {})\n",
            many("Left", 4),
            many("Right", 4),
            many("T_hammer", 5),
            many("T_chisel", 4)
        );
    Model { name: "Workshop of 8 workers and 9 tools".into(), text, action: "work", prism: None }
}
