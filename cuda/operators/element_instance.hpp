// hpclab: SPDX-License-Identifier: Apache-2.0
//
// What an instance of a kernel template is made for. Read by nvcc and the host alike.
#pragma once

#include "operators/element_operator.hpp"

namespace hpclab::operators {

struct ElementInstance {
  int nodes = 0;
  int points = 0;
  bool mass = false;
  int sweeps = 6;
  Geometry geometry = Geometry::stored;
  bool even_odd = true;              ///< pencil only; other kernels are dense
  int resident_blocks = 1;           ///< pencil only
  bool matrix_in_registers = false;  ///< slab only
};

}  // namespace hpclab::operators
