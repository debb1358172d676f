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

/// Where nearly nothing meets, a bound that is too narrow is found: of single triangles that touch each other.
#[test]
fn triangles_that_barely_meet_are_found_among_others() {
    let around = (point(1.0), prop::collection::vec(point(14.0), 2..30), point(9.0), rotations());
    let law = |(size, places, corner, rotation): (Point, Vec<Point>, Point, Rotation)| {
        let small =
            |at: &Point| [*at, [at[0] + size[0], at[1], at[2]], [at[0], at[1] + size[1], at[2] + size[2]]];
        // Far from all others, but for one pair.
        let moving: Vec<Triangle> = places.iter().map(|p| small(&p.map(|x| x + x.signum() * 10.0))).collect();
        let mine = small(&corner);
        let turned = mine.map(|corner| rotation.of(corner));
        let middle = [0, 1, 2].map(|i| (turned[0][i] + turned[1][i] + turned[2][i]) / 3.0);
        let through = [middle, middle.map(|x| x * 1.001 + 1e-3), middle.map(|x| x * 1.001 - 1e-3)];
        let far: Vec<Triangle> = places.iter().map(|p| small(&p.map(|x| x + x.signum() * 40.0))).collect();
        let (moving, still) = ([moving, vec![mine]].concat(), [far, vec![through]].concat());
        let met = any_meet(&moving, &rotation, &still);
        (met, Tree::new(moving).collides(&rotation, &Tree::new(still)))
    };
    let found = Cell::new(0);
    let tried = TestRunner::new(ProptestConfig::with_cases(2000)).run(&around, |case| {
        let (met, by_tree) = law(case);
        found.update(|n| n + u32::from(met));
        prop_assert_eq!(by_tree, met);
        Ok(())
    });
    tried.unwrap_or_else(|e| panic!("{e}"));
    // A point in the middle of a triangle is in its plane by chance of rounding only.
    assert!(found.get() > 500, "{}", found.get());
}

/// The prosthesis itself, whose neck meets the cup's edge or does not.
#[test]
fn cup_and_stem_meet_where_all_pairs_do() {
    let (cup, stem) =
        (Cup::default().mesh(Side::Right).triangles, Stem::default().mesh(Side::Right).triangles);
    let (moving, still) = (Tree::new(stem.clone()), Tree::new(cup.clone()));
    let answers = [0.0, 40.0, 80.0, 120.0].map(|flexion| {
        let rotation = Rotation::about([0.0, 0.0, 1.0], flexion);
        let met = any_meet(&stem, &rotation, &cup);
        assert_eq!(moving.collides(&rotation, &still), met, "{flexion}°");
        met
    });
    assert!(answers.contains(&true) && answers.contains(&false), "{answers:?}");
}
