// PNG by libpng.
#include <png.h>

#include <sillar/look/picture.hpp>

#include <csetjmp>
#include <memory>
#include <string>

namespace sillar::look {
namespace {

void append(png_structp png, png_bytep data, png_size_t size) {
  auto* out = static_cast<std::vector<std::byte>*>(png_get_io_ptr(png));
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  out->insert(out->end(), bytes, bytes + size);
}

void flush(png_structp /*png*/) {}

/// Nothing of libpng is printed; the message of an error is kept.
void keep_message(png_structp png, png_const_charp message) {
  *static_cast<std::string*>(png_get_error_ptr(png)) = message;
  png_longjmp(png, 1);
}

void ignore_warning(png_structp /*png*/, png_const_charp /*message*/) {}

/// The part that libpng leaves by longjmp: nothing in here has a destructor.
bool write(png_structp png, png_infop info, const Picture& picture) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;  // NOLINT(cert-err52-cpp): libpng's way
  const int color = picture.channels == 1 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB;
  png_set_IHDR(png, info, picture.width, picture.height, 8, color, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  const std::size_t row = std::size_t{picture.width} * picture.channels;
  for (std::uint32_t y = 0; y < picture.height; ++y)
    png_write_row(png, picture.samples.data() + y * row);
  png_write_end(png, nullptr);
  return true;
}

}  // namespace

Result<std::vector<std::byte>> encode_png(const Picture& picture) {
  const std::size_t size = std::size_t{picture.width} * picture.height * picture.channels;
  if ((picture.channels != 1 && picture.channels != 3) || picture.samples.size() != size ||
      size == 0) {
    return fail(Errc::bad_argument, "no picture: " + std::to_string(picture.width) + " x " +
                                        std::to_string(picture.height) + " x " +
                                        std::to_string(picture.channels) + " with " +
                                        std::to_string(picture.samples.size()) + " samples");
  }
  std::string message;
  png_structp png =
      png_create_write_struct(PNG_LIBPNG_VER_STRING, &message, keep_message, ignore_warning);
  if (png == nullptr) throw std::bad_alloc();
  png_infop info = png_create_info_struct(png);
  const auto destroy = [&info](png_structp object) { png_destroy_write_struct(&object, &info); };
  const std::unique_ptr<png_struct, decltype(destroy)> owner(png, destroy);
  if (info == nullptr) throw std::bad_alloc();
  std::vector<std::byte> out;
  png_set_write_fn(png, &out, append, flush);
  if (!write(png, info, picture)) return fail(Errc::bad_argument, "libpng: " + message);
  return out;
}

}  // namespace sillar::look
