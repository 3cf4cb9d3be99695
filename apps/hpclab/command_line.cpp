// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The only file that includes CLI11 (it takes long to compile). CLI11 reads the arguments; names
// that it does not know are answered here with the nearest one that exists.
#include "hpclab/command_line.hpp"

#include "core/nearest_name.hpp"

#include <algorithm>
#include <map>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace hpclab::app {
namespace {

// CLI11's view of one verb.
struct Node {
  const Verb* verb = nullptr;
  CLI::App* app = nullptr;
  std::map<std::string, std::vector<std::string>> texts;
  std::map<std::string, CLI::Option*> options;
  CLI::Option* help = nullptr;
  CLI::Option* quiet = nullptr;
  CLI::Option* verbose = nullptr;
  std::vector<std::unique_ptr<Node>> children;
};

std::string spelling(const Option& option) {
  if (option.kind == OptionKind::positional) return option.name;
  return (option.short_name.empty() ? "" : "-" + option.short_name + ",") + "--" + option.name;
}

std::unique_ptr<Node> build(const Verb& verb, CLI::App* app) {
  auto node = std::make_unique<Node>();
  node->verb = &verb;
  node->app = app;
  app->set_help_flag();
  app->allow_extras();
  app->fallthrough(false);
  // One verb a level. Without this limit CLI11 asks the parents too, and `describe roofline` would
  // run the lab of that name.
  app->require_subcommand(0, 1);
  // Otherwise CLI11 takes the `roofline` of `describe roofline ceilings` for the lab.
  app->require_subcommand(0, 1);
  if (verb.passes_extras) app->prefix_command();
  if (!verb.passes_extras) {  // --help of a drawing verb is answered by the drawing program
    node->help = app->add_flag("-h,--help");
    // These two are the root's in help, and are understood after every verb.
    node->quiet = app->add_flag("-q,--quiet");
    node->verbose = app->add_flag("-v,--verbose");
  }
  for (const Option& option : verb.options) {
    if (option.name == "quiet" || option.name == "verbose") continue;
    if (option.kind == OptionKind::flag) {
      node->options[option.name] = app->add_flag(spelling(option));
      continue;
    }
    auto* added = app->add_option(spelling(option), node->texts[option.name]);
    const bool many = option.kind == OptionKind::list || option.many;
    added->multi_option_policy(many ? CLI::MultiOptionPolicy::TakeAll
                                    : CLI::MultiOptionPolicy::Throw);
    added->allow_extra_args(option.many);
    added->expected(1, many ? CLI::detail::expected_max_vector_size : 1);
    if (option.kind == OptionKind::list) added->expected(1);
    node->options[option.name] = added;
  }
  for (const Verb& child : verb.verbs) {
    node->children.push_back(build(child, app->add_subcommand(child.name)));
  }
  return node;
}

std::vector<std::string> option_names(const Verb& verb) {
  std::vector<std::string> names{"--help", "--quiet", "--verbose"};
  for (const Option& option : verb.options) {
    const bool listed = option.name == "quiet" || option.name == "verbose";
    if (option.kind != OptionKind::positional && !listed) names.push_back("--" + option.name);
  }
  return names;
}

[[noreturn]] void unknown(const Node& node, const std::string& path, const std::string& text) {
  const std::string where = path.empty() ? "hpclab" : "hpclab " + path;
  if (text.starts_with("-")) {
    const std::string name = text.substr(0, text.find('='));
    throw UsageError(fmt::format("{}: unknown option '{}'{}", where, name,
                                 suggestion(name, option_names(*node.verb))));
  }
  std::vector<std::string> names;
  for (const Verb& child : node.verb->verbs) names.push_back(child.name);
  if (names.empty()) {
    throw UsageError(fmt::format(
        "{}: '{}' is one argument too many{}", where, text,
        node.verb->command_name.empty() ? "" : "; " + node.verb->command_name + " goes behind --"));
  }
  throw UsageError(fmt::format("{}: unknown {} '{}'{}", where,
                               path.empty() ? "lab or verb" : "study", text,
                               suggestion(text, names)));
}

bool is_given(const CLI::Option* flag) {
  return flag && flag->count() > 0;
}

void collect(const Node& node, Invocation& invocation) {
  std::string path;
  for (const std::string& step : invocation.path) path += (path.empty() ? "" : " ") + step;
  invocation.quiet = invocation.quiet || is_given(node.quiet);
  invocation.verbose = invocation.verbose || is_given(node.verbose);
  for (const auto& child : node.children) {
    if (!child->app->parsed()) continue;
    const auto extras = node.app->remaining(false);
    if (!extras.empty()) unknown(node, path, extras.front());
    if (is_given(node.help)) invocation.help = true;
    invocation.path.push_back(child->verb->name);
    collect(*child, invocation);
    return;
  }
  invocation.verb = node.verb;
  invocation.help = invocation.help || is_given(node.help);
  const auto extras = node.app->remaining(false);
  if (!extras.empty() && !node.verb->passes_extras) unknown(node, path, extras.front());
  if (node.verb->passes_extras) invocation.arguments.add("extras", extras);
  for (const auto& [name, option] : node.options) {
    if (option->count() == 0) continue;
    const auto texts = node.texts.find(name);
    invocation.arguments.add(
        name, texts == node.texts.end() ? std::vector<std::string>{} : texts->second);
  }
  if (invocation.help) return;
  for (const Option& option : node.verb->options) {
    if (option.required && !invocation.arguments.has(option.name)) {
      throw UsageError(fmt::format("hpclab {}: {} is missing", path, option.value_name));
    }
  }
}

}  // namespace

Invocation parse_command_line(const Verb& root, const std::vector<std::string>& arguments) {
  CLI::App app;
  const std::unique_ptr<Node> tree = build(root, &app);
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  try {
    std::vector<std::string> reversed(std::make_reverse_iterator(dashes), arguments.rend());
    app.parse(std::move(reversed));
  } catch (const CLI::ParseError& error) {
    throw UsageError(fmt::format("hpclab: {}", error.what()));
  }
  Invocation invocation;
  collect(*tree, invocation);
  if (dashes == arguments.end()) return invocation;
  if (invocation.verb->passes_extras) {  // it knows itself what its `--` means
    std::vector<std::string> extras = invocation.arguments.all("extras");
    extras.insert(extras.end(), dashes, arguments.end());
    invocation.arguments.add("extras", std::move(extras));
  } else if (invocation.verb->command_name.empty()) {
    throw UsageError(
        fmt::format("hpclab {}: nothing may follow --", fmt::join(invocation.path, " ")));
  } else {
    invocation.arguments.add("command", {dashes + 1, arguments.end()});
  }
  return invocation;
}

}  // namespace hpclab::app
