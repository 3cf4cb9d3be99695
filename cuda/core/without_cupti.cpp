// hpclab: SPDX-License-Identifier: Apache-2.0
//
// GPU counters in a build without the CUPTI headers, or with sanitizers: it says so.
#include "core/error.hpp"
#include "cuda/core/counters.hpp"

namespace hpclab::cuda {

std::unique_ptr<Counters> load_counters(const std::string&) {
  throw NotAvailable("GPU counters: this program was built without CUPTI",
                     "Configure without sanitizers where the CUDA toolkit with CUPTI is installed");
}

}  // namespace hpclab::cuda
