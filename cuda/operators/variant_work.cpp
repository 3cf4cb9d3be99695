// hpclab: SPDX-License-Identifier: Apache-2.0
#include "cuda/operators/variant_work.hpp"

#include "core/error.hpp"
#include "cuda/operators/bank_counter.hpp"
#include "cuda/operators/cube_layout.hpp"
#include "cuda/operators/node_shape.hpp"
#include "cuda/operators/pencil_shape.hpp"
#include "cuda/operators/slab_shape.hpp"
#include "cuda/operators/tensor_shape.hpp"
#include "operators/element_work.hpp"
#include "operators/even_odd_shape.hpp"

#include <algorithm>

namespace hpclab::operators {
namespace {

/// Counts one block of a variant.
class BlockWork {
 public:
  BlockWork(const ElementOperator& o, const KernelVariant& variant)
      : o_(o),
        variant_(variant),
        shape_(launch_shape(o, variant, 1)),
        nodes_(o.nodes()),
        points_(is_collocated(o.kind) ? o.nodes() : o.quadrature),
        elements_(variant.elements_per_block),
        threads_(static_cast<int>(shape_.block.x)),
        mass_(is_mass(o.kind)),
        banks_(bytes_of(o.precision)) {
    switch (variant.family) {
      case KernelFamily::node:
        node();
        break;
      case KernelFamily::slab:
        slab();
        break;
      case KernelFamily::pencil:
        pencil();
        break;
      case KernelFamily::tensor:
        tensor();
        break;
    }
    work_.shared_words = banks_.accesses();
    work_.shared_wavefronts = banks_.wavefronts();
  }

  /// Per element.
  VariantWork work() const {
    VariantWork work = work_;
    for (double* count : {&work.multiply_adds, &work.additions, &work.tensor_multiply_adds,
                          &work.shared_words, &work.shared_wavefronts, &work.global_words})
      *count /= elements_;
    return work;
  }

 private:
  // --- Operations -------------------------------------------------------------------------------

  /// Of one way or the other.
  void contract(int rows, int columns, Symmetry symmetry, double lines) {
    const bool halves = uses_even_odd(o_, variant_);
    work_.multiply_adds += coefficients(rows, columns, symmetry, halves) * lines;
    if (halves) work_.additions += 2.0 * (rows / 2 + columns / 2) * lines;
  }

  /// Geometry of `lines` PointLines, applied at `applications` points (geometry.cuh).
  void geometry(double lines, double applications) {
    switch (o_.geometry) {
      case Geometry::stored:
        work_.multiply_adds += (mass_ ? 0 : 6) * applications;
        work_.additions += (mass_ ? 1 : 3) * applications;
        work_.global_words += (mass_ ? 1 : 6) * applications;
        break;
      case Geometry::affine:
        work_.multiply_adds += (mass_ ? 0 : 6) * applications;
        work_.additions += (mass_ ? 2 : 7) * lines + (mass_ ? 2 : 6) * applications;
        work_.global_words += (mass_ ? 1 : 6) * lines;
        break;
      case Geometry::trilinear:
        work_.global_words += 24 * lines;
        trilinear(lines, applications);
        break;
    }
  }

  void trilinear(double lines, double applications) {
    const double newton_steps = bytes_of(o_.precision) == 8 ? 2 : 1;  // of a reciprocal
    // TrilinearLine::component: sums of four corners (2 x 3), differences by r, s and rs (6 x 3),
    // their sums and differences top to bottom (7) and scalings (7); by_r, by_s and slopes take a
    // multiply-add each, by_t three.
    work_.additions += lines * (3 * (2 * 3 + 6 * 3 + 7 + 7) + 1);
    work_.multiply_adds += lines * 3 * 7;
    // At a point: two derivatives move along the line (6).
    work_.multiply_adds += applications * 6;
    const auto cross = [&](double count) {
      work_.multiply_adds += applications * 3 * count;
      work_.additions += applications * 3 * count;
    };
    const auto dot = [&](double count) {
      work_.multiply_adds += applications * 2 * count;
      work_.additions += applications * count;
    };
    if (mass_) {
      cross(1);
      dot(1);
      work_.additions += applications * 3;
    } else {
      cross(3);
      dot(1 + 3 + 3);
      work_.multiply_adds += applications * 2 * newton_steps;
      work_.additions += applications * (2 + 3);
    }
  }

