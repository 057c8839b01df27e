//! Tests of the runtime as a whole: the seed's, devices and placement, threads.

mod attrs;
mod devices;
mod messages;
mod seed;
mod threads;
mod world;
