#include "planning/superlevels.hpp"

#include "bmmc/plan/analysis.hpp"
#include "value.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace weft::python {
namespace {

using bmmc::FftAnalysis;
using bmmc::PermutationAnalysis;
using bmmc::ProcessorTraffic;

nb::list passes_of(const PermutationAnalysis& permutation) {
  nb::list passes;
  for (std::size_t k = 0; k < permutation.passes.size(); ++k) {
    const ProcessorTraffic& traffic = permutation.crossings[k];
    nb::dict pass;
    pass["kind"] = bmmc::word_of(permutation.passes[k].kind);
    pass["crossing_rank"] = traffic.rank;
    pass["messages"] = traffic.messages;
    pass["records"] = traffic.records;
    passes.append(pass);
  }
  return passes;
}

nb::list permutations_of(const FftAnalysis& analysis) {
  nb::list permutations;
  for (const PermutationAnalysis& each : analysis.permutations) {
    nb::dict permutation;
    permutation["name"] = each.name;
    permutation["passes"] = passes_of(each);
    permutations.append(permutation);
  }
  return permutations;
}

FftAnalysis analyzed(const std::string& method, std::int64_t points, std::int64_t memory_bytes,
                     std::int64_t block_bytes, std::int64_t disks, std::int64_t processors,
                     std::int64_t record_bytes, std::int64_t butterfly_buffers,
                     std::int64_t permutation_buffers, const std::string& factoring) {
  return bmmc::analyze({.points = points,
                        .memory_bytes = memory_bytes,
                        .block_bytes = block_bytes,
                        .disks = disks,
                        .processors = processors,
                        .record_bytes = record_bytes,
                        .butterfly_buffers = butterfly_buffers,
                        .permutation_buffers = permutation_buffers,
                        .factoring = bmmc::factoring_of(factoring)},
                       bmmc::fft_method_of(method));
}

/// Returns the arguments of analyzed().
nb::object analysis_state(const FftAnalysis& analysis) {
  const bmmc::SuperlevelFft& fft = analysis.fft;
  return nb::make_tuple(bmmc::to_string(analysis.method), fft.points, fft.memory_bytes,
                        fft.block_bytes, fft.disks, fft.processors, fft.record_bytes,
                        fft.butterfly_buffers, fft.permutation_buffers,
                        bmmc::to_string(fft.factoring));
}

FftAnalysis analysis_of(const nb::tuple& state) {
  const auto number = [&](int at) { return nb::cast<std::int64_t>(state[at]); };
  return analyzed(nb::cast<std::string>(state[0]), number(1), number(2), number(3), number(4),
                  number(5), number(6), number(7), number(8), nb::cast<std::string>(state[9]));
}

void bind_analysis(nb::module_& m) {
  nb::class_<FftAnalysis> bound(
      m, "OutOfCoreAnalysis",
      "The reads, writes and messages of an out-of-core FFT by superlevels. Counts are per "
      "processor.\n"
      "Messages are those of the busiest processor, bytes are averages.");
  bound
      .def_prop_ro(
          "method", [](const FftAnalysis& a) { return bmmc::to_string(a.method); },
          "The layout of the data, and whether mini-butterflies communicate.")
      .def_ro("lg_band", &FftAnalysis::lg_band, "lg of the band size, in records.")
      .def_ro("lg_span", &FftAnalysis::lg_span, "lg of the records of a mini-butterfly.")
      .def_prop_ro(
          "depths", [](const FftAnalysis& a) { return as_tuple(a.depths); },
          "Butterfly stages of each superlevel.")
      .def_prop_ro("permutations", &permutations_of,
                   "The permutations in their order: name and passes, each with its kind, rank of "
                   "crossing, messages and records.")
      .def_ro("passes", &FftAnalysis::passes, "Passes over the disks in all.")
      .def_ro("parallel_ios", &FftAnalysis::parallel_ios, "Parallel I/Os in all.")
      .def_ro("butterfly_messages", &FftAnalysis::butterfly_messages,
              "Messages of mini-butterflies.")
      .def_ro("butterfly_bytes", &FftAnalysis::butterfly_bytes, "Bytes of these messages.")
      .def_ro("permutation_messages", &FftAnalysis::permutation_messages,
              "Messages of permutations.")
      .def_ro("permutation_bytes", &FftAnalysis::permutation_bytes, "Bytes of these messages.")
      .def_prop_ro("messages", &FftAnalysis::messages, "All messages.")
      .def_prop_ro("bytes", &FftAnalysis::bytes, "All bytes.")
      .def("__repr__", [](const FftAnalysis& a) {
        return "<weft.ooc.Analysis " + std::string(bmmc::to_string(a.method)) + ", " +
               std::to_string(a.passes) + " passes>";
      });
  bind_value(bound, &analysis_state, &analysis_of);
}

}  // namespace

void bind_superlevels(nb::module_& m) {
  bind_analysis(m);
  m.def("analyze_superlevels", &analyzed, "method"_a, "points"_a, "memory_bytes"_a, "block_bytes"_a,
        "disks"_a, "processors"_a, "record_bytes"_a, "butterfly_buffers"_a, "permutation_buffers"_a,
        "factoring"_a, "Counts the operations of one method; pure.");
  m.def("superlevel_range", &bmmc::superlevel_range, "lg_span"_a, "superlevels"_a,
        "Returns lg of the smallest and largest N with this number of superlevels.");
  nb::list methods;
  for (const bmmc::FftMethod method : bmmc::fft_methods) methods.append(bmmc::to_string(method));
  m.attr("SUPERLEVEL_METHODS") = nb::tuple(methods);
}

}  // namespace weft::python
