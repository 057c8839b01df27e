//! Reference-counted memory of tensors: host memory with its header in one allocation, memory of a client, memory of a device.
#![expect(unsafe_code, reason = "owns raw memory")]

use std::alloc::Layout;
use std::any::Any;
use std::fmt;
use std::ptr::NonNull;
use std::sync::Weak;
use std::sync::atomic::{AtomicUsize, Ordering, fence};

use crate::{Result, err, stats};

/// Alignment of the data of host buffers, in bytes: a cache line and the widest vector.
pub(crate) const ALIGN: usize = 64;

/// Memory that host code cannot read.
pub trait DeviceMemory: Send + Sync + 'static {
    /// Bytes in it.
    fn len(&self) -> usize;
    /// Whether it has no bytes.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// For the device's own down-casts.
    fn as_any(&self) -> &dyn Any;
}

/// A source of host buffers.
pub trait Allocator: Send + Sync {
    /// A buffer of `bytes` that [`Buffer::allocate`] or [`Buffer::in_block`] made just now, with unspecified contents;
    /// whoever asks checks that.
    ///
    /// # Errors
    /// `ResourceExhausted` when the memory cannot be had.
    fn allocate(&self, bytes: usize) -> Result<Buffer>;
}

/// The allocator without a cache: the process heap.
#[derive(Clone, Copy, Debug, Default)]
pub struct HeapAllocator;

impl Allocator for HeapAllocator {
    fn allocate(&self, bytes: usize) -> Result<Buffer> {
        Buffer::allocate(bytes)
    }
}

/// An owned piece of heap memory, big enough for a header and the data of a buffer.
///
/// Allocators that keep freed memory for reuse keep it as blocks.
pub struct Block {
    base: NonNull<u8>,
    size: usize,
}

// SAFETY: a block is the only owner of its memory.
unsafe impl Send for Block {}
// SAFETY: a shared block gives out nothing but its size.
unsafe impl Sync for Block {}

impl Block {
    const BASE_ALIGN: usize = 16;
    /// Room for the header, and for pushing the data up to the next multiple of `ALIGN`.
    const OVERHEAD: usize = size_of::<Header>() + ALIGN;

    /// A block that can hold a buffer of `bytes`.
    ///
    /// # Errors
    /// `ResourceExhausted` when the memory cannot be had.
    #[inline]
    pub fn allocate(bytes: usize) -> Result<Self> {
        let exhausted = || {
            err!(
                ResourceExhausted,
                "OOM when allocating {bytes} bytes of host memory"
            )
        };
        let size = bytes.checked_add(Self::OVERHEAD).ok_or_else(exhausted)?;
        // Aligning by hand on top of malloc's own 16 bytes: an aligned allocation costs several times as much.
        let layout = Layout::from_size_align(size, Self::BASE_ALIGN).map_err(|_| exhausted())?;
        // SAFETY: the size is not 0, it holds at least a header.
        let base = unsafe { std::alloc::alloc(layout) };
        Ok(Self {
            base: NonNull::new(base).ok_or_else(exhausted)?,
            size,
        })
    }

    /// The most bytes that a buffer in this block can hold.
    pub fn capacity(&self) -> usize {
        self.size - Self::OVERHEAD
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        let layout = Layout::from_size_align(self.size, Self::BASE_ALIGN);
        // SAFETY: `allocate` made this very layout from the same size.
        let layout = unsafe { layout.unwrap_unchecked() };
        // SAFETY: the memory came from `alloc` with this layout, and the block owns it.
        unsafe { std::alloc::dealloc(self.base.as_ptr(), layout) }
    }
}

/// Where the block of a dropped buffer goes.
pub trait BlockCache: Send + Sync {
    /// Takes the block, to keep or to drop.
    fn put(&self, block: Block);
}

enum Release {
    Block {
        block: Block,
        cache: Option<Weak<dyn BlockCache>>,
    },
    Foreign(Option<Box<dyn FnOnce() + Send>>),
    Device(Box<dyn DeviceMemory>),
}

type DropElements = unsafe fn(*mut u8, usize);

struct Header {
    refs: AtomicUsize,
    data: *mut u8,
    len: usize,
    drop_elements: Option<DropElements>,
    release: Release,
}

/// Shared memory of tensors; a clone shares it. One word wide.
pub struct Buffer(NonNull<Header>);

