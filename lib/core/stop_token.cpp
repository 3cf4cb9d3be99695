// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/stop_token.hpp"

#include <signal.h>

namespace hpclab {
namespace {

StopSource& signal_source() {
  // Never destroyed: a signal may arrive while static objects are torn down.
  static StopSource* source = new StopSource;
  return *source;
}

StopSource* handler_source = nullptr;

void on_signal(int number) {
  handler_source->request_stop();
  // The next one of this kind meets the default action: the user means it.
  signal(number, SIG_DFL);
}

}  // namespace

StopToken stop_on_signals() {
  static const StopToken token = [] {
    handler_source = &signal_source();
    struct sigaction action {};
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    return signal_source().token();
  }();
  return token;
}

}  // namespace hpclab
