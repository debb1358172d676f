//! Hierarchies of bounding volumes that a rotation about the origin hardly changes.
//!
//! Everything here rotates about one point, the middle of the joint, which is the origin. A node bounds its triangles by
//! a piece of a spherical shell: distances from the origin between two radii, directions within an angle of an axis. A
//! rotation changes the axis alone, so that two nodes are told apart by comparing radii, and by one cosine:
//!
//! ```text
//! apart if  r₀ > r₁′  or  r₀′ > r₁  or  axis · axis′ < cos(α + α′) = cos α cos α′ − sin α sin α′
//! ```
//!
//! And where head and socket are nearly concentric spheres a millimetre apart, shells follow them, and boxes do not. Where
//! surfaces run towards the origin it is the other way round: nodes that are not told apart so have a box each
//! (`block.rs`), by which they may be.

use super::block::{Block, Short, short_dot, tolerance};
use super::triangle::{Triangle, meet};
use super::vector::{Point, Rotation, add, cross, dot, length, sub, unit};

/// By how much bounds are widened, relative: more than single precision loses.
const SLACK: f64 = 1e-6;
/// Triangles of a leaf at most.
const LEAF: usize = 2;
/// Cosine of the widest angle that directions are compared by.
const WIDEST: f64 = 0.05;

/// A piece of a shell, and what is in it.
#[derive(Debug, Clone, Copy)]
struct Node {
    axis: Short,
    /// Of the angle; a cosine of 0 is for all directions.
    cos: f32,
    sin: f32,
    low: f32,
    high: f32,
    /// Of an inner node, the place of its second child (the first follows it). Of a leaf, the place of its first
    /// triangle, and above [`Node::COUNT`] their number.
    at: u32,
}

impl Node {
    const COUNT: u32 = 29;

    fn leaf(&self) -> Option<std::ops::Range<usize>> {
        let count = (self.at >> Self::COUNT) as usize;
        let first = (self.at & ((1 << Self::COUNT) - 1)) as usize;
        (count > 0).then_some(first..first + count)
    }

    #[inline(always)]
    fn is_apart(&self, axis: Short, other: &Node) -> bool {
        if self.low > other.high || other.low > self.high {
            return true;
        }
        let cosine = short_dot(axis, other.axis);
        cosine < self.cos * other.cos - self.sin * other.sin && self.cos.min(other.cos) > 0.0
    }
}

/// A mesh that is ready to be tested for collisions at any rotation about the origin.
#[derive(Debug, Clone)]
pub struct Tree {
    nodes: Vec<Node>,
    /// A box of each node: apart from them, since most are not looked at.
    blocks: Vec<Block>,
    triangles: Vec<Triangle>,
}

impl Tree {
    /// The tree of some triangles: at least one, fewer than 2^29. Cost: n log n.
    pub fn new(triangles: Vec<Triangle>) -> Tree {
        let nodes = 2 * triangles.len() / LEAF;
        let mut tree = Tree {
            nodes: Vec::with_capacity(nodes),
            blocks: Vec::with_capacity(nodes),
            triangles: Vec::new(),
        };
        let mut order: Vec<(Point, Triangle)> = triangles.into_iter().map(|t| (middle(&t), t)).collect();
        tree.triangles.reserve(order.len());
        tree.build(&mut order);
        tree
    }

    /// Number of triangles.
    pub fn len(&self) -> usize {
        self.triangles.len()
    }

    /// Its triangles, in an order of its own.
    pub fn triangles(&self) -> &[Triangle] {
        &self.triangles
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.triangles.is_empty()
    }

    fn build(&mut self, part: &mut [(Point, Triangle)]) {
        let me = self.nodes.len();
        self.nodes.push(bounds(part));
        self.blocks.push(Block::of(part.iter().map(|(_, triangle)| triangle)));
        if part.len() <= LEAF {
            self.nodes[me].at = self.triangles.len() as u32 | (part.len() as u32) << Node::COUNT;
            self.triangles.extend(part.iter().map(|(_, triangle)| *triangle));
            return;
        }
        let half = part.len() / 2;
        let along = direction(part);
        part.select_nth_unstable_by(half, |a, b| along.of(a.0).total_cmp(&along.of(b.0)));
        let (first, second) = part.split_at_mut(half);
        self.build(first);
        self.nodes[me].at = self.nodes.len() as u32;
        self.build(second);
    }
}

/// What triangles are sorted by to be split.
enum Along {
    Radius,
    Direction(Point),
}

impl Along {
    fn of(&self, p: Point) -> f64 {
        match self {
            Along::Radius => length(p),
            Along::Direction(axis) => dot(*axis, p),
        }
    }
}

/// That in which the middles of triangles reach farthest: the radius, or a direction across it.
fn direction(part: &[(Point, Triangle)]) -> Along {
    let reach = |of: &dyn Fn(Point) -> f64| {
        let (low, high) = part
            .iter()
            .map(|(p, _)| of(*p))
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
        high - low
    };
    let outwards = unit(part.iter().fold([0.0; 3], |sum, (p, _)| add(sum, *p)));
    let least = (0..3).min_by(|&i, &j| outwards[i].abs().total_cmp(&outwards[j].abs())).unwrap_or(0);
    let mut other = [0.0; 3];
    other[least] = 1.0;
    let across = unit(cross(outwards, other));
    let mut best = (reach(&length), Along::Radius);
    let up = cross(outwards, across);
    let diagonals = [unit(add(across, up)), unit(sub(across, up))];
    for axis in [across, up].into_iter().chain(diagonals) {
        let reach = reach(&|p| dot(axis, p));
        if reach > best.0 {
            best = (reach, Along::Direction(axis));
        }
    }
    best.1
}

