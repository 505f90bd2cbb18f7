/* opff.h: OPFF 1.0 in C99, without dependencies. Copy this file; include it where it is needed.
 *
 *   opff_dump("frame.opff", OPFF_F32, OPFF_INTERLEAVED, pixels, 1920, 1080, 4);     // a buffer to
 * a file
 *
 *   opff_header h;                                                                  // a mapping to
 * samples unsigned broken = opff_parse(bytes, size, size, &h); if (broken) puts(opff_rule(broken));
 * // "opff.size", ... const float *first = (const float *)((const char *)bytes + OPFF_HEADER_SIZE);
 *
 * Files are little-endian. opff_write swaps on a big-endian host; what is read is left as it is
 * stored. SPDX-License-Identifier: Apache-2.0
 */
#ifndef SILLAR_OPFF_H
#define SILLAR_OPFF_H
/* NOLINTBEGIN: C has its own ways */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define OPFF_HEADER_SIZE 64
#define OPFF_UNKNOWN_SIZE UINT64_MAX /* of a pipe: the size is not judged */

/* The type of a sample: the depth byte. An fp8 has no flavour. */
/* clang-format off */
enum {
  OPFF_BIT = 0x00, OPFF_U8 = 0x01, OPFF_U16 = 0x02, OPFF_U32 = 0x04, OPFF_U64 = 0x08,
  OPFF_FP8 = 0x10, OPFF_F16 = 0x20, OPFF_F32 = 0x40, OPFF_F64 = 0x80
};
/* clang-format on */

enum { OPFF_INTERLEAVED = 0, OPFF_PLANAR = 1 };

/* What can be wrong; functions return a sum of these, 0 when all is well. */
enum {
  OPFF_HEADER_SHORT = 1 << 0,       /* fewer than 64 bytes; nothing else is judged */
  OPFF_MAGIC = 1 << 1,              /* not OPF and a letter A to Z; nothing else is judged */
  OPFF_VERSION = 1 << 2,            /* not 1; nothing else is judged */
  OPFF_DEPTH = 1 << 3,              /* more than one bit is set */
  OPFF_INTERLEAVED_BITMAP = 1 << 4, /* a bitmap must be planar */
  OPFF_CHANNELS = 1 << 5,           /* none, or more than 127 */
  OPFF_ZERO_DIMENSION = 1 << 6,     /* frames, width or height */
  OPFF_BITMAP_MODULO = 1 << 7,      /* width * height of a bitmap is no multiple of 8 */
  OPFF_RESERVED = 1 << 8,           /* a byte of 16 to 63 is not zero */
  OPFF_SIZE = 1 << 9,               /* fewer bytes than the header demands */
  OPFF_IO = 1 << 10                 /* open, read, write, rename */
};

typedef struct opff_header {
  char letter;      /* of the namespace: 'F' core, 'X' sandbox */
  uint8_t depth;    /* OPFF_U8, ... */
  uint8_t planar;   /* OPFF_PLANAR or OPFF_INTERLEAVED */
  uint8_t channels; /* 1 to 127 */
  uint8_t frames;   /* 1 to 255 */
  uint32_t start_id;
  uint16_t width, height;
} opff_header;

/* The name of the first broken rule, or "" for 0. */
static inline const char* opff_rule(unsigned broken) {
  static const char* const names[] = {
      "opff.header_short",       "opff.magic",    "opff.version",        "opff.depth",
      "opff.interleaved_bitmap", "opff.channels", "opff.zero_dimension", "opff.bitmap_modulo",
      "opff.reserved",           "opff.size",     "input or output"};
  unsigned i;
  for (i = 0; i < sizeof names / sizeof *names; ++i) {
    if (broken & 1u << i) return names[i];
  }
  return "";
}

/* Bytes of a sample, 0 for bits: the set bit says it, for integers and floats alike. */
static inline unsigned opff_sample_size(unsigned depth) {
  return depth < OPFF_FP8 ? depth : depth >> 4;
}

