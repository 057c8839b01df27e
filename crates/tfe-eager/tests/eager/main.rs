//! Tests of the runtime as a whole: the seed's, devices and placement, threads.

mod cache;
mod devices;
mod pending;
mod seed;
mod threads;
mod world;
