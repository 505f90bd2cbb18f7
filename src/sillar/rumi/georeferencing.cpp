// "ModelTransformationTag", "GeoKeyDirectoryTag", "Undefined georeferencing".
#include <sillar/rumi/georeferencing.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

namespace sillar::rumi {
namespace {

constexpr std::size_t matrix_size = 16 * sizeof(double);

struct Key {
  std::uint16_t id;
  std::uint16_t location;
  std::uint16_t count;
  std::uint16_t value;
};

struct Directory {
  std::array<std::uint16_t, 4> header;
  std::array<Key, 3> keys;
};

/// The matrix that stands for no georeference, row by row.
constexpr std::array<double, 16> undefined_matrix = {1, 0, 0, 0, 0, 1, 0, 0,
                                                     0, 0, 0, 0, 0, 0, 0, 1};

[[nodiscard]] std::array<double, 16> matrix_of(const geo::Affine& affine) {
  return {affine.x_res,
          affine.row_rot,
          0,
          affine.x_origin,
          affine.col_rot,
          affine.y_res,
          0,
          affine.y_origin,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          1};
}

/// Bytes are compared, not values: -0.0 is not 0.
[[nodiscard]] bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

/// An inverse that double arithmetic can still use: pixels with a size, and axes that are not
/// parallel.
[[nodiscard]] bool is_regular(const geo::Affine& affine) {
  constexpr double least_area = 1e-200;
  constexpr double least_ratio = 1e-24;
  const double area = std::abs(affine.determinant());
  const double longest = std::max({std::abs(affine.x_res), std::abs(affine.row_rot),
                                   std::abs(affine.col_rot), std::abs(affine.y_res)});
  return affine.invertible() && area > least_area && area > least_ratio * longest * longest;
}

void check_keys(const Directory& directory, std::uint64_t base, Report& report) {
  const auto found = [&](const Rule& rule, std::size_t word, std::string detail) {
    if (!report.done()) report.add(rule, base + 2 * word, std::move(detail));
  };
  if (directory.header != geo_key_header) {
    found(rules::geo_key_header, 0,
          "the header is " + wire::detail::text_of(directory.header) + ", expected (1, 1, 0, 3)");
  }
  for (std::size_t k = 0; k < directory.keys.size(); ++k) {
    const Key& key = directory.keys[k];
    if (key.location != 0 || key.count != 1) {
      found(rules::geo_key_form, 4 * (k + 1) + (key.location != 0 ? 1 : 2),
            "key " + std::to_string(key.id) + " has location " + std::to_string(key.location) +
                " and count " + std::to_string(key.count) + ", expected 0 and 1");
    }
  }
  const auto& [model, raster, crs] = directory.keys;
  const bool crs_key = crs.id == geographic_type_key || crs.id == projected_type_key;
  if (model.id != model_type_key || raster.id != raster_type_key || !crs_key) {
    found(rules::geo_key_order,
          model.id != model_type_key     ? 4
          : raster.id != raster_type_key ? 8
                                         : 12,
          "the keys are " + std::to_string(model.id) + ", " + std::to_string(raster.id) + ", " +
              std::to_string(crs.id));
    return;  // the values of keys in another order mean nothing
  }
  if (raster.value != 1 && raster.value != 2) {
    found(rules::geo_raster_type, 11, "GTRasterTypeGeoKey is " + std::to_string(raster.value));
  }
  if (model.value > 2) {
    found(rules::geo_model_type, 7, "GTModelTypeGeoKey is " + std::to_string(model.value));
    return;
  }
  if ((crs.id == projected_type_key) != (model.value == 1)) {
    found(rules::geo_key_model_mismatch, 12,
          "key " + std::to_string(crs.id) + " with model type " + std::to_string(model.value));
  }
  if (model.value == 0 && crs.value != 0) {
    found(rules::geo_undefined_code, 15,
          "the CRS key is " + std::to_string(crs.value) + ", expected 0");
  }
  if (model.value != 0 && (crs.value < epsg_least || crs.value > epsg_most)) {
    found(rules::geo_epsg_range, 15, "the EPSG code is " + std::to_string(crs.value));
  }
}

void check_matrix(const std::array<double, 16>& matrix, bool defined, std::uint64_t base,
                  Report& report) {
  const auto found = [&](const Rule& rule, std::size_t element) {
    if (report.done()) return;
    report.add(rule, base + sizeof(double) * element,
               "element " + std::to_string(element) + " of the matrix is " +
                   std::to_string(matrix[element]) + ", expected " +
                   std::to_string(static_cast<int>(undefined_matrix[element])));
  };
  if (!defined) {
    // Readers ignore this matrix; whoever looks for damage may want to know.
    for (std::size_t i = 0; i < matrix.size(); ++i) {
      if (!same_bits(matrix[i], undefined_matrix[i])) return found(rules::geo_undefined_matrix, i);
    }
    return;
  }
  for (const std::size_t i : {8U, 9U, 10U, 11U}) {
    if (matrix[i] != 0 || !same_bits(matrix[i], 0)) found(rules::geo_matrix_row3, i);
  }
  for (const std::size_t i : {2U, 6U, 12U, 13U, 14U, 15U}) {
    if (!same_bits(matrix[i], undefined_matrix[i])) found(rules::geo_matrix_form, i);
  }
}

}  // namespace

std::optional<Georeference> check_georeferencing(
    std::span<const std::byte, georeferencing_size> bytes, std::uint64_t base, Report& report) {
  const std::uint64_t errors = report.errors();
  std::array<double, 16> matrix{};
  for (std::size_t i = 0; i < matrix.size(); ++i)
    matrix[i] = wire::load<double>(bytes.data() + 8 * i);
  Directory directory{};
  const auto word = [&](std::size_t i) {
    return wire::load<std::uint16_t>(bytes.data() + matrix_size + 2 * i);
  };
  directory.header = {word(0), word(1), word(2), word(3)};
  for (std::size_t k = 0; k < directory.keys.size(); ++k) {
    const std::size_t at = 4 * (k + 1);
    directory.keys[k] = {word(at), word(at + 1), word(at + 2), word(at + 3)};
  }
  check_keys(directory, base + matrix_size, report);
  if (report.done()) return std::nullopt;
  const auto& [model, raster, crs] = directory.keys;
  check_matrix(matrix, model.value != 0, base, report);
  if (report.errors() != errors) return std::nullopt;

  Georeference georeference{.model = static_cast<CrsModel>(model.value),
                            .epsg = crs.value,
                            .pixel_is_point = raster.value == 2,
                            .transform = {}};
  if (!georeference.defined()) return georeference;  // whose matrix a reader ignores
  georeference.transform = {matrix[0], matrix[1], matrix[3], matrix[4], matrix[5], matrix[7]};
  if (!georeference.transform.invertible()) {
    report.add(rules::geo_affine_singular, base, "the affine has no finite inverse");
  }
  return georeference;
}

GeoreferencingBytes make_georeferencing(const Georeference& georeference) {
  const auto matrix = georeference.defined() ? matrix_of(georeference.transform) : undefined_matrix;
  const auto crs_key =
      georeference.model == CrsModel::projected ? projected_type_key : geographic_type_key;
  const std::array<std::uint16_t, 16> words = {
      geo_key_header[0],
      geo_key_header[1],
      geo_key_header[2],
      geo_key_header[3],
      model_type_key,
      0,
      1,
      static_cast<std::uint16_t>(georeference.model),
      raster_type_key,
      0,
      1,
      static_cast<std::uint16_t>(georeference.pixel_is_point ? 2 : 1),
      crs_key,
      0,
      1,
      georeference.epsg};
  GeoreferencingBytes bytes{};
  for (std::size_t i = 0; i < matrix.size(); ++i) wire::store(bytes.data() + 8 * i, matrix[i]);
  for (std::size_t i = 0; i < words.size(); ++i)
    wire::store(bytes.data() + matrix_size + 2 * i, words[i]);
  return bytes;
}

Result<> check_for_writing(const Georeference& georeference, AffineDemand demand) {
  if (!georeference.defined()) {
    if (georeference.epsg != 0) {
      return fail(rules::geo_undefined_code,
                  "EPSG:" + std::to_string(georeference.epsg) + " with the model of no CRS", {},
                  Errc::bad_argument);
    }
    if (georeference.transform != geo::Affine{}) {
      return fail(rules::write_transform_without_crs,
                  "a transform needs a CRS: a file without one holds no transform", {},
                  Errc::bad_argument);
    }
    return {};
  }
  if (georeference.epsg < epsg_least || georeference.epsg > epsg_most) {
    return fail(rules::geo_epsg_range,
                "EPSG:" + std::to_string(georeference.epsg) + " is outside 1024..32766", {},
                Errc::bad_argument);
  }
  if (demand == AffineDemand::regular && !is_regular(georeference.transform)) {
    return fail(rules::write_affine, "the transform is not finite or has no inverse", {},
                Errc::bad_argument);
  }
  return {};
}

}  // namespace sillar::rumi