fn middle(triangle: &Triangle) -> Point {
    let [a, b, c] = triangle;
    [0, 1, 2].map(|i| (a[i] + b[i] + c[i]) / 3.0)
}

/// The bounds of some triangles.
fn bounds(part: &[(Point, Triangle)]) -> Node {
    let corners = || part.iter().flat_map(|(_, triangle)| triangle.iter());
    // The middle of the directions' box: nearer to the middle of their cap than their mean.
    let (low, high) = corners().map(|c| unit(*c)).fold(([2.0f64; 3], [-2.0f64; 3]), |(low, high), p| {
        ([0, 1, 2].map(|i| low[i].min(p[i])), [0, 1, 2].map(|i| high[i].max(p[i])))
    });
    let axis = unit(add(low, high)).map(|x| x as f32);
    let exact = axis.map(f64::from);
    // A cap narrower than half of the sphere that holds the corners' directions holds the triangle's.
    let cos = corners().map(|c| dot(unit(*c), unit(exact))).fold(1.0f64, f64::min);
    let angle = cos.clamp(-1.0, 1.0).acos() + 1e-3 * SLACK.sqrt();
    let (sin, cos) = angle.sin_cos();
    let least = part.iter().map(|(_, triangle)| nearest(triangle)).fold(f64::INFINITY, f64::min);
    let most = corners().map(|c| length(*c)).fold(0.0, f64::max);
    let all = cos < WIDEST || least == 0.0;
    Node {
        axis,
        cos: if all { 0.0 } else { (cos - SLACK) as f32 },
        sin: if all { 1.0 } else { (sin + SLACK) as f32 },
        low: (least * (1.0 - SLACK)) as f32,
        high: (most * (1.0 + SLACK)) as f32,
        at: 0,
    }
}

/// A lower bound of the distance from the origin to a triangle: that of its plane where the foot is inside, else that of its
/// nearest edge.
fn nearest(t: &Triangle) -> f64 {
    let normal = cross(sub(t[1], t[0]), sub(t[2], t[0]));
    let inside = [(0, 1), (1, 2), (2, 0)].iter().all(|&(i, j)| dot(cross(t[i], t[j]), normal) >= 0.0);
    if inside && normal != [0.0; 3] {
        return dot(t[0], normal).abs() / length(normal);
    }
    let edge = |a: Point, b: Point| {
        let along = sub(b, a);
        let whole = dot(along, along);
        let at = if whole > 0.0 { (-dot(a, along) / whole).clamp(0.0, 1.0) } else { 0.0 };
        length([0, 1, 2].map(|i| a[i] + at * along[i]))
    };
    edge(t[0], t[1]).min(edge(t[1], t[2])).min(edge(t[2], t[0]))
}

impl Tree {
    /// Whether a triangle of this mesh, rotated about the origin, meets one of `still`. Ends with the first that does; where
    /// none does, the cost is that of the pairs of nodes that are not told apart.
    pub fn collides(&self, rotation: &Rotation, still: &Tree) -> bool {
        let (Some(root), Some(other)) = (self.nodes.first(), still.nodes.first()) else { return false };
        let tolerance = tolerance(root.high, other.high);
        let rows = rotation.0.map(|row| row.map(|x| x as f32));
        let turn = |direction: Short| rows.map(|row| short_dot(row, direction));
        let turned = |node: u32| {
            let at = node as usize;
            (node, turn(self.nodes[at].axis), self.blocks[at].turned(turn))
        };
        // Pairs in turn have the same node often.
        let mut now = turned(0);
        let mut stack: Vec<(u32, u32)> = Vec::with_capacity(64);
        stack.push((0, 0));
        while let Some((mine, other)) = stack.pop() {
            if now.0 != mine {
                now = turned(mine);
            }
            let (a, b) = (&self.nodes[mine as usize], &still.nodes[other as usize]);
            if a.is_apart(now.1, b) {
                continue;
            }
            let (block, its) = (&self.blocks[mine as usize], &still.blocks[other as usize]);
            if block.is_apart(&now.2, its, tolerance) {
                continue;
            }
            match (a.leaf(), b.leaf()) {
                (Some(mine), Some(others)) => {
                    for i in mine {
                        let triangle = self.triangles[i].map(|corner| rotation.of(corner));
                        for j in others.clone() {
                            if meet(&triangle, &still.triangles[j]) {
                                return true;
                            }
                        }
                    }
                }
                // Into the larger one.
                (None, leaf) if leaf.is_some() || block.extent() >= its.extent() => {
                    stack.push((a.at, other));
                    stack.push((mine + 1, other));
                }
                _ => {
                    stack.push((mine, b.at));
                    stack.push((mine, other + 1));
                }
            }
        }
        false
    }
}
