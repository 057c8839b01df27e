//! Tests of the runtime as a whole: the seed's, devices and placement, threads.

mod devices;
mod pending;
mod seed;
mod threads;
mod world;
