// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Catch2 2 and 3 under one include. Use Catch::Approx with its namespace, and no matchers.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#else
#include <catch2/catch.hpp>
namespace Catch {
using Detail::Approx;  // where Catch2 3 has it
}
#endif
