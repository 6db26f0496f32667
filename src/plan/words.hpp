#pragma once

#include <array>

#include <weft/boundary.hpp>
#include <weft/plan.hpp>

#include "base/kind_words.hpp"
#include "base/words.hpp"

namespace weft {

template <>
struct Words<Norm> {
  static constexpr const char* name = "norm";
  static constexpr std::array table{Word{Norm::none, "none"}, Word{Norm::backward, "backward"},
                                    Word{Norm::ortho, "ortho"}, Word{Norm::forward, "forward"}};
};

template <>
struct Words<OutputChoice> {
  static constexpr const char* name = "output";
  static constexpr std::array table{Word{OutputChoice::any, "any"},
                                    Word{OutputChoice::same, "same"},
                                    Word{OutputChoice::given, "given"}};
};

template <>
struct Words<Method> {
  static constexpr const char* name = "method";
  static constexpr std::array table{
      Word{Method::automatic, "automatic"}, Word{Method::collective, "collective"},
      Word{Method::messages, "messages"}, Word{Method::shared, "shared"}, Word{Method::rma, "rma"}};
};

template <>
struct Words<WireForm> {
  static constexpr const char* name = "wire form";
  static constexpr std::array table{Word{WireForm::automatic, "automatic"},
                                    Word{WireForm::packed, "packed"},
                                    Word{WireForm::datatype, "datatype"}};
};

template <>
struct Words<Schedule> {
  static constexpr const char* name = "schedule";
  static constexpr std::array table{
      Word{Schedule::automatic, "automatic"}, Word{Schedule::pairwise, "pairwise"},
      Word{Schedule::cyclic, "cyclic"}, Word{Schedule::scattered, "scattered"}};
};

template <>
struct Words<Requests> {
  static constexpr const char* name = "requests";
  static constexpr std::array table{Word{Requests::automatic, "automatic"},
                                    Word{Requests::ordinary, "ordinary"},
                                    Word{Requests::persistent, "persistent"}};
};

template <>
struct Words<NodeUse> {
  static constexpr const char* name = "nodes";
  static constexpr std::array table{
      Word{NodeUse::automatic, "automatic"}, Word{NodeUse::unaware, "unaware"},
      Word{NodeUse::separate, "separate"}, Word{NodeUse::combined, "combined"}};
};

template <>
struct Words<WirePrecision> {
  static constexpr const char* name = "wire";
  static constexpr std::array table{Word{WirePrecision::same, "same"},
                                    Word{WirePrecision::f32, "f32"}};
};

template <>
struct Words<Limit> {
  static constexpr const char* name = "limit";
  static constexpr std::array table{
      Word{Limit::arithmetic, "arithmetic"}, Word{Limit::memory, "memory"},
      Word{Limit::latency, "latency"},       Word{Limit::bandwidth, "bandwidth"},
      Word{Limit::congestion, "congestion"}, Word{Limit::nothing, "nothing"}};
};

template <>
struct Words<Preset> {
  static constexpr const char* name = "preset";
  static constexpr std::array table{
      Word{Preset::none, "none"},       Word{Preset::fftw, "fftw"},
      Word{Preset::dmitruk, "dmitruk"}, Word{Preset::duke, "duke"},
      Word{Preset::fft2d_i, "fft2d-i"}, Word{Preset::fft2d_p, "fft2d-p"},
      Word{Preset::p3dfft, "p3dfft"}};
};

template <>
struct Words<Boundary> {
  static constexpr const char* name = "boundary";
  static constexpr std::array table{
      Word{Boundary::periodic, "periodic"}, Word{Boundary::dirichlet, "dirichlet"},
      Word{Boundary::neumann, "neumann"}, Word{Boundary::open, "open"}};
};

template <>
struct Words<GridPoints> {
  static constexpr const char* name = "points";
  static constexpr std::array table{Word{GridPoints::cells, "cells"},
                                    Word{GridPoints::nodes, "nodes"}};
};

template <>
struct Words<PoissonOrder> {
  static constexpr const char* name = "order";
  static constexpr std::array table{Word{PoissonOrder::spectral, "spectral"},
                                    Word{PoissonOrder::second, "second"}};
};

}  // namespace weft
