// The C header against the corpus: as C++ here, and as C99 in a program of its own.
#include "made_file.hpp"
#include "opff_manifest.hpp"
#include <sillar/opff.h>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <sys/stat.h>

namespace sillar::opff {
namespace {

using testing::Bytes;
using testing::Json;

std::vector<std::string> names_of(unsigned broken) {
  std::vector<std::string> names;
  for (unsigned bit = 1; bit <= OPFF_SIZE; bit <<= 1) {
    if ((broken & bit) != 0) names.emplace_back(opff_rule(bit));
  }
  return names;
}

opff_header header_of_row(const Json& entry) {
  opff_header header{};
  const Bytes bytes = testing::bytes_of(entry);
  EXPECT_EQ(opff_parse(bytes.data(), bytes.size(), bytes.size(), &header), 0u);
  return header;
}

TEST(CHeader, judges_every_row_of_the_header_table) {
  for (const Json& row : testing::header_table()) {
    SCOPED_TRACE(row.dump());
    const Bytes head = testing::head_of(row);
    opff_header header{};
    EXPECT_EQ(names_of(opff_parse(head.data(), head.size(),
                                  row.at("file_size").get<std::uint64_t>(), &header)),
              testing::rules_of(row));
    if (!row.at("expected_size").is_null()) {
      EXPECT_EQ(opff_expected_size(&header), row.at("expected_size"));
    }
  }
}

TEST(CHeader, judges_every_file) {
  for (const char* verdict : {"accept", "reject"}) {
    for (const Json& entry : testing::manifest(verdict)) {
      SCOPED_TRACE(entry.at("file"));
      const Bytes bytes = testing::bytes_of(entry);
      opff_header header{};
      EXPECT_EQ(names_of(opff_parse(bytes.data(), bytes.size(), bytes.size(), &header)),
                testing::rules_of(entry));
    }
  }
}

TEST(CHeader, finds_the_samples_and_writes_the_header_back) {
  for (const Json& entry : testing::manifest("accept")) {
    SCOPED_TRACE(entry.at("file"));
    const opff_header header = header_of_row(entry);
    EXPECT_EQ(std::string(1, header.letter), entry.at("namespace"));
    EXPECT_EQ(header.start_id, entry.at("start_id"));
    EXPECT_EQ(opff_payload_size(&header), entry.at("payload_bytes"));
    if (entry.contains("samples")) {
      for (const Json& sample : entry.at("samples"))
        EXPECT_EQ(OPFF_HEADER_SIZE + opff_offset(&header, sample.at("f"), sample.at("c"),
                                                 sample.at("y"), sample.at("x")),
                  sample.at("file_offset"));
    }
    std::array<std::uint8_t, OPFF_HEADER_SIZE> head{};
    ASSERT_EQ(opff_encode(&header, head.data()), 0u);
    EXPECT_EQ(testing::to_hex(std::as_bytes(std::span(head))),
              testing::to_hex(testing::bytes_of(entry)).substr(0, 128));
  }
}

TEST(CHeader, refuses_to_write_what_no_header_can_say) {
  const opff_header good = header_of_row(testing::manifest("accept").front());
  const auto broken = [&](auto change) {
    opff_header header = good;
    change(header);
    std::array<std::uint8_t, OPFF_HEADER_SIZE> head{};
    return names_of(opff_encode(&header, head.data()));
  };
  EXPECT_EQ(broken([](opff_header& h) { h.channels = 128; }),
            std::vector<std::string>{"opff.channels"});
  EXPECT_EQ(broken([](opff_header& h) { h.letter = 'f'; }), std::vector<std::string>{"opff.magic"});
  EXPECT_EQ(broken([](opff_header& h) { h.depth = 3; }), std::vector<std::string>{"opff.depth"});
  EXPECT_EQ(broken([](opff_header& h) { h.frames = 0; }),
            std::vector<std::string>{"opff.zero_dimension"});
  EXPECT_EQ(broken([](opff_header& h) { h.planar = 0; }),
            std::vector<std::string>{"opff.interleaved_bitmap"});
  EXPECT_EQ(broken([](opff_header& h) { h.width = 13; }),
            std::vector<std::string>{"opff.bitmap_modulo"});
}

TEST(CHeader, dumps_a_buffer_that_the_library_maps) {
  const testing::ScratchDirectory scratch;
  const std::string path = scratch / "a.opff";
  const std::array<float, 6> pixels = {1, 2, 3, 4, 5, 6};
  ASSERT_EQ(opff_dump(path.c_str(), OPFF_F32, OPFF_INTERLEAVED, pixels.data(), 3, 1, 2), 0u);
  const auto file = map(path).value();
  EXPECT_EQ(file.view().shape(), (Shape{1, 2, 1, 3}));
  EXPECT_EQ(testing::to_hex(testing::elements(file.channel(1).value())),
            "00000040"
            "00008040"
            "0000c040");
  EXPECT_EQ(scratch.names(), std::vector<std::string>{"a.opff"});
  EXPECT_EQ(opff_dump((scratch / "no/b.opff").c_str(), OPFF_F32, 0, pixels.data(), 3, 1, 2),
            unsigned{OPFF_IO});
  EXPECT_EQ(opff_dump(path.c_str(), OPFF_BIT, 0, pixels.data(), 8, 1, 1),
            unsigned{OPFF_INTERLEAVED_BITMAP});
}

/// The program of c_header_program.c, compiled as strict C99; empty where there is no C compiler.
class CProgram : public ::testing::Test {
 protected:
  CProgram() {
    const std::string source = SILLAR_SOURCE_DIR "/tests/opff/c_header_program.c";
    const std::string command =
        "cc -std=c99 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -O1 "
        "-I'" SILLAR_SOURCE_DIR "/include' '" +
        source + "' -o '" + program_ + "'";
    has_compiler_ = std::system("command -v cc >/dev/null 2>&1") == 0;
    compiles_ = has_compiler_ && std::system(command.c_str()) == 0;
  }

