#include "model/measured_exchanges.hpp"

#include <gtest/gtest.h>

#include "unit/support/expect_error.hpp"

namespace weft::model {
namespace {

using test_support::expect_error;

Machine blocking_machine() {
  Machine machine;
  machine.blocking = {{1024, 2, 3, 4, 5}};
  return machine;
}

TEST(MeasuredExchanges, each_order_of_messages_has_its_own_factor) {
  const Machine machine = blocking_machine();
  const auto of = [&](Method method, Schedule schedule) {
    return blocking_of(machine, {.method = method, .schedule = schedule}, 1024);
  };
  EXPECT_EQ(of(Method::messages, Schedule::pairwise), 2);
  EXPECT_EQ(of(Method::messages, Schedule::cyclic), 3);
  EXPECT_EQ(of(Method::messages, Schedule::scattered), 4);
  EXPECT_EQ(of(Method::collective, Schedule::automatic), 5);
}

TEST(MeasuredExchanges, an_exchange_without_an_order_of_messages_has_no_factor) {
  const Machine machine = blocking_machine();
  for (const Exchange& exchange :
       {Exchange{.method = Method::shared}, Exchange{.method = Method::automatic},
        Exchange{.method = Method::messages, .schedule = Schedule::automatic}})
    expect_error(ErrorCode::internal, {"no blocking was measured", describe(exchange)},
                 [&] { blocking_of(machine, exchange, 1024); });
}

}  // namespace
}  // namespace weft::model
