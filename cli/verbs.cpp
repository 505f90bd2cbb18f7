// The table of verbs. A new verb is a file verb_<name>.cpp, a line here and one in verb.hpp.
#include "cli/text.hpp"
#include "cli/verb.hpp"

#include <CLI/App.hpp>
#include <fmt/format.h>

#include <array>

namespace sillar::cli {

namespace {

// clang-format off
constexpr std::array table = {
    Verb{"demo", "Show the main job on a real scene: convert, validate, read, picture",
         "sillar demo\n"
         "sillar demo my.tif -o somewhere", declare_demo},
    Verb{"info", "Say what a file holds, without decoding any of it",
         "sillar info scene.rumi\n"
         "sillar info --json scene.rumi | jq .rumi.shape\n"
         "sillar info --jsonl *.rumi", declare_info},
    Verb{"validate", "Hold files against every rule of their format",
         "sillar validate scene.rumi\n"
         "sillar validate --threads 4 *.rumi\n"
         "sillar validate --header scene.blob scene.rumi", declare_validate},
    Verb{"read", "Read samples, all or a selection, into another file",
         "sillar read scene.rumi --to npy -o scene.npy\n"
         "sillar read scene.rumi --bands 3,1 --window 512,256,256,256 --to raw -o chip.raw\n"
         "sillar read scene.rumi --bands name:B08 --times 2024-01/2024-04 --to raw -o - | process", declare_read},
    Verb{"plan", "Show what a read would fetch and decode",
         "sillar plan scene.rumi --window 512,256,256,256\n"
         "sillar plan --json --frames scene.rumi --bands 0", declare_plan},
    Verb{"header", "Make, check or print the external header blob of a rumi file",
         "sillar header scene.rumi -o scene.blob\n"
         "sillar header --check scene.blob\n"
         "sillar header --print scene.blob", declare_header},
    Verb{"convert", "Turn a raster of one format into a file of another",
         "sillar convert scene.tif scene.rumi --set-time 2020-05-18 --header scene.blob\n"
         "sillar convert stack.tif cube.rumi --fold tb --set-time 2024-01-01 --set-time 2024-02-01\n"
         "sillar convert cube.rumi chip.tif --bands 0 --times 0 --window 0,0,256,256", declare_convert},
    Verb{"decode-frame", "Decode one bare OpenZL frame",
         "sillar decode-frame tile.zl -o tile.raw", declare_decode_frame},
    Verb{"completion", "Print a completion script for a shell",
         "source <(sillar completion bash)\n"
         "sillar completion fish > ~/.config/fish/completions/sillar.fish", declare_completion},
};
// clang-format on

}  // namespace

std::span<const Verb> verbs() { return table; }

void take_one_of(CLI::Option* option, std::string_view choices) {
  option->type_name(std::string(choices));
  option->check(CLI::Validator(
      [choices](std::string& value) -> std::string {
        std::vector<std::string> words;
        for (const std::string_view word : split(choices, '|')) {
          if (word == value) return {};
          words.emplace_back(word);
        }
        const auto near = nearest(value, words);
        return fmt::format("\"{}\" is none of {}{}", value, fmt::join(words, ", "),
                           near.empty() ? "" : fmt::format("; did you mean {}?", near));
      },
      ""));
}

}  // namespace sillar::cli
