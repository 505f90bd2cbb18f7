// Mapping without a cost, views that stay alive, pipes, and what is refused before it costs.
#include "child_process.hpp"
#include "made_file.hpp"
#include <sillar/io/descriptor.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace sillar::opff {
namespace {

using testing::Bytes;
using testing::rule_of;

std::size_t open_descriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    ++count;
  return count;
}

/// Kilobytes of address space and of memory in use.
std::pair<std::uint64_t, std::uint64_t> memory_of_process() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t total = 0;
  std::uint64_t resident = 0;
  file >> total >> resident;
  return {total * 4, resident * 4};
}

class Reader : public ::testing::Test {
 protected:
  /// A planar u16 file of 2 frames, 3 channels, 4 x 5 samples that count, and a footer of 3 bytes.
  Reader() {
    const Bytes footer = testing::from_hex("aabbcc");
    WriteOptions options;
    options.samples.layout = Layout::planar;
    options.letter = 'X';
    options.footer = footer;
    EXPECT_TRUE(write(path_, TensorView(samples_.data(), DType::u16, Shape{2, 3, 4, 5}), options));
  }

  testing::ScratchDirectory scratch_;
  std::string path_ = scratch_ / "a.opff";
  Bytes samples_ = testing::counting(240);
};

TEST_F(Reader, maps_samples_at_an_address_that_is_a_multiple_of_64) {
  for (const auto& file : {map(path_), read(path_)}) {
    ASSERT_TRUE(file.has_value());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(file->view().data()) % 64, 0u);
    EXPECT_EQ(Bytes(file->payload().begin(), file->payload().end()), samples_);
    EXPECT_EQ(testing::to_hex(file->footer()), "aabbcc");
    EXPECT_EQ(file->outline().footer_range(), (io::ByteRange{304, 3}));
  }
}

TEST_F(Reader, gives_frames_channels_and_windows_without_a_copy) {
  const auto file = map(path_).value();
  const std::byte* const first = file.payload().data();
  const auto frame = file.frame(1).value();
  EXPECT_EQ(frame.shape(), (Shape{3, 4, 5}));
  EXPECT_EQ(frame.data(), first + 120);
  const auto channel = file.channel(2).value();
  EXPECT_EQ(channel.shape(), (Shape{2, 4, 5}));
  EXPECT_EQ(channel.data(), first + 80);
  EXPECT_EQ(channel.strides(), (Strides{60, 5, 1}));
  Selection selection;
  selection.frames = {.start = 1, .extent = 1};
  selection.rows = {.start = 2, .extent = 2};
  selection.columns = {.start = 1, .extent = 3};
  const auto window = file.view(selection).value();
  EXPECT_EQ(window.shape(), (Shape{1, 3, 2, 3}));
  EXPECT_EQ(window.data(), first + 120 + (2 * 5 + 1) * 2);
  EXPECT_EQ(file.frame(2).error().code, Errc::bad_argument);
  EXPECT_EQ(file.channel(3).error().code, Errc::bad_argument);
  EXPECT_EQ(file.unpack().error().code, Errc::bad_argument);
}

TEST_F(Reader, keeps_the_mapping_alive_for_whoever_holds_its_memory) {
  TensorView view;
  std::shared_ptr<const void> memory;
  {
    const auto file = map(path_).value();
    view = file.view();
    memory = file.memory();
  }
  std::filesystem::remove(path_);
  EXPECT_EQ(testing::elements(view), samples_);
  memory.reset();
}

TEST_F(Reader, holds_no_descriptor_with_500_mappings_open) {
  const std::size_t before = open_descriptors();
  std::vector<File> files;
  for (int i = 0; i < 500; ++i) files.push_back(map(path_).value());
  EXPECT_EQ(open_descriptors(), before);
  for (const File& file : files) EXPECT_EQ(file.payload()[239], std::byte{239});
}

TEST_F(Reader, may_have_more_mappings_than_descriptors) {
  EXPECT_TRUE(sillar::testing::child_succeeds([&] {
    const rlimit few{16, 16};
    if (::setrlimit(RLIMIT_NOFILE, &few) != 0) return false;
    std::vector<File> files;
    for (int i = 0; i < 500; ++i) {
      auto file = map(path_);
      if (!file) return false;
      files.push_back(*std::move(file));
    }
    return true;
  }));
}

TEST_F(Reader, writes_to_a_private_copy_and_never_to_the_file) {
  EXPECT_EQ(map(path_)->mutable_view().error().code, Errc::bad_argument);
  const auto file = map(path_, {.access = Access::private_copy, .letters = {}}).value();
  file.mutable_view()->data()[0] = std::byte{99};
  EXPECT_EQ(file.payload()[0], std::byte{99});
  EXPECT_EQ(map(path_)->payload()[0], std::byte{0});
  EXPECT_TRUE(read(path_)->mutable_view().has_value());
  EXPECT_FALSE(of_memory(io::testing::bytes_of(testing::get(path_)))->mutable_view().has_value());
}

