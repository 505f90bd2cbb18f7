// Every file of the corpus and every row of its header table.
#include "made_file.hpp"
#include "opff_manifest.hpp"
#include "sha256.hpp"
#include <sillar/io/descriptor.hpp>
#include <sillar/opff/validate.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <functional>
#include <span>
#include <thread>
#include <unistd.h>

namespace sillar::opff {
namespace {

using sillar::testing::sha256;
using testing::bytes_of;
using testing::Json;

void has_the_fields(const Outline& outline, const Json& entry) {
  const Geometry& geometry = outline.geometry;
  EXPECT_EQ(std::string(1, outline.letter()), entry.at("namespace"));
  EXPECT_EQ(geometry.depth->code, entry.at("depth"));
  EXPECT_EQ(geometry.depth->name, entry.at("dtype").get<std::string>());
  EXPECT_EQ(name_of(geometry.layout), entry.at("layout").get<std::string>());
  EXPECT_EQ(geometry.channels, entry.at("channels"));
  EXPECT_EQ(geometry.frames, entry.at("frames"));
  EXPECT_EQ(outline.start_id(), entry.at("start_id"));
  EXPECT_EQ(geometry.width, entry.at("width"));
  EXPECT_EQ(geometry.height, entry.at("height"));
  EXPECT_EQ(outline.expected_size, entry.at("expected_size"));
}

void has_the_samples(const File& file, const Json& entry) {
  has_the_fields(file.outline(), entry);
  EXPECT_EQ(file.payload().size(), entry.at("payload_bytes"));
  EXPECT_EQ(sha256(file.payload()), entry.at("payload_sha256"));
  if (file.geometry().is_bitmap()) {
    EXPECT_EQ(plane_size(file.geometry()), entry.at("plane_bytes"));
    EXPECT_EQ(sha256(file.unpack().value().bytes()), entry.at("canonical_msb_first_sha256"));
    EXPECT_EQ(sha256(file.unpack({}, BitOrder::lsb_first).value().bytes()),
              entry.at("canonical_lsb_first_sha256"));
    return;
  }
  EXPECT_EQ(sha256(testing::elements(file.view())), entry.at("canonical_fchw_sha256"));
  for (const Json& sample : entry.at("samples")) {
    const Position at{.frame = sample.at("f"),
                      .channel = sample.at("c"),
                      .y = sample.at("y"),
                      .x = sample.at("x")};
    EXPECT_EQ(sample_offset(file.geometry(), at), sample.at("file_offset"));
    const std::array index = {at.frame, at.channel, at.y, at.x};
    EXPECT_EQ(testing::to_hex(sillar::testing::element(file.view(), index)), sample.at("le_hex"));
  }
}

void has_the_footer(const File& file, const Json& entry) {
  EXPECT_EQ(file.footer().size(), entry.at("footer_bytes"));
  EXPECT_EQ(file.outline().footer_range().size, entry.at("footer_bytes"));
  const Json& hash = entry.at("footer_sha256");
  EXPECT_TRUE(hash.is_null() || hash == sha256(file.footer()));
}

void for_each_valid(const std::function<void(const Json&)>& check) {
  EXPECT_GT(testing::manifest("accept").size(), 90u);
  for (const Json& entry : testing::manifest("accept")) {
    SCOPED_TRACE(entry.at("file"));
    check(entry);
  }
}

/// The file as a pipe gives it.
Result<File> through_a_pipe(const Json& entry) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  std::thread writer([&] {
    EXPECT_EQ(io::write_all(ends[1], bytes_of(entry)), 0);
    ::close(ends[1]);
  });
  auto file = read_stream(ends[0]);
  std::array<std::byte, 4096> rest{};
  while (::read(ends[0], rest.data(), rest.size()) > 0) {
  }
  writer.join();
  ::close(ends[0]);
  return file;
}

TEST(ValidFiles, are_mapped_with_their_fields_samples_and_footers) {
  for_each_valid([](const Json& entry) {
    const auto file = map(testing::path_of(entry));
    ASSERT_TRUE(file.has_value()) << file.error().message();
    has_the_samples(*file, entry);
    has_the_footer(*file, entry);
  });
}

TEST(ValidFiles, are_read_as_they_are_mapped) {
  for_each_valid([](const Json& entry) {
    const auto file = read(testing::path_of(entry));
    ASSERT_TRUE(file.has_value()) << file.error().message();
    has_the_samples(*file, entry);
    has_the_footer(*file, entry);
    const auto without = read(testing::path_of(entry),
                              {.footer = false, .letters = {}, .limits = {}, .control = {}});
    has_the_samples(without.value(), entry);
    EXPECT_TRUE(without->footer().empty());
  });
}

TEST(ValidFiles, are_read_from_memory_of_any_alignment) {
  for_each_valid([](const Json& entry) {
    testing::Bytes bytes = bytes_of(entry);
    bytes.insert(bytes.begin(), std::byte{0});
    const auto file = of_memory(std::span<const std::byte>(bytes).subspan(1));
    ASSERT_TRUE(file.has_value()) << file.error().message();
    has_the_samples(*file, entry);
    has_the_footer(*file, entry);
  });
}

TEST(ValidFiles, come_through_a_pipe_without_their_footers) {
  for_each_valid([](const Json& entry) {
    const auto file = through_a_pipe(entry);
    ASSERT_TRUE(file.has_value()) << file.error().message();
    has_the_samples(*file, entry);
    EXPECT_TRUE(file->footer().empty());
  });
}

TEST(ValidFiles, are_written_back_byte_for_byte) {
  for_each_valid([](const Json& entry) {
    const testing::Bytes bytes = bytes_of(entry);
    const auto file = of_memory(bytes).value();
    WriteOptions options{.samples = {.layout = file.geometry().layout,
                                     .depth = file.geometry().depth->code,
                                     .bit_order = BitOrder::msb_first,
                                     .byte_order = std::endian::little},
                         .letter = file.outline().letter(),
                         .start_id = file.outline().start_id(),
                         .footer = file.footer(),
                         .control = {}};
    if (file.geometry().is_bitmap()) {
      for (const BitOrder order : {BitOrder::msb_first, BitOrder::lsb_first}) {
        options.samples.bit_order = order;
        EXPECT_EQ(testing::written(file.unpack({}, order)->view(), options).value(), bytes);
      }
    } else {
      EXPECT_EQ(testing::written(file.view(), options).value(), bytes);
    }
    testing::Bytes raw;
    const auto sink = io::memory_sink(raw);
    ASSERT_TRUE(write_payload(*sink, file.geometry(), file.payload(), options));
    EXPECT_EQ(raw, bytes);
  });
}

TEST(ValidFiles, have_no_findings) {
  for_each_valid([](const Json& entry) {
    const auto report = validate(*io::memory_source(bytes_of(entry)));
    EXPECT_EQ(testing::rules_in(report.value()), std::vector<std::string>{});
  });
}

TEST(InvalidFiles, are_judged_by_every_rule_that_they_break_and_refused_by_one) {
  EXPECT_GT(testing::manifest("reject").size(), 150u);
  for (const Json& entry : testing::manifest("reject")) {
    SCOPED_TRACE(entry.at("file"));
    const auto rules = testing::rules_of(entry);
    const testing::Bytes bytes = bytes_of(entry);
    const auto report = validate(*io::memory_source(bytes)).value();
    EXPECT_EQ(testing::rules_in(report), rules);
    for (const Finding& finding : report.findings())
      EXPECT_LE(finding.error.offset.value_or(UINT64_MAX), bytes.size());
    for (const auto& file : {map(testing::path_of(entry)), read(testing::path_of(entry)),
                             of_memory(bytes), through_a_pipe(entry)}) {
      ASSERT_FALSE(file.has_value());
      // A pipe may announce anything: what passes the limits is not waited for.
      if (rules.back() == "opff.size" && file.error().code == Errc::over_limit) continue;
      EXPECT_EQ(testing::rule_of(file), rules.front());
      EXPECT_TRUE(file.error().code == Errc::malformed || file.error().code == Errc::truncated);
    }
  }
}

TEST(HeaderTable, is_judged_row_by_row) {
  EXPECT_EQ(testing::header_table().size(), 1187u);
  for (const Json& row : testing::header_table()) {
    SCOPED_TRACE(row.dump());
    Report report(Report::Until::end);
    const auto outline =
        judge_header(testing::head_of(row), row.at("file_size").get<std::uint64_t>(), report);
    EXPECT_EQ(testing::rules_in(report), testing::rules_of(row));
    EXPECT_EQ(outline.has_value(), row.at("verdict") == "accept");
    if (outline) {
      EXPECT_EQ(outline->expected_size, row.at("expected_size"));
    }
  }
}

TEST(HeaderTable, is_judged_the_same_on_sparse_files_of_the_real_size) {
  const testing::ScratchDirectory scratch;
  const std::string path = scratch / "row.opff";
  std::size_t tried = 0;
  for (const Json& row : testing::header_table()) {
    testing::put(path, io::testing::text_of(testing::head_of(row)));
    if (::truncate(path.c_str(), row.at("file_size").get<off_t>()) != 0) continue;
    SCOPED_TRACE(row.dump());
    ++tried;
    const auto source = io::open_file(path).value();
    EXPECT_EQ(testing::rules_in(validate(*source).value()), testing::rules_of(row));
    const auto outline = outline_of(*source);
    EXPECT_EQ(outline.has_value(), row.at("verdict") == "accept");
    const auto file = map(path);
    // A legal file may be longer than the address space.
    const bool too_long = !file && file.error().system_errno == ENOMEM;
    EXPECT_TRUE(too_long || file.has_value() == outline.has_value());
  }
  EXPECT_GT(tried, 900u);
}

}  // namespace
}  // namespace sillar::opff
