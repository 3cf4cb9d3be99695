// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Numbers as a program printed them: their digits say how far they can be relied on.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace hpclab::formats {

/// A printed number stands for every value that rounds to its digits.
struct PrintedNumber {
  double value = 0;
  double half_unit = 0;  ///< half a unit of the last digit printed

  double low() const { return value - half_unit; }
  double high() const { return value + half_unit; }
  PrintedNumber scaled(double factor) const { return {value * factor, half_unit * factor}; }
};

/// "1.50e3" is 1500 +- 5. nullopt for what is no finite number.
std::optional<PrintedNumber> printed_number_in(std::string_view text);

/// The same, or UsageError "where: 'what' is 'text', ..." as require_number() has it.
PrintedNumber require_printed_number(std::string_view text, std::string_view what,
                                     const std::string& where);

}  // namespace hpclab::formats
