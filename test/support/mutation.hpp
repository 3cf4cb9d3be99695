// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Random damage to a valid text, and how often to do it: for tests that readers of outside files
// answer anything with a result or a UsageError.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace hpclab::test {

/// How many mutations of each sample a test makes: $HPCLAB_FUZZ, else `ordinary`.
inline int mutation_count(int ordinary) {
  const char* wanted = std::getenv("HPCLAB_FUZZ");
  return wanted != nullptr ? std::atoi(wanted) : ordinary;
}

class Mutator {
 public:
  explicit Mutator(unsigned seed) : chance_(seed) {}

  /// The text after 1 to 3 of: a bit flipped, a cut, a piece removed, doubled, moved or replaced by
  /// bytes that mean something to readers of tables, numbers and JSON.
  std::string mutated(std::string text) {
    for (std::size_t n = below(3) + 1; n > 0 && !text.empty(); --n) damage(text);
    return text;
  }

 private:
  std::size_t below(std::size_t limit) { return chance_() % limit; }

  void damage(std::string& text) {
    static const std::vector<std::string_view> telling = {"\"",
                                                          "\"\"",
                                                          ",",
                                                          ";",
                                                          "\t",
                                                          "\n",
                                                          "\r",
                                                          "\r\n",
                                                          "{",
                                                          "}",
                                                          "[",
                                                          "]",
                                                          ":",
                                                          "\\",
                                                          "nan",
                                                          "inf",
                                                          "-",
                                                          "e",
                                                          "1e999",
                                                          "1e-999",
                                                          "0",
                                                          "-1",
                                                          "%",
                                                          "0x1",
                                                          "\xff",
                                                          "#",
                                                          "=",
                                                          "|",
                                                          "9223372036854775808",
                                                          "MB",
                                                          "GiB/s",
                                                          "1,5",
                                                          "null",
                                                          "  ",
                                                          ".",
                                                          "+",
                                                          "\\u",
                                                          "\xe2\x82",
                                                          "1e308"};
    const std::size_t at = below(text.size());
    const std::size_t size = std::min(text.size() - at, below(40) + 1);
    switch (below(7)) {
      case 0:
        text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
        break;
      case 1:
        text.resize(at);
        break;
      case 2:
        text.erase(at, size);
        break;
      case 3:
        text.insert(at, text.substr(at, size));
        break;
      case 4:
        text.insert(below(text.size()), text.substr(at, size));
        break;
      case 5:
        text.insert(at, telling[below(telling.size())]);
        break;
      default:
        text.replace(at, size, telling[below(telling.size())]);
    }
  }

  std::minstd_rand chance_;
};

}  // namespace hpclab::test