  void SetUp() override {
    if (!has_compiler_) GTEST_SKIP() << "no C compiler";
    ASSERT_TRUE(compiles_);
  }

  /// What the program prints.
  [[nodiscard]] std::string run(const std::string& arguments) const {
    const std::string command = "'" + program_ + "' " + arguments;
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(::popen(command.c_str(), "r"),
                                                               ::pclose);
    std::string text;
    for (int letter = std::fgetc(pipe.get()); letter != EOF; letter = std::fgetc(pipe.get()))
      text += static_cast<char>(letter);
    return text;
  }

  testing::ScratchDirectory scratch_;
  std::string program_ = scratch_ / "program";
  bool has_compiler_ = false;
  bool compiles_ = false;
};

TEST_F(CProgram, judges_the_corpus_as_c99) {
  std::string arguments = "judge";
  std::string wanted;
  for (const char* verdict : {"accept", "reject"}) {
    for (const Json& entry : testing::manifest(verdict)) {
      arguments += " '" + testing::path_of(entry) + "'";
      const auto rules = testing::rules_of(entry);
      for (const std::string& rule : rules) wanted += rule + " ";
      wanted += rules.empty() ? "good\n" : "\n";
    }
  }
  EXPECT_EQ(run(arguments), wanted);
}

TEST_F(CProgram, copies_valid_files_byte_for_byte) {
  const std::string to = scratch_ / "copy.opff";
  for (const Json& entry : testing::manifest("accept")) {
    SCOPED_TRACE(entry.at("file"));
    EXPECT_EQ(run("copy '" + testing::path_of(entry) + "' '" + to + "' && echo done"), "done\n");
    EXPECT_EQ(testing::get(to), testing::get(testing::path_of(entry)));
  }
}

}  // namespace
}  // namespace sillar::opff
