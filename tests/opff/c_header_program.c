/* Judges and copies files by way of the C header alone; compiled as C99 by c_header_test.cpp.
 *
 *   judge FILE...     prints one line a file: its rules, each followed by a blank, or "good"
 *   copy FROM TO      reads FROM as a stream, and writes its samples and footer to TO
 */
#include <sillar/opff.h>

#include <stdlib.h>

static unsigned judge(const char* path) {
  static unsigned char bytes[1 << 20];
  opff_header header;
  unsigned broken;
  unsigned i;
  size_t size;
  FILE* file = fopen(path, "rb");
  if (!file) return 1;
  size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  broken = opff_parse(bytes, size, size, &header);
  for (i = 0; i < 10; ++i) {
    if (broken & 1u << i) printf("%s ", opff_rule(1u << i));
  }
  printf(broken ? "\n" : "good\n");
  return 0;
}

static unsigned copy(const char* from, const char* to) {
  static unsigned char footer[1 << 20];
  opff_header header;
  void* samples;
  size_t footer_size;
  unsigned broken;
  FILE* file = fopen(from, "rb");
  if (!file) return OPFF_IO;
  broken = opff_read_header(file, &header);
  if (broken) return broken;
  samples = malloc((size_t)opff_payload_size(&header));
  if (!samples) return OPFF_IO;
  broken = opff_read_payload(file, &header, samples);
  footer_size = fread(footer, 1, sizeof footer, file);
  fclose(file);
  if (!broken) broken = opff_write(to, &header, samples, footer, footer_size);
  free(samples);
  return broken;
}

int main(int count, char** arguments) {
  int i;
  if (count == 4 && strcmp(arguments[1], "copy") == 0) {
    const unsigned broken = copy(arguments[2], arguments[3]);
    if (broken) fprintf(stderr, "%s\n", opff_rule(broken));
    return broken ? 1 : 0;
  }
  for (i = 2; i < count; ++i) {
    if (judge(arguments[i])) return 1;
  }
  return 0;
}
