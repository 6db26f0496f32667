// Checks OpenMP in a forked child. Without kernel::end_threads_before_forks the child would wait
// for ever.
#include "kernel/forks.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <string>

#include "kernel/engine.hpp"
#include "unit/support/in_child.hpp"

namespace weft {
namespace {

int sum_of_two_threads() {
  int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  sum += omp_get_thread_num() + 1;
  return sum;
}

TEST(KernelForks, a_child_works_with_threads_of_its_own) {
  kernel::default_engine();  // as every transform does
  ASSERT_EQ(sum_of_two_threads(), 3);
  EXPECT_EQ(test_support::in_child([] { return std::to_string(sum_of_two_threads()); }), "3");
  EXPECT_EQ(sum_of_two_threads(), 3) << "the parent still has its threads";
}

}  // namespace
}  // namespace weft
