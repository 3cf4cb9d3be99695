// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The core's actual clock, measured: bytes and flops per cycle need it, and the nominal clock is
// not it.
#pragma once

namespace hpclab::roofline::ceilings {

/// Clock of the calling thread's core in Hz, from a chain of register adds that retire exactly one
/// per cycle on every x86-64 core. Runs `samples` chains of about `sample_s` seconds each and
/// returns the fastest, since being preempted only ever slows one down.
double measure_clock_hz(double sample_s = 2e-4, int samples = 15);

/// Frequency of the time stamp counter in Hz against the monotonic clock over `sample_s` seconds.
/// It is constant on the CPUs of interest and near the nominal clock: the ratio to measure_clock_hz
/// shows boost (or throttling), and a value apart from the nominal clock shows a wrong time base
/// under a hypervisor.
double measure_time_stamp_hz(double sample_s = 5e-3);

}  // namespace hpclab::roofline::ceilings
