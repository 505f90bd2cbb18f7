// The command line as a whole: verbs, options, exit codes, streams and signals.
#include "fixture.hpp"

namespace sillar::cli::testing {
namespace {

class Command : public CommandTest {};

TEST_F(Command, every_kind_of_failure_has_its_own_exit_code_and_leaves_stdout_empty) {
  put("broken.rumi", get("a.rumi").substr(0, 100));
  put("unknown.bin", "neither here nor there");
  put("b.stards", "STARDS");
  put("there", "");
  const struct {
    std::vector<std::string> arguments;
    int code;
  } cases[] = {
      {{}, 2},
      {{"no-such-verb"}, 2},
      {{"info"}, 2},
      {{"info", "--no-such-option", at("a.rumi")}, 2},
      {{"info", "--no-such-option", at("missing.rumi")}, 2},
      {{"read", at("a.rumi"), "--to", "jpg", "-o", at("o")}, 2},
      {{"read", at("a.rumi"), "--to", "raw"}, 2},
      {{"read", at("a.rumi"), "--bands", "2", "--to", "raw", "-o", at("o")}, 2},
      {{"info", at("missing.rumi")}, 3},
      {{"info", at("missing.stards")}, 3},
      {{"info", at("no/such/folder")}, 3},
      {{"validate", at("missing.rumi")}, 3},
      {{"info", at("broken.rumi")}, 4},
      {{"info", at("unknown.bin")}, 4},
      {{"info", at("b.stards")}, 4},
      {{"plan", at("b.stards")}, 5},
      {{"info", "s3://bucket/key.rumi"}, 5},
      {{"read", at("a.rumi"), "--to", "tif", "--axes", "yxbt", "-o", at("o")}, 2},
      {{"read", at("a.rumi"), "--to", "raw", "-o", at("no/such/o")}, 3},
      {{"read", at("a.rumi"), "--to", "raw", "-o", at("there")}, 8},
  };
  const Names before = names();
  for (const auto& [arguments, code] : cases) {
    const Outcome outcome = run(arguments);
    const std::string called = arguments.empty() ? "" : arguments[0] + " " + arguments.back();
    EXPECT_EQ(outcome.code, code) << called << ": " << outcome.err;
    EXPECT_EQ(outcome.out, "") << called;
    EXPECT_TRUE(outcome.err.starts_with("sillar: error: ")) << called << ": " << outcome.err;
    EXPECT_EQ(names(), before) << called;
  }
}

TEST_F(Command, an_error_names_file_offset_and_rule) {
  std::string bytes = get("a.rumi");
  bytes[0] = 'X';
  put("b.rumi", bytes);
  const Outcome text = run({"info", at("b.rumi")});
  EXPECT_TRUE(
      text.err.starts_with("sillar: error: " + at("b.rumi") + ": offset 0x0: rumi.file.magic: "))
      << text.err;
  EXPECT_NE(text.err.find("\nhint: "), std::string::npos);

  const Outcome json = run({"info", "--json", at("b.rumi")});
  EXPECT_EQ(json.out, "");
  const Json error = Json::parse(json.err);
  EXPECT_EQ(error["schema"], "sillar.error");
  EXPECT_EQ(error["schema_version"], 1);
  EXPECT_EQ(error["code"], "malformed");
  EXPECT_EQ(error["exit_code"], 4);
  EXPECT_EQ(error["rule"], "rumi.file.magic");
  EXPECT_EQ(error["offset"], 0);
  EXPECT_EQ(error["file"], at("b.rumi"));
  EXPECT_FALSE(error["message"].get<std::string>().empty());
}

TEST_F(Command, errors_of_usage_are_json_where_json_is_asked_for) {
  const Outcome outcome = run({"read", "--json", "--t", "raw", at("a.rumi")});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(Json::parse(outcome.err)["code"], "bad_argument");
  EXPECT_EQ(Json::parse(run({"--json", "inffo"}).err)["hint"], "did you mean info?");
}

TEST_F(Command, the_nearest_verb_and_option_are_suggested) {
  EXPECT_NE(run({"valdate", "x"}).err.find("did you mean validate?"), std::string::npos);
  EXPECT_NE(run({"info", "--jsn", at("a.rumi")}).err.find("did you mean --json?"),
            std::string::npos);
  EXPECT_NE(run({"read", "--overwite", at("a.rumi")}).err.find("did you mean --overwrite?"),
            std::string::npos);
  EXPECT_NE(run({"read", at("a.rumi"), "--to", "ra", "-o", "x"}).err.find("did you mean raw?"),
            std::string::npos);
  EXPECT_EQ(run({"zzzzzz"}).err.find("did you mean"), std::string::npos);
}

TEST_F(Command, global_options_work_before_and_after_the_verb) {
  const std::string file = at("a.rumi");
  const std::string wanted = run({"info", "--json", file}).out;
  ASSERT_FALSE(wanted.empty());
  EXPECT_EQ(run({"--json", "info", file}).out, wanted);
  EXPECT_EQ(run({"info", file, "--json"}).out, wanted);
  EXPECT_EQ(run({"--threads", "2", "info", "--json", file}).out, wanted);
  EXPECT_EQ(run({"--color=never", "--threads=2", "info", "--json", file}).out, wanted);
  EXPECT_EQ(run({"--threads", "0", "validate", file}).code, 2);
  EXPECT_EQ(run({"--threads", "x", "validate", file}).code, 2);
  EXPECT_EQ(run({"validate", "--threads", "ALL_CPUS", file}).code, 0);
}

TEST_F(Command, help_goes_to_stdout) {
  const Outcome all = run({"--help"});
  EXPECT_EQ(all.code, 0);
  EXPECT_EQ(all.err, "");
  EXPECT_NE(all.out.find("decode-frame"), std::string::npos);
  const Outcome brief = run({"read", "-h"});
  const Outcome whole = run({"read", "--help"});
  EXPECT_EQ(brief.code, 0);
  EXPECT_EQ(brief.out.find("Examples:"), std::string::npos);
  EXPECT_NE(whole.out.find("Examples:"), std::string::npos);
  EXPECT_NE(whole.out.find("--threads N"), std::string::npos);
}

TEST_F(Command, version_names_library_specifications_and_openzl) {
  const Json version = answer({"--version", "--json"});
  EXPECT_EQ(version["schema"], "sillar.version");
  EXPECT_EQ(version["specifications"]["rumi"], "0.1.0");
  EXPECT_FALSE(version["openzl"].get<std::string>().empty());
  EXPECT_TRUE(run({"--version"}).out.starts_with("sillar "));
}

TEST_F(Command, the_tree_of_options_is_json) {
  const Json usage = answer({"--json-usage"});
  EXPECT_EQ(usage["schema"], "sillar.usage");
  bool found = false;
  for (const Json& verb : usage["verbs"]) {
    EXPECT_FALSE(verb["description"].get<std::string>().empty());
    EXPECT_FALSE(verb["examples"].empty()) << verb["name"];
    for (const Json& option : verb["options"]) {
      EXPECT_FALSE(option["description"].get<std::string>().empty()) << option;
      if (option["names"] == Json{"--to"}) found = option["choices"][0] == "raw";
    }
  }
  EXPECT_TRUE(found);
}

TEST_F(Command, completions_are_made_for_every_shell) {
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    const Outcome outcome = run({"completion", shell});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_NE(outcome.out.find("decode-frame"), std::string::npos) << shell;
    EXPECT_NE(outcome.out.find("overwrite"), std::string::npos) << shell;
  }
  EXPECT_EQ(run({"completion", "tcsh"}).code, 2);
}

TEST_F(Command, the_bash_completion_completes) {
  put("completion.bash", run({"completion", "bash"}).out);
  const auto completed = [&](const std::string& words) {
    const std::string script =
        "source " + at("completion.bash") + "; COMP_WORDS=(" + words +
        "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _sillar; echo ${COMPREPLY[@]}";
    std::string answer;
    FILE* pipe = ::popen(("bash -c '" + script + "' 2>&1").c_str(), "r");
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) answer += static_cast<char>(c);
    ::pclose(pipe);
    return answer;
  };
  EXPECT_EQ(completed("sillar dec"), "decode-frame\n");
  EXPECT_EQ(completed("sillar read --to n"), "npy\n");
  EXPECT_EQ(completed("sillar read --overw"), "--overwrite\n");
  EXPECT_EQ(completed("sillar completion z"), "zsh\n");
}

