// Every demand of OPFF 1.0 on a file, a writer, a footer of this library and a sequence of files.
#pragma once

#include <sillar/base/rule.hpp>

#include <array>

namespace sillar::opff::rules {

// clang-format off
// The header and the size of the file, in the order in which they are judged. The first three end
// the judgement: what comes behind them means nothing.
inline constexpr Rule header_short{"opff.header_short", "The Header & Cache Alignment", "a file holds at least its 64-byte header"};
inline constexpr Rule magic{"opff.magic", "Extensions & The Decentralized Namespace", "the first three bytes spell OPF and the fourth is a letter A to Z"};
inline constexpr Rule version{"opff.version", "The Header & Cache Alignment", "the version is 1"};
inline constexpr Rule depth{"opff.depth", "Hardware Routing & Data Types", "at most one bit of the depth is set"};
inline constexpr Rule interleaved_bitmap{"opff.interleaved_bitmap", "The Atomic Rejection Matrix", "a bitmap is planar"};
inline constexpr Rule channels{"opff.channels", "The Atomic Rejection Matrix", "there are 1 to 127 channels"};
inline constexpr Rule zero_dimension{"opff.zero_dimension", "The Atomic Rejection Matrix", "frames, width and height are more than zero"};
inline constexpr Rule bitmap_modulo{"opff.bitmap_modulo", "The Atomic Rejection Matrix", "the area of a bitmap, width times height, is a multiple of 8"};
inline constexpr Rule reserved{"opff.reserved", "The Header & Cache Alignment", "bytes 16 to 63 are zero"};
inline constexpr Rule size{"opff.size", "Size Validation & The 64-Bit Mandate", "a file is at least as long as its header demands"};

// What only a writer can break. A writer may break `magic`, `interleaved_bitmap`, `channels`,
// `zero_dimension` and `bitmap_modulo` too.
inline constexpr Rule write_dtype{"opff.write.dtype", "Hardware Routing & Data Types", "the dtype of the samples has a depth code, or the caller names one of the same footprint"};
inline constexpr Rule write_frames{"opff.write.frames", "The Header & Cache Alignment", "a file holds at most 255 frames"};
inline constexpr Rule write_extent{"opff.write.extent", "The Header & Cache Alignment", "width and height are at most 65535"};
inline constexpr Rule write_size{"opff.write.size", "Size Validation & The 64-Bit Mandate", "the samples have exactly the size that the geometry demands"};
inline constexpr Rule write_start_id{"opff.write.start_id", "The Header & Cache Alignment", "the start id of every file of a recording fits 32 bits"};
inline constexpr Rule write_frame_order{"opff.write.frame_order", "The Header & Cache Alignment", "every frame of a recording is given exactly once"};

// The footer that this library may write, looked at only when a caller asks.
inline constexpr Rule footer_short{"opff.footer.short", "Custom Metadata", "a sillar footer holds at least its 16-byte head"};
inline constexpr Rule footer_magic{"opff.footer.magic", "Custom Metadata", "a sillar footer begins with its own magic"};
inline constexpr Rule footer_version{"opff.footer.version", "Custom Metadata", "the version of a sillar footer is 1"};
inline constexpr Rule footer_length{"opff.footer.length", "Custom Metadata", "the text of a sillar footer ends with the file"};
inline constexpr Rule footer_text{"opff.footer.text", "Custom Metadata", "the text of a sillar footer is one JSON object in UTF-8"};

// Files that continue each other.
inline constexpr Rule sequence_gap{"opff.sequence.gap", "Larger than the header allows", "the files of a sequence leave no frame id out", Severity::warning};
inline constexpr Rule sequence_overlap{"opff.sequence.overlap", "Larger than the header allows", "no two files of a sequence hold the same frame id", Severity::warning};
inline constexpr Rule sequence_geometry{"opff.sequence.geometry", "Larger than the header allows", "the files of a sequence have one geometry", Severity::warning};

/// All of them, in the order above.
inline constexpr std::array all = {
    &header_short, &magic, &version, &depth, &interleaved_bitmap, &channels, &zero_dimension, &bitmap_modulo,
    &reserved, &size,
    &write_dtype, &write_frames, &write_extent, &write_size, &write_start_id, &write_frame_order,
    &footer_short, &footer_magic, &footer_version, &footer_length, &footer_text,
    &sequence_gap, &sequence_overlap, &sequence_geometry,
};
// clang-format on

}  // namespace sillar::opff::rules
