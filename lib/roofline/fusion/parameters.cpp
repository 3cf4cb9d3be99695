// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/fusion/parameters.hpp"

#include "cuda/roofline/fusion/arguments.hpp"
#include "machine/cpu_features.hpp"
#include "roofline/ceilings/host_levels.hpp"

namespace hpclab::roofline::fusion {
namespace {

ParameterTable<Parameters> make_table() {
  using P = Parameters;
  ParameterTable<P> table;
  table
      .add(&P::operations, "operations",
           "elementwise operations of the chain, each one multiply-add")
      .between(1, most_operations);
  table.add_choice(
      &P::inputs, "inputs", {{"one", Inputs::one}, {"two", Inputs::two}, {"mixed", Inputs::mixed}},
      "arrays that an operation reads: one (with constants), two, or one and two alternately");
  table
      .add(&P::operand_arrays, "operand_arrays",
           "arrays that second inputs are taken from in turn; 0: they are the chain's own input")
      .between(0, most_operand_arrays)
      .when("inputs", {"two", "mixed"});
  table.add_choice(
      &P::fusion, "fusion",
      {{"unfused", Fusion::unfused}, {"partly", Fusion::partly}, {"fused", Fusion::fused}},
      "operations of one pass over the arrays: one, a group of them, or all");
  table.add(&P::group, "group", "operations of one pass of a partly fused chain")
      .between(2, most_operations)
      .when("fusion", {"partly"});
  table
      .add(&P::block, "block",
           "elements that go through all passes before the next ones do, so that what lies between "
           "two passes stays in a cache; 0: all elements")
      .between(0, 1e9)
      .when("fusion", {"unfused", "partly"})
      .on({Backend::cpu});
  table.add(&P::elements, "elements", "elements of each array").between(1, 1e12);
  table.add_choice(&P::precision, "precision",
                   {{"fp64", Precision::fp64}, {"fp32", Precision::fp32}}, "type of the elements");
  table
      .add_choice(&P::stores, "stores",
                  {{"plain", Stores::plain}, {"nontemporal", Stores::nontemporal}},
                  "stores of a processor: through the caches, which read a line before it is "
                  "written, or around them")
      .on({Backend::cpu});
  table.add(&P::isa, "isa", "instruction set of the kernel")
      .one_of({"widest", "avx2", "avx512"})
      .on({Backend::cpu})
      .resolved_by([](const Json& value) -> Json {
        return value == "widest" ? Json(machine::widest_instruction_set()) : value;
      });
  table
      .add(&P::threads, "threads",
           "threads, one a core; 0 means every core that the process may use")
      .between(0, 4096)
      .on({Backend::cpu})
      .resolved_by([](const Json& value) -> Json {
        return value != 0 ? value : Json(ceilings::host_topology().cores);
      });
  table
      .add_choice(&P::launch_by, "launch_by",
                  {{"stream", LaunchBy::stream}, {"graph", LaunchBy::graph}},
                  "how kernels are started on a GPU: one call each, or one call for all of a chain")
      .on({Backend::cuda, Backend::emulator});
  table
      .add(&P::observed_speedup, "observed_speedup",
           "speed-up by fusing that somebody reports: the model says how many such operations it "
           "implies; 0: none")
      .between(0, 1e6)
      .affects({Method::model});
  return table;
}

}  // namespace

const ParameterTable<Parameters>& parameter_table() {
  static const ParameterTable<Parameters> table = make_table();
  return table;
}

ChainShape chain_shape(const Parameters& p) {
  ChainShape shape;
  shape.operations = static_cast<int>(p.operations);
  shape.inputs = p.inputs;
  shape.operand_arrays = static_cast<int>(p.operand_arrays);
  shape.group = p.fusion == Fusion::unfused ? 1
                : p.fusion == Fusion::fused ? shape.operations
                                            : static_cast<int>(p.group);
  return shape;
}

double word_bytes(Precision precision) {
  return precision == Precision::fp64 ? 8 : 4;
}

const char* name_of(Precision precision) {
  return precision == Precision::fp64 ? "fp64" : "fp32";
}

}  // namespace hpclab::roofline::fusion
