#include "ooc/price.hpp"

#include <algorithm>
#include <numeric>

#include "model/cost.hpp"
#include "model/moving.hpp"

namespace weft::ooc {
namespace {

/// The widest panel, and how many of it make the pass.
struct Typical {
  std::vector<Panel> parts;
  std::int64_t panels = 1;
  double share = 1;  ///< of it that a panel has on average
};

Typical typical_of(const FftPass& pass) {
  // Where columns come with their mirrors the first panel may lack a column's mirror.
  const std::int64_t panels = panel_count(pass);
  Typical found{panel_parts(pass, pass.mirrors() && panels > 1 ? 1 : 0), panels};
  std::int64_t most = 0;
  for (const Panel& panel : found.parts) most += elements(pass, panel);
  found.share = static_cast<double>(pass.elements()) / static_cast<double>(panels) /
                static_cast<double>(most);
  return found;
}

class PassPricer {
 public:
  PassPricer(const FftPasses& plan, const FftPass& pass, const Machine& machine,
             const Storage& storage)
      : plan_(plan),
        pass_(pass),
        machine_(machine),
        storage_(storage),
        typical_(typical_of(pass)),
        element_bytes_(static_cast<double>(plan.element_bytes)),
        panel_elements_(static_cast<double>(pass.elements()) /
                        static_cast<double>(typical_.panels)) {
    problem_.precision = plan.problem.precision;
    problem_.threads = plan.problem.threads;
  }

  PassPrice price() const {
    std::vector<double> reading(storage_.disks.size());
    std::vector<double> writing(reading.size());
    add_disk(pass_.source, Access::read, reading);
    add_disk(pass_.target, Access::write, writing);
    if (pass_.journaled) add_journal(writing);
    const double arithmetic_s = panel_arithmetic_s();
    const double memory_s = panel_memory_s();
    PanelTimes panel{.read_s = busiest(reading),
                     .write_s = busiest(writing),
                     .disk_s = 0,
                     .compute_s = arithmetic_s + memory_s,
                     .latency_s = latency_s()};
    for (std::size_t k = 0; k < reading.size(); ++k) reading[k] += writing[k];
    panel.disk_s = storage_.asynchronous ? busiest(reading) : panel.read_s + panel.write_s;
    const auto panels = static_cast<double>(typical_.panels);
    PassPrice price{.read_s = panels * panel.read_s,
                    .write_s = panels * panel.write_s,
                    .arithmetic_s = panels * arithmetic_s,
                    .memory_s = panels * memory_s};
    if (overlaps() || waits_to_read())
      price.ends_s = panel.read_s + panel.write_s + 2 * panel.latency_s;
    price.seconds =
        waits_to_read()
            ? price.ends_s + panels * (panel.read_s + std::max(panel.compute_s, panel.write_s))
            : pipelined(panel, typical_.panels, overlaps());
    if (panel.compute_s > panel.disk_s)
      price.limit = arithmetic_s > memory_s ? PassLimit::arithmetic : PassLimit::memory;
    return price;
  }

 private:
  /// A panel is read, one transformed, into another where the order changes, one written.
  bool overlaps() const {
    return storage_.asynchronous && plan_.problem.buffers >= (pass_.keeps_order() ? 3 : 4);
  }

  /// With three buffers and another one to transform into, the next panel is read when the one before
  /// has been transformed, while that is written.
  bool waits_to_read() const {
    return storage_.asynchronous && plan_.problem.buffers == 3 && !pass_.keeps_order();
  }

  void add_disk(Where where, Access access, std::vector<double>& seconds) const {
    DiskWork work;
    const bool reads = access == Access::read;
    const auto side_bytes = static_cast<double>(reads ? plan_.source_element_bytes(pass_)
                                                      : plan_.target_element_bytes(pass_));
    for (const RunGrid& grid :
         reads ? reads_of(pass_, typical_.parts) : writes_of(pass_, typical_.parts)) {
      work.runs += grid.runs();
      work.bytes += static_cast<double>(grid.runs() * grid.length) * side_bytes;
    }
    std::vector<double> widest(seconds.size());
    add_seconds(storage_, where, access, work, plan_.problem.block_bytes, widest);
    for (std::size_t k = 0; k < seconds.size(); ++k) seconds[k] += widest[k] * typical_.share;
  }

