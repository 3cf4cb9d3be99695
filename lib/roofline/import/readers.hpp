// hpclab: SPDX-License-Identifier: Apache-2.0
//
// One reader a log format: a line that only such logs have, and the points of the whole log.
#pragma once

#include "formats/line_reader.hpp"
#include "roofline/import/log.hpp"
#include "roofline/import/point.hpp"

#include <string_view>
#include <vector>

namespace hpclab::roofline::import {

bool is_babelstream_line(std::string_view line);
std::vector<Point> read_babelstream(formats::LineReader& lines, Launches launches);

bool is_likwid_bench_line(std::string_view line);
std::vector<Point> read_likwid_bench(formats::LineReader& lines, Launches launches);

bool is_likwid_perfctr_line(std::string_view line);
std::vector<Point> read_likwid_perfctr(formats::LineReader& lines, Launches launches);

bool is_nekrs_line(std::string_view line);
std::vector<Point> read_nekrs(formats::LineReader& lines, Launches launches);

bool is_hipbone_line(std::string_view line);
std::vector<Point> read_hipbone(formats::LineReader& lines, Launches launches);

bool is_dealii_line(std::string_view line);
std::vector<Point> read_dealii(formats::LineReader& lines, Launches launches);

bool is_gpu_benches_line(std::string_view line);
std::vector<Point> read_gpu_benches(formats::LineReader& lines, Launches launches);

bool is_carm_line(std::string_view line);
std::vector<Point> read_carm(formats::LineReader& lines, Launches launches);

bool is_ncu_line(std::string_view line);
std::vector<Point> read_ncu(formats::LineReader& lines, Launches launches);

bool is_rocprof_line(std::string_view line);
std::vector<Point> read_rocprof(formats::LineReader& lines, Launches launches);

bool is_rocprof_roofline_line(std::string_view line);
std::vector<Point> read_rocprof_roofline(formats::LineReader& lines, Launches launches);

}  // namespace hpclab::roofline::import
