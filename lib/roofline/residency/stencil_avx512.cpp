// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/residency/stencil_bodies.hpp"

namespace hpclab::roofline::residency {

const StencilBodies stencil_bodies_avx512 = {sweep_planes<double>, sweep_planes<float>};

}  // namespace hpclab::roofline::residency
