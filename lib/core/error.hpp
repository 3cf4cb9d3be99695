// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Errors that a user sees: what went wrong, where, why, and what would be right.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace hpclab {

/// Exit status of the program; documented in README.md and in `hpclab --help`.
enum class ExitCode : int {
  ok = 0,
  gate_failed = 1,   ///< a gate, a claim or a validation failed
  usage = 2,         ///< wrong option, key, value or file
  cases_failed = 3,  ///< the sweep ended, some of its cases failed
  unavailable = 4,   ///< an asked-for backend or component is not available
  interrupted = 130  ///< stopped by a signal after everything measured was flushed
};

/// Base of all errors that end the program with a message and an exit code.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message, ExitCode code = ExitCode::usage)
      : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

/// Wrong input from the user: option, configuration key, value, file.
class UsageError : public Error {
 public:
  explicit UsageError(const std::string& message) : Error(message, ExitCode::usage) {}
};

/// A component that this build or this machine lacks. `mend` says what would make it available.
class NotAvailable : public Error {
 public:
  NotAvailable(std::string reason, std::string mend)
      : Error(mend.empty() ? reason : reason + ". " + mend, ExitCode::unavailable),
        reason_(std::move(reason)),
        mend_(std::move(mend)) {}
  const std::string& reason() const { return reason_; }
  const std::string& mend() const { return mend_; }

 private:
  std::string reason_;
  std::string mend_;
};

/// One case cannot be computed or measured (outside the model's validity, ceiling above theory).
/// It becomes a record with status "failed"; the sweep goes on.
class CaseFailed : public Error {
 public:
  explicit CaseFailed(const std::string& reason) : Error(reason, ExitCode::cases_failed) {}
};

/// A case needs a figure that its input - a machine profile - does not state. In experiments that a
/// study runs by itself such a case is skipped: nobody asked for this figure.
class FigureMissing : public CaseFailed {
 public:
  using CaseFailed::CaseFailed;
};

/// One case does not apply here (a NUMA node or an instruction set this machine lacks).
/// It becomes a record with status "skipped".
class CaseSkipped : public Error {
 public:
  explicit CaseSkipped(const std::string& reason) : Error(reason, ExitCode::ok) {}
};

}  // namespace hpclab
