#include <array>
#include <map>

#include "base/memory.hpp"
#include "isa/ducc0_lines.hpp"
#include "kernel/engines.hpp"
#include "kernel/instruction_sets.hpp"
#include "weft/error.hpp"

// ducc0's FFT as an engine, compiled for each instruction set (src/isa). ducc0's threads are not
// used: weft's threads work on batches of lines.

namespace weft::kernel {
namespace {

using isa::DuccFunctions;
using isa::DuccLines;
using isa::DuccStatus;
using isa::DuccTable;
using isa::DuccTables;

/// Returns the instruction set whose functions are used. Some builds have only the baseline.
InstructionSet set_in_use() {
#ifdef WEFT_HAVE_WIDE_SETS
  return instruction_set();
#else
  return InstructionSet::v1;
#endif
}

const DuccTable& table_of(InstructionSet set) {
#ifdef WEFT_HAVE_WIDE_SETS
  if (set == InstructionSet::v3) return *weft_ducc0_lines_v3();
  if (set == InstructionSet::v4) return *weft_ducc0_lines_v4();
#endif
  return *weft_ducc0_lines_v1();
}

/// Returns memory of the calling thread, of at least this size. It is freed when the thread ends.
void* workspace(std::int64_t bytes) {
  thread_local AlignedBuffer memory;
  if (memory.size() < bytes) {
    memory = AlignedBuffer();  // frees the old memory first: both together may not fit
    memory = AlignedBuffer(bytes);
  }
  return memory.data();
}

weft_kind kind_of(const LineProblem& problem) { return static_cast<weft_kind>(problem.kind.kind); }

/// Returns the number of reals in an element.
std::int64_t reals_of(std::int64_t element_bytes, Precision precision) {
  return element_bytes / real_bytes(precision);
}

/// Owns the tables of one kind and length. Transforms of any count, pitch and direction share them.
class Tables {
 public:
  Tables(const DuccFunctions& functions, const LineProblem& problem)
      : functions_(functions), kind_(kind_of(problem)) {
    std::array<char, 256> reason{};
    const auto status =
        functions.make(problem.length, kind_, &made_, reason.data(), std::int64_t{reason.size()});
    if (status == DuccStatus::no_memory)
      throw Error(ErrorCode::out_of_memory,
                  "no memory for the tables of ducc0 for " + describe(problem));
    if (status == DuccStatus::failed)
      throw Error(ErrorCode::fft_failure,
                  "ducc0 made no plan for " + describe(problem) + ": " + reason.data());
  }
  Tables(const Tables&) = delete;
  Tables& operator=(const Tables&) = delete;
  ~Tables() { functions_.free(made_.tables, kind_); }

  void execute(const DuccLines& lines, const void* in, void* out) const {
    functions_.execute(made_.tables, &lines, in, out, workspace(made_.workspace_bytes));
  }

 private:
  const DuccFunctions& functions_;
  weft_kind kind_;
  DuccTables made_{};
};

class DuccTransform final : public LineTransform {
 public:
  DuccTransform(const LineProblem& problem, std::shared_ptr<const Tables> tables)
      : tables_(std::move(tables)),
        lines_{.kind = kind_of(problem),
               .forward = problem.kind.direction == Direction::forward,
               .parts = problem.parts,
               .length = problem.length,
               .count = problem.count,
               .in_pitch =
                   problem.in_pitch * reals_of(input_element_bytes(problem), problem.precision),
               .out_pitch =
                   problem.out_pitch * reals_of(output_element_bytes(problem), problem.precision),
               .across = problem.form == TileForm::across} {}

  void execute(void* in, void* out) const override { tables_->execute(lines_, in, out); }

  bool execute_first(void* in, void* out, std::int64_t count) const override {
    DuccLines first = lines_;
    first.count = count;
    tables_->execute(first, in, out);
    return true;
  }

 private:
  std::shared_ptr<const Tables> tables_;
  DuccLines lines_;
};

class DuccEngine final : public Engine {
 public:
  DuccEngine() : set_(set_in_use()), table_(table_of(set_)) {}

  std::string name() const override { return "ducc0"; }

  std::string description() const override {
    return "ducc0 " WEFT_DUCC0_VERSION " for " + kernel::describe(set_) + ", vectors of " +
           std::to_string(table_.f64.lanes) + " f64, " + std::to_string(table_.f32.lanes) + " f32";
  }

  bool supports(Precision) const override { return true; }

  /// Returns the number of lanes of a vector: one call fills it with lines.
  std::int64_t lines_together(Precision precision, std::int64_t, TileForm) const override {
    return functions(precision).lanes;
  }

 private:
  /// Called by one thread at a time for each precision, so its tables need no lock.
  std::shared_ptr<const LineTransform> make(const LineProblem& problem) override {
    auto& known = tables_.at(static_cast<std::size_t>(problem.precision));
    const Key key{problem.length, table_.sharing(kind_of(problem))};
    auto tables = known[key].lock();
    if (!tables) {
      std::erase_if(known, [](const auto& entry) { return entry.second.expired(); });
      tables = std::make_shared<const Tables>(functions(problem.precision), problem);
      known[key] = tables;
    }
    return std::make_shared<DuccTransform>(problem, std::move(tables));
  }

  const DuccFunctions& functions(Precision precision) const {
    switch (precision) {
      case Precision::f32:
        return table_.f32;
      case Precision::f64:
        return table_.f64;
      case Precision::f80:
        return table_of(InstructionSet::v1).f80;
    }
    throw Error(ErrorCode::internal, "a precision that ducc0's engine does not know");
  }

  using Key = std::pair<std::int64_t, weft_kind>;
  InstructionSet set_;
  const DuccTable& table_;
  std::array<std::map<Key, std::weak_ptr<const Tables>>, 3> tables_;
};

}  // namespace

std::unique_ptr<Engine> make_ducc0_engine() { return std::make_unique<DuccEngine>(); }

}  // namespace weft::kernel
