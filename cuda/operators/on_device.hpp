// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Device symbols of kernels that come in no tables; all null in a build without CUDA.
#pragma once

#include "operators/element_operator.hpp"

namespace hpclab::operators::on_device {

const void* assemble(Precision precision);

}  // namespace hpclab::operators::on_device
