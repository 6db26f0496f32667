#include "plan/methods/presets.hpp"

namespace weft {

Knobs preset_knobs(Preset preset, std::size_t exchange) {
  Knobs knobs;
  switch (preset) {
    case Preset::none:
      return knobs;
    case Preset::fftw:
      return {.method = Method::collective, .wire_form = WireForm::packed, .chunks = 1};
    case Preset::p3dfft:
      return {.method = Method::collective,
              .wire_form = WireForm::packed,
              .chunks = exchange == 0 ? every_slice : 1};
    case Preset::dmitruk:
      knobs = {.schedule = Schedule::pairwise, .chunks = 1};
      break;
    case Preset::duke:
      knobs = {.schedule = Schedule::scattered, .chunks = every_slice};
      break;
    case Preset::fft2d_i:
      knobs = {.wire_form = WireForm::datatype, .schedule = Schedule::scattered, .chunks = 1};
      break;
    case Preset::fft2d_p:
      knobs = {.wire_form = WireForm::datatype,
               .schedule = Schedule::scattered,
               .requests = Requests::persistent,
               .chunks = every_slice};
      break;
  }
  knobs.method = Method::messages;
  if (knobs.wire_form == WireForm::automatic) knobs.wire_form = WireForm::packed;
  if (knobs.requests == Requests::automatic) knobs.requests = Requests::ordinary;
  return knobs;
}

}  // namespace weft
