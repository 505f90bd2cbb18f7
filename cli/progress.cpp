// Progress on standard error, counted at the source of the bytes.
#include "cli/progress.hpp"

#include "cli/json.hpp"
#include "cli/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unistd.h>
#include <utility>

namespace sillar::cli {
namespace {

class WatchedSource final : public io::ByteSource {
 public:
  WatchedSource(std::shared_ptr<const io::ByteSource> source, Progress& progress)
      : source_(std::move(source)), progress_(progress) {}

  const std::string& name() const override { return source_->name(); }
  Result<std::uint64_t> size() const override { return source_->size(); }

  Result<> read(std::span<const io::ByteRange> ranges, const io::OnReady& on_ready,
                const io::ReadControl& control) const override {
    return source_->read(
        ranges,
        [&](std::size_t index, std::span<const std::byte> bytes) {
          auto result = on_ready(index, bytes);
          progress_.add(bytes.size());
          return result;
        },
        control);
  }

 private:
  std::shared_ptr<const io::ByteSource> source_;
  Progress& progress_;
};

void draw(const std::string& text) {
  static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size()));
}

}  // namespace

Progress::~Progress() {
  if (drawn_ && style_ == ProgressStyle::bar) draw("\r\x1b[K");
}

void Progress::expect(std::uint64_t total) {
  total_ = total;
  done_ = 0;
}

void Progress::add(std::uint64_t bytes) {
  const std::uint64_t done = done_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  if (!shown()) return;
  constexpr auto pause = Clock::duration(std::chrono::milliseconds(100)).count();
  const auto now = (Clock::now() - start_).count();
  auto next = next_.load(std::memory_order_relaxed);
  if (now < next || !next_.compare_exchange_strong(next, now + pause))
    return;  // another thread draws
  drawn_ = true;
  const std::uint64_t total = total_;
  show(std::min(done, total), total);
}

void Progress::show(std::uint64_t done, std::uint64_t total) const {
  if (style_ == ProgressStyle::json) {
    Json json = document("progress");
    json["done"] = number(done);
    json["total"] = number(total);
    json["unit"] = "bytes";
    draw(text_of(json, true));
    return;
  }
  constexpr std::uint64_t width = 30;
  const double share = total == 0 ? 1 : static_cast<double>(done) / static_cast<double>(total);
  const auto filled = static_cast<std::size_t>(share * width);
  draw(fmt::format("\r[{:#<{}}{:.<{}}] {:3.0f} %  {} of {}\x1b[K", "", filled, "", width - filled,
                   100 * share, short_size(done), short_size(total)));
}

std::shared_ptr<const io::ByteSource> watched(std::shared_ptr<const io::ByteSource> source,
                                              Progress& progress) {
  if (!progress.shown()) return source;
  return std::make_shared<WatchedSource>(std::move(source), progress);
}

}  // namespace sillar::cli