  void load_nodes() {
    const double count = nodes_ * nodes_ * nodes_ * elements_;
    work_.global_words += count * (is_assembled(o_.kind) ? 2 : 1);
  }
  void put_nodes() { load_nodes(); }

  // --- Pencil -----------------------------------------------------------------------------------

  void lines_along_x(int rows, int planes, double times) {
    const CubeLayout l = cube();
    each_element(times, [=](int thread) {
      if (thread >= rows * planes) return -1;
      return l.planes_first ? l.row * (thread / planes) + l.plane * (thread % planes)
                            : l.row * (thread % rows) + l.plane * (thread / rows);
    });
  }
  void lines_along_y(int columns, int planes, double times) {
    const CubeLayout l = cube();
    each_element(times, [=](int thread) {
      return thread >= columns * planes ? -1 : thread % columns + l.plane * (thread / columns);
    });
  }
  void lines_along_z(int columns, int rows, double times) {
    const CubeLayout l = cube();
    each_element(times, [=](int thread) {
      return thread >= columns * rows ? -1 : thread % columns + l.row * (thread / columns);
    });
  }
  CubeLayout cube() const { return cube_layout(points_, bytes_of(o_.precision)); }
  template <class WordOf>
  void each_element(double times, const WordOf& word_of) {
    const int stride = cube().element;
    banks_.add(threads_ * elements_, times, [&](int thread) {
      const int word = word_of(thread % threads_);
      return word < 0 ? -1 : word + stride * (thread / threads_);
    });
  }

  void pencil() {
    const int n = nodes_, q = points_;
    load_nodes();
    put_nodes();
    geometry(q * q * elements_, static_cast<double>(q) * q * q * elements_);
    if (!mass_ && o_.sweeps == 6) {
      collocated_pencil();
      return;
    }
    lines_along_z(n, n, 2 * n);  // nodes staged, and results
    const int components = o_.sweeps == 18 ? 3 : 1;
    for (int component = 0; component < components; ++component) {
      const auto symmetry = [&](int direction) {
        return components == 3 && direction == component ? Symmetry::odd : Symmetry::even;
      };
      contract(q, n, symmetry(0), 2 * n * n * elements_);
      contract(q, n, symmetry(1), 2 * q * n * elements_);
      contract(q, n, symmetry(2), 2 * q * q * elements_);
    }
    // There: x reads n and writes q, y the same, z reads n. Back: z writes n, y reads q and writes
    // n, x reads q and, but for the sum of components, writes n.
    lines_along_x(n, n, components * (n + q) + components * q + n);
    lines_along_y(q, n, components * 2 * (n + q));
    lines_along_z(q, q, components * 2 * n);
    if (components == 3) work_.additions += 2.0 * n * n * n * elements_;
    if (!mass_ && o_.sweeps == 12) collocated_pencil();
  }

  void collocated_pencil() {
    const int q = points_;
    contract(q, q, Symmetry::odd, 6 * q * q * elements_);
    lines_along_z(q, q, q * (1 + 2 + 2 + 2));
    lines_along_x(q, q, 4 * q);
    lines_along_y(q, q, 4 * q);
    work_.additions += 2.0 * q * q * q * elements_;
  }

  // --- Node -------------------------------------------------------------------------------------

  /// An access of every thread of the block for which word(i, j, k, element) is not negative.
  template <class WordOf>
  void each_point(double times, const WordOf& word_of) {
    const int q = points_;
    banks_.add(threads_ * elements_, times, [&](int thread) {
      const int in_element = thread % threads_;
      return word_of(in_element % q, in_element / q % q, in_element / (q * q), thread / threads_);
    });
  }

