//! The hip's trees beside tests of all pairs of triangles.

use std::cell::Cell;
use std::f64::consts::{PI, TAU};

use forerun_apps::hip::{Cup, Point, Rotation, Side, Stem, Tree, Triangle, meet};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

/// Whether any triangle meets any other, by the definition.
fn any_meet(moving: &[Triangle], rotation: &Rotation, still: &[Triangle]) -> bool {
    moving.iter().any(|triangle| {
        let turned = triangle.map(|corner| rotation.of(corner));
        still.iter().any(|other| meet(&turned, other))
    })
}

/// A ball with waves on it; of 2 · `round` · `round` triangles, some of which are lines.
fn ball(centre: Point, radius: f64, waves: f64, round: u32) -> Vec<Triangle> {
    let at = |i: u32, j: u32| {
        let (up, along) = (PI * f64::from(i) / f64::from(round), TAU * f64::from(j) / f64::from(round));
        let radius = radius * (1.0 + waves * (3.0 * along).sin() * up.sin());
        let out = [up.sin() * along.cos(), up.cos(), up.sin() * along.sin()];
        [0, 1, 2].map(|axis| centre[axis] + radius * out[axis])
    };
    let both = |i, j| {
        let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        [[a, b, c], [a, c, d]]
    };
    (0..round).flat_map(|i| (0..round).flat_map(move |j| both(i, j))).collect()
}

fn point(reach: f64) -> impl Strategy<Value = Point> {
    [-reach..reach, -reach..reach, -reach..reach]
}

/// Bodies around the origin, beside it, and triangles of any size anywhere.
fn meshes() -> impl Strategy<Value = Vec<Triangle>> {
    let around =
        (point(3.0), 8.0f64..14.0, 0.0f64..0.2, 3u32..8).prop_map(|(c, r, waves, n)| ball(c, r, waves, n));
    let beside =
        (point(12.0), 1.0f64..5.0, 0.0f64..0.3, 3u32..8).prop_map(|(c, r, waves, n)| ball(c, r, waves, n));
    let triangle = (point(14.0), 0.01f64..4.0, [point(1.0), point(1.0)]).prop_map(|(a, size, to)| {
        let [b, c] = to.map(|to| [0, 1, 2].map(|axis| a[axis] + size * to[axis]));
        [a, b, c]
    });
    let soup = prop::collection::vec(triangle, 1..40);
    prop_oneof![1 => around, 2 => beside, 2 => soup]
}

fn rotations() -> impl Strategy<Value = Rotation> {
    let about = || ((-1.0f64..1.0), 0.0..TAU, -180.0f64..180.0);
    let right = prop::sample::select(vec![-90.0, 0.0, 90.0, 180.0]);
    let square = (0usize..3, right).prop_map(|(axis, degrees)| {
        let mut about = [0.0; 3];
        about[axis] = 1.0;
        Rotation::about(about, degrees)
    });
    let any = about().prop_map(|(z, along, degrees)| {
        let out = (1.0 - z * z).sqrt();
        Rotation::about([out * along.cos(), out * along.sin(), z], degrees)
    });
    prop_oneof![1 => square, 9 => any]
}

#[test]
fn a_tree_answers_as_all_pairs_of_triangles_do() {
    let answers = [Cell::new(0), Cell::new(0)];
    let bodies = (meshes(), meshes(), prop::collection::vec(rotations(), 12));
    let tried =
        TestRunner::new(ProptestConfig::with_cases(300)).run(&bodies, |(moving, still, rotations)| {
            let (tree, other) = (Tree::new(moving.clone()), Tree::new(still.clone()));
            for rotation in &rotations {
                let met = any_meet(&moving, rotation, &still);
                answers[usize::from(met)].update(|n| n + 1);
                prop_assert_eq!(tree.collides(rotation, &other), met, "{:?}", rotation);
            }
            Ok(())
        });
    tried.unwrap_or_else(|e| panic!("{e}"));
    // Bodies that always meet, or never do, would show nothing.
    let [free, met] = answers.map(Cell::into_inner);
    assert!(free > 300 && met > 300, "{free} free, {met} met");
}

/// Where one pair meets at most, and barely, a bound that is too narrow anywhere on the way to it is seen.
#[test]
fn a_single_pair_that_barely_meets_is_found_among_others() {
    let found = Cell::new(0);
    let places = prop::collection::vec(point(14.0), 2..30);
    let cases = (places, point(9.0), [point(1.0), point(1.0)], rotations());
    let tried =
        TestRunner::new(ProptestConfig::with_cases(2000)).run(&cases, |(places, at, to, rotation)| {
            let triangle = |at: Point| [at, to[0], to[1]].map(|to| [0, 1, 2].map(|axis| at[axis] + to[axis]));
            let around = |off: f64| places.iter().map(move |p| triangle(p.map(|x| x + x.signum() * off)));
            // A needle with its point in the middle of one triangle; all others are elsewhere.
            let pierced = triangle(at);
            let turned = pierced.map(|corner| rotation.of(corner));
            let middle = [0, 1, 2].map(|axis| turned.iter().map(|corner| corner[axis]).sum::<f64>() / 3.0);
            let needle = [middle, middle.map(|x| 1.001 * x + 1e-3), middle.map(|x| 1.001 * x - 1e-3)];
            let moving: Vec<Triangle> = around(10.0).chain([pierced]).collect();
            let still: Vec<Triangle> = around(40.0).chain([needle]).collect();
            let met = any_meet(&moving, &rotation, &still);
            found.update(|n| n + u32::from(met));
            prop_assert_eq!(Tree::new(moving).collides(&rotation, &Tree::new(still)), met);
            Ok(())
        });
    tried.unwrap_or_else(|e| panic!("{e}"));
    // Whether the point is in the triangle or a hair beside it is rounding's choice.
    assert!(found.get() > 200, "{} met", found.get());
}

/// The prosthesis itself, whose neck meets the cup's edge or does not.
#[test]
fn cup_and_stem_meet_where_all_pairs_do() {
    let (cup, stem) =
        (Cup::default().mesh(Side::Right).triangles, Stem::default().mesh(Side::Right).triangles);
    let (moving, still) = (Tree::new(stem.clone()), Tree::new(cup.clone()));
    let answers = [-90.0, -30.0, 0.0, 90.0].map(|degrees| {
        let rotation = Rotation::about([1.0, 0.0, 0.0], degrees);
        let met = any_meet(&stem, &rotation, &cup);
        assert_eq!(moving.collides(&rotation, &still), met, "{degrees}°");
        met
    });
    assert!(answers.contains(&true) && answers.contains(&false), "{answers:?}");
}
