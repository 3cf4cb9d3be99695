// hpclab: SPDX-License-Identifier: Apache-2.0
//
// What the translation units of each instruction set export. No standard header: this is included
// where wider instructions than the caller's CPU may be generated.
#pragma once

#include "cuda/roofline/residency/arguments.hpp"

namespace hpclab::roofline::residency {

/// Sweeps over the planes of its argument.
struct StencilBodies {
  void (*fp64)(const StencilSweep<double>&);
  void (*fp32)(const StencilSweep<float>&);
};

extern const StencilBodies stencil_bodies_avx2;
extern const StencilBodies stencil_bodies_avx512;

}  // namespace hpclab::roofline::residency
