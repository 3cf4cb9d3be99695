// hpclab: SPDX-License-Identifier: Apache-2.0
#include "hpclab/help.hpp"

#include "core/units.hpp"
#include "hpclab/text_table.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab::app {
namespace {

constexpr std::size_t text_width = 78;

std::string default_text(const ParameterSpec& spec) {
  if (spec.inferred) return "inferred";
  if (spec.list) return "every one";
  if (spec.unit == "bytes" && spec.default_value.is_number()) {
    return readable_bytes(spec.default_value.get<double>());
  }
  if (spec.default_value.is_string()) {
    const std::string text = spec.default_value.get<std::string>();
    return text.empty() ? "-" : text;
  }
  if (spec.default_value.is_number_float())
    return fmt::format("{:g}", spec.default_value.get<double>());
  return spec.default_value.dump();
}

std::string methods_text(const ParameterSpec& spec) {
  std::string text;
  for (Method method : spec.methods) text += (text.empty() ? "" : ", ") + name_of(method);
  std::string backends;
  for (Backend backend : spec.backends)
    backends += (backends.empty() ? "on " : ", ") + name_of(backend);
  if (!text.empty() && !backends.empty()) text += " ";
  text += backends;
  return text.empty() ? "" : " [" + text + "]";
}

std::string hyphenated(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

// An axis worth showing: two choices, or the default and its double.
std::string example_axis(const ParameterSpec& spec) {
  if (spec.choices.size() > 1) return spec.name + "=" + spec.choices[0] + "," + spec.choices[1];
  if (spec.type == ParameterType::integer) return spec.name + "=1,2,4";
  return spec.name + "=" + default_text(spec);
}

std::string examples(const Study& study) {
  std::string sets;
  std::string files;
  int shown = 0;
  for (const ParameterSpec& spec : study.parameters) {
    if (spec.positional && spec.type == ParameterType::file) files = " FILE...";
    if (spec.positional || spec.inferred || spec.list || spec.type == ParameterType::file ||
        shown == 2) {
      continue;
    }
    sets += (sets.empty() ? "" : ",") + example_axis(spec);
    ++shown;
  }
  std::string text = fmt::format("  hpclab {} {}{}\n", study.lab, study.name, files);
  if (!files.empty()) {
    text += fmt::format("  hpclab {} {}{} --out records.jsonl\n", study.lab, study.name, files);
  } else if (!sets.empty()) {
    text +=
        fmt::format("  hpclab {} {} --set {} --out records.jsonl\n", study.lab, study.name, sets);
  }
  return text;
}

}  // namespace

std::string study_help(const Study& study) {
  std::string text = fmt::format("hpclab {} {}\n  {}\n", study.lab, study.name,
                                 wrapped(study.question, text_width, 2));
  text += "Methods:";
  for (Method method : study.methods()) text += " " + name_of(method);
  if (!study.backends.empty()) {
    text += "   Backends:";
    for (Backend backend : study.backends) text += " " + name_of(backend);
  }
  text +=
      "\nParameters (--NAME AXIS or --set NAME=AXIS; an axis is 4 or 1,2,8 or 1:9:2 or "
      "1Ki:1Gi:*4):\n";
  for (const ParameterSpec& spec : study.parameters) {
    const std::string name = spec.positional ? spec.name : "--" + hyphenated(spec.name);
    std::string sentence = spec.help + methods_text(spec);
    const std::string domain = spec.domain_text();
    if (spec.type != ParameterType::text) sentence += " (" + domain + ")";
    text += fmt::format("  {:<22} {:<9} {}\n", name, default_text(spec), wrapped(sentence, 78, 35));
  }
  text += "Values:\n";
  for (const ValueSpec& value : study.values) {
    text += fmt::format(
        "  {:<32} {}{}\n", value.name, wrapped(value.meaning, 78, 35),
        value.better == Better::neither ? "" : " (" + name_of(value.better) + " is better)");
  }
  for (const OutputSpec& output : study.outputs)
    text += fmt::format("  --{} FILE: {}\n", output.name, output.help);
  text += "Examples:\n" + examples(study);
  text += "Options of every study: hpclab help options. Exit codes: hpclab --help.\n";
  return text;
}

std::string verb_help(const Verb& verb, const std::vector<std::string>& path) {
  std::string usage = "hpclab";
  for (const std::string& step : path) usage += " " + step;
  if (!verb.verbs.empty()) usage += path.empty() ? " LAB STUDY | VERB" : " STUDY";
  for (const Option& option : verb.options) {
    if (option.kind == OptionKind::positional) {
      usage += option.required ? " " + option.value_name : " [" + option.value_name + "]";
    }
  }
  if (!verb.options.empty()) usage += " [options]";
  if (!verb.command_name.empty()) usage += " -- " + verb.command_name;
  std::string text = fmt::format("usage: {}\n  {}\n", usage, wrapped(verb.summary, text_width, 2));
  for (const Verb& child : verb.verbs) {
    text += fmt::format("  {:<12} {}\n", child.name, wrapped(child.summary, 78, 15));
  }
  std::string group;
  for (const Option& option : verb.options) {
    if (option.group != group) text += option.group + ":\n";
    group = option.group;
    std::string name =
        option.kind == OptionKind::positional ? option.value_name : "--" + option.name;
    if (!option.short_name.empty()) name.insert(0, "-" + option.short_name + ", ");
    if (option.kind == OptionKind::value || option.kind == OptionKind::list)
      name += " " + option.value_name;
    text += fmt::format("  {:<26} {}\n", name, wrapped(option.help, 70, 29));
  }
  return text;
}

std::string exit_code_help() {
  return "Exit codes:\n"
         "  0    ok\n"
         "  1    a gate, a claim or a validation failed\n"
         "  2    wrong option, configuration or file\n"
         "  3    some cases failed, or records could not all be written\n"
         "  4    an asked-for backend or component is not available\n"
         "  130  interrupted, after everything measured was written\n"
         "  141  standard output was closed by its reader\n";
}

}  // namespace hpclab::app