TEST_F(Command, odd_paths_are_paths) {
  const std::string bytes = get("a.rumi");
  put("with blank.rumi", bytes);
  put("-dash.rumi", bytes);
  put("info", bytes);
  const std::string foreign = std::string("b\xFF\x01.rumi");
  put(foreign, bytes);
  EXPECT_EQ(answer({"info", "--json", at("with blank.rumi")})["format"], "rumi");
  EXPECT_EQ(answer({"info", "--json", at("info")})["format"], "rumi");
  EXPECT_EQ(answer({"info", "--json", "file://" + at("a.rumi")})["format"], "rumi");
  const Json info = answer({"info", "--json", at(foreign)});
  EXPECT_TRUE(info["file"].get<std::string>().ends_with("b\uFFFD\x01.rumi"));
  EXPECT_TRUE(info["file_hex"].get<std::string>().ends_with("62ff012e72756d69"));
  EXPECT_NE(run({"info", at(foreign)}).out.find("b\uFFFD\\x01.rumi: rumi, "), std::string::npos);
  const Json error = Json::parse(run({"info", "--json", at("\xFE.rumi")}).err);
  EXPECT_TRUE(error["file_hex"].get<std::string>().ends_with("fe2e72756d69"));
}

TEST_F(Command, two_dashes_end_the_options) {
  put("-dash.rumi", get("a.rumi"));
  const std::string home = std::filesystem::current_path();
  std::filesystem::current_path(at("."));
  EXPECT_EQ(run({"info", "--", "-dash.rumi"}).code, 0);
  EXPECT_EQ(run({"info", "-dash.rumi"}).code, 2);
  EXPECT_EQ(run({"validate", "-q", "--", "-dash.rumi", "a.rumi"}).code, 0);
  EXPECT_EQ(run({"read", "--to", "raw", "-o", "out", "--", "-dash.rumi"}).code, 0);
  std::filesystem::current_path(home);
  EXPECT_EQ(get("out"), small_samples());
}

