// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/claim.hpp"

#include "core/error.hpp"
#include "core/json_file.hpp"
#include "core/json_place.hpp"
#include "core/nearest_name.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab {
namespace {

std::string plain_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

ClaimKind kind_from(const JsonPlace& place) {
  const std::string word = place.text();
  std::vector<std::string> names;
  for (ClaimKind kind : all_claim_kinds) {
    if (name_of(kind) == word) return kind;
    names.push_back(name_of(kind));
  }
  place.fail(fmt::format("unknown kind '{}'{}", word, suggestion(word, names)));
}

void set_parameters(ClaimCase& of, const JsonPlace& parameters) {
  if (!parameters.json().is_object()) parameters.fail("an object is needed");
  for (const auto& [name, value] : parameters.json().items()) {
    const JsonPlace place = parameters.at(name);
    const ParameterSpec& spec = find_parameter(of.study->parameters, name, parameters.where());
    of.parameters[name] = spec.check(value, place.where());
  }
}

// Keys that say which case is meant: the claim's own, or of what it is divided by.
const std::vector<std::string> case_keys{"parameters", "method", "backend", "machine", "seed"};

void set_case(ClaimCase& of, const JsonPlace& place) {
  if (place.has("parameters")) set_parameters(of, place.at("parameters"));
  if (place.has("method")) {
    const JsonPlace method = place.at("method");
    of.method = parse_method(method.text(), method.where());
  }
  if (place.has("backend")) {
    const JsonPlace backend = place.at("backend");
    of.backend = parse_backend(backend.text(), backend.where());
  }
  if (place.has("machine")) of.machine = place.at("machine").text();
  if (place.has("seed")) {
    const JsonPlace seed = place.at("seed");
    if (!seed.json().is_number_unsigned() || seed.json().get<std::uint64_t>() > 1ull << 53)
      seed.fail("a whole number from 0 to 2^53 is needed");
    of.seed = seed.json().get<std::uint64_t>();
  }
}

// A case must say what its answer depends on, or the claim would hold on one host only.
void check_case(const ClaimCase& of, const JsonPlace& place) {
  const Study& study = *of.study;
  const Method method = of.method;
  if (!study.has(method)) {
    place.fail(fmt::format("{} {} has no method '{}'", study.lab, study.name, name_of(method)));
  }
  if (method == Method::measure && !of.backend) place.fail("a measurement needs a 'backend'");
  if (method != Method::measure && of.backend) place.fail("only a measurement has a 'backend'");
  if (study.reads_machine_profile && method != Method::measure && of.machine.empty())
    place.fail("the study reads a machine profile: 'machine' is missing");
}

ClaimAddress address_from(const JsonPlace& place, const Study& study) {
  if (place.json().is_string()) return parse_claim_address(place.text(), study, place.where());
  const JsonPlace text = place.at("address");
  ClaimAddress address = parse_claim_address(text.text(), study, text.where());
  if (place.has("row")) {
    const JsonPlace row = place.at("row");
    if (!row.json().is_object()) row.fail("an object of column and cell is needed");
    for (const auto& [column, cell] : row.json().items()) address.row.emplace_back(column, cell);
  }
  return address;
}

void check_cell(const ClaimAddress& address, const JsonPlace& place) {
  if (address.section != "tables" && !address.row.empty()) place.fail("only a table has rows");
  if (address.section == "tables" && (address.column.empty() || address.row.empty()))
    place.fail("a figure of a table needs a column, tables.NAME.COLUMN, and a 'row'");
}

ClaimFileCell file_cell_from(const JsonPlace& place) {
  place.check_keys({"file", "line", "column", "factor"});
  ClaimFileCell cell;
  cell.path = place.at("file").text();
  cell.line = place.at("line").text();
  const JsonPlace column = place.at("column");
  const auto field = column.json().is_number_integer() ? column.json().get<std::int64_t>() : 0;
  if (field < 1 || field > 10'000) column.fail("the number of a field, counted from 1, is needed");
  cell.column = static_cast<int>(field);
  if (place.has("factor")) cell.factor = place.at("factor").number();
  return cell;
}

void set_needs(Claim& claim, const JsonPlace& place) {
  place.check_keys({"gpu", "data"});
  if (place.has("gpu")) {
    const JsonPlace gpu = place.at("gpu");
    if (gpu.json().is_string()) {
      claim.needs_gpu = gpu.text();
    } else if (gpu.json() == true) {
      claim.needs_gpu = "";
    } else {
      gpu.fail("true or a part of the device's name is needed");
    }
  }
  if (!place.has("data")) return;
  claim.needs_data = place.at("data").texts();
}

class ClaimReader {
 public:
  ClaimReader(const Study& study, std::vector<Claim>& claims) : study_(study), claims_(claims) {}

  void read(const JsonPlace& place) {
    std::vector<std::string> keys = case_keys;
    for (const char* key : {"id", "comment", "for_each", "ours", "over", "expected", "tolerance",
                            "source", "kind", "needs", "not_met"}) {
      keys.emplace_back(key);
    }
    place.check_keys(keys);
    Claim claim;
    claim.id = place.at("id").text();
    if (!ids_.insert(claim.id).second) place.at("id").fail("another claim has the same id");
    claim.tolerance =
        parse_claim_tolerance(place.at("tolerance").json(), place.at("tolerance").where());
    claim.source = place.at("source").text();
    claim.kind = kind_from(place.at("kind"));
    if (place.has("needs")) set_needs(claim, place.at("needs"));
    if (place.has("not_met")) claim.known_not_met = place.at("not_met").text();
    claim.ours.of.study = &study_;
    set_case(claim.ours.of, place);
    const JsonPlace ours = place.at("ours");
    if (!ours.json().is_string()) ours.check_keys({"address", "row"});
    claim.ours.address = address_from(ours, study_);
    if (place.has("for_each")) {
      read_list(claim, place);
    } else {
      read_figure(claim, place, place.at("expected"));
    }
  }

 private:
  // One claim for each element of the lists, which are as long as `expected`.
  void read_list(const Claim& claim, const JsonPlace& place) {
    const JsonPlace lists = place.at("for_each");
    const JsonPlace expected = place.at("expected");
    if (!lists.json().is_object() || lists.json().empty())
      lists.fail("an object of parameters and lists is needed");
    if (!expected.json().is_array()) expected.fail("with 'for_each' a list is needed");
    for (const auto& [name, list] : lists.json().items()) {
      if (!list.is_array() || list.size() != expected.json().size()) {
        lists.at(name).fail(fmt::format("a list as long as 'expected' ({} elements) is needed",
                                        expected.json().size()));
      }
    }
    for (std::size_t i = 0; i < expected.json().size(); ++i) {
      Claim one = claim;
      std::string element;
      for (const auto& [name, list] : lists.json().items()) {
        const JsonPlace value = lists.at(name).at(i);
        element +=
            fmt::format("{}{}={}", element.empty() ? "" : ", ", name, plain_text(value.json()));
        if (name == "machine") {
          one.ours.of.machine = value.text();
          continue;
        }
        const ParameterSpec& spec = find_parameter(study_.parameters, name, lists.where());
        one.ours.of.parameters[name] = spec.check(value.json(), value.where());
      }
      one.id += " (" + element + ")";
      read_figure(one, place, expected.at(i));
    }
  }

  void read_figure(const Claim& claim, const JsonPlace& place, const JsonPlace& expected) {
    check_case(claim.ours.of, place);
    if (expected.json().is_object() && expected.json().contains("rows")) {
      read_table(claim, place, expected);
      return;
    }
    check_cell(claim.ours.address, place.at("ours"));
    Claim one = claim;
    if (expected.json().is_object()) {
      one.expected_in = file_cell_from(expected);
      if (one.tolerance.rule == ClaimTolerance::Rule::within ||
          one.tolerance.rule == ClaimTolerance::Rule::contains) {
        place.at("tolerance").fail("a file gives one number, to which this does not apply");
      }
    } else {
      if (const std::string why = misfit_of(expected.json(), one.tolerance); !why.empty())
        expected.fail(why);
      one.expected = expected.json();
    }
    add(std::move(one), place);
  }

  // One claim for each cell that is no key.
  void read_table(const Claim& claim, const JsonPlace& place, const JsonPlace& table) {
    table.check_keys({"key", "columns", "rows"});
    const ClaimAddress& address = claim.ours.address;
    if (address.section != "tables" || !address.column.empty() || !address.row.empty())
      place.at("ours").fail("a table is expected: its address is tables.NAME");
    const auto keys = table.at("key").texts();
    const auto columns = table.at("columns").texts();
    for (const std::string& key : keys) {
      if (std::find(columns.begin(), columns.end(), key) == columns.end())
        table.at("key").fail(fmt::format("'{}' is no column{}", key, suggestion(key, columns)));
    }
    const JsonPlace rows = table.at("rows");
    if (!rows.json().is_array() || rows.json().empty()) rows.fail("a list of rows is needed");
    for (std::size_t r = 0; r < rows.json().size(); ++r) {
      const JsonPlace row = rows.at(r);
      if (!row.json().is_array() || row.json().size() != columns.size())
        row.fail(fmt::format("a row of {} cells is needed", columns.size()));
      std::string name;
      Claim of_row = claim;
      for (std::size_t c = 0; c < columns.size(); ++c) {
        if (std::find(keys.begin(), keys.end(), columns[c]) == keys.end()) continue;
        of_row.ours.address.row.emplace_back(columns[c], row.json()[c]);
        name += fmt::format("{}={}, ", columns[c], plain_text(row.json()[c]));
      }
      for (std::size_t c = 0; c < columns.size(); ++c) {
        if (std::find(keys.begin(), keys.end(), columns[c]) != keys.end()) continue;
        Claim one = of_row;
        one.ours.address.column = columns[c];
        one.id += " (" + name + columns[c] + ")";
        one.expected = row.json()[c];
        if (const std::string why = misfit_of(one.expected, one.tolerance); !why.empty())
          row.at(c).fail(why);
        add(std::move(one), place);
      }
    }
  }

  void add(Claim claim, const JsonPlace& place) {
    if (place.has("over")) read_divisor(claim, place.at("over"));
    claims_.push_back(std::move(claim));
  }

  // A number, another figure of the same case, or a figure of a case that differs as stated.
  void read_divisor(Claim& claim, const JsonPlace& place) const {
    if (claim.ours.address.section == "text" || claim.expected.is_string())
      place.fail("a text is not divided");
    if (place.json().is_number()) {
      claim.divisor = place.number();
      if (claim.divisor == 0) place.fail("a number other than 0 is needed");
      return;
    }
    ClaimTerm term = claim.ours;
    if (!place.json().is_string()) {
      std::vector<std::string> keys = case_keys;
      keys.emplace_back("address");
      keys.emplace_back("row");
      place.check_keys(keys);
      set_case(term.of, place);
      check_case(term.of, place);
    }
    term.address = address_from(place, study_);
    check_cell(term.address, place);
    claim.over = std::move(term);
  }

  const Study& study_;
  std::vector<Claim>& claims_;
  std::set<std::string> ids_;
};

}  // namespace

std::string name_of(ClaimKind kind) {
  switch (kind) {
    case ClaimKind::published:
      return "published";
    case ClaimKind::logged:
      return "logged";
    case ClaimKind::independent_oracle:
      return "independent oracle";
    case ClaimKind::closed_form:
      return "closed form";
  }
  return "?";
}

std::vector<Claim> claims_from_json(const Json& document, const Registry& registry,
                                    const std::string& where) {
  const JsonPlace root(document, where);
  root.check_keys({"$schema", "comment", "lab", "study", "claims"});
  const Study& study =
      registry.find(root.at("lab").text(), root.at("study").text(), where + ": /study");
  const JsonPlace list = root.at("claims");
  if (!list.json().is_array() || list.json().empty())
    list.fail("a list with at least one claim is needed");
  std::vector<Claim> claims;
  ClaimReader reader(study, claims);
  for (std::size_t i = 0; i < list.json().size(); ++i) reader.read(list.at(i));
  return claims;
}

std::vector<Claim> read_claims(const std::filesystem::path& path, const Registry& registry) {
  const Json document = read_json_file(path);
  std::vector<Claim> claims = claims_from_json(document, registry, path.string());
  const Study& study = *claims.front().ours.of.study;
  if (path.stem() != study.name || path.parent_path().filename() != study.lab) {
    throw UsageError(fmt::format("{}: the claims of {} {} belong into {}/{}.json", path.string(),
                                 study.lab, study.name, study.lab, study.name));
  }
  return claims;
}

}  // namespace hpclab
