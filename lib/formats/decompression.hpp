// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Unpacks gz (RFC 1952) and zst (RFC 8878) streams, several members or frames after one another
// included. Faults are UsageErrors without a place.
#pragma once

#include "formats/byte_source.hpp"

#include <memory>

namespace hpclab::formats {

std::unique_ptr<ByteSource> unpack_gz(std::unique_ptr<ByteSource> packed);

/// Frames that need a window above 128 MiB (zstd --long=28 and more) are refused.
std::unique_ptr<ByteSource> unpack_zst(std::unique_ptr<ByteSource> packed);

}  // namespace hpclab::formats
