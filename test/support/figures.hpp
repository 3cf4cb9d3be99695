// hpclab: SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine/profile.hpp"

namespace hpclab::test {

/// A figure of a made-up machine profile.
inline machine::Figure figure(double value) {
  machine::Figure f;
  f.value = value;
  f.source = "test";
  return f;
}

}  // namespace hpclab::test
