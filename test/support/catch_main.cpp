// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Catch2 2 compiles its main here, once; Catch2 3 links its own.
#if !__has_include(<catch2/catch_all.hpp>)
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#endif