  /// A panel goes into the journal in one run.
  void add_journal(std::vector<double>& seconds) const {
    const DiskWork work{1, panel_elements_ * element_bytes_};
    add_seconds(storage_, Where::scratch, Access::write, work, plan_.problem.block_bytes, seconds);
  }

  /// The caller's thread does the accesses of all disks one after the other.
  double busiest(const std::vector<double>& seconds) const {
    if (!storage_.asynchronous) return std::accumulate(seconds.begin(), seconds.end(), 0.0);
    return *std::max_element(seconds.begin(), seconds.end());
  }

  /// Of a caller that waits for each access it is part of that.
  double latency_s() const {
    double most = 0;
    if (!storage_.asynchronous) return most;
    for (const Where where : {pass_.source, pass_.target})
      if (where != Where::nothing)
        for (const std::size_t disk : storage_.of(where))
          most = std::max(most, storage_.disks[disk].latency_s);
    return most;
  }

  double panel_arithmetic_s() const {
    double seconds = 0;
    for (const PanelAxis& axis : pass_.axes)
      seconds += panel_elements_ / static_cast<double>(axis.length) *
                 model::line_seconds(machine_, problem_.precision, problem_.effort,
                                     axis.halved ? Kind::r2c : Kind::c2c, axis.length);
    if (pass_.convolves) seconds *= 2;  // there and back
    const int multiplied = (pass_.twiddle != TwiddleBy::none ? 1 : 0) + (pass_.mirrors() ? 1 : 0) +
                           (pass_.chirp != Chirp::none ? 1 : 0) + (pass_.convolves ? 1 : 0);
    seconds += multiplied * model::twiddle_seconds(machine_, problem_.precision, problem_.effort,
                                                   static_cast<std::int64_t>(panel_elements_));
    return seconds * model::share_of_core(problem_, 1, machine_);
  }

  double panel_memory_s() const {
    double seconds = 0;
    for (const PanelAxis& axis : pass_.axes) seconds += moving_s(moved(axis));
    return seconds + (pass_.mirrors() ? moving_s(model::Moved::contiguous) : 0);
  }

  double moving_s(model::Moved how) const {
    return model::moving_seconds(2 * panel_elements_ * element_bytes_, how, problem_, 1, machine_);
  }

  /// How the lines of an axis lie in a panel.
  model::Moved moved(const PanelAxis& axis) const {
    constexpr std::int64_t line_bytes = 64;
    const Panel& panel = typical_.parts[0];
    const std::int64_t columns = axis.after * panel.rests * panel.inners;
    if (columns == 1) return model::Moved::contiguous;
    return columns * plan_.element_bytes % line_bytes == 0 ? model::Moved::transposed
                                                           : model::Moved::ragged;
  }

  const FftPasses& plan_;
  const FftPass& pass_;
  const Machine& machine_;
  const Storage& storage_;
  Typical typical_;
  double element_bytes_;
  double panel_elements_;  ///< on average
  Problem problem_;        ///< for the model: one rank, its precision and threads
};

}  // namespace

const char* to_string(PassLimit limit) {
  return limit == PassLimit::disk         ? "disk"
         : limit == PassLimit::arithmetic ? "arithmetic"
                                          : "memory";
}

double PassesPrice::seconds() const {
  double sum = 0;
  for (const PassPrice& pass : passes) sum += pass.seconds;
  return sum;
}

double pipelined(const PanelTimes& panel, std::int64_t panels, bool overlaps) {
  const double ends = panel.read_s + panel.write_s + 2 * panel.latency_s;
  if (!overlaps) return static_cast<double>(panels) * (ends + panel.compute_s);
  if (panels == 1) return ends + panel.compute_s;
  return ends + std::max(panel.compute_s, panel.read_s) + std::max(panel.compute_s, panel.write_s) +
         static_cast<double>(panels - 2) * std::max(panel.compute_s, panel.disk_s);
}

PassesPrice price_of(const FftPasses& plan, const Machine& machine, const Storage& storage) {
  check(machine);
  check(storage);
  PassesPrice price;
  for (const FftPass& pass : plan.passes)
    price.passes.push_back(PassPricer(plan, pass, machine, storage).price());
  return price;
}

}  // namespace weft::ooc
