//! The values of a builder by slot: a few in place, more in memory of their own.

use std::mem::ManuallyDrop;

use tfe_ops::AttrValue;

/// As many values as nearly all calls set.
const INLINE: usize = 4;

/// Values by slot, in the order they came.
///
/// Made for calls with few values, most of them scalars: those are stored without a loop or a branch on capacity, and
/// are dropped by a look at their tag, where the general way of dropping an [`AttrValue`] takes ten times as long.
#[derive(Debug)]
pub(crate) struct SlotValues {
    len: u8,
    slots: [u16; INLINE],
    /// The first `len` are values, the others anything that needs no dropping.
    values: [ManuallyDrop<AttrValue>; INLINE],
    #[expect(
        clippy::box_collection,
        reason = "one word in every builder, for what few have"
    )]
    more: Option<Box<Vec<(u16, AttrValue)>>>,
}

const NOTHING: AttrValue = AttrValue::Bool(false);

impl SlotValues {
    #[inline]
    pub(crate) const fn new() -> Self {
        Self {
            len: 0,
            slots: [0; INLINE],
            values: [const { ManuallyDrop::new(NOTHING) }; INLINE],
            more: None,
        }
    }

    #[inline]
    fn inline_slots(&self) -> &[u16] {
        &self.slots[..usize::from(self.len)]
    }

    #[inline]
    pub(crate) fn contains(&self, slot: usize) -> bool {
        self.inline_slots().iter().any(|&s| usize::from(s) == slot)
            || (self.more.is_some() && self.get(slot).is_some())
    }

    pub(crate) fn get(&self, slot: usize) -> Option<&AttrValue> {
        self.iter()
            .find(|&(s, _)| s == slot)
            .map(|(_, value)| value)
    }

    /// Adds the value of a slot that has none yet.
    #[inline]
    pub(crate) fn push(&mut self, slot: usize, value: AttrValue) {
        let at = usize::from(self.len);
        if at < INLINE {
            self.slots[at] = slot as u16;
            self.values[at] = ManuallyDrop::new(value);
            self.len += 1;
        } else {
            self.push_more(slot, value);
        }
    }

    #[cold]
    fn push_more(&mut self, slot: usize, value: AttrValue) {
        let more = self.more.get_or_insert_default();
        more.push((slot as u16, value));
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, &AttrValue)> {
        let inline = self.inline_slots().iter().zip(&self.values);
        let more = self.more.as_ref().map_or(&[][..], |more| more);
        inline
            .map(|(&slot, value)| (slot, &**value))
            .chain(more.iter().map(|(slot, value)| (*slot, value)))
            .map(|(slot, value)| (usize::from(slot), value))
    }
}

impl Clone for SlotValues {
    fn clone(&self) -> Self {
        let mut clone = Self::new();
        for (slot, value) in self.iter() {
            clone.push(slot, value.clone());
        }
        clone
    }
}

impl Drop for SlotValues {
    #[inline]
    fn drop(&mut self) {
        let len = usize::from(self.len);
        for value in &mut self.values[..len] {
            if !value.is_plain() {
                drop(std::mem::replace(&mut **value, NOTHING));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tfe_core::{ResourceHandle, ResourceRef, Tensor};

    use super::*;

    #[test]
    fn values_beyond_the_first_few_are_kept_and_all_are_dropped() {
        let owner = Arc::new(());
        let value = || {
            let handle = ResourceHandle::new(ResourceRef {
                device: String::new(),
                container: String::new(),
                name: String::new(),
                type_name: "",
                slot: Arc::clone(&owner) as _,
            });
            AttrValue::from(Tensor::scalar(handle).expect("memory"))
        };
        for n in 0..10 {
            let mut values = SlotValues::new();
            for i in 0..n {
                values.push(
                    100 + i,
                    if i % 3 == 1 {
                        value()
                    } else {
                        AttrValue::from(i as i64)
                    },
                );
            }
            let clone = values.clone();
            assert_eq!(clone.iter().count(), n);
            for i in 0..10 {
                assert_eq!(values.contains(100 + i), i < n);
                assert_eq!(values.get(100 + i), clone.get(100 + i));
            }
        }
        assert_eq!(Arc::strong_count(&owner), 1);
    }
}
