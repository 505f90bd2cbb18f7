// The hash of one build of OpenZL.
#pragma once

#include <sillar/codec/openzl_native.hpp>

#include <memory>

#ifndef SILLAR_OPENZL_VARIANT
#define SILLAR_OPENZL_VARIANT baseline
#endif

namespace sillar::codec::openzl::SILLAR_OPENZL_VARIANT {

/// Null where OpenZL is an installed package, which does not carry the hash in its headers.
[[nodiscard]] std::unique_ptr<Xxh3> make_xxh3();

}  // namespace sillar::codec::openzl::SILLAR_OPENZL_VARIANT