// SAFETY: the header's count is atomic, foreign releases are `Send`, device memory is `Send + Sync`, and the data is
// handed out by `Tensor` under Rust's aliasing rules.
unsafe impl Send for Buffer {}
// SAFETY: as above.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// Host memory of `bytes`, 64-byte aligned, contents unspecified.
    ///
    /// # Errors
    /// `ResourceExhausted` when the memory cannot be had.
    #[inline]
    pub fn allocate(bytes: usize) -> Result<Self> {
        Ok(Self::in_block(Block::allocate(bytes)?, bytes, None))
    }

    /// Host memory of `bytes` within `block`, which goes to `cache` afterwards, if that still exists.
    ///
    /// # Panics
    /// When the block is too small.
    #[inline]
    pub fn in_block(block: Block, bytes: usize, cache: Option<Weak<dyn BlockCache>>) -> Self {
        assert!(
            bytes <= block.capacity(),
            "block of {} for {bytes} bytes",
            block.capacity()
        );
        let room = block.base.as_ptr().wrapping_add(size_of::<Header>());
        let data = room.wrapping_add(room.addr().wrapping_neg() % ALIGN);
        let header = data.wrapping_sub(size_of::<Header>()).cast::<Header>();
        stats::note(bytes, 1);
        let value = Header {
            refs: AtomicUsize::new(1),
            data,
            len: bytes,
            drop_elements: None,
            release: Release::Block { block, cache },
        };
        // SAFETY: `OVERHEAD` leaves room for a header below `data`, and `data` is 64-byte aligned, so the header,
        // whose size is a multiple of its alignment, is aligned too.
        unsafe { header.write(value) };
        // SAFETY: it points into a live allocation.
        Self(unsafe { NonNull::new_unchecked(header) })
    }

    /// Memory of somebody else, used in place; `release` runs once, on the thread that drops the last owner.
    ///
    /// # Safety
    /// `data` points to `len` readable bytes (it may be null when `len` is 0) that stay valid and are written by nobody
    /// in a data race until `release` runs.
    pub unsafe fn from_foreign(
        data: *mut u8,
        len: usize,
        release: impl FnOnce() + Send + 'static,
    ) -> Self {
        let data = if data.is_null() {
            std::ptr::without_provenance_mut(ALIGN)
        } else {
            data
        };
        stats::note(len, 1);
        Self::boxed(data, len, Release::Foreign(Some(Box::new(release))))
    }

    /// Memory of a device.
    pub fn from_device(memory: Box<dyn DeviceMemory>) -> Self {
        let len = memory.len();
        Self::boxed(std::ptr::null_mut(), len, Release::Device(memory))
    }

    fn boxed(data: *mut u8, len: usize, release: Release) -> Self {
        let header = Header {
            refs: AtomicUsize::new(1),
            data,
            len,
            drop_elements: None,
            release,
        };
        Self(NonNull::from(Box::leak(Box::new(header))))
    }

    #[inline]
    fn header(&self) -> &Header {
        // SAFETY: the header lives as long as any buffer that counts on it.
        unsafe { self.0.as_ref() }
    }

    /// Bytes of data.
    #[inline]
    pub fn len(&self) -> usize {
        self.header().len
    }

    /// Whether there are no bytes of data.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether host code can read it.
    #[inline]
    pub fn is_host(&self) -> bool {
        !matches!(self.header().release, Release::Device(_))
    }

    /// Whether the runtime allocated it (as opposed to memory of a client, which others may look at).
    #[inline]
    pub fn is_owned_host(&self) -> bool {
        matches!(self.header().release, Release::Block { .. })
    }

    /// The device's memory object, `None` for host memory.
    pub fn device_memory(&self) -> Option<&dyn DeviceMemory> {
        match &self.header().release {
            Release::Device(memory) => Some(&**memory),
            _ => None,
        }
    }

    /// Whether this is the only owner.
    #[inline]
    pub fn is_unique(&self) -> bool {
        self.header().refs.load(Ordering::Acquire) == 1
    }

    /// Whether this is at least `bytes` of the runtime's own memory that nobody else sees and that holds no elements.
    #[inline]
    pub(crate) fn is_fresh_host(&self, bytes: usize) -> bool {
        let header = self.header();
        self.is_owned_host()
            && header.len >= bytes
            && header.drop_elements.is_none()
            && self.is_unique()
    }

    /// Whether two buffers are the same memory.
    pub fn same(&self, other: &Buffer) -> bool {
        self.0 == other.0
    }

    /// The address of the data; null for device memory, never null for host memory.
    #[inline]
    pub fn as_ptr(&self) -> *mut u8 {
        self.header().data
    }

    /// Sets what drops the elements when the last owner goes. To be called before the buffer is shared.
    ///
    /// # Safety
    /// At the time of the last drop, the function may be called once with the data pointer and the length in bytes.
    pub(crate) unsafe fn set_drop_elements(&mut self, drop: DropElements) {
        debug_assert!(self.is_unique());
        // SAFETY: `&mut self` on a unique buffer: nobody else sees the header.
        unsafe { self.0.as_mut() }.drop_elements = Some(drop);
    }
}

