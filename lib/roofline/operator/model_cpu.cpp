// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "core/instruction_set.hpp"
#include "machine/cache_residency.hpp"
#include "operators/cpu_work.hpp"
#include "operators/element_work.hpp"
#include "roofline/operator/ceiling.hpp"
#include "roofline/operator/model.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace hpclab::roofline::operator_ {
namespace {

using machine::MachineProfile;

class CpuCeilings {
 public:
  CpuCeilings(const MachineProfile& profile, std::int64_t threads)
      : profile_(profile),
        threads_(static_cast<double>(threads)),
        cores_(profile.require("processor", "core_count")) {
    if (threads_ > cores_) {
      throw CaseFailed(
          fmt::format("{} threads asked for; the model holds up to one a core and {} "
                      "has {:.0f} cores",
                      threads, profile.name, cores_));
    }
  }

  /// Of a unit or cache that each core has for itself.
  Ceiling private_rate(const std::string& group, const std::string& figure) const {
    if (profile_.find(group, "core_" + figure))
      return ceiling(profile_, group, {"core_" + figure}).scaled(threads_);
    return ceiling(profile_, group, {figure}).scaled(threads_ / cores_);
  }

  /// Of memory that the cores share: what the threads ask for, at most what it gives.
  Ceiling shared_rate(const std::string& group, const std::string& figure) const {
    if (threads_ == cores_) return ceiling(profile_, group, {figure});
    const Ceiling alone = ceiling(profile_, group, {"core_" + figure}).scaled(threads_);
    if (!profile_.find(group, figure)) return alone;
    const Ceiling all = ceiling(profile_, group, {figure});
    return all.rate < alone.rate ? all : alone;
  }

  /// Whose rate of a level: of the threads' own caches; of what they share, at most what the
  /// threads ask for; all that it gives; what the threads ask for, were it theirs alone.
  enum class Of { own, shared, shared_total, threads };

  /// The rate of a level for reads mixed with writes. Where no copy is stated, a written byte
  /// counts as two: its line is read first.
  Ceiling level(const std::string& group, Of of, double read, double written) const {
    const auto rate = [&](const std::string& figure) {
      if (of == Of::threads) return ceiling(profile_, group, {"core_" + figure}).scaled(threads_);
      if (of == Of::shared_total && profile_.find(group, figure))
        return ceiling(profile_, group, {figure});
      return of != Of::own ? shared_rate(group, figure) : private_rate(group, figure);
    };
    const std::string read_name = measured_or_documented(group, "read_bytes_per_s");
    const Ceiling reads = rate(read_name);
    if (!has(group, "copy_bytes_per_s")) return mixed(reads, reads.scaled(2.0 / 3), read, written);
    return mixed(reads, rate("copy_bytes_per_s"), read, written);
  }

  /// Whether figures of a single core are known.
  bool has_core_rates(const std::string& group) const {
    return profile_.find(group, "core_read_bytes_per_s") &&
           profile_.find(group, "core_copy_bytes_per_s");
  }

  bool has(const std::string& group, const std::string& figure) const {
    return profile_.find(group, figure) || profile_.find(group, "core_" + figure);
  }

  double private_bytes(const std::string& group) const {
    return profile_.require(group, "size_bytes") * threads_;
  }

  double threads() const { return threads_; }

 private:
  std::string measured_or_documented(const std::string& group, const std::string& figure) const {
    return has(group, figure) || !has(group, "theoretical_bytes_per_s") ? figure
                                                                        : "theoretical_bytes_per_s";
  }

  const MachineProfile& profile_;
  double threads_;
  double cores_;
};

}  // namespace

operators::CpuWork cpu_work(const Parameters& p) {
  return operators::cpu_work(element_operator(p), operators::near_cubic_split(p.elements),
                             instruction_set_of(p.isa));
}

