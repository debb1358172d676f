//! What Du and Agrawal publish: the packets of section 5, from the parameters of table 2.

use forerun_model::du::{self, FirstStage};
use forerun_model::packet::StageCost;

/// Seconds a byte of every link, and bytes of the three inputs, of section 5 (there in microseconds).
const LINK: f64 = 1.73;
const KNN: f64 = 108e6;
const SMALL: f64 = 152_729_808.0;
const LARGE: f64 = 610_919_236.0;

/// k, ⌈B/k⌉ and B/k to the nearest: sizes are printed as the one (8,549) or the other (the rest).
fn of(k: f64, bytes: f64) -> (u64, u64, u64) {
    let k = du::packets(k);
    (k, du::packet_size(bytes as u64, k), (bytes / k as f64).round() as u64)
}

/// The five stages that the paper sums over: three computing stages of `g` and links between them. What
/// the paper does not print is 0; `b` is the number of the bottleneck and `fixed` its G.
fn stages(g: [f64; 3], b: usize, fixed: f64, ratio: f64) -> [StageCost; 5] {
    let mut all = [
        StageCost::new(0.0, g[0]),
        StageCost::new(0.0, LINK),
        StageCost::new(0.0, g[1]).with_ratio(ratio),
        StageCost::new(0.0, LINK),
        StageCost::new(0.0, g[2]),
    ];
    all[b - 1].fixed = fixed;
    all
}

#[test]
fn fixed_frequency() {
    let knn = stages([0.0, 0.054, 0.013], 1, 2.41, 0.7585);
    let k = du::best_k_at_fixed_frequency_first(&knn, KNN);
    assert_eq!(of(k, KNN), (11_798, 9_155, 9_154));
    let actp = stages([0.0, 0.1494, 0.2191], 1, 1.5338, 0.0295);
    let k = du::best_k_at_fixed_frequency_first(&actp, SMALL);
    assert_eq!(of(k, SMALL), (13_888, 10_998, 10_997));
    // The paper prints 11,726.
    let zbuf = stages([0.1289, 0.0, 0.7569], 3, 2.1606, 0.0342);
    let k = |first| du::packets(du::best_k_at_fixed_frequency_later(&zbuf, 3, SMALL, first));
    assert_eq!((k(FirstStage::Once), k(FirstStage::Twice)), (11_722, 12_105));
}

#[test]
fn fixed_size() {
    let knn = stages([0.0872, 0.0, 0.0127], 3, 2.4087, 1.0);
    let k = du::best_k_at_fixed_size_later(&knn, 3, KNN);
    assert_eq!(of(k, KNN), (12_634, 8_549, 8_548));
    let zbuf = stages([0.0, 0.1207, 1.0296], 1, 1.3848, 1.0);
    let k = du::best_k_at_fixed_size_first(&zbuf, LARGE);
    assert_eq!(of(k, LARGE), (45_099, 13_547, 13_546));
    let actp = stages([0.0, 0.1356, 0.1937], 1, 1.4552, 1.0);
    let k = du::best_k_at_fixed_size_first(&actp, LARGE);
    assert_eq!(of(k, LARGE), (39_885, 15_318, 15_317));
}

/// The best k of an equation is where its own time is least.
#[test]
fn the_best_k_is_the_least_of_the_time() {
    let some = [
        StageCost::new(3.0, 0.2).with_ratio(0.5),
        StageCost::new(1.0, 0.3),
        StageCost::new(5.0, 0.7).with_ratio(0.25),
        StageCost::new(2.0, 0.1),
    ];
    let least = |k: f64, time: &dyn Fn(f64) -> f64| {
        let best = time(k);
        assert!(k.is_finite() && best < time(k * 1.01) && best < time(k / 1.01), "{k}");
    };
    let bytes = 1e6;
    least(du::best_k_at_fixed_frequency_first(&some, bytes), &|k| {
        du::fixed_frequency(&some, 1, bytes, k).total()
    });
    least(du::best_k_at_fixed_size_first(&some, bytes), &|k| du::fixed_size(&some, 1, bytes, k).total());
    for b in 2..=4 {
        least(du::best_k_at_fixed_frequency_later(&some, b, bytes, FirstStage::Once), &|k| {
            du::fixed_frequency(&some, b, bytes, k).total()
        });
        // The ratios are 1/2, 1 and 1/4, so that ⌈1/α⌉ in equation 13 is the 1/α of equation 17.
        least(du::best_k_at_fixed_size_later(&some, b, bytes), &|k| {
            du::fixed_size(&some, b, bytes, k).total()
        });
    }
}

#[test]
fn the_bottleneck_is_the_longest_stage() {
    let some = [StageCost::new(3.0, 0.0).with_ratio(0.1), StageCost::new(0.0, 1.0), StageCost::new(2.0, 0.0)];
    // At 100 / k bytes a packet, stage 2 takes 10 / k at fixed frequency.
    assert_eq!(du::bottleneck_at_fixed_frequency(&some, 100.0, 1.0), 2);
    assert_eq!(du::bottleneck_at_fixed_frequency(&some, 100.0, 10.0), 1);
    // At fixed size, stages 2 and 3 have a tenth of the packets.
    assert_eq!(du::bottleneck_at_fixed_size(&some, 100.0, 3.0), 2);
    assert_eq!(du::bottleneck_at_fixed_size(&some, 100.0, 4.0), 1);
}
