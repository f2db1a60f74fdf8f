#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/experiment/experiment.h"
#include "core/store/lab_file.h"
#include "tests/cli/terminal.h"

namespace ropelab {
namespace {

namespace fs = std::filesystem;

class ExportVerb : public testing::Test {
 protected:
    void SetUp() override {
        const auto lab = LabFile::create(lab_);
        const auto experiment = lab->add_experiment("small", "{}");
        for (const double theta : {500.0, 10000.0}) {
            RunSpec spec;
            spec.theta = theta;
            const RunId id = lab->add_run(experiment, label_of(spec), to_json(spec).dump());
            const std::vector<Event> events = {event::Evaluated{id, 0, 4.25, 4.5}, event::Step{id, 1, 3.5, 1.25, 1e-3}};
            lab->record(events);
        }
    }

    Finished write(const std::string& format, const std::string& output, const std::vector<std::string>& more = {}) {
        std::vector<std::string> arguments = {
            "export", "--lab", lab_, "--format", format, "--output", (folder_ / output).string()};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return ropelab_cli(arguments);
    }

    ScratchFolder folder_;
    std::string lab_ = (folder_ / "a.ropelab").string();
};

TEST_F(ExportVerb, WritesTensorBoardEventFiles) {
    const auto finished = write("tensorboard", "events", {"--json"});
    ASSERT_EQ(finished.status, 0) << finished.err;
    const auto files = finished.json().at("files");
    ASSERT_EQ(files.size(), 2U);
    EXPECT_EQ(files[0].at("steps"), 1);
    EXPECT_EQ(files[0].at("evaluations"), 1);
    EXPECT_EQ(files[0].at("times"), "nominal");
    EXPECT_THAT(files[0].at("file").get<std::string>(), testing::HasSubstr("/events/theta_500_100percent_seed1337/"));
    for (const auto& file : files) EXPECT_TRUE(fs::exists(file.at("file").get<std::string>()));
    EXPECT_BAD_INPUT(write("tensorboard", "events"), "--force");
    EXPECT_THAT(write("tensorboard", "events", {"--force"}).out, testing::HasSubstr("2 event files"));
}

TEST_F(ExportVerb, WritesACsvTable) {
    const auto finished = write("csv", "all.csv", {"--json", "--run", "2"});
    ASSERT_EQ(finished.status, 0) << finished.err;
    EXPECT_EQ(finished.json().at("runs"), 1);
    EXPECT_EQ(finished.json().at("rows"), 5);
    EXPECT_BAD_INPUT(write("csv", "all.csv"), "--force");
    EXPECT_EQ(write("csv", "all.csv", {"--force"}).out,
              "Wrote 10 measurements of 2 runs to " + (folder_ / "all.csv").string() + ".\n");
    std::ifstream stream(folder_ / "all.csv");
    std::string header;
    std::getline(stream, header);
    EXPECT_EQ(header, "run,name,theta,chosen_precision,chosen_device,chosen_kernels,iteration,quantity,value\r");
}

TEST_F(ExportVerb, AModelComesFromOneRunWithACheckpoint) {
    const std::string model = (folder_ / "model").string();
    const auto refused = [&](std::vector<std::string> flags, const std::string& part) {
        flags.insert(flags.begin(), {"export", "--lab", lab_});
        EXPECT_BAD_INPUT(ropelab_cli(flags), part);
        EXPECT_FALSE(fs::exists(model));
    };
    refused({"--hugging-face", model}, "There is no checkpoint file");
    refused({"--gguf", model, "--run", "2"}, "run-2");
    refused({"--gguf", model, "--run", "2", "--run", "1"}, "give --run once");
    refused({"--gguf", model, "--hugging-face", model}, "Give one of --format");
    refused({"--gguf", model, "--format", "csv", "--output", "x"}, "Give one of --format");
    refused({"--gguf", model, "--output", "x"}, "Give one of --format");
    refused({}, "Give one of --format");
}

TEST_F(ExportVerb, RejectsBadInputWithOneSentence) {
    EXPECT_BAD_INPUT(write("parquet", "x"), "tensorboard or csv");
    EXPECT_BAD_INPUT(write("csv", "x", {"--run", "9"}), "no run 9");
    EXPECT_BAD_INPUT(write("csv", "none/x.csv"), "x.csv");
    EXPECT_BAD_INPUT(write("csv", "."), "is a folder");
    EXPECT_BAD_INPUT(write("tensorboard", "a.ropelab", {"--force"}), "not a folder");
    EXPECT_BAD_INPUT(ropelab_cli({"export", "--lab", lab_, "--format", "csv"}), "--output");
    EXPECT_BAD_INPUT(ropelab_cli({"export", "--lab", "none", "--format", "csv", "--output", "x"}), "none");
    LabFile::create(folder_ / "empty.ropelab");
    lab_ = (folder_ / "empty.ropelab").string();
    EXPECT_BAD_INPUT(write("csv", "x"), "no runs yet");
}

}  // namespace
}  // namespace ropelab