TEST_F(Reader, spends_nothing_on_a_file_that_claims_a_petabyte) {
  const Bytes claim = testing::head("4f504646 01 80 7f ff 00000000 ffff ffff");
  testing::put(path_, io::testing::text_of(claim));
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
  ASSERT_EQ(::write(pipe[1], claim.data(), claim.size()), 64);
  ::close(pipe[1]);
  const auto before = memory_of_process();
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(rule_of(map(path_)), "opff.size");
    EXPECT_EQ(rule_of(read(path_)), "opff.size");
    EXPECT_EQ(rule_of(of_memory(claim)), "opff.size");
  }
  ReadOptions options;
  EXPECT_EQ(read_stream(pipe[0], options).error().code, Errc::over_limit);
  ::close(pipe[0]);
  const auto after = memory_of_process();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  EXPECT_LT(after.first, before.first + (16 << 10));
  EXPECT_LT(after.second, before.second + (16 << 10));
}

TEST_F(Reader, takes_memory_from_a_pipe_only_as_bytes_come) {
  // 16 GiB are announced, 1 MiB comes.
  const Bytes claim = testing::head("4f504646 01 01 01 04 00000000 ffff ffff");
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
  std::thread writer([&] {
    const Bytes some(std::size_t{1} << 20);
    EXPECT_EQ(::write(pipe[1], claim.data(), claim.size()), 64);
    EXPECT_EQ(io::write_all(pipe[1], some), 0);
    ::close(pipe[1]);
  });
  const auto before = memory_of_process();
  const auto file = read_stream(pipe[0]);
  writer.join();
  ::close(pipe[0]);
  EXPECT_EQ(rule_of(file), "opff.size");
  EXPECT_EQ(file.error().code, Errc::truncated);
  EXPECT_EQ(file.error().offset, 64u + (1u << 20));
  EXPECT_LT(memory_of_process().second, before.second + (32 << 10));
}

TEST_F(Reader, leaves_what_follows_the_samples_in_the_pipe) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
  const std::string twice = testing::get(path_) + testing::get(path_);
  ASSERT_EQ(::write(pipe[1], twice.data(), twice.size()), static_cast<ssize_t>(twice.size()));
  ::close(pipe[1]);
  const auto first = read_stream(pipe[0]).value();
  EXPECT_EQ(Bytes(first.payload().begin(), first.payload().end()), samples_);
  std::array<char, 3> footer{};
  ASSERT_EQ(::read(pipe[0], footer.data(), footer.size()), 3);
  const auto second = read_stream(pipe[0]).value();
  EXPECT_EQ(testing::elements(second.view()), samples_);
  ::close(pipe[0]);
}

TEST_F(Reader, tells_a_path_that_is_no_file_from_a_file_that_is_none_of_its_format) {
  EXPECT_EQ(map(scratch_ / "missing").error().code, Errc::not_found);
  EXPECT_EQ(map(scratch_ / "missing").error().system_errno, ENOENT);
  EXPECT_EQ(map(scratch_.path()).error().code, Errc::not_found);
  EXPECT_EQ(map(scratch_.path()).error().system_errno, EISDIR);
  EXPECT_EQ(rule_of(map(scratch_.path())), "");
  EXPECT_EQ(map(std::string("a\0b", 3)).error().code, Errc::bad_argument);
  const std::string pipe = scratch_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(map(pipe).error().code, Errc::not_found);
  testing::put(scratch_ / "empty", "");
  EXPECT_EQ(rule_of(map(scratch_ / "empty")), "opff.header_short");
  EXPECT_EQ(map(scratch_ / "empty").error().source, scratch_ / "empty");
}

TEST_F(Reader, holds_a_file_against_the_limits_before_it_allocates) {
  ReadOptions options;
  options.limits.output_bytes = 306;
  EXPECT_EQ(read(path_, options).error().code, Errc::over_limit);
  options.footer = false;
  EXPECT_TRUE(read(path_, options).has_value());
  options.letters = "FT";
  EXPECT_EQ(read(path_, options).error().code, Errc::unsupported);
  EXPECT_EQ(map(path_, {.access = Access::read_only, .letters = "F"}).error().code,
            Errc::unsupported);
  std::stop_source stop;
  stop.request_stop();
  options.letters = {};
  options.control.stop = stop.get_token();
  EXPECT_EQ(read(path_, options).error().code, Errc::cancelled);
}

TEST_F(Reader, sees_bitmaps_packed_and_unpacks_windows_on_request) {
  // 12 x 6 pixels: the second row begins in the middle of a byte.
  const Bytes packed = testing::from_hex("800 801 002 004 008 010");
  const Geometry geometry{find_depth("bit"), Layout::planar, 1, 1, 6, 12};
  ASSERT_TRUE(write_payload(path_, geometry, packed, {}, {.overwrite = true}));
  const auto file = map(path_).value();
  EXPECT_EQ(file.view().shape(), (Shape{1, 1, 9}));
  EXPECT_EQ(file.view().dtype(), DType::u8);
  EXPECT_EQ(Bytes(file.payload().begin(), file.payload().end()), packed);
  Selection selection;
  selection.rows = {.start = 1, .extent = 2};
  selection.columns = {.start = 0, .extent = 12};
  EXPECT_EQ(testing::to_hex(file.unpack(selection)->bytes()),
            "010000000000000000000001"
            "000000000000000000000100");
  EXPECT_EQ(file.view(selection).error().code, Errc::bad_argument);
  EXPECT_EQ(file.frame(0)->shape(), (Shape{1, 9}));
  EXPECT_EQ(file.unpack({}, BitOrder::msb_first, {.output_bytes = 71}).error().code,
            Errc::over_limit);
}

}  // namespace
}  // namespace sillar::opff
