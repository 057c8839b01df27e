//! Data movers against plain references, and what a golden vector cannot show.

mod hollow;
mod joins_and_slices;
mod movers;
mod partial;
