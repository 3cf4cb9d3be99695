// hpclab: SPDX-License-Identifier: Apache-2.0
//
// `hpclab man`: the manual page, generated from the same tree that parses the arguments.
#include "hpclab/build_info.hpp"
#include "hpclab/help.hpp"
#include "hpclab/program.hpp"
#include "hpclab/verb.hpp"

#include <fmt/format.h>

namespace hpclab::app {
namespace {

// Text that roff does not read as requests: backslashes, and points and quotes that begin a line.
std::string roff(const std::string& text) {
  std::string result;
  bool line_start = true;
  for (const char c : text) {
    if (line_start && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
    line_start = c == '\n';
  }
  return result;
}

std::string option_entry(const Option& option) {
  std::string name = option.kind == OptionKind::positional ? option.value_name : "--" + option.name;
  if (!option.short_name.empty()) name.insert(0, "-" + option.short_name + ", ");
  if (option.kind == OptionKind::value || option.kind == OptionKind::list)
    name += " " + option.value_name;
  std::string help = option.help;
  if (!option.choices.empty() && option.choices.size() <= 12)
    help += fmt::format(" ({})", fmt::join(option.choices, ", "));
  return fmt::format(".TP\n.B {}\n{}\n", roff(name), roff(help.empty() ? "see above" : help));
}

std::string verb_section(const Verb& verb, const std::string& path) {
  std::string text = fmt::format(".SS hpclab {}\n{}\n", roff(path), roff(verb.summary));
  if (!verb.command_name.empty())
    text += fmt::format(".PP\nAfter \\-\\-: {}\n", roff(verb.command_name));
  for (const Option& option : verb.options) {
    if (option.group == "Options of every study") continue;  // told once
    text += option_entry(option);
  }
  for (const Verb& child : verb.verbs) text += verb_section(child, path + " " + child.name);
  return text;
}

ExitCode manual(Program& program, const Arguments&) {
  const Verb root = root_verb(program);
  std::string text = fmt::format(
      ".TH HPCLAB 1 \"\" \"hpclab {}\" \"User commands\"\n.SH NAME\nhpclab \\- command\\-line "
      "performance laboratory\n.SH SYNOPSIS\n.B hpclab\nLAB STUDY | VERB [options]\n"
      ".SH DESCRIPTION\n{}\n.SH OPTIONS\n",
      build_info::version, roff(root.summary));
  for (const Option& option : root.options) text += option_entry(option);
  text += ".SH OPTIONS OF EVERY STUDY\n";
  for (const Verb& lab : root.verbs) {
    if (lab.verbs.empty()) continue;
    for (const Option& option : lab.verbs.front().options) {
      if (option.group == "Options of every study") text += option_entry(option);
    }
    break;
  }
  text += ".SH LABS AND VERBS\n";
  for (const Verb& verb : root.verbs) text += verb_section(verb, verb.name);
  text += ".SH EXIT STATUS\n.nf\n" + roff(exit_code_help()) + ".fi\n";
  text +=
      ".SH ENVIRONMENT\n"
      ".TP\n.B NO_COLOR\nno colour on a terminal\n"
      ".TP\n.B HPCLAB_PYTHON\nthe Python interpreter that draws reports and plots\n"
      ".TP\n.B HPCLAB_SHARE\nthe folder with configurations and the plotting package\n"
      ".TP\n.B HPCLAB_DATA\nthe folder with data of others that some claims need\n";
  print(text);
  return ExitCode::ok;
}

}  // namespace

Verb man_verb() {
  Verb verb;
  verb.name = "man";
  verb.summary = "the manual page: hpclab man | man -l -";
  verb.run = manual;
  return verb;
}

}  // namespace hpclab::app