/* Bytes of one channel of one frame. At most 35 bits; all sizes below need at most 50. */
static inline uint64_t opff_plane_size(const opff_header* h) {
  const uint64_t area = (uint64_t)h->width * h->height;
  return h->depth == OPFF_BIT ? area / 8 : area * opff_sample_size(h->depth);
}

static inline uint64_t opff_frame_size(const opff_header* h) {
  return opff_plane_size(h) * h->channels;
}
static inline uint64_t opff_payload_size(const opff_header* h) {
  return opff_frame_size(h) * h->frames;
}

/* Where the footer begins, if the file is longer. */
static inline uint64_t opff_expected_size(const opff_header* h) {
  return OPFF_HEADER_SIZE + opff_payload_size(h);
}

/* The offset of a sample behind the header; of a bitmap, of the byte that holds it. */
static inline uint64_t opff_offset(const opff_header* h, unsigned frame, unsigned channel,
                                   unsigned y, unsigned x) {
  const uint64_t pixel = (uint64_t)y * h->width + x;
  const uint64_t start = frame * opff_frame_size(h);
  if (h->depth == OPFF_BIT) return start + channel * opff_plane_size(h) + pixel / 8;
  return start +
         opff_sample_size(h->depth) * (h->planar ? (uint64_t)channel * h->width * h->height + pixel
                                                 : pixel * h->channels + channel);
}

/* The rules that depth, layout, channels and extents break. */
static inline unsigned opff_check(const opff_header* h) {
  const int one_bit = (h->depth & (h->depth - 1)) == 0;
  unsigned broken = 0;
  if (h->letter < 'A' || h->letter > 'Z') broken |= OPFF_MAGIC;
  if (!one_bit) broken |= OPFF_DEPTH;
  if (h->depth == OPFF_BIT && !h->planar) broken |= OPFF_INTERLEAVED_BITMAP;
  if (h->channels == 0 || h->channels > 127) broken |= OPFF_CHANNELS;
  if (h->frames == 0 || h->width == 0 || h->height == 0) broken |= OPFF_ZERO_DIMENSION;
  if (h->depth == OPFF_BIT && (uint64_t)h->width * h->height % 8 != 0) broken |= OPFF_BITMAP_MODULO;
  return broken;
}

/* Fills `h` from the first `head_size` bytes of a file of `file_size` bytes, and returns what is
 * wrong. */
static inline unsigned opff_parse(const void* head, size_t head_size, uint64_t file_size,
                                  opff_header* h) {
  const uint8_t* b = (const uint8_t*)head;
  unsigned broken, i;
  if (head_size < OPFF_HEADER_SIZE) return OPFF_HEADER_SHORT;
  if (memcmp(b, "OPF", 3) != 0 || b[3] < 'A' || b[3] > 'Z') return OPFF_MAGIC;
  if (b[4] != 1) return OPFF_VERSION;
  h->letter = (char)b[3];
  h->depth = b[5];
  h->planar = (uint8_t)(b[6] >> 7);
  h->channels = (uint8_t)(b[6] & 0x7F);
  h->frames = b[7];
  h->start_id =
      (uint32_t)b[8] | (uint32_t)b[9] << 8 | (uint32_t)b[10] << 16 | (uint32_t)b[11] << 24;
  h->width = (uint16_t)(b[12] | b[13] << 8);
  h->height = (uint16_t)(b[14] | b[15] << 8);
  broken = opff_check(h);
  for (i = 16; i < OPFF_HEADER_SIZE; ++i) {
    if (b[i] != 0) broken |= OPFF_RESERVED;
  }
  if (!(broken & (OPFF_DEPTH | OPFF_BITMAP_MODULO)) && file_size < opff_expected_size(h))
    broken |= OPFF_SIZE;
  return broken;
}

