// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Facts about this build, defined in a source that the build generates.
#pragma once

namespace hpclab::app::build_info {

extern const char* const version;
extern const char* const git;  ///< revision, with "-dirty" when files differ from it
extern const char* const compiler;
extern const char* const flags;
extern const char* const build_type;
extern const char* const cuda;  ///< nvcc version or "off"

}  // namespace hpclab::app::build_info
