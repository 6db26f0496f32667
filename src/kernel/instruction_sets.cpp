#include "kernel/instruction_sets.hpp"

#include <array>
#include <cstdlib>
#include <string_view>

#include "weft/error.hpp"

namespace weft::kernel {
namespace {

constexpr std::array all{InstructionSet::v1, InstructionSet::v3, InstructionSet::v4};

[[noreturn]] void reject(const std::string& rule, std::string_view given,
                         const std::string& remedy) {
  throw Error(ErrorCode::invalid_argument,
              "WEFT_ISA must be " + rule + "; given \"" + std::string(given) + "\"; " + remedy);
}

InstructionSet named(std::string_view word) {
  for (const InstructionSet set : all)
    if (word == to_string(set)) return set;
  reject("v1, v3 or v4", word, "leave it out for the widest set of this processor");
}

}  // namespace

const char* to_string(InstructionSet set) {
  switch (set) {
    case InstructionSet::v1:
      return "v1";
    case InstructionSet::v3:
      return "v3";
    case InstructionSet::v4:
      return "v4";
  }
  return "unknown";
}

InstructionSet widest_instruction_set() {
#if defined(__x86_64__)
  // Every processor with these instructions has the others of its level (F16C, LZCNT, MOVBE). Not
  // every compiler can test for the others.
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
      !__builtin_cpu_supports("bmi") || !__builtin_cpu_supports("bmi2"))
    return InstructionSet::v1;
  if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
      !__builtin_cpu_supports("avx512cd") || !__builtin_cpu_supports("avx512dq") ||
      !__builtin_cpu_supports("avx512vl"))
    return InstructionSet::v3;
  return InstructionSet::v4;
#else
  return InstructionSet::v1;
#endif
}

InstructionSet instruction_set() {
  const InstructionSet widest = widest_instruction_set();
  const char* word = std::getenv("WEFT_ISA");
  if (word == nullptr || *word == '\0') return widest;
  const InstructionSet wanted = named(word);
  if (wanted > widest)
    reject("at most " + std::string(to_string(widest)) + " on this processor", word,
           "leave it out, or name a narrower set");
  return wanted;
}

InstructionSet usable_instruction_set() noexcept {
  try {
    return instruction_set();
  } catch (const std::exception&) {
    return widest_instruction_set();
  }
}

std::string describe(InstructionSet set) {
#if defined(__x86_64__)
  switch (set) {
    case InstructionSet::v1:
      return "x86-64 (SSE2)";
    case InstructionSet::v3:
      return "x86-64-v3 (AVX2, FMA)";
    case InstructionSet::v4:
      return "x86-64-v4 (AVX-512)";
  }
#endif
  return "the baseline of the build";
}

}  // namespace weft::kernel