TEST_F(Command, a_closed_pipe_ends_it_quietly) {
  const Outcome outcome = run({.arguments = {"info", at("a.rumi")}, .reader = Reader::is_gone});
  EXPECT_EQ(outcome.code, 141);
  EXPECT_EQ(outcome.err, "");
}

TEST_F(Command, a_full_device_is_an_error) {
  const Outcome outcome = run({.arguments = {"info", at("a.rumi")}, .stdout_path = "/dev/full"});
  EXPECT_EQ(outcome.code, 7);
  EXPECT_NE(outcome.err.find("standard output"), std::string::npos);
}

TEST_F(Command, a_signal_ends_a_wait_for_input) {
  for (const auto& [signal, code] : {std::pair(SIGINT, 130), std::pair(SIGTERM, 143)}) {
    const Outcome outcome =
        run({.arguments = {"info", "-"}, .keep_input_open = true, .signals = {signal}});
    EXPECT_EQ(outcome.code, code) << outcome.err;
  }
}

TEST_F(Command, a_signal_ends_a_wait_for_a_reader) {
  // More than a pipe holds, of a raster of twelve pixels.
  const Outcome outcome = run({.arguments = {"read", at("a.rumi"), "--to", "raw", "-o", "-",
                                             "--window", "0,0,1000,1000", "--pad", "0"},
                               .reader = Reader::waits,
                               .signals = {SIGINT}});
  EXPECT_EQ(outcome.code, 130) << outcome.err;
  EXPECT_LT(outcome.out.size(), 4'000'000U);
}

TEST_F(Command, environment_sets_limits_and_is_judged) {
  const auto with = [&](const std::string& setting) {
    return run({.arguments = {"read", at("a.rumi"), "--to", "raw", "-o", "/dev/null"},
                .environment = {setting}});
  };
  EXPECT_EQ(with("SILLAR_MAX_FRAME_BYTES=3").code, 6);
  EXPECT_EQ(with("SILLAR_MAX_FRAME_BYTES=1Ki").code, 0);
  EXPECT_EQ(with("SILLAR_MAX_FRAME_BYTES=many").code, 2);
  EXPECT_EQ(with("SILLAR_NUM_THREADS=2").code, 0);
  EXPECT_EQ(with("SILLAR_NUM_THREADS=ALL_CPUS").code, 0);
  EXPECT_EQ(with("SILLAR_NUM_THREADS=-1").code, 2);
  EXPECT_EQ(with("SILLAR_VERIFY=0").code, 0);
  EXPECT_EQ(with("SILLAR_VERIFY=perhaps").code, 2);
}

TEST_F(Command, colours_come_only_when_asked_for) {
  EXPECT_EQ(run({"info", at("missing")}).err.find('\x1b'), std::string::npos);
  EXPECT_NE(run({"info", "--color=always", at("missing")}).err.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace sillar::cli::testing
