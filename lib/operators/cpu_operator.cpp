// hpclab: SPDX-License-Identifier: Apache-2.0
#include "operators/cpu_operator.hpp"

#include "core/error.hpp"
#include "operators/aligned_array.hpp"
#include "operators/cpu_fetch_plan.hpp"
#include "operators/cpu_geometry.hpp"
#include "operators/cpu_links.hpp"
#include "operators/cpu_program.hpp"

#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace hpclab::operators {
namespace {

void run_in_turn(int parts, const RunParts& run, const std::function<void(int)>& task) {
  if (run) {
    run(task);
  } else {
    for (int part = 0; part < parts; ++part) task(part);
  }
}

// Work space of one part: six cubes and a plane. The cubes are an odd number of cache lines apart,
// so that the same point of two cubes never falls into the same set of the first-level cache.
template <typename T>
class Workspace {
 public:
  explicit Workspace(const ElementOperator& o)
      : cube_((plane_stride(most_of(o)) * most_of(o) / 2 * 2 + 9) * lanes_of(o.precision)),
        numbers_(static_cast<std::size_t>(6 * cube_ + most_points * most_points * most_lanes)) {}
  void give(Batch<T>& batch) const {
    T* next = numbers_.data();
    for (T** cube : {&batch.u, &batch.g[0], &batch.v, &batch.w, &batch.g[1], &batch.g[2]}) {
      *cube = next;
      next += cube_;
    }
    batch.plane = next;
  }
  std::uint64_t bytes() const { return numbers_.bytes(); }

 private:
  static int most_of(const ElementOperator& o) { return std::max(o.nodes(), o.quadrature); }
  int cube_;
  AlignedArray<T> numbers_;
};

// Everything of one precision.
template <typename T>
class Engine {
 public:
  Engine(const ElementOperator& o, const HexMesh& mesh, InstructionSet isa, int parts,
         const RunParts& run)
      : operator_(o),
        layout_(mesh.split(), o.degree, is_assembled(o.kind), lanes_of(o.precision)),
        register_lanes_(register_lanes<T>(isa)),
        tables_(o),
        program_(program_of<T>(o, isa)),
        links_(layout_, parts),
        geometry_entries_(geometry_entries(o)),
        geometry_(static_cast<std::size_t>(layout_.batches() * geometry_entries_)) {
    const GeometryWriter writer(o, mesh, layout_, register_lanes_);
    for (int part = 0; part < parts; ++part) {
      workspaces_.emplace_back(o);
      halos_.emplace_back(links_.halo_entries(part));
    }
    run_in_turn(parts, run, [&](int part) {
      const BatchRange range = batches_of_part(layout_.batches(), part, parts);
      for (std::int64_t batch = range.begin; batch < range.end; ++batch)
        writer.write(batch, geometry_.data() + batch * geometry_entries_);
    });
  }

  const VectorLayout& layout() const { return layout_; }
  bool needs_exchange() const { return links_.any_fetch(); }

  void apply_part(int part, std::span<const T> in, std::span<T> out) {
    require_size(in.size());
    require_size(out.size());
    Batch<T> batch{};
    batch.nodes = operator_.nodes();
    batch.points = operator_.quadrature;
    batch.lanes = layout_.lanes();
    batch.in = in.data();
    batch.out = out.data();
    batch.halo = halos_[part].data();
    batch.tables = &tables_.tables();
    workspaces_[part].give(batch);
    FetchPlan<T> plan(operator_, layout_, links_, register_lanes_);
    const bool stored = operator_.geometry == Geometry::stored;
    const BatchRange range =
        batches_of_part(layout_.batches(), part, static_cast<int>(workspaces_.size()));
    for (batch.number = range.begin; batch.number < range.end; ++batch.number) {
      if (layout_.assembled()) {
        batch.links = links_.links(batch.number);
        batch.counts = links_.counts(batch.number);
        batch.zero = links_.zero(batch.number);
        batch.zero_count = links_.zero_count(batch.number);
        program_.before_batch(batch);
      }
      batch.geometry = geometry_.data() + batch.number * geometry_entries_;
      batch.fetching = plan.begin(batch, range.end, batch.geometry + geometry_entries_);
      for (batch.first_lane = 0; batch.first_lane < batch.lanes;
           batch.first_lane += register_lanes_) {
        batch.mass_factors = stored ? batch.geometry : batch.g[0];
        for (const Pass<T> pass : program_.passes) pass(batch);
        batch.geometry += geometry_entries_ / batch.lanes * register_lanes_;
      }
    }
  }

  void exchange_part(int part, std::span<T> out) {
    require_size(out.size());
    for (const CpuLinks::Fetch& fetch : links_.fetches(part)) {
      const T* from = halos_[fetch.from].data() + fetch.halo_base;
      T* to = out.data() + fetch.out_base;
      for (std::int32_t i = 0; i < fetch.entries; ++i) to[i] += from[i];
    }
  }

  std::uint64_t bytes() const {
    std::uint64_t bytes = geometry_.bytes() + links_.bytes();
    for (const auto& workspace : workspaces_) bytes += workspace.bytes();
    for (const auto& halo : halos_) bytes += halo.bytes();
    return bytes;
  }

 private:
  void require_size(std::size_t size) const {
    if (size != layout_.entries())
      throw UsageError("a vector of " + std::to_string(size) +
                       " entries was given to an operator of " + std::to_string(layout_.entries()));
  }

