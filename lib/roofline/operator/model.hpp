// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Predicted time of an operator: the work on each resource of the machine over the profile's rate
// for it, combined with one overlap exponent.
#pragma once

#include "core/context.hpp"
#include "core/result.hpp"
#include "machine/profile.hpp"
#include "operators/cpu_work.hpp"
#include "roofline/operator/parameters.hpp"
#include "roofline/operator/resources.hpp"

namespace hpclab::roofline::operator_ {

/// What the kernel on a processor executes and moves for one element.
operators::CpuWork cpu_work(const Parameters& p);

/// Resources of one application on a processor: DRAM, L3, L2 (as far as the mesh and what a
/// batch leaves between passes do not fit nearer levels), loads and stores of L1, multiply-add
/// slots and, where the cores have units of their own for them, additions. Throws CaseFailed where
/// the profile lacks a ceiling or has fewer cores than threads.
MachineWork cpu_resources(const Parameters& p, const machine::MachineProfile& profile);

/// The same on a GPU: DRAM, L2, shared memory, load/store issue, FP issue, tensor cores, launches;
/// of the kernels that `kernel` allows, the one that needs least time by its declared work.
MachineWork gpu_resources(const Parameters& p, const machine::MachineProfile& profile);

/// Last-level cache of the machine in bytes. Throws CaseFailed when the profile does not state it.
double last_level_bytes(const machine::MachineProfile& profile);

/// Values and tables of both kinds of machine; validity is in the notes.
Result model(const Parameters& p, Context& context);

}  // namespace hpclab::roofline::operator_