namespace {

/// Multiply-add slots that a division takes: 512-bit divisions measured at 9.0 cycles on Zen 4,
/// where a multiply-add takes 1.
constexpr double slots_of_a_division = 9;

struct Traffic {
  double read = 0;
  double written = 0;
  double bytes() const { return read + written; }
};

/// What a cache of `cache_bytes` has lost before it is used again, for one element.
Traffic lost(const operators::CpuWork& work, double cache_bytes) {
  Traffic traffic;
  for (const operators::Reuse& reuse : work.reuses) {
    const double share = 1 - machine::resident_share(reuse.distance, cache_bytes);
    traffic.read += share * reuse.read_bytes;
    traffic.written += share * reuse.written_bytes;
  }
  return traffic;
}

// The mesh's home: DRAM, L3 or L2 as far as the working set does not fit nearer the cores. What the
// caches may keep of it widens the interval.
void add_memory(std::vector<Resource>& resources, const Parameters& p,
                const MachineProfile& profile, const CpuCeilings& ceilings,
                const operators::CpuWork& work) {
  const double elements = static_cast<double>(p.elements);
  const double set = working_set_bytes(element_operator(p), p.elements);
  const double in_l1 = machine::resident_share(set, ceilings.private_bytes("l1"));
  const double in_l2 = machine::resident_share(set, ceilings.private_bytes("l2"));
  const machine::ResidentRange in_l3 = machine::resident_range(set, last_level_bytes(profile));
  const double read = work.streamed_read_bytes * elements;
  const double written = work.streamed_written_bytes * elements;

  const double in_l3_not_l2 = std::max(0.0, in_l3.expected - in_l2);
  const auto passing = [&](double share, double cache_bytes, bool counts) {
    const Traffic again = counts ? lost(work, cache_bytes) : Traffic{};
    return Traffic{share * read + elements * again.read,
                   share * written + elements * again.written};
  };
  using Of = CpuCeilings::Of;
  const auto add = [&](const char* name, const char* group, Of of, const Traffic& traffic) {
    if (traffic.bytes() <= 0) return false;
    resources.push_back(resource(name, "bytes", traffic.bytes(),
                                 ceilings.level(group, of, traffic.read, traffic.written)));
    return true;
  };
  if (in_l3.low < 1) {
    const double share = 1 - std::max(in_l2, in_l3.expected);
    const Traffic traffic = passing(share, last_level_bytes(profile), true);
    const auto widen = [&] {
      Resource& dram = resources.back();
      dram.least_work = dram.work - (read + written) * (std::max(in_l2, in_l3.high) + share - 1);
      dram.most_work = dram.work + (read + written) * (1 - std::max(in_l2, in_l3.low) - share);
    };
    // A core has as many lines under way as it can while it waits, and few while it computes: what
    // it could take alone adds to its other work. What cores share is there all the time.
    const bool by_core = ceilings.has_core_rates("dram");
    if (add(by_core ? "shared dram" : "dram", "dram", Of::shared_total, traffic)) widen();
    if (by_core && add("dram", "dram", Of::threads, traffic)) {
      widen();
      resources.back().in_turn = true;
    }
  }
  // What misses L2 but is not in DRAM comes from L3; of a mesh in DRAM only what neighbours share.
  const Traffic beyond_l2 = passing(in_l3_not_l2, profile.require("l2", "size_bytes"), in_l2 < 1);
  if (beyond_l2.bytes() > 0 && (in_l3_not_l2 > 0 || ceilings.has("l3", "read_bytes_per_s")))
    add("l3", "l3", Of::shared, beyond_l2);
  add("l2", "l2", Of::own, passing(1 - in_l1, profile.require("l1", "size_bytes"), true));
}

/// Rates of the units of the cores, and the work of a pass on each.
class Units {
 public:
  Units(const Parameters& p, const MachineProfile& profile, const CpuCeilings& ceilings)
      : lanes_(operators::register_lanes(instruction_set_of(p.isa), p.precision)),
        register_bytes_(lanes_ * operators::bytes_of(p.precision)),
        loads_(ceilings.level("l1", CpuCeilings::Of::own, 1, 0)),
        stores_(ceilings.has("l1", "copy_bytes_per_s")
                    ? ceilings.private_rate("l1", "copy_bytes_per_s").scaled(0.5)
                    : loads_.scaled(0.5)),
        slots_(ceilings
                   .private_rate("peak", fmt::format("{}_{}_flops_per_s",
                                                     operators::name_of(p.precision), p.isa))
                   .scaled(0.5 / lanes_)),
        adds_apart_(profile.find("issue", "separate_fp_add_units_count") != nullptr) {
    // A load of one number takes one of two ports, as a load of half the widest register does:
    // every x86-64 core since 2011 has two.
    const Ceiling clock = ceiling(profile, "clock", {"measured_hz", "avx512_hz", "base_hz"});
    port_bytes_ = loads_.rate / (2 * clock.rate * ceilings.threads());
    const machine::Figure* store = profile.find("issue", "avx512_store_fma_slots_count");
    if (p.isa == "avx512" && store) store_slots_ = store->value;
  }

  std::vector<Resource> of(const operators::PassWork& pass, double elements) const {
    const double loaded =
        pass.loads * register_bytes_ + (pass.narrow_loads + pass.fetches) * port_bytes_;
    const double stored = pass.stores * register_bytes_ + pass.narrow_stores * port_bytes_;
    const double adding = pass.additions + pass.permutes;
    const double multiplying = pass.products + slots_of_a_division * pass.divisions +
                               store_slots_ * pass.stores + (adds_apart_ ? 0 : adding);
    std::vector<Resource> units;
    units.push_back(resource("fp issue", "slots", elements * multiplying, slots_));
    units.push_back(resource("fp add issue", "slots", adds_apart_ ? elements * adding : 0, slots_));
    units.push_back(resource("l1 loads", "bytes", elements * loaded, loads_));
    units.push_back(resource("l1 stores", "bytes", elements * stored, stores_));
    return units;
  }

 private:
  int lanes_;
  double register_bytes_;
  Ceiling loads_;
  Ceiling stores_;
  Ceiling slots_;
  bool adds_apart_;
  double port_bytes_ = 0;
  double store_slots_ = 0;  // multiply-add slots that a store of 512 bits takes
};

// A step takes about a load from L1: 4 cycles, as long as a multiply-add. The chain is what no unit
// can hide.
void add_latency(std::vector<Resource>& resources, const Parameters& p,
                 const MachineProfile& profile, const CpuCeilings& ceilings,
                 const operators::CpuWork& work) {
  if (!profile.find("l1", "latency_s")) return;
  const Ceiling latency = ceiling(profile, "l1", {"latency_s"});
  const Ceiling steps{1 / latency.rate, 1 / latency.fast, 1 / latency.slow, latency.figure};
  resources.push_back(resource("dependent steps", "steps",
                               work.dependent_steps * static_cast<double>(p.elements),
                               steps.scaled(ceilings.threads())));
  resources.back().in_turn = true;
}

}  // namespace

MachineWork cpu_resources(const Parameters& p, const MachineProfile& profile) {
  const operators::CpuWork work = cpu_work(p);
  const CpuCeilings ceilings(profile, p.threads);
  const Units units(p, profile, ceilings);
  MachineWork machine;
  add_memory(machine.resources, p, profile, ceilings, work);
  add_latency(machine.resources, p, profile, ceilings, work);
  machine.units_overlap = true;
  for (const operators::PassWork& pass : work.passes)
    machine.passes.push_back({pass.name, units.of(pass, static_cast<double>(p.elements))});
  return machine;
}

}  // namespace hpclab::roofline::operator_
