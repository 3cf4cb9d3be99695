// hpclab: SPDX-License-Identifier: Apache-2.0
#include "measure/operator_race/peer.hpp"
#include "operators/aligned_array.hpp"

#include <array>
#include <cstdint>
#include <stdexcept>

#include <ceed.h>

namespace hpclab::race {
namespace {

using operators::AlignedArray;
using operators::ElementOperator;
using operators::HexMesh;

void check(int error, const char* what) {
  if (error != CEED_ERROR_SUCCESS) throw std::runtime_error(std::string("libCEED: ") + what);
}

// A vector in memory of ours, so that both sides have the same pages.
struct Vector {
  AlignedArray<double> memory;
  CeedVector vector = nullptr;
  void make(Ceed ceed, std::size_t size) {
    memory = AlignedArray<double>(size);
    check(CeedVectorCreate(ceed, static_cast<CeedSize>(size), &vector), "vector");
    check(CeedVectorSetArray(vector, CEED_MEM_HOST, CEED_USE_POINTER, memory.data()), "vector");
  }
};

class CeedPeer : public Peer {
 public:
  CeedPeer(const ElementOperator& o, const HexMesh& mesh, const std::string& resource)
      : resource_(resource) {
    check(CeedInit(resource.c_str(), &ceed_), "the backend does not exist");
    const bool mass = is_mass(o.kind);
    const CeedInt elements = static_cast<CeedInt>(mesh.elements()), n = o.nodes(), q = o.quadrature,
                  numbers = mass ? 1 : 6;
    const auto& split = mesh.split();
    const CeedInt p = o.degree, row = p * split.x + 1, plane = row * (p * split.y + 1);
    const CeedSize nodes = static_cast<CeedSize>(plane) * (p * split.z + 1);

    std::vector<CeedInt> offsets, corner_offsets;
    Vector coordinates;
    coordinates.make(ceed_, static_cast<std::size_t>(elements) * 24);
    for (CeedInt e = 0; e < elements; ++e) {
      const CeedInt x = e % split.x, y = e / split.x % split.y, z = e / split.x / split.y;
      for (CeedInt node = 0; node < n * n * n; ++node)
        offsets.push_back(x * p + node % n + row * (y * p + node / n % n) +
                          plane * (z * p + node / n / n));
      const auto corners = mesh.corners(e);
      for (CeedInt corner = 0; corner < 8; ++corner) {
        corner_offsets.push_back(8 * e + corner);
        for (int d = 0; d < 3; ++d)
          coordinates.memory[(d * elements + e) * 8 + corner] = corners[corner][d];
      }
    }
    CeedElemRestriction at_nodes, at_corners, at_points;
    check(CeedElemRestrictionCreate(ceed_, elements, n * n * n, 1, 1, nodes, CEED_MEM_HOST,
                                    CEED_COPY_VALUES, offsets.data(), &at_nodes),
          "restriction");
    check(CeedElemRestrictionCreate(ceed_, elements, 8, 3, 8 * elements,
                                    static_cast<CeedSize>(24) * elements, CEED_MEM_HOST,
                                    CEED_COPY_VALUES, corner_offsets.data(), &at_corners),
          "restriction");
    check(CeedElemRestrictionCreateStrided(ceed_, elements, q * q * q, numbers,
                                           static_cast<CeedSize>(numbers) * elements * q * q * q,
                                           CEED_STRIDES_BACKEND, &at_points),
          "restriction");
    const CeedQuadMode points = is_collocated(o.kind) ? CEED_GAUSS_LOBATTO : CEED_GAUSS;
    CeedBasis basis, corner_basis;
    check(CeedBasisCreateTensorH1Lagrange(ceed_, 3, 1, n, q, points, &basis), "basis");
    check(CeedBasisCreateTensorH1Lagrange(ceed_, 3, 3, 2, q, points, &corner_basis), "basis");

    geometry_.make(ceed_, static_cast<std::size_t>(numbers) * elements * q * q * q);
    CeedQFunction build, apply;
    check(CeedQFunctionCreateInteriorByName(ceed_, mass ? "Mass3DBuild" : "Poisson3DBuild", &build),
          "q-function");
    check(CeedQFunctionCreateInteriorByName(ceed_, mass ? "MassApply" : "Poisson3DApply", &apply),
          "q-function");
    CeedOperator builder;
    check(CeedOperatorCreate(ceed_, build, CEED_QFUNCTION_NONE, CEED_QFUNCTION_NONE, &builder),
          "operator");
    check(CeedOperatorSetField(builder, "dx", at_corners, corner_basis, CEED_VECTOR_ACTIVE), "dx");
    check(CeedOperatorSetField(builder, "weights", CEED_ELEMRESTRICTION_NONE, corner_basis,
                               CEED_VECTOR_NONE),
          "weights");
    check(CeedOperatorSetField(builder, "qdata", at_points, CEED_BASIS_NONE, CEED_VECTOR_ACTIVE),
          "qdata");
    check(CeedOperatorApply(builder, coordinates.vector, geometry_.vector, CEED_REQUEST_IMMEDIATE),
          "geometry");
    check(CeedOperatorCreate(ceed_, apply, CEED_QFUNCTION_NONE, CEED_QFUNCTION_NONE, &operator_),
          "operator");
    check(CeedOperatorSetField(operator_, mass ? "u" : "du", at_nodes, basis, CEED_VECTOR_ACTIVE),
          "input");
    check(CeedOperatorSetField(operator_, "qdata", at_points, CEED_BASIS_NONE, geometry_.vector),
          "qdata");
    check(CeedOperatorSetField(operator_, mass ? "v" : "dv", at_nodes, basis, CEED_VECTOR_ACTIVE),
          "output");
    in_.make(ceed_, static_cast<std::size_t>(nodes));
    out_.make(ceed_, static_cast<std::size_t>(nodes));
  }

  std::string description() const override {
    int major = 0, minor = 0, patch = 0;
    bool release = false;
    CeedGetVersion(&major, &minor, &patch, &release);
    return "libCEED " + std::to_string(major) + "." + std::to_string(minor) + "." +
           std::to_string(patch) + (release ? "" : " (development)") + " " + resource_;
  }
  void set_input(const std::vector<double>& u) override {
    for (std::size_t i = 0; i < u.size(); ++i) in_.memory[i] = u[i];
  }
  void apply() override {
    check(CeedOperatorApply(operator_, in_.vector, out_.vector, CEED_REQUEST_IMMEDIATE), "apply");
  }
  std::vector<double> output() const override {
    return {out_.memory.data(), out_.memory.data() + out_.memory.size()};
  }

 private:
  std::string resource_;
  Ceed ceed_ = nullptr;
  CeedOperator operator_ = nullptr;
  Vector geometry_, in_, out_;
};

}  // namespace

std::unique_ptr<Peer> make_ceed_peer(const ElementOperator& o, const HexMesh& mesh,
                                     const std::string& resource) {
  return std::make_unique<CeedPeer>(o, mesh, resource);
}

}  // namespace hpclab::race
