// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Runs several small programs at the same time and keeps what they print: versions of tools.
#pragma once

#include <string>
#include <vector>

namespace hpclab::machine {

/// Standard output and error of each command (argv with an absolute program path), at most 4 KiB
/// each. All run concurrently with an empty standard input; what has not ended after `timeout_s` is
/// killed and yields what it had printed. A program that cannot be started yields "".
std::vector<std::string> outputs_of(const std::vector<std::vector<std::string>>& commands,
                                    double timeout_s);

}  // namespace hpclab::machine
