#include "plan/methods/presets.hpp"

namespace weft {

Exchange preset_exchange(Preset preset, std::size_t number) {
  Exchange choices;
  switch (preset) {
    case Preset::none:
      return choices;
    case Preset::fftw:
      return {.method = Method::collective, .wire_form = WireForm::packed, .chunks = 1};
    case Preset::p3dfft:
      return {.method = Method::collective,
              .wire_form = WireForm::packed,
              .chunks = number == 0 ? every_slice : 1};
    case Preset::dmitruk:
      choices = {.schedule = Schedule::pairwise, .chunks = 1};
      break;
    case Preset::duke:
      choices = {.schedule = Schedule::scattered, .chunks = every_slice};
      break;
    case Preset::fft2d_i:
      choices = {.wire_form = WireForm::datatype, .schedule = Schedule::scattered, .chunks = 1};
      break;
    case Preset::fft2d_p:
      choices = {.wire_form = WireForm::datatype,
                 .schedule = Schedule::scattered,
                 .requests = Requests::persistent,
                 .chunks = every_slice};
      break;
  }
  choices.method = Method::messages;
  if (choices.wire_form == WireForm::automatic) choices.wire_form = WireForm::packed;
  if (choices.requests == Requests::automatic) choices.requests = Requests::ordinary;
  return choices;
}

}  // namespace weft
