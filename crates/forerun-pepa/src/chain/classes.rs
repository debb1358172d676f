//! Which states lead to each other for ever.

use crate::space::Space;

/// The closed classes of a chain: once in one, it stays there.
#[derive(Debug, Clone)]
pub struct Classes {
    /// The members of each, ascending.
    pub closed: Vec<Vec<u32>>,
    /// How many states are in none: they are visited for a while only.
    pub transient: usize,
}

impl Classes {
    /// Whether every state leads to every other.
    pub fn is_irreducible(&self) -> bool {
        self.closed.len() == 1 && self.transient == 0
    }
}

/// Finds the closed classes. Cost: linear.
pub fn classes(space: &Space) -> Classes {
    let component = strong(space.states(), &|state, at| space.target(state, at));
    let components = component.iter().max().map_or(0, |last| *last as usize + 1);
    closed(space, &component, components)
}

/// For each state the number of its strongly connected component (Tarjan, 1972, without recursion), given where each of a
/// state's transitions leads. Cost: linear.
pub(crate) fn strong(states: usize, target: &dyn Fn(usize, usize) -> Option<u32>) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let mut index = vec![NONE; states];
    let mut low = vec![0u32; states];
    let mut component = vec![NONE; states];
    let (mut stack, mut path): (Vec<u32>, Vec<(u32, u32)>) = (Vec::new(), Vec::new());
    let (mut counter, mut components) = (0u32, 0u32);
    for root in 0..states as u32 {
        if index[root as usize] != NONE {
            continue;
        }
        path.push((root, 0));
        while let Some((state, at)) = path.last_mut() {
            let state = *state as usize;
            if *at == 0 {
                index[state] = counter;
                low[state] = counter;
                counter += 1;
                stack.push(state as u32);
            }
            match target(state, *at as usize) {
                Some(next) => {
                    *at += 1;
                    let next = next as usize;
                    if index[next] == NONE {
                        path.push((next as u32, 0));
                    } else if component[next] == NONE {
                        low[state] = low[state].min(index[next]);
                    }
                }
                None => {
                    path.pop();
                    if let Some((before, _)) = path.last() {
                        let before = *before as usize;
                        low[before] = low[before].min(low[state]);
                    }
                    if low[state] == index[state] {
                        while let Some(member) = stack.pop() {
                            component[member as usize] = components;
                            if member as usize == state {
                                break;
                            }
                        }
                        components += 1;
                    }
                }
            }
        }
    }
    component
}

fn closed(space: &Space, component: &[u32], components: usize) -> Classes {
    let mut open = vec![false; components];
    for state in 0..space.states() {
        for step in space.from(state) {
            if component[step.to as usize] != component[state] {
                open[component[state] as usize] = true;
            }
        }
    }
    let mut place = vec![usize::MAX; components];
    let mut classes = Classes { closed: Vec::new(), transient: 0 };
    for (state, of) in component.iter().enumerate() {
        if open[*of as usize] {
            classes.transient += 1;
            continue;
        }
        let place = &mut place[*of as usize];
        if *place == usize::MAX {
            *place = classes.closed.len();
            classes.closed.push(Vec::new());
        }
        classes.closed[*place].push(state as u32);
    }
    classes
}
