// hpclab: SPDX-License-Identifier: Apache-2.0
//
// `hpclab completion SHELL`: a script for bash, zsh or fish, generated from the tree of verbs.
#include "core/nearest_name.hpp"
#include "hpclab/program.hpp"
#include "hpclab/verb.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace hpclab::app {
namespace {

std::string words_of(const Verb& verb) {
  std::string words;
  for (const Verb& child : verb.verbs) words += child.name + " ";
  for (const Option& option : verb.options) {
    if (option.kind != OptionKind::positional) {
      words += "--" + option.name + " ";
      continue;
    }
    for (const std::string& choice : option.choices) words += choice + " ";
  }
  return words + "--help";
}

// One `case` branch a verb: path -> words; and one an option with choices: path and option ->
// choices.
void bash_branches(const Verb& verb, const std::string& path, std::string& words,
                   std::string& choices) {
  words += fmt::format("    \"{}\") words=\"{}\" ;;\n", path, words_of(verb));
  for (const Option& option : verb.options) {
    if (option.choices.empty()) continue;
    choices += fmt::format("    \"{} --{}\") words=\"{}\" ;;\n", path, option.name,
                           fmt::join(option.choices, " "));
  }
  for (const Verb& child : verb.verbs) {
    bash_branches(child, path.empty() ? child.name : path + " " + child.name, words, choices);
  }
}

std::string bash(const Verb& root) {
  std::string words;
  std::string choices;
  bash_branches(root, "", words, choices);
  return "# bash completion for hpclab: source <(hpclab completion bash)\n"
         "_hpclab() {\n"
         "  local path=\"\" word words=\"\" current=\"${COMP_WORDS[COMP_CWORD]}\" "
         "previous=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
         "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
         "    case \"$word\" in -*) break ;; *) path=\"${path:+$path }$word\" ;; esac\n"
         "  done\n"
         "  case \"$path $previous\" in\n" +
         choices + "  *) case \"$path\" in\n" + words +
         "    esac ;;\n"
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "  [ ${#COMPREPLY[@]} -eq 0 ] && COMPREPLY=($(compgen -f -- \"$current\"))\n"
         "}\n"
         "complete -o filenames -F _hpclab hpclab\n";
}

std::string zsh(const Verb& root) {
  // zsh runs bash completions once its compatibility layer is loaded.
  return "#compdef hpclab\n"
         "# zsh completion for hpclab: source <(hpclab completion zsh)\n"
         "autoload -U +X bashcompinit && bashcompinit\n" +
         bash(root);
}

std::string shell_quoted(const std::string& text) {
  std::string result;
  for (char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return "'" + result + "'";
}

void fish_lines(const Verb& verb, const std::vector<std::string>& path, std::string& out) {
  std::string condition;
  for (const std::string& step : path)
    condition += fmt::format("; and __fish_seen_subcommand_from {}", step);
  if (path.empty()) condition = "; and __fish_use_subcommand";
  condition = condition.substr(6);
  for (const Verb& child : verb.verbs) {
    out += fmt::format("complete -c hpclab -f -n {} -a {} -d {}\n", shell_quoted(condition),
                       child.name, shell_quoted(child.summary));
  }
  for (const Option& option : verb.options) {
    if (option.kind == OptionKind::positional) continue;
    std::string line = fmt::format("complete -c hpclab -n {} -l {} -d {}", shell_quoted(condition),
                                   option.name, shell_quoted(option.help));
    if (option.kind != OptionKind::flag) line += " -r";
    if (!option.choices.empty())
      line += " -f -a " + shell_quoted(fmt::format("{}", fmt::join(option.choices, " ")));
    out += line + "\n";
  }
  for (const Verb& child : verb.verbs) {
    std::vector<std::string> longer = path;
    longer.push_back(child.name);
    fish_lines(child, longer, out);
  }
}

ExitCode completion(Program& program, const Arguments& arguments) {
  const Verb root = root_verb(program);
  const std::string shell = *arguments.one("shell");
  if (shell == "bash") {
    print(bash(root));
  } else if (shell == "zsh") {
    print(zsh(root));
  } else if (shell == "fish") {
    std::string text = "# fish completion for hpclab: hpclab completion fish | source\n";
    fish_lines(root, {}, text);
    print(text);
  } else {
    throw UsageError(fmt::format("hpclab completion: unknown shell '{}'{}", shell,
                                 suggestion(shell, {"bash", "zsh", "fish"})));
  }
  return ExitCode::ok;
}

}  // namespace

Verb completion_verb() {
  Verb verb;
  verb.name = "completion";
  verb.summary = "prints a completion script for bash, zsh or fish";
  verb.options = {{.name = "shell",
                   .kind = OptionKind::positional,
                   .value_name = "bash|zsh|fish",
                   .required = true,
                   .choices = {"bash", "zsh", "fish"}}};
  verb.run = completion;
  return verb;
}

}  // namespace hpclab::app
