//! Arithmetic of shapes and places, spelled out one element at a time.

/// All places of a shape, row-major.
pub(super) fn places(dims: &[i64]) -> impl Iterator<Item = Vec<i64>> + use<> {
    let dims = dims.to_vec();
    let count: i64 = dims.iter().product();
    (0..count).map(move |mut flat| {
        let mut place = vec![0; dims.len()];
        for (p, &d) in place.iter_mut().zip(&dims).rev() {
            *p = flat % d;
            flat /= d;
        }
        place
    })
}

/// The row-major number of a place.
pub(super) fn flat(dims: &[i64], place: &[i64]) -> usize {
    place.iter().zip(dims).fold(0, |at, (&p, &d)| at * d + p) as usize
}

/// The shape that two shapes broadcast to, if they do.
pub(super) fn broadcast(a: &[i64], b: &[i64]) -> Option<Vec<i64>> {
    let rank = a.len().max(b.len());
    let dim = |dims: &[i64], i: usize| (i + dims.len()).checked_sub(rank).map_or(1, |i| dims[i]);
    (0..rank)
        .map(|i| match (dim(a, i), dim(b, i)) {
            (x, y) if x == y => Some(x),
            (1, y) => Some(y),
            (x, 1) => Some(x),
            _ => None,
        })
        .collect()
}

/// Which element of a tensor of shape `dims` stands at `place` of the shape that it is broadcast to.
pub(super) fn broadcast_from(dims: &[i64], place: &[i64]) -> usize {
    let tail = &place[place.len() - dims.len()..];
    let own: Vec<i64> = tail
        .iter()
        .zip(dims)
        .map(|(&p, &d)| if d == 1 { 0 } else { p })
        .collect();
    flat(dims, &own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_broadcasts() {
        assert_eq!(places(&[]).collect::<Vec<_>>(), [Vec::<i64>::new()]);
        assert_eq!(places(&[2, 0]).count(), 0);
        assert_eq!(places(&[2, 2]).nth(2), Some(vec![1, 0]));
        assert_eq!(flat(&[2, 3], &[1, 2]), 5);
        assert_eq!(broadcast(&[2, 1], &[3]), Some(vec![2, 3]));
        assert_eq!(broadcast(&[0], &[1]), Some(vec![0]));
        assert_eq!(broadcast(&[2], &[3]), None);
        assert_eq!(broadcast_from(&[2, 1], &[5, 1, 2]), 1);
    }
}