/* The 64 bytes of a header; they are written only where it breaks no rule. */
static inline unsigned opff_encode(const opff_header* h, uint8_t out[OPFF_HEADER_SIZE]) {
  const unsigned broken = opff_check(h);
  if (broken) return broken;
  memset(out, 0, OPFF_HEADER_SIZE);
  memcpy(out, "OPF", 3);
  out[3] = (uint8_t)h->letter;
  out[4] = 1;
  out[5] = h->depth;
  out[6] = (uint8_t)(h->channels | (h->planar ? 0x80 : 0));
  out[7] = h->frames;
  out[8] = (uint8_t)h->start_id;
  out[9] = (uint8_t)(h->start_id >> 8);
  out[10] = (uint8_t)(h->start_id >> 16);
  out[11] = (uint8_t)(h->start_id >> 24);
  out[12] = (uint8_t)h->width;
  out[13] = (uint8_t)(h->width >> 8);
  out[14] = (uint8_t)h->height;
  out[15] = (uint8_t)(h->height >> 8);
  return 0;
}

/* Reads a header from a file or pipe; the samples come next. */
static inline unsigned opff_read_header(FILE* file, opff_header* h) {
  uint8_t head[OPFF_HEADER_SIZE];
  const size_t count = fread(head, 1, sizeof head, file);
  if (ferror(file)) return OPFF_IO;
  return opff_parse(head, count, OPFF_UNKNOWN_SIZE, h);
}

/* Reads exactly the samples, as they are stored, into opff_payload_size(h) bytes. */
static inline unsigned opff_read_payload(FILE* file, const opff_header* h, void* samples) {
  const uint64_t size = opff_payload_size(h);
  if (size > SIZE_MAX) return OPFF_SIZE;
  if (fread(samples, 1, (size_t)size, file) == size) return 0;
  return ferror(file) ? OPFF_IO : OPFF_SIZE;
}

/* `size` bytes of samples of the host's byte order, little-endian. */
static inline int opff_put(FILE* file, const void* samples, uint64_t size, unsigned sample_size) {
  const uint8_t* from = (const uint8_t*)samples;
  const uint16_t one = 1;
  uint64_t at;
  unsigned i;
  if (size > SIZE_MAX) return 0;
  if (sample_size < 2 || *(const uint8_t*)&one) return fwrite(from, 1, (size_t)size, file) == size;
  for (at = 0; at < size; at += sample_size) {
    for (i = sample_size; i-- > 0;) {
      if (fputc(from[at + i], file) == EOF) return 0;
    }
  }
  return 1;
}

/* Writes header, samples and footer (which may be NULL) to PATH.part, then renames it. A call that
 * fails leaves PATH as it was. */
static inline unsigned opff_write(const char* path, const opff_header* h, const void* samples,
                                  const void* footer, size_t footer_size) {
  uint8_t head[OPFF_HEADER_SIZE];
  char part[4096];
  FILE* file;
  int good;
  const unsigned broken = opff_encode(h, head);
  if (broken) return broken;
  if (strlen(path) + sizeof ".part" > sizeof part) return OPFF_IO;
  strcat(strcpy(part, path), ".part");
  file = fopen(part, "wb");
  if (!file) return OPFF_IO;
  good = fwrite(head, 1, sizeof head, file) == sizeof head &&
         opff_put(file, samples, opff_payload_size(h), opff_sample_size(h->depth)) &&
         (!footer || fwrite(footer, 1, footer_size, file) == footer_size);
  good = fclose(file) == 0 && good;
  if (good && rename(part, path) == 0) return 0;
  remove(part);
  return OPFF_IO;
}

/* One frame, in one line of code. */
static inline unsigned opff_dump(const char* path, uint8_t depth, uint8_t planar,
                                 const void* samples, unsigned width, unsigned height,
                                 unsigned channels) {
  opff_header h;
  if (width > 0xFFFF || height > 0xFFFF || channels > 127)
    return channels > 127 ? OPFF_CHANNELS : OPFF_SIZE;
  h.letter = 'F';
  h.depth = depth;
  h.planar = planar;
  h.channels = (uint8_t)channels;
  h.frames = 1;
  h.start_id = 0;
  h.width = (uint16_t)width;
  h.height = (uint16_t)height;
  return opff_write(path, &h, samples, NULL, 0);
}

/* NOLINTEND */
#endif
