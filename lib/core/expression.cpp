// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/expression.hpp"

#include "core/error.hpp"
#include "core/units.hpp"

#include <array>
#include <cctype>
#include <cmath>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab {

struct Expression::Node {
  std::string operation;  // an operator, or "name", or "constant"
  std::string name;
  Json constant;
  std::vector<std::unique_ptr<Node>> operands;
};

namespace {

using Node = Expression::Node;
constexpr int max_depth = 200;

class Parser {
 public:
  Parser(std::string_view text, const std::string& where, std::set<std::string>& names)
      : text_(text), where_(where), names_(names) {}

  std::unique_ptr<Node> parse() {
    auto node = binary(0);
    skip_space();
    if (position_ < text_.size()) fail("expected an operator");
    return node;
  }

 private:
  static constexpr std::array<std::array<std::string_view, 6>, 5> levels{
      {{"||"}, {"&&"}, {"==", "!=", "<=", ">=", "<", ">"}, {"+", "-"}, {"*", "/", "%"}}};

  [[noreturn]] void fail(const std::string& what) const {
    throw UsageError(fmt::format("{}: cannot read the expression '{}' at character {}: {}", where_,
                                 text_, position_ + 1, what));
  }

  void skip_space() {
    while (position_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[position_])))
      ++position_;
  }

  bool take(std::string_view token) {
    skip_space();
    if (!text_.substr(position_).starts_with(token)) return false;
    position_ += token.size();
    return true;
  }

  std::unique_ptr<Node> binary(std::size_t level) {
    if (level == levels.size()) return unary();
    auto left = binary(level + 1);
    for (;;) {
      std::string_view found;
      for (std::string_view token : levels[level]) {
        if (!token.empty() && take(token)) {
          found = token;
          break;
        }
      }
      if (found.empty()) return left;
      auto node = std::make_unique<Node>();
      node->operation = found;
      node->operands.push_back(std::move(left));
      node->operands.push_back(binary(level + 1));
      left = std::move(node);
    }
  }

  std::unique_ptr<Node> unary() {
    if (++depth_ > max_depth) fail("nested too deeply");
    skip_space();
    std::unique_ptr<Node> node;
    if (position_ < text_.size() && (text_[position_] == '!' || text_[position_] == '-')) {
      node = std::make_unique<Node>();
      node->operation = text_[position_++] == '!' ? "not" : "negate";
      node->operands.push_back(unary());
    } else if (take("(")) {
      node = binary(0);
      if (!take(")")) fail("expected ')'");
    } else {
      node = leaf();
    }
    --depth_;
    return node;
  }

  std::unique_ptr<Node> leaf() {
    if (position_ == text_.size()) fail("expected a name, a number or text");
    auto node = std::make_unique<Node>();
    node->operation = "constant";
    const char first = text_[position_];
    const std::size_t begin = position_;
    if (first == '"' || first == '\'') {
      const std::size_t end = text_.find(first, position_ + 1);
      if (end == std::string_view::npos) fail("the quote is not closed");
      node->constant = std::string(text_.substr(begin + 1, end - begin - 1));
      position_ = end + 1;
      return node;
    }
    const auto in_word = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
    };
    while (position_ < text_.size() &&
           (in_word(text_[position_]) ||
            // a sign belongs to an exponent, a hyphen to a word such as write-nontemporal
            ((text_[position_] == '-' || text_[position_] == '+') && joins_word(begin)))) {
      ++position_;
    }
    const std::string word(text_.substr(begin, position_ - begin));
    if (word.empty()) fail("expected a name, a number or text");
    if (const auto number = parse_number(word)) {
      node->constant = *number;
    } else if (word == "true" || word == "false") {
      node->constant = word == "true";
    } else if (std::isdigit(static_cast<unsigned char>(first))) {
      position_ = begin;
      fail("'" + word + "' is not a number");
    } else {
      node->operation = "name";
      node->name = word;
      names_.insert(word);
    }
    return node;
  }

  bool joins_word(std::size_t begin) const {
    if (position_ == begin || position_ + 1 >= text_.size()) return false;
    const char before = text_[position_ - 1];
    const char after = text_[position_ + 1];
    if (std::isdigit(static_cast<unsigned char>(text_[begin]))) {
      return (before == 'e' || before == 'E') && std::isdigit(static_cast<unsigned char>(after));
    }
    return text_[position_] == '-' && std::isalpha(static_cast<unsigned char>(before)) &&
           std::isalpha(static_cast<unsigned char>(after));
  }

  std::string_view text_;
  const std::string& where_;
  std::set<std::string>& names_;
  std::size_t position_ = 0;
  int depth_ = 0;
};

using Value = std::variant<double, std::string>;

class Evaluator {
 public:
  Evaluator(const Json& parameters, std::string context)
      : parameters_(parameters), context_(std::move(context)) {}

  Value value(const Node& node) const {
    const std::string& op = node.operation;
    if (op == "constant") return from_json(node.constant);
    if (op == "name") {
      const auto found = parameters_.find(node.name);
      return found == parameters_.end() ? Value(node.name) : from_json(*found);
    }
    if (op == "not") return truth(number(*node.operands[0]) == 0);
    if (op == "negate") return -number(*node.operands[0]);
    if (op == "||") return truth(number(*node.operands[0]) != 0 || number(*node.operands[1]) != 0);
    if (op == "&&") return truth(number(*node.operands[0]) != 0 && number(*node.operands[1]) != 0);
    const Value left = value(*node.operands[0]);
    const Value right = value(*node.operands[1]);
    if (left.index() != right.index()) {
      throw UsageError(context_ + "': it compares a number with text");
    }
    if (op == "==") return truth(left == right);
    if (op == "!=") return truth(left != right);
    if (op == "<") return truth(left < right);
    if (op == "<=") return truth(left <= right);
    if (op == ">") return truth(left > right);
    if (op == ">=") return truth(left >= right);
    const double a = as_number(left);
    const double b = as_number(right);
    if (op == "+") return a + b;
    if (op == "-") return a - b;
    if (op == "*") return a * b;
    if (op == "/") return a / b;
    return std::fmod(a, b);
  }

  double number(const Node& node) const { return as_number(value(node)); }

 private:
  static Value truth(bool holds) { return holds ? 1.0 : 0.0; }

  static Value from_json(const Json& json) {
    if (json.is_number()) return json.get<double>();
    if (json.is_boolean()) return json.get<bool>() ? 1.0 : 0.0;
    if (json.is_string()) return json.get<std::string>();
    return json.dump();
  }

  double as_number(const Value& value) const {
    if (const double* number = std::get_if<double>(&value)) return *number;
    throw UsageError(context_ + "': '" + std::get<std::string>(value) +
                     "' is text where a number is needed");
  }

  const Json& parameters_;
  std::string context_;
};

}  // namespace

Expression::Expression(std::string_view text, const std::string& where)
    : text_(text), where_(where) {
  root_ = Parser(text_, where_, names_).parse();
}
Expression::~Expression() = default;
Expression::Expression(Expression&&) noexcept = default;
Expression& Expression::operator=(Expression&&) noexcept = default;

bool Expression::holds(const Json& parameters) const {
  return Evaluator(parameters, where_ + ": cannot evaluate '" + text_).number(*root_) != 0;
}

}  // namespace hpclab
