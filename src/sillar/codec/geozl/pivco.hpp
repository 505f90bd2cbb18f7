// PivCo-Huffman of OpenZL 0.3, and the GeoZL codec that has it in each byte plane.
#pragma once

#include <sillar/codec/geozl/codec.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace sillar::codec::geozl {

/// The splits of a Huffman tree. An inner node sends each symbol of a block left or right; a leaf
/// has 2^depth symbols, told apart by as many bits.
class PivcoTree {
 public:
  struct Node {
    bool is_leaf = false;
    std::uint8_t depth = 0;             ///< of a leaf
    std::uint8_t first = 0;             ///< of a leaf: where its symbols begin
    std::uint16_t left = 0, right = 0;  ///< of an inner node: indices of nodes
  };

  /// The tree that `weights` describe, one byte a symbol; nothing where they describe none.
  [[nodiscard]] static std::optional<PivcoTree> make(std::span<const std::byte> weights);

  [[nodiscard]] const Node& node(std::size_t index) const { return nodes_[index]; }
  [[nodiscard]] const std::uint8_t* symbols(const Node& leaf) const {
    return symbols_.data() + leaf.first;
  }

  static constexpr std::size_t root = 0;
  static constexpr std::size_t most_symbols = 256;

 private:
  struct Ranks;
  bool add_node(const Ranks& ranks, unsigned level, std::size_t first, std::size_t end,
                std::size_t& index);

  std::array<Node, 2 * most_symbols - 1> nodes_;
  std::size_t node_count_ = 0;
  std::array<std::uint8_t, most_symbols> symbols_;
};

/// Takes the blocks of one stream, in order.
class PivcoStream {
 public:
  /// The largest block that a stream may have, in decoded bytes.
  static constexpr std::uint32_t largest_block = std::uint32_t{1} << 28;

  PivcoStream(const PivcoTree& tree, std::span<const std::byte> bits) : tree_(&tree), bits_(bits) {}

  /// Bytes of scratch memory for blocks of `block` bytes.
  [[nodiscard]] static constexpr std::size_t scratch_size(std::size_t block) {
    return 2 * (block + slack);
  }

  /// Decodes the next block, which has the size of `out`. False where the stream is damaged.
  [[nodiscard]] bool take(std::span<std::byte> out, std::span<std::byte> scratch);

  /// All bytes were taken.
  [[nodiscard]] bool is_done() const { return (bit_ + 7) / 8 == bits_.size(); }

 private:
  static constexpr std::size_t slack = 16;  // that a merge may read behind its inputs

  bool take_node(const PivcoTree::Node& node, std::size_t count, std::byte* out,
                 std::byte* children, std::byte* spare);
  std::optional<std::span<const std::byte>> take_bitmap(std::size_t bits);
  std::optional<std::size_t> take_number(unsigned bits);

  const PivcoTree* tree_;
  std::span<const std::byte> bits_;
  std::size_t bit_ = 0;
};

/// The planar predictor's zigzag residuals in byte planes, each a PivCo-Huffman stream.
[[nodiscard]] Result<> decode_planar_zigzag_pivco(std::span<const std::byte> header,
                                                  std::span<const Input> inputs, Output& out);

}  // namespace sillar::codec::geozl
