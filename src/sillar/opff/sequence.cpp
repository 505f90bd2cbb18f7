// Sorting files by start id, and saying what does not fit together.
#include <sillar/opff/sequence.hpp>

#include <algorithm>
#include <tuple>
#include <utility>

namespace sillar::opff {
namespace {

void note(Report& report, const Rule& rule, const SequencePart& part, std::uint64_t offset,
          std::string detail) {
  report.add(rule.severity, Error{.code = Errc::malformed,
                                  .rule = &rule,
                                  .offset = offset,
                                  .detail = std::move(detail),
                                  .source = part.path});
}

constexpr std::uint64_t start_id_offset = 8;
constexpr std::uint64_t depth_offset = 5;

}  // namespace

Sequence::Sequence(std::vector<SequencePart> parts) : parts_(std::move(parts)) {
  std::ranges::sort(
      parts_, {}, [](const SequencePart& part) { return std::tuple(part.start_id(), part.path); });
  end_id_ = parts_.front().start_id();
  for (const SequencePart& part : parts_) {
    const std::string start = std::to_string(part.start_id());
    if (part.start_id() > end_id_) {
      note(report_, rules::sequence_gap, part, start_id_offset,
           "ids " + std::to_string(end_id_) + " to " + std::to_string(part.start_id() - 1) +
               " are missing");
    } else if (part.start_id() < end_id_) {
      note(report_, rules::sequence_overlap, part, start_id_offset,
           "ids " + start + " to " + std::to_string(std::min(end_id_, part.end_id()) - 1) +
               " are in a file before it too");
    }
    end_id_ = std::max(end_id_, part.end_id());
    Geometry geometry = part.file.geometry();
    geometry.frames = parts_.front().file.geometry().frames;  // the last file may be shorter
    if (geometry != parts_.front().file.geometry()) {
      note(report_, rules::sequence_geometry, part, depth_offset,
           "depth, layout, channels or extents differ from those of " + parts_.front().path);
    }
  }
}

Result<LocatedFrame> Sequence::find(std::uint64_t id) const {
  auto part = std::ranges::upper_bound(parts_, id, {}, &SequencePart::start_id);
  while (part != parts_.begin()) {
    --part;
    if (id < part->end_id()) {
      return LocatedFrame{.part = static_cast<std::size_t>(part - parts_.begin()),
                          .index = id - part->start_id()};
    }
  }
  return fail(Errc::bad_argument, "no file of the sequence holds frame " + std::to_string(id));
}

Result<TensorView> Sequence::frame(std::uint64_t id) const {
  SILLAR_TRY(const LocatedFrame found, find(id));
  return parts_[found.part].file.frame(found.index);
}

Result<Sequence> open_sequence(std::span<const std::string> paths, const MapOptions& options) {
  if (paths.empty()) return fail(Errc::bad_argument, "a sequence has one file or more");
  std::vector<SequencePart> parts;
  parts.reserve(paths.size());
  for (const std::string& path : paths) {
    SILLAR_TRY(File file, map(path, options));
    parts.push_back({.path = path, .file = std::move(file)});
  }
  return Sequence(std::move(parts));
}

}  // namespace sillar::opff
