// "Header section".
#include <sillar/stards/header_section.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace sillar::stards {
namespace {

/// How much of a file a reader fetches at first: the whole section of ordinary files.
constexpr std::uint64_t first_guess = std::uint64_t{16} << 10;

/// Reads the presence bitmaps. False where they do not fit.
[[nodiscard]] bool check_presence(wire::Reader& wire, HeaderSection& section, Report& report) {
  section.presence_offset = wire.position();
  const auto words =
      checked_mul(presence_words(section.fixed.entry_count), std::uint64_t{section.layers.size()});
  if (!words || *words > wire.remaining() / 8) {
    report.add(rules::file_bitmap, wire.position(),
               "the bitmaps of " + std::to_string(section.fixed.entry_count) + " arrays and " +
                   std::to_string(section.layers.size()) + " layers do not fit the header section");
    return false;
  }
  section.presence.resize(static_cast<std::size_t>(*words));
  for (std::uint64_t& word : section.presence) wire.number(word);
  return true;
}

}  // namespace

Result<FixedHeader> check_fixed_header(std::span<const std::byte> bytes, std::uint64_t file_size,
                                       Report& report) {
  const std::uint64_t errors = report.errors();
  const auto failed = [&report]() -> Result<FixedHeader> {
    return std::unexpected(report.verdict().error());
  };
  if (file_size < fixed_header_size) {
    report.add(rules::file_empty, file_size,
               "the file has " + std::to_string(file_size) + " bytes, expected at least 31",
               Errc::truncated);
    return failed();
  }
  const auto fixed = wire::load_record<FixedHeader>(bytes);
  wire::check_record(fixed, 0, report);
  if (report.errors() != errors) return failed();
  if (fixed.header_size > file_size) {
    report.add(rules::file_header_size_file, 7,
               "the header section has " + std::to_string(fixed.header_size) +
                   " bytes, the file has " + std::to_string(file_size),
               Errc::truncated);
    return failed();
  }
  return fixed;
}

Result<HeaderSection> check_header_section(const FixedHeader& fixed,
                                           std::span<const std::byte> bytes, Report& report) {
  const std::uint64_t errors = report.errors();
  const auto failed = [&report]() -> Result<HeaderSection> {
    return std::unexpected(report.verdict().error());
  };
  wire::Reader wire(bytes);
  std::string fixed_part;
  wire.text(fixed_part, fixed_header_size);  // positions are those of the file

  HeaderSection section;
  section.fixed = fixed;
  section.keys = KeyRegistry::check(wire, fixed.key_registry_count, report);
  if (!wire.ok() || report.done()) return failed();
  section.layers = Layers::check(wire, fixed.layer_count, section.keys, report);
  if (!wire.ok() || report.done()) return failed();
  if (!check_presence(wire, section, report)) return failed();
  section.index = check_index(wire, fixed.entry_count, section.keys, report);
  if (!wire.ok() || report.done()) return failed();
  if (wire.remaining() != 0) {
    report.add(rules::file_header_size_mismatch, wire.position(),
               "the content ends at " + std::to_string(wire.position()) +
                   ", the header section at " + std::to_string(bytes.size()));
  }
  if (report.errors() != errors) return failed();
  return section;
}

Result<HeaderSection> check_header_of(const io::ByteSource& source, std::uint64_t size_limit,
                                      Report& report, const io::ReadControl& control) {
  SILLAR_TRY(const std::uint64_t file_size, source.size());
  SILLAR_TRY(auto bytes, source.read(0, std::min(file_size, first_guess), control));
  SILLAR_TRY(const FixedHeader fixed, check_fixed_header(bytes, file_size, report));
  if (fixed.header_size > size_limit) {
    return fail(Errc::over_limit,
                "the header section has " + std::to_string(fixed.header_size) +
                    " bytes, the limit is " + std::to_string(size_limit),
                7);
  }
  if (bytes.size() < fixed.header_size) {
    SILLAR_TRY(const auto rest,
               source.read(bytes.size(), fixed.header_size - bytes.size(), control));
    bytes.insert(bytes.end(), rest.begin(), rest.end());
  }
  return check_header_section(
      fixed, std::span(bytes).first(static_cast<std::size_t>(fixed.header_size)), report);
}

std::vector<std::byte> make_header_section(const std::vector<KeyEntry>& keys,
                                           const std::vector<LayerEntry>& layers,
                                           const std::vector<std::uint64_t>& presence,
                                           const std::vector<IndexEntry>& entries) {
  std::vector<std::byte> bytes(fixed_header_size);
  wire::Writer wire(bytes);
  // Carrying goes both ways, so that the parts are not const there.
  for (KeyEntry key : keys) carry(wire, key);
  for (LayerEntry layer : layers) carry(wire, layer);
  for (const std::uint64_t word : presence) wire.number(word);
  for (IndexEntry entry : entries) carry(wire, entry);
  const FixedHeader fixed{.magic = file_magic,
                          .format_version = format_version,
                          .header_size = bytes.size(),
                          .entry_count = entries.size(),
                          .layer_count = static_cast<std::uint32_t>(layers.size() - 1),
                          .key_registry_count = static_cast<std::uint32_t>(keys.size())};
  std::ranges::copy(wire::store_record(fixed), bytes.begin());
  return bytes;
}

}  // namespace sillar::stards
