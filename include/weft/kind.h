#ifndef WEFT_KIND_H
#define WEFT_KIND_H

/// The transform along one axis, in C. weft/kind.hpp explains the kinds.
enum weft_kind {
  WEFT_C2C = 0,
  WEFT_R2C = 1,
  WEFT_DCT1 = 2,
  WEFT_DCT2 = 3,
  WEFT_DCT3 = 4,
  WEFT_DCT4 = 5,
  WEFT_DST1 = 6,
  WEFT_DST2 = 7,
  WEFT_DST3 = 8,
  WEFT_DST4 = 9,
  WEFT_DHT = 10
};

#endif
