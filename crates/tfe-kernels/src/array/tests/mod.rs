//! Data movers against plain references, and what a golden vector cannot show.

mod joins_and_slices;
mod movers;
