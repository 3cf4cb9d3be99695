// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Where the values of an element lie in shared memory. Read by kernels and by the counts of their
// wavefronts alike.
#pragma once

namespace hpclab::operators {

/// A cube of m^3 words: (i, j, k) at i + row j + plane k, the next element `element` words later.
struct CubeLayout {
  int row = 0;
  int plane = 0;
  int element = 0;
  /// Neighbouring threads take lines along x from neighbouring planes, else from neighbouring rows.
  bool planes_first = false;
};

/// Words that the 32 banks of 4 bytes deliver at once.
constexpr int banked_words(int word_bytes) {
  return 128 / word_bytes;
}

/// Lines along z lie side by side: no conflicts. Lines along x start an odd number of words apart
/// in neighbouring threads, so that none meet in a bank either: by their rows where m is odd, else
/// by planes that one word of padding makes odd. Lines along y start in runs of m words, of which
/// two may meet. An element follows as if its lines along z went on.
constexpr CubeLayout cube_layout(int m, int word_bytes) {
  CubeLayout layout;
  layout.row = m;
  layout.planes_first = m % 2 == 0;
  layout.plane = m * m + (layout.planes_first ? 1 : 0);
  const int banks = banked_words(word_bytes);
  const int end = m * layout.plane;
  layout.element = end + (m * m % banks - end % banks + banks) % banks;
  return layout;
}

}  // namespace hpclab::operators
