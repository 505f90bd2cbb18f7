// SHA-256 by OpenSSL.
#include "sha256.hpp"

#include "golden.hpp"

#include <array>
#include <cstdlib>
#include <openssl/evp.h>

namespace sillar::testing {

std::string sha256(std::span<const std::byte> bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1)
    std::abort();
  return to_hex(std::as_bytes(std::span(digest.data(), size)));
}

}  // namespace sillar::testing
