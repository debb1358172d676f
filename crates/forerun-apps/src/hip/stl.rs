//! Meshes out of STL files, binary and text.

use std::path::Path;

use forerun_platform::file::{bytes, shown, unread};
use forerun_skeleton::AppError;

use super::mesh::Mesh;
use super::triangle::Triangle;

/// Bytes before the number of triangles, and of a triangle: a normal, three corners, and an attribute.
const HEADER: usize = 80;
const RECORD: usize = 50;

/// Reads a mesh from a file.
///
/// # Errors
/// A sentence that names the file, and in text the line.
pub fn read_stl(path: &Path) -> Result<Mesh, AppError> {
    let bytes = bytes(path).map_err(|e| AppError::new(unread(path, &e)))?;
    parse_stl(&bytes).map_err(|e| AppError::new(format!("{}: {e}", shown(path))))
}

/// The mesh in the bytes of an STL file.
///
/// # Errors
/// What is wrong, and in text in which line.
pub fn parse_stl(bytes: &[u8]) -> Result<Mesh, AppError> {
    let triangles = match binary(bytes) {
        // A binary file may begin with "solid" too; its length tells.
        Some(triangles) => triangles,
        None => text(bytes)?,
    };
    if triangles.is_empty() {
        return Err(AppError::new("the mesh has no triangle"));
    }
    if triangles.iter().flatten().flatten().any(|x| !x.is_finite()) {
        return Err(AppError::new("a corner's coordinate is not a finite number"));
    }
    Ok(Mesh { triangles })
}

/// The triangles of a binary file; none if it has not the length that its number of triangles asks for.
fn binary(bytes: &[u8]) -> Option<Vec<Triangle>> {
    let count = u32::from_le_bytes(*bytes.get(HEADER..)?.first_chunk()?) as usize;
    let records = &bytes[HEADER + 4..];
    if records.len() != count.checked_mul(RECORD)? {
        return None;
    }
    let number = |record: &[u8], at: usize| {
        let bytes = record[4 * at..].first_chunk().copied().unwrap_or_default();
        f64::from(f32::from_le_bytes(bytes))
    };
    let corner = |record: &[u8], i: usize| [0, 1, 2].map(|axis| number(record, 3 + 3 * i + axis));
    Some(records.chunks_exact(RECORD).map(|record| [0, 1, 2].map(|i| corner(record, i))).collect())
}

/// The triangles of a text file: three vertices a facet.
fn text(bytes: &[u8]) -> Result<Vec<Triangle>, AppError> {
    let text = std::str::from_utf8(bytes).ok().filter(|text| text.trim_start().starts_with("solid"));
    let Some(text) = text else {
        return Err(AppError::new(
            "no STL file: expected text that begins with `solid`, or a binary file as long as its number of \
             triangles says",
        ));
    };
    let mut triangles = Vec::new();
    let mut corners = Vec::new();
    for (line, words) in (1..).zip(text.lines()) {
        let bad = |what: &str| Err(AppError::new(format!("line {line}: {what}")));
        let mut words = words.split_ascii_whitespace();
        match words.next() {
            Some("vertex") => {
                let numbers: Vec<f64> = words.map_while(|word| word.parse().ok()).collect();
                let Ok(corner) = <[f64; 3]>::try_from(numbers) else {
                    return bad("`vertex` is followed by three numbers");
                };
                corners.push(corner);
            }
            Some("endfacet") => {
                let Ok(triangle) = Triangle::try_from(std::mem::take(&mut corners)) else {
                    return bad("a facet has three vertices");
                };
                triangles.push(triangle);
            }
            _ => {}
        }
    }
    if corners.is_empty() { Ok(triangles) } else { Err(AppError::new("the last facet is not complete")) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn binary_file(triangles: &[[[f32; 3]; 3]]) -> Vec<u8> {
        let mut file = b"solid but binary".to_vec();
        file.resize(HEADER, b' ');
        file.extend((triangles.len() as u32).to_le_bytes());
        for triangle in triangles {
            file.extend([0; 12]);
            triangle.iter().flatten().for_each(|x| file.extend(x.to_le_bytes()));
            file.extend([0; 2]);
        }
        file
    }

    fn text_file(triangles: &[[[f32; 3]; 3]]) -> String {
        let facet = |t: &[[f32; 3]; 3]| {
            let vertices: String =
                t.iter().map(|[x, y, z]| format!("   vertex {x:e} {y:e} {z:e}\n")).collect();
            format!(" facet normal 0 0 0\n  outer loop\n{vertices}  endloop\n endfacet\n")
        };
        format!("solid x\n{}endsolid x\n", triangles.iter().map(facet).collect::<String>())
    }

    proptest! {
        #[test]
        fn both_kinds_give_the_mesh(triangles in prop::collection::vec([[-1e3f32..1e3, -1e3f32..1e3, -1e3f32..1e3], [-1e3f32..1e3, -1e3f32..1e3, -1e3f32..1e3], [-1e3f32..1e3, -1e3f32..1e3, -1e3f32..1e3]], 1..20)) {
            let expected: Vec<Triangle> =
                triangles.iter().map(|t| t.map(|corner| corner.map(f64::from))).collect();
            prop_assert_eq!(&parse_stl(&binary_file(&triangles)).expect("read").triangles, &expected);
            let text = parse_stl(text_file(&triangles).as_bytes()).expect("read").triangles;
            for (x, y) in text.iter().flatten().flatten().zip(expected.iter().flatten().flatten()) {
                prop_assert_eq!(*x as f32, *y as f32);
            }
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = parse_stl(&bytes);
        }
    }

    #[test]
    fn faults_are_told() {
        let message = |bytes: &[u8]| parse_stl(bytes).expect_err("bad").to_string();
        let mut cut = binary_file(&[[[0.0; 3]; 3]; 3]);
        cut.pop();
        assert!(message(&cut).contains("no STL file") || message(&cut).contains("no triangle"));
        assert!(message(b"hello").contains("no STL file"));
        assert!(message(b"solid x\nendsolid").contains("no triangle"));
        assert!(message(b"solid x\n vertex 1 2\n").contains("line 2: `vertex` is followed by three numbers"));
        assert!(message(b"solid x\n vertex 1 2 3\nendfacet").contains("line 3: a facet has three vertices"));
        assert!(message(b"solid x\n vertex 1 2 3\n").contains("the last facet is not complete"));
        assert!(message(&binary_file(&[[[f32::NAN; 3]; 3]])).contains("not a finite number"));
    }
}