  void node() {
    const int n = nodes_, q = points_;
    const bool interpolates = mass_ || q != n;
    const int cubes = node_cubes(mass_), cube = q * q * q;
    const auto at = [=](int i, int j, int k, int element) {
      return i + q * (j + q * k) + cubes * cube * element;
    };
    // Matrices are staged once a block.
    const int block = threads_ * elements_;
    const auto stage = [&](int words) {
      for (int first = 0; first < words; first += block)
        banks_.add(block, 1,
                   [&](int thread) { return first + thread < words ? first + thread : -1; });
    };
    if (interpolates) stage(q * n);
    if (!mass_) stage(q * q);
    load_nodes();
    put_nodes();
    const double all = static_cast<double>(cube) * elements_;
    geometry(all, all);
    // Sums of `terms` products: a row of the matrix for index `of` (0 i, 1 j, 2 k) from row_step
    // words apart, and a line of values along the same direction.
    const auto sum = [&](int terms, int row_step, int of, const auto& takes_part) {
      const auto index = [of](int i, int j, int k) { return of == 0 ? i : of == 1 ? j : k; };
      each_point(terms, [&](int i, int j, int k, int) {
        return takes_part(i, j, k) ? row_step * index(i, j, k) : -1;
      });
      each_point(terms, [&](int i, int j, int k, int element) {
        if (!takes_part(i, j, k)) return -1;
        return at(of == 0 ? 0 : i, of == 1 ? 0 : j, of == 2 ? 0 : k, element);
      });
      each_point(1, [&](int i, int j, int k, int) {
        work_.multiply_adds += takes_part(i, j, k) ? terms : 0;
        return -1;
      });
    };
    const auto write = [&](const auto& takes_part) {
      each_point(1, [&](int i, int j, int k, int element) {
        return takes_part(i, j, k) ? at(i, j, k, element) : -1;
      });
    };
    const auto everywhere = [](int, int, int) { return true; };
    const auto low_k = [n](int, int, int k) { return k < n; };
    const auto low_jk = [n](int, int j, int k) { return j < n && k < n; };
    const auto low = [n](int i, int j, int k) { return i < n && j < n && k < n; };
    write(low);  // the nodes
    if (interpolates) {
      sum(n, n, 0, low_jk);
      write(low_jk);
      sum(n, n, 1, low_k);
      write(low_k);
      sum(n, n, 2, everywhere);
      if (!mass_) write(everywhere);
    }
    if (!mass_) {
      for (int direction = 0; direction < 3; ++direction) sum(q, q, direction, everywhere);
      for (int direction = 0; direction < 3; ++direction) write(everywhere);
      for (int direction = 0; direction < 3; ++direction) sum(q, 1, direction, everywhere);
      work_.additions += 2 * all;
    }
    if (interpolates) {
      write(everywhere);
      sum(q, 1, 2, low_k);
      write(low_k);
      sum(q, 1, 1, low_jk);
      write(low_jk);
      sum(q, 1, 0, low);
    }
  }

  // --- Slab -------------------------------------------------------------------------------------