impl Clone for Buffer {
    #[inline]
    fn clone(&self) -> Self {
        // Relaxed as in `Arc`: whoever clones holds a count already.
        let before = self.header().refs.fetch_add(1, Ordering::Relaxed);
        assert!(before < usize::MAX / 2, "reference count overflow");
        Self(self.0)
    }
}

impl Drop for Buffer {
    #[inline]
    fn drop(&mut self) {
        let refs = &self.header().refs;
        // The only owner needs no locked instruction: a count can only be raised by an owner, and that is this one.
        if refs.load(Ordering::Acquire) == 1 || refs.fetch_sub(1, Ordering::Release) == 1 {
            fence(Ordering::Acquire);
            // SAFETY: the count fell to 0 just now, so nobody else can reach the header.
            unsafe { release(self.0) };
        }
    }
}

/// Drops the elements, then frees the memory in the way that it was made.
///
/// # Safety
/// The header is alive, and nobody else holds or uses it.
#[inline]
unsafe fn release(header: NonNull<Header>) {
    // SAFETY: alive, says the caller.
    let h = unsafe { header.as_ref() };
    let (data, len, drop_elements) = (h.data, h.len, h.drop_elements);
    if let (Release::Block { block, cache: None }, None) = (&h.release, drop_elements) {
        // Most results, small ones of plain elements: nothing but the block to free.
        stats::note(len, -1);
        // SAFETY: alive, and read out only here; what else the header holds owns nothing.
        drop(unsafe { std::ptr::from_ref(block).read() });
        return;
    }
    if let Some(drop) = drop_elements {
        // SAFETY: `set_drop_elements` was promised that this may be done once, now.
        unsafe { drop(data, len) };
    }
    // SAFETY: alive, and read out only here; the memory is not used as a header afterwards.
    let what = unsafe { header.as_ptr().read() }.release;
    match what {
        Release::Block { block, cache } => {
            stats::note(len, -1);
            if let Some(cache) = cache.and_then(|weak| weak.upgrade()) {
                cache.put(block);
            }
        }
        boxed => {
            // SAFETY: `boxed` made it by `Box::leak`; its fields were moved out above, so only the memory is freed.
            drop(unsafe { Box::from_raw(header.as_ptr().cast::<std::mem::MaybeUninit<Header>>()) });
            if let Release::Foreign(release) = boxed {
                stats::note(len, -1);
                if let Some(release) = release {
                    release();
                }
            }
        }
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.header().release {
            Release::Block { .. } => "host",
            Release::Foreign(_) => "foreign",
            Release::Device(_) => "device",
        };
        write!(f, "{} bytes of {kind} memory", self.len())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::Mutex;
    use std::sync::atomic::AtomicI32;

    use super::*;

    #[test]
    fn data_is_aligned_for_every_size() {
        for bytes in [0, 1, 4, 63, 64, 65, 4096, 1 << 20] {
            let b = Buffer::allocate(bytes).expect("memory");
            assert_eq!(b.as_ptr() as usize % ALIGN, 0);
            assert_eq!(b.len(), bytes);
            assert!(!b.as_ptr().is_null() && b.is_unique() && b.is_owned_host());
        }
        let e = Buffer::allocate(usize::MAX - 8).expect_err("too big");
        assert_eq!(e.code(), crate::Code::ResourceExhausted);
    }

    #[test]
    fn a_foreign_release_runs_once_at_the_last_owner() {
        let runs = Arc::new(AtomicI32::new(0));
        let seen = Arc::clone(&runs);
        // SAFETY: no bytes.
        let a = unsafe {
            Buffer::from_foreign(std::ptr::null_mut(), 0, move || {
                seen.fetch_add(1, Ordering::SeqCst);
            })
        };
        let b = a.clone();
        assert!(!a.is_unique() && a.same(&b) && !a.as_ptr().is_null());
        drop(a);
        assert_eq!(runs.load(Ordering::SeqCst), 0);
        std::thread::spawn(move || drop(b))
            .join()
            .expect("no panic");
        assert_eq!(runs.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn blocks_go_back_to_a_living_cache_only() {
        struct Keep(Mutex<Vec<Block>>);
        impl BlockCache for Keep {
            fn put(&self, block: Block) {
                self.0.lock().expect("no panic").push(block);
            }
        }
        let cache = Arc::new(Keep(Mutex::new(Vec::new())));
        let weak: Weak<dyn BlockCache> = Arc::<Keep>::downgrade(&cache);
        let make = || {
            Buffer::in_block(
                Block::allocate(100).expect("memory"),
                80,
                Some(Weak::clone(&weak)),
            )
        };
        drop(make());
        assert_eq!(cache.0.lock().expect("no panic").len(), 1);
        let late = make();
        drop(cache);
        drop(late);
    }
}
