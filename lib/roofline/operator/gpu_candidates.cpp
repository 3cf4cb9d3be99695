// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/operator/gpu_candidates.hpp"

#include "core/error.hpp"

#include <string>

#include <fmt/format.h>

namespace hpclab::roofline::operator_ {
namespace {

using operators::KernelFamily;
using operators::KernelVariant;
using operators::MatrixPlace;

bool is_of(const KernelVariant& variant, KernelChoice choice) {
  switch (variant.family) {
    case KernelFamily::node:
      return choice == KernelChoice::block;
    case KernelFamily::slab:
      return choice == KernelChoice::slab;
    case KernelFamily::pencil:
      return choice == KernelChoice::pencil;
    case KernelFamily::tensor:
      break;
  }
  return choice == KernelChoice::tensor;
}

/// Where the variant reads its matrices at every use.
MatrixPlace place_of(const KernelVariant& variant) {
  const bool shared = variant.family == KernelFamily::node ||
                      (variant.family == KernelFamily::slab && !variant.matrix_in_registers);
  return shared ? MatrixPlace::shared : MatrixPlace::constant;
}

/// The parameters that choose the variant alone.
std::string settings_of(const KernelVariant& variant) {
  switch (variant.family) {
    case KernelFamily::node:
      return "kernel=block,matrix=shared";
    case KernelFamily::slab:
      return fmt::format("kernel=slab,matrix={}", operators::name_of(place_of(variant)));
    case KernelFamily::pencil:
      return "kernel=pencil";
    case KernelFamily::tensor:
      break;
  }
  return "kernel=tensor";
}

}  // namespace

std::vector<KernelVariant> gpu_candidates(const Parameters& p) {
  const bool place_matters = p.kernel == KernelChoice::slab || p.kernel == KernelChoice::block;
  std::vector<KernelVariant> chosen;
  std::string built;
  for (const KernelVariant& variant : operators::kernel_variants(element_operator(p))) {
    if (p.kernel == KernelChoice::best ||
        (is_of(variant, p.kernel) && (!place_matters || p.matrix == place_of(variant))))
      chosen.push_back(variant);
    const std::string settings = settings_of(variant);
    if (built.find(settings) == std::string::npos) built += (built.empty() ? "" : "; ") + settings;
  }
  if (chosen.empty()) {
    throw CaseSkipped(
        fmt::format("no such GPU kernel was built for this operator; there are {}", built));
  }
  return chosen;
}

}  // namespace hpclab::roofline::operator_
