// hpclab: SPDX-License-Identifier: Apache-2.0
//
// How an answer was obtained and where a measurement ran.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace hpclab {

/// model: closed form. simulate: event, stochastic or trace replay. measure: the real thing.
enum class Method { model, simulate, measure };

/// Where a measurement runs; model and simulate cases have none (null in the record).
enum class Backend { cpu, cuda, emulator, process, mpi, gloo, nccl };

inline constexpr std::array all_methods{Method::model, Method::simulate, Method::measure};
inline constexpr std::array all_backends{Backend::cpu,     Backend::cuda, Backend::emulator,
                                         Backend::process, Backend::mpi,  Backend::gloo,
                                         Backend::nccl};

std::string name_of(Method method);
std::string name_of(Backend backend);

/// Parse a name; throw UsageError with the nearest valid name. `where` says which input it came
/// from.
Method parse_method(std::string_view name, const std::string& where);
Backend parse_backend(std::string_view name, const std::string& where);

}  // namespace hpclab
