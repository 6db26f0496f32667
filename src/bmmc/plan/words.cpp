#include "base/from_string.hpp"

#include "bmmc/plan/analysis.hpp"

namespace weft {

template <>
struct Words<bmmc::FftMethod> {
  static constexpr const char* name = "method of an out-of-core FFT";
  static constexpr std::array table{
      Word{bmmc::FftMethod::stripe_communicating, "stripe-major/communication"},
      Word{bmmc::FftMethod::memoryload_communicating, "memoryload-major/communication"},
      Word{bmmc::FftMethod::processor_local, "processor-major/no-communication"},
      Word{bmmc::FftMethod::memoryload_local, "memoryload-major/no-communication"}};
};

template <>
struct Words<bmmc::Factoring> {
  static constexpr const char* name = "factoring of permutations";
  static constexpr std::array table{Word{bmmc::Factoring::published, "published"},
                                    Word{bmmc::Factoring::least_crossing, "least-crossing"}};
};

namespace bmmc {

const std::vector<FftMethod> fft_methods = {
    FftMethod::stripe_communicating, FftMethod::memoryload_communicating,
    FftMethod::processor_local, FftMethod::memoryload_local};

const char* to_string(FftMethod method) { return weft::word_of(method); }
FftMethod fft_method_of(std::string_view word) { return from_string<FftMethod>(word); }

const char* to_string(Factoring factoring) { return weft::word_of(factoring); }
Factoring factoring_of(std::string_view word) { return from_string<Factoring>(word); }

}  // namespace bmmc
}  // namespace weft
