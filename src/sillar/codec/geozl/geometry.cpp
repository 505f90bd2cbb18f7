#include <sillar/codec/geozl/geometry.hpp>

namespace sillar::codec::geozl {

Result<Geometry> make_geometry(std::uint32_t width, std::uint32_t planes, std::uint64_t count) {
  if (width == 0) return corrupt("rows of no samples");
  if (planes == 0) return corrupt("no planes");
  // Any number of planes divides nothing; nobody shall count them.
  if (count == 0) return Geometry{.width = width, .rows = 0, .planes = 0};
  if (count % planes != 0) return corrupt("samples that do not divide into planes");
  const std::uint64_t plane = count / planes;
  if (plane % width != 0) return corrupt("a plane that does not divide into rows");
  return Geometry{.width = static_cast<std::size_t>(width),
                  .rows = static_cast<std::size_t>(plane / width),
                  .planes = static_cast<std::size_t>(planes)};
}

Result<Geometry> read_geometry(std::span<const std::byte> header, std::uint64_t count) {
  if (header.size() != 4 && header.size() != 8) return corrupt("a header of another size");
  HeaderReader fields(header);
  const auto width = fields.take<std::uint32_t>();
  const auto planes = header.size() == 8 ? fields.take<std::uint32_t>() : 1;
  return make_geometry(width, planes, count);
}

}  // namespace sillar::codec::geozl
