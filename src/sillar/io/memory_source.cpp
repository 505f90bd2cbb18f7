// A byte source over memory: ranges are delivered in place, without a copy.
#include <sillar/io/byte_source.hpp>

#include <utility>

namespace sillar::io {
namespace {

class MemorySource final : public ByteSource {
 public:
  MemorySource(std::span<const std::byte> bytes, std::string name)
      : bytes_(bytes), name_(std::move(name)) {}

  MemorySource(std::vector<std::byte> owned, std::string name)
      : owned_(std::move(owned)), bytes_(owned_), name_(std::move(name)) {}

  const std::string& name() const override { return name_; }

  Result<std::uint64_t> size() const override { return bytes_.size(); }

  Result<> read(std::span<const ByteRange> ranges, const OnReady& on_ready,
                const ReadControl& control) const override {
    for (const ByteRange& range : ranges) {
      SILLAR_TRY(check_inside(range, bytes_.size(), name_));
    }
    for (std::size_t index = 0; index < ranges.size(); ++index) {
      SILLAR_TRY(in_source(control.check(), name_));
      SILLAR_TRY(on_ready(index, piece(ranges[index])));
    }
    return {};
  }

 private:
  // `range` has been judged; an empty one may point anywhere.
  std::span<const std::byte> piece(ByteRange range) const {
    if (range.size == 0) return {};
    return bytes_.subspan(static_cast<std::size_t>(range.offset),
                          static_cast<std::size_t>(range.size));
  }

  std::vector<std::byte> owned_;
  std::span<const std::byte> bytes_;
  std::string name_;
};

}  // namespace

std::shared_ptr<const ByteSource> memory_source(std::span<const std::byte> bytes,
                                                std::string name) {
  return std::make_shared<MemorySource>(bytes, std::move(name));
}

std::shared_ptr<const ByteSource> memory_source(std::vector<std::byte> bytes, std::string name) {
  return std::make_shared<MemorySource>(std::move(bytes), std::move(name));
}

}  // namespace sillar::io
