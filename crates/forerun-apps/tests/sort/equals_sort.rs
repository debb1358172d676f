//! Whatever the type, the cut, the tree and the memory: the output is the input, sorted.

use bytemuck::Pod;
use forerun_apps::sort::{ElementType, TotalF64, merge, merge_into, merge_path, sort_in_memory};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::driver::{Way, options, sort};

fn ways() -> impl Strategy<Value = Way> {
    (1u64..20, 2usize..5, 1usize..9).prop_map(|(tasks, arity, set)| Way { tasks, arity, set })
}

/// Values that are random, or few, or in order already.
fn values() -> impl Strategy<Value = Vec<u64>> {
    let length = prop_oneof![Just(0), Just(1), Just(2), Just(997), Just(7919), Just(40_009), 0usize..3000];
    (length, any::<u64>(), 0u32..4).prop_map(|(length, seed, kind)| {
        let mut state = seed | 1;
        let mut values: Vec<u64> = (0..length)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                if kind == 1 { state % 5 } else { state.wrapping_mul(0x2545_F491_4F6C_DD1D) }
            })
            .collect();
        if kind >= 2 {
            values.sort_unstable();
        }
        if kind == 3 {
            values.reverse();
        }
        values
    })
}

fn check<T: Pod + std::fmt::Debug + PartialEq>(
    element: ElementType,
    values: &[T],
    files: usize,
    way: &Way,
    memory: u64,
    mut sorted: Vec<T>,
    order: impl Fn(&T, &T) -> std::cmp::Ordering,
) -> Result<(), TestCaseError> {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let mut inputs = Vec::new();
    for (n, part) in values.chunks(values.len().div_ceil(files).max(1)).enumerate() {
        inputs.push(directory.path().join(format!("in{n}")));
        std::fs::write(&inputs[n], bytemuck::cast_slice(part)).expect("written");
    }
    if inputs.is_empty() {
        inputs.push(directory.path().join("empty"));
        std::fs::write(&inputs[0], []).expect("written");
    }
    let mut options = options(element, memory);
    options.output = Some(directory.path().join("out"));
    let finished = sort(&inputs, options, way).expect("sorted");
    sorted.sort_by(order);
    let written = std::fs::read(directory.path().join("out")).expect("an output");
    prop_assert_eq!(written.len() as u64, finished.bytes);
    prop_assert!(written == bytemuck::cast_slice::<T, u8>(&sorted));
    prop_assert_eq!(crate::driver::names(directory.path()).len(), inputs.len() + 1);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn integers(values in values(), files in 1usize..4, way in ways(), small in any::<bool>()) {
        let memory = if small { 64 << 10 } else { 64 << 20 };
        let signed: Vec<i64> = values.iter().map(|&x| x as i64).collect();
        let half: Vec<i32> = values.iter().map(|&x| x as i32).collect();
        let word: Vec<u32> = values.iter().map(|&x| x as u32).collect();
        check(ElementType::U64, &values, files, &way, memory, values.clone(), Ord::cmp)?;
        check(ElementType::I64, &signed, files, &way, memory, signed.clone(), Ord::cmp)?;
        check(ElementType::I32, &half, files, &way, memory, half.clone(), Ord::cmp)?;
        check(ElementType::U32, &word, files, &way, memory, word.clone(), Ord::cmp)?;
    }

    /// Bit patterns of every kind: infinities, NaN of both signs, both zeros, subnormals.
    #[test]
    fn floats_in_total_order(values in values(), special in vec(0usize..8, 0..50), way in ways(), small in any::<bool>()) {
        let memory = if small { 64 << 10 } else { 64 << 20 };
        let kinds = [f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, f64::MAX, 5e-324];
        let bits: Vec<u64> = values.into_iter().chain(special.iter().map(|&k| kinds[k].to_bits())).collect();
        check(ElementType::F64, &bits, 1, &way, memory, bits.clone(), |a, b| {
            f64::from_bits(*a).total_cmp(&f64::from_bits(*b))
        })?;
    }

    #[test]
    fn in_memory(values in values()) {
        let half: Vec<i32> = values.iter().map(|&x| x as i32).collect();
        let (mut ours, mut theirs) = (half.clone(), half);
        sort_in_memory(&mut ours);
        theirs.sort();
        prop_assert_eq!(ours, theirs);
    }

    /// On any number of threads, with runs that end early and with the largest value in them.
    #[test]
    fn a_merge_is_the_sorted_whole(mut a in values(), mut b in values(), top in 0usize..4, threads in 1usize..5) {
        a.extend(std::iter::repeat_n(u64::MAX, top));
        a.sort_unstable();
        b.sort_unstable();
        let mut whole = [a.clone(), b.clone()].concat();
        whole.sort_unstable();
        for k in [0, whole.len() / 3, whole.len()] {
            let i = merge_path(&a, &b, k);
            let mut first = [&a[..i], &b[..k - i]].concat();
            first.sort_unstable();
            prop_assert_eq!(&first, &whole[..k]);
        }
        for k in [whole.len() / 2, whole.len()] {
            let mut first = vec![0; k];
            merge_into(&a, &b, &mut first);
            prop_assert!(first == whole[..k]);
        }
        let mut apart = whole.clone();
        let upper = apart.split_off(whole.len() / 3);
        prop_assert!(merge(&upper, &apart, 1) == whole);
        prop_assert!(merge(&apart, &upper, 1) == whole);
        prop_assert!(merge(&a, &b, threads) == whole);
    }

    #[test]
    fn an_f64_is_what_it_was(bits in any::<u64>()) {
        let x = f64::from_bits(bits);
        prop_assert_eq!(f64::from(TotalF64::from(x)).to_bits(), bits);
    }
}

#[test]
fn a_large_merge_is_cut_for_threads() {
    let a: Vec<u32> = (0..300_000).map(|x| x * 3).collect();
    let b: Vec<u32> = (0..200_000).map(|x| x * 2).collect();
    let mut whole = [a.clone(), b.clone()].concat();
    whole.sort_unstable();
    for threads in 1..6 {
        assert!(merge(&a, &b, threads) == whole, "{threads} threads");
    }
}
