//! Tests of the runtime as a whole: the seed's, devices and placement, threads.

mod attrs;
mod cache;
mod custom_devices;
mod devices;
mod messages;
mod pending;
mod seed;
mod threads;
mod world;
