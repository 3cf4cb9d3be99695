// hpclab: SPDX-License-Identifier: Apache-2.0
#include "operators/cpu_links.hpp"

namespace hpclab::operators {
namespace {

// The links of one relation of one batch, each with the number of nodes that its groups hold.
struct Relation {
  std::vector<GroupLink> links;
  std::vector<int> nodes;
};

GroupLink& link_to(Relation& relation, const VectorLayout::Owner& owner, int lanes, int bits) {
  const auto base = static_cast<std::int32_t>(owner.base - owner.base % lanes);
  for (GroupLink& link : relation.links)
    if (link.in_base == base) return link;
  GroupLink link{};
  link.in_base = link.out_base = base;
  for (int d = 0; d < 3; ++d) link.stride[d] = (bits >> d & 1) != 0 ? 0 : owner.stride[d];
  relation.links.push_back(link);
  relation.nodes.push_back(owner.nodes);
  return relation.links.back();
}

Relation relation_of(const VectorLayout& layout, std::int64_t batch, int bits) {
  Relation relation;
  const BoxSplit& split = layout.split();
  const int lanes = layout.lanes();
  for (int lane = 0; lane < lanes; ++lane) {
    const std::int64_t e = layout.element(batch * lanes + lane);
    if (e < 0) continue;
    const VectorLayout::Owner owner =
        layout.owner(static_cast<int>(e % split.x) + (bits & 1),
                     static_cast<int>(e / split.x % split.y) + (bits >> 1 & 1),
                     static_cast<int>(e / split.x / split.y) + (bits >> 2));
    GroupLink& link = link_to(relation, owner, lanes, bits);
    const auto group_lane = static_cast<std::uint8_t>(owner.base % lanes);
    link.group_lane[lane] = group_lane;
    link.batch_lane[group_lane] = static_cast<std::uint8_t>(lane);
    link.batch_lanes = static_cast<std::uint16_t>(link.batch_lanes | 1u << lane);
    link.group_lanes = static_cast<std::uint16_t>(link.group_lanes | 1u << group_lane);
  }
  return relation;
}

// Who owns each group, and what a part has touched; indexed by the group's first entry / lanes.
class Groups {
 public:
  Groups(const VectorLayout& layout)
      : lanes_(layout.lanes()),
        owner_(layout.entries() / layout.lanes(), -1),
        touched_by_(owner_.size(), -1),
        halo_base_(owner_.size()) {}
  int& owner(std::int32_t base) { return owner_[base / lanes_]; }
  int& touched_by(std::int32_t base) { return touched_by_[base / lanes_]; }
  std::int32_t& halo_base(std::int32_t base) { return halo_base_[base / lanes_]; }

 private:
  int lanes_;
  std::vector<int> owner_;
  std::vector<int> touched_by_;          // the last part that touched it; parts go in turn
  std::vector<std::int32_t> halo_base_;  // in the halo of that part
};

}  // namespace

BatchRange batches_of_part(std::int64_t batches, int part, int parts) {
  return {batches * part / parts, batches * (part + 1) / parts};
}

CpuLinks::CpuLinks(const VectorLayout& layout, int parts) : halo_entries_(parts), fetches_(parts) {
  if (!layout.assembled()) return;
  const std::int64_t batches = layout.batches();
  const int lanes = layout.lanes();
  const int own_nodes = layout.degree() * layout.degree() * layout.degree();
  Groups groups(layout);
  const auto own_base = [&](std::int64_t batch) {
    return static_cast<std::int32_t>(batch * own_nodes * lanes);
  };
  for (int part = 0; part < parts; ++part) {
    const BatchRange range = batches_of_part(batches, part, parts);
    for (std::int64_t batch = range.begin; batch < range.end; ++batch)
      groups.owner(own_base(batch)) = part;
  }
  for (int part = 0; part < parts; ++part) {
    const BatchRange range = batches_of_part(batches, part, parts);
    for (std::int64_t batch = range.begin; batch < range.end; ++batch) {
      first_link_.push_back(links_.size());
      first_zero_.push_back(zero_.size());
      if (int& touched = groups.touched_by(own_base(batch)); touched != part) {
        touched = part;
        zero_.push_back({own_base(batch), own_nodes, 0, 1});
      }
      for (int bits = 1; bits < relations; ++bits) {
        Relation relation = relation_of(layout, batch, bits);
        counts_.push_back(static_cast<std::uint8_t>(relation.links.size()));
        for (std::size_t i = 0; i < relation.links.size(); ++i) {
          GroupLink& link = relation.links[i];
          const std::int32_t base = link.in_base;
          if (groups.owner(base) < 0) groups.owner(base) = part;
          const bool foreign = groups.owner(base) != part;
          if (int& touched = groups.touched_by(base); touched != part) {
            touched = part;
            const int entries = relation.nodes[i] * lanes;
            if (foreign) {
              groups.halo_base(base) = static_cast<std::int32_t>(halo_entries_[part]);
              fetches_[groups.owner(base)].push_back({part, groups.halo_base(base), base, entries});
              halo_entries_[part] += entries;
            }
            zero_.push_back(
                {foreign ? groups.halo_base(base) : base, relation.nodes[i],
                 static_cast<std::uint8_t>(foreign),
                 static_cast<std::uint8_t>(!foreign && relation.nodes[i] == own_nodes)});
          }
          if (foreign) {
            link.out_base = groups.halo_base(base);
            link.in_halo = 1;
          }
          links_.push_back(link);
        }
      }
    }
  }
  first_link_.push_back(links_.size());
  first_zero_.push_back(zero_.size());
}

bool CpuLinks::any_fetch() const {
  for (const auto& fetches : fetches_)
    if (!fetches.empty()) return true;
  return false;
}

std::uint64_t CpuLinks::bytes() const {
  return links_.size() * sizeof(GroupLink) + first_link_.size() * sizeof(std::size_t) +
         counts_.size() + zero_.size() * sizeof(ZeroRange) +
         first_zero_.size() * sizeof(std::size_t);
}

}  // namespace hpclab::operators