  ElementOperator operator_;
  VectorLayout layout_;
  int register_lanes_;
  OperatorTables<T> tables_;
  Program<T> program_;
  CpuLinks links_;
  std::int64_t geometry_entries_;
  AlignedArray<T> geometry_;
  std::vector<Workspace<T>> workspaces_;
  std::vector<AlignedArray<T>> halos_;
};

using AnyEngine = std::variant<Engine<double>, Engine<float>>;

AnyEngine make_engine(const ElementOperator& o, const HexMesh& mesh, InstructionSet isa, int parts,
                      const RunParts& run) {
  require_valid(o);
  if (!supported(isa))
    throw UsageError("this processor cannot execute " + std::string(name(isa)) +
                     "; scalar runs everywhere");
  if (parts < 1)
    throw UsageError("an operator in " + std::to_string(parts) + " parts; at least 1 is needed");
  if (o.precision == Precision::fp64)
    return AnyEngine(std::in_place_type<Engine<double>>, o, mesh, isa, parts, run);
  return AnyEngine(std::in_place_type<Engine<float>>, o, mesh, isa, parts, run);
}

}  // namespace

class CpuOperator::Implementation {
 public:
  Implementation(const ElementOperator& o, const HexMesh& mesh, InstructionSet isa_of, int parts_of,
                 const RunParts& run)
      : element_operator(o),
        isa(isa_of),
        parts(parts_of),
        any(make_engine(o, mesh, isa_of, parts_of, run)) {}

  template <typename T>
  Engine<T>& engine() {
    if (Engine<T>* found = std::get_if<Engine<T>>(&any)) return *found;
    throw UsageError(std::is_same_v<T, double> ? "an fp32 operator was given fp64 vectors"
                                               : "an fp64 operator was given fp32 vectors");
  }
  template <typename T>
  void apply(std::span<const T> in, std::span<T> out, const RunParts& run) {
    Engine<T>& e = engine<T>();
    run_in_turn(parts, run, [&](int part) { e.apply_part(part, in, out); });
    if (e.needs_exchange()) run_in_turn(parts, run, [&](int part) { e.exchange_part(part, out); });
  }

  ElementOperator element_operator;
  InstructionSet isa;
  int parts;
  AnyEngine any;
};

CpuOperator::CpuOperator(const ElementOperator& element_operator, const HexMesh& mesh,
                         InstructionSet instruction_set, int parts, const RunParts& run)
    : implementation_(
          std::make_unique<Implementation>(element_operator, mesh, instruction_set, parts, run)) {}
CpuOperator::CpuOperator(CpuOperator&&) noexcept = default;
CpuOperator& CpuOperator::operator=(CpuOperator&&) noexcept = default;
CpuOperator::~CpuOperator() = default;

const ElementOperator& CpuOperator::element_operator() const {
  return implementation_->element_operator;
}
InstructionSet CpuOperator::instruction_set() const {
  return implementation_->isa;
}
int CpuOperator::parts() const {
  return implementation_->parts;
}
const VectorLayout& CpuOperator::layout() const {
  return std::visit([](const auto& engine) -> const VectorLayout& { return engine.layout(); },
                    implementation_->any);
}
bool CpuOperator::needs_exchange() const {
  return std::visit([](const auto& engine) { return engine.needs_exchange(); },
                    implementation_->any);
}
std::uint64_t CpuOperator::bytes() const {
  return std::visit([](const auto& engine) { return engine.bytes(); }, implementation_->any);
}

void CpuOperator::apply(std::span<const double> in, std::span<double> out) {
  implementation_->apply(in, out, {});
}
void CpuOperator::apply(std::span<const float> in, std::span<float> out) {
  implementation_->apply(in, out, {});
}
void CpuOperator::apply(std::span<const double> in, std::span<double> out, const RunParts& run) {
  implementation_->apply(in, out, run);
}
void CpuOperator::apply(std::span<const float> in, std::span<float> out, const RunParts& run) {
  implementation_->apply(in, out, run);
}
void CpuOperator::apply_part(int part, std::span<const double> in, std::span<double> out) {
  implementation_->engine<double>().apply_part(part, in, out);
}
void CpuOperator::apply_part(int part, std::span<const float> in, std::span<float> out) {
  implementation_->engine<float>().apply_part(part, in, out);
}
void CpuOperator::exchange_part(int part, std::span<double> out) {
  implementation_->engine<double>().exchange_part(part, out);
}
void CpuOperator::exchange_part(int part, std::span<float> out) {
  implementation_->engine<float>().exchange_part(part, out);
}

std::uint64_t cpu_operator_bytes(const ElementOperator& o, const BoxSplit& split) {
  const std::uint64_t lanes = lanes_of(o.precision), word = bytes_of(o.precision);
  const std::uint64_t batches = (split.elements() + lanes - 1) / lanes;
  const std::uint64_t nodes = o.nodes(), p = o.degree,
                      places = (split.x + 1ull) * (split.y + 1ull) * (split.z + 1ull);
  const std::uint64_t vector =
      is_assembled(o.kind) ? places * p * p * p : batches * lanes * nodes * nodes * nodes;
  std::uint64_t bytes = word * (batches * geometry_entries(o) + 2 * vector);
  bytes += places * sizeof(std::int32_t) + 2 * batches * lanes * sizeof(std::int32_t);
  // A batch reaches its neighbours in a few links for each relation.
  if (is_assembled(o.kind)) bytes += batches * (3 * (relations - 1) * sizeof(GroupLink));
  return bytes + HexMesh::bytes(split);
}

}  // namespace hpclab::operators
