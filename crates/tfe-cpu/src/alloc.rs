//! `CachingAllocator`: keeps big blocks for reuse, so that large results need no new page faults.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Weak};

use tfe_core::fork::Mutex;
use tfe_core::{Allocator, Block, BlockCache, Buffer, Result};

/// Below this many bytes the heap's own caches are as good.
const SMALL: usize = 64 << 10;

/// How much a context keeps at most, unless it is told otherwise.
pub const DEFAULT_CACHE_BYTES: usize = 256 << 20;

/// An allocator of host buffers with a bounded cache of freed blocks.
///
/// Buffers outlive the allocator: their blocks then go to the heap.
#[derive(Clone)]
pub struct CachingAllocator(Arc<Cache>);

struct Cache {
    limit: usize,
    free: Mutex<Free>,
}

#[derive(Default)]
struct Free {
    /// Blocks by capacity.
    blocks: BTreeMap<usize, Vec<Block>>,
    bytes: usize,
}

impl CachingAllocator {
    /// An allocator that keeps at most `limit` bytes of freed blocks.
    pub fn new(limit: usize) -> Self {
        Self(Arc::new(Cache {
            limit,
            free: Mutex::default(),
        }))
    }

    /// Bytes kept for reuse now.
    pub fn cached_bytes(&self) -> usize {
        self.0.free.lock().bytes
    }

    /// Gives all kept blocks to the heap.
    pub fn clear(&self) {
        // Taken out first: freeing needs no lock.
        drop(std::mem::take(&mut *self.0.free.lock()));
    }
}

/// Sizes are rounded up to four steps per power of two, so that blocks of about one size serve each other.
fn size_class(bytes: usize) -> usize {
    let step = bytes.checked_next_power_of_two().map_or(1, |p| p / 8);
    bytes.checked_next_multiple_of(step).unwrap_or(bytes)
}

impl Allocator for CachingAllocator {
    fn allocate(&self, bytes: usize) -> Result<Buffer> {
        if bytes < SMALL {
            return Buffer::allocate(bytes);
        }
        let class = size_class(bytes);
        let kept = {
            let mut free = self.0.free.lock();
            let block = free.blocks.get_mut(&class).and_then(Vec::pop);
            if block.is_some() {
                free.bytes -= class;
            }
            block
        };
        let block = match kept {
            Some(block) => block,
            None => Block::allocate(class).or_else(|e| {
                // Memory is short: what is kept may be what is missing.
                self.clear();
                Block::allocate(bytes).map_err(|_| e)
            })?,
        };
        let cache: Weak<dyn BlockCache> = Arc::<Cache>::downgrade(&self.0);
        Ok(Buffer::in_block(block, bytes, Some(cache)))
    }
}

impl BlockCache for Cache {
    fn put(&self, block: Block) {
        let capacity = block.capacity();
        let mut free = self.free.lock();
        if capacity == size_class(capacity) && free.bytes + capacity <= self.limit {
            free.bytes += capacity;
            free.blocks.entry(capacity).or_default().push(block);
        }
    }
}

impl fmt::Debug for CachingAllocator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "allocator with {} of at most {} bytes kept",
            self.cached_bytes(),
            self.0.limit
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn big_blocks_come_back_and_the_cache_is_bounded() {
        let a = CachingAllocator::new(1 << 20);
        let first = a.allocate(100_000).expect("memory");
        let address = first.as_ptr();
        drop(first);
        assert!(a.cached_bytes() >= 100_000);
        let again = a.allocate(99_000).expect("memory");
        assert_eq!(again.as_ptr(), address);
        assert_eq!(again.len(), 99_000);
        let many: Vec<_> = (0..20)
            .map(|_| a.allocate(100_000).expect("memory"))
            .collect();
        drop(many);
        assert!(a.cached_bytes() <= 1 << 20);
        a.clear();
        assert_eq!(a.cached_bytes(), 0);
        drop(a);
        drop(again);
    }

    #[test]
    fn classes_waste_little() {
        for bytes in [
            SMALL,
            SMALL + 1,
            100_000,
            1 << 20,
            (1 << 20) + 1,
            3_000_000_000,
        ] {
            let class = size_class(bytes);
            assert!(
                class >= bytes && class <= bytes + bytes / 4,
                "{bytes} {class}"
            );
            assert_eq!(size_class(class), class);
        }
        assert_eq!(size_class(usize::MAX), usize::MAX);
    }
}