  void slab() {
    const int n = nodes_, plane = n * n, row = matrix_row(n);
    const int matrix = slab_matrix_words(n, bytes_of(o_.precision));
    load_nodes();
    put_nodes();
    const double points = static_cast<double>(plane) * n * elements_;
    geometry(plane * elements_, points);
    work_.multiply_adds += 6 * n * points;
    const auto each = [&](double times, const auto& word_of) {
      banks_.add(threads_ * elements_, times, [&](int thread) {
        const int t = thread % threads_;
        return word_of(t % n, t / n, thread / threads_);
      });
    };
    const auto values = [=](int element) { return matrix + slab_planes * plane * element; };
    // The matrix, staged by the first element's threads, and read at each use or once.
    each(1, [&](int i, int j, int element) { return element == 0 ? row * i + j : -1; });
    const double uses = variant_.matrix_in_registers ? n : n * n;
    each(uses, [&](int i, int, int) { return row * i; });
    each(uses, [&](int, int j, int) { return row * j; });
    each(uses, [&](int i, int, int) { return i; });
    each(uses, [&](int, int j, int) { return j; });
    // A plane: three words written; rows and columns of values, rows of one flux, columns of the
    // other.
    each(3 * n, [&](int i, int j, int e) { return values(e) + i + n * j; });
    each(2 * n * n, [&](int, int j, int e) { return values(e) + n * j; });
    each(2 * n * n, [&](int i, int, int e) { return values(e) + i; });
  }

  // --- Tensor -----------------------------------------------------------------------------------

  void tensor() {
    const int n = nodes_, columns = n * n;
    load_nodes();
    put_nodes();
    geometry(2 * columns, static_cast<double>(columns) * n);
    work_.additions += 2.0 * columns * n;
    const int row_tiles = (n + 7) / 8, steps = (n + 3) / 4, column_tiles = (columns + 7) / 8;
    work_.tensor_multiply_adds = 6.0 * row_tiles * steps * column_tiles * 256;
    const int row = tensor_row(n), plane = tensor_plane(n);
    const auto start = [=](int direction, int c) {
      const int low = c % n, high = c / n;
      return direction == 0   ? row * low + plane * high
             : direction == 1 ? low + plane * high
                              : low + row * high;
    };
    for (int direction = 0; direction < 3; ++direction) {
      const int stride = direction == 0 ? 1 : direction == 1 ? row : plane;
      for (int tile = 0; tile < column_tiles; ++tile) {
        for (int step = 0; step < steps; ++step) {
          banks_.add(32, 2, [&](int lane) {
            const int column = 8 * tile + lane / 4, i = 4 * step + lane % 4;
            return column < columns && i < n ? start(direction, column) + stride * i : -1;
          });
        }
        for (int tile_row = 0; tile_row < row_tiles; ++tile_row) {
          for (const int side : {0, 1}) {
            banks_.add(32, 2, [&](int lane) {
              const int column = 8 * tile + 2 * (lane % 4) + side, i = 8 * tile_row + lane / 4;
              return column < columns && i < n ? start(direction, column) + stride * i : -1;
            });
          }
        }
      }
    }
    // Point by point: one word written, six for the metric, three summed; even planes by the first
    // threads and odd ones by the next.
    for (int pair = 0; pair < (n + 1) / 2; ++pair) {
      banks_.add(threads_, 1 + 6 + 3, [&](int thread) {
        const int k = 2 * pair + thread / columns;
        return thread < 2 * columns && k < n ? start(2, thread % columns) + plane * k : -1;
      });
    }
  }

  ElementOperator o_;
  KernelVariant variant_;
  cuda::LaunchShape shape_;
  int nodes_, points_, elements_, threads_;
  bool mass_;
  BankCounter banks_;
  VariantWork work_;
};

/// Bytes to L2 and DRAM, and launches.
void add_traffic(const ElementOperator& o, Scatter scatter, VariantWork& work) {
  const GpuWork traffic = gpu_work(o, {GpuKernel::slab, MatrixPlace::constant, scatter});
  work.l2_bytes = traffic.l2_bytes;
  work.dram_bytes = traffic.dram_bytes;
  work.launches = traffic.launches;
}

}  // namespace

VariantWork variant_work(const ElementOperator& o, const KernelVariant& variant, Scatter scatter) {
  const std::vector<KernelVariant> all = kernel_variants(o);
  if (std::find(all.begin(), all.end(), variant) == all.end())
    throw UsageError("there is no kernel '" + variant.text() + "' for this operator");
  VariantWork work = BlockWork(o, variant).work();
  add_traffic(o, scatter, work);
  return work;
}

}  // namespace hpclab::operators
