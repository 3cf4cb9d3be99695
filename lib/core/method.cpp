// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/method.hpp"

#include "core/error.hpp"
#include "core/nearest_name.hpp"

#include <vector>

namespace hpclab {
namespace {

template <class Enum, std::size_t N>
Enum parse(std::string_view name, const std::array<Enum, N>& all, const std::string& what,
           const std::string& where) {
  std::vector<std::string> names;
  for (Enum value : all) {
    if (name_of(value) == name) return value;
    names.push_back(name_of(value));
  }
  throw UsageError(where + ": unknown " + what + " '" + std::string(name) + "'" +
                   suggestion(name, names));
}

}  // namespace

std::string name_of(Method method) {
  switch (method) {
    case Method::model:
      return "model";
    case Method::simulate:
      return "simulate";
    case Method::measure:
      return "measure";
  }
  return "?";
}

std::string name_of(Backend backend) {
  switch (backend) {
    case Backend::cpu:
      return "cpu";
    case Backend::cuda:
      return "cuda";
    case Backend::emulator:
      return "emulator";
    case Backend::process:
      return "process";
    case Backend::mpi:
      return "mpi";
    case Backend::gloo:
      return "gloo";
    case Backend::nccl:
      return "nccl";
  }
  return "?";
}

Method parse_method(std::string_view name, const std::string& where) {
  return parse(name, all_methods, "method", where);
}

Backend parse_backend(std::string_view name, const std::string& where) {
  return parse(name, all_backends, "backend", where);
}

}  // namespace hpclab
