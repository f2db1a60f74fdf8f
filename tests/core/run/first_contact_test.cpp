// Tests of the check of a CUDA device, with shell scripts as the child process.
#include "core/run/device_record.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <iterator>

#include "core/base/error.h"
#include "core/run/device_choice.h"
#include "tests/support/expect_message.h"
#include "tests/support/scratch_folder.h"

namespace ropelab {
namespace {

using Outcome = DeviceCheck::Outcome;

class FirstContactTest : public testing::Test {
 protected:
    // Returns the settings of a check whose child process runs this script.
    DeviceCheckSettings child(const std::string& script) {
        const auto file = folder_.path() / "child.sh";
        std::ofstream(file) << "#!/bin/sh\n" << script << '\n';
        return {.command = {"/bin/sh", file.string()},
                .limit = std::chrono::seconds(20),
                .folder = folder_.path() / "devices"};
    }
    static std::string line(const DeviceCheck& check) { return "echo '" + to_json_line(check) + "'\n"; }
    static std::string of_device(Outcome outcome, const std::string& detail = "") {
        return line({.name = "eight training steps", .outcome = outcome, .detail = detail});
    }
    static std::string of_graphs(Outcome outcome, const std::string& detail = "") {
        return line({.name = "steps by graphs", .of_graphs = true, .outcome = outcome, .detail = detail});
    }
    static std::string done() { return std::string("echo '") + device_check_end + "'\n"; }

    ScratchFolder folder_;
};

TEST_F(FirstContactTest, TrustsAndStoresWhatPassed) {
    const DeviceCheckSettings how = child(of_graphs(Outcome::passed) + done());
    const DeviceRecord record = check_cuda_device("device A", how);
    EXPECT_EQ(record.trust, DeviceTrust{.graphs = true});
    EXPECT_NE(record.sentence.find("passed its check"), std::string::npos);
    const auto stored = read_device_record(how.folder, "device A");
    ASSERT_TRUE(stored);
    EXPECT_EQ(stored->state, DeviceRecord::State::done);
    EXPECT_EQ(stored->trust, record.trust);
    EXPECT_EQ(stored->checks.size(), 1U);
    EXPECT_FALSE(read_device_record(how.folder, "device B"));
}

TEST_F(FirstContactTest, DisablesWhatFailed) {
    const DeviceRecord graphs =
        check_cuda_device("A", child(of_graphs(Outcome::failed, "number 3 is 2 instead of 1") + done()));
    EXPECT_EQ(to_text(graphs.trust), "off");
    EXPECT_EQ(graphs.sentence,
              "This CUDA device failed its check (number 3 is 2 instead of 1), so CUDA graphs are not used.");
    const DeviceRecord device =
        check_cuda_device("A", child(of_device(Outcome::failed, "number 3 is 2 instead of 1") + done()));
    EXPECT_EQ(to_text(device.trust), "no device");
    EXPECT_EQ(device.sentence,
              "This CUDA device failed its check (number 3 is 2 instead of 1), so the device is not used.");
}

TEST_F(FirstContactTest, CrashInACheckOfGraphsDisablesOnlyThem) {
    const DeviceRecord record = check_cuda_device("A", child(of_graphs(Outcome::started) + "kill -SEGV $$"));
    EXPECT_EQ(record.trust, DeviceTrust());
    EXPECT_NE(record.sentence.find("crashed (signal 11) at \"steps by graphs\""), std::string::npos) << record.sentence;
}

TEST_F(FirstContactTest, CrashInACheckOfTheDeviceDisablesIt) {
    const DeviceRecord record = check_cuda_device("A", child(of_device(Outcome::started) + "kill -SEGV $$"));
    EXPECT_FALSE(record.trust.device);
    EXPECT_NE(record.sentence.find("the device is not used"), std::string::npos) << record.sentence;
}

TEST_F(FirstContactTest, KillsAChildThatHangs) {
    DeviceCheckSettings how = child("echo $$ > '" + (folder_.path() / "id").string() + "'\nexec sleep 60");
    how.limit = std::chrono::milliseconds(500);
    const auto begin = std::chrono::steady_clock::now();
    const DeviceRecord record = check_cuda_device("A", how);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
    EXPECT_EQ(record.trust, DeviceTrust());
    EXPECT_NE(record.sentence.find("did not end within"), std::string::npos) << record.sentence;
    std::string id;
    std::ifstream(folder_.path() / "id") >> id;
    EXPECT_FALSE(id.empty());
    EXPECT_FALSE(std::filesystem::exists("/proc/" + id));
}

TEST_F(FirstContactTest, DistrustsInvalidOutputAndAnEarlyEnd) {
    EXPECT_EQ(check_cuda_device("A", child("echo '%$garbage'\nsleep 60")).trust, DeviceTrust());
    EXPECT_EQ(check_cuda_device("A", child("exit 0")).trust, DeviceTrust());
    EXPECT_EQ(check_cuda_device("A", child(done() + "exit 3")).trust, DeviceTrust());
    DeviceCheckSettings none = child("");
    none.command = {"/no/such/program"};
    const DeviceRecord record = check_cuda_device("A", none);
    EXPECT_EQ(record.trust, DeviceTrust());
    EXPECT_NE(record.sentence.find("did not start"), std::string::npos) << record.sentence;
}

TEST_F(FirstContactTest, RecordIsStartedWhileTheChildRuns) {
    const DeviceCheckSettings how = child("cat '" + (folder_.path() / "devices").string() + "'/*.json > '" +
                                          (folder_.path() / "meanwhile").string() + "'\n" + done());
    check_cuda_device("A", how);
    std::ifstream file(folder_.path() / "meanwhile");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    EXPECT_NE(text.find("\"started\""), std::string::npos) << text;
}

TEST_F(FirstContactTest, FailedStartOfTheChildKeepsTheRecord) {
    DeviceCheckSettings none = child("");
    none.command = {"/no/such/program"};
    check_cuda_device("A", none);
    EXPECT_FALSE(read_device_record(none.folder, "A"));
    check_cuda_device("A", child(done()));
    check_cuda_device("A", none);
    EXPECT_EQ(read_device_record(none.folder, "A")->trust, DeviceTrust{.graphs = true});
}

TEST_F(FirstContactTest, CancelledCheckLeavesNoRecord) {
    DeviceCheckSettings how = child("exec sleep 60");
    how.limit = std::chrono::seconds(60);
    how.cancelled = [] { return true; };
    const auto begin = std::chrono::steady_clock::now();
    const DeviceRecord record = check_cuda_device("A", how);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
    EXPECT_EQ(record.trust, DeviceTrust());
    EXPECT_EQ(record.sentence, "");
    EXPECT_FALSE(read_device_record(how.folder, "A"));
}

TEST_F(FirstContactTest, KillsAChildThatClosesItsOutputAndHangs) {
    DeviceCheckSettings how = child(done() + "exec sleep 60 >&-");
    how.limit = std::chrono::milliseconds(500);
    const DeviceRecord record = check_cuda_device("A", how);
    EXPECT_EQ(record.trust, DeviceTrust());
    EXPECT_NE(record.sentence.find("did not end within 0.5 s"), std::string::npos) << record.sentence;
}

// An engine with a CUDA device that records the trust it is given.
class DeviceEngine : public Engine {
 public:
    EngineInfo info() override {
        EngineInfo info;
        info.cuda = true;
        info.cuda_identity = identity;
        return info;
    }
    std::unique_ptr<Cohort> create_cohort(const CohortStart&, const TokenData&) override { return nullptr; }
    std::unique_ptr<Model> create_model(const ModelPlan&, std::span<const NamedTensor>, const Computing&) override {
        return nullptr;
    }
    void trust_device(const DeviceTrust& trust) override { trusted = trust; }
    std::string identity = "A";
    DeviceTrust trusted;
};

TEST_F(FirstContactTest, ChecksAnUnknownDeviceOnceBeforeTraining) {
    DeviceEngine engine;
    const auto ran = folder_.path() / "ran";
    const DeviceCheckSettings how = child("echo x >> '" + ran.string() + "'\n" + done());
    EXPECT_NE(choose_device_trust(engine, {}, std::nullopt, how).message, "");
    EXPECT_EQ(engine.trusted, DeviceTrust{.graphs = true});
    EXPECT_EQ(choose_device_trust(engine, {}, std::nullopt, how).message, "");
    EXPECT_EQ(std::filesystem::file_size(ran), 2U);
}

TEST_F(FirstContactTest, SettingsOverrideTheRecord) {
    DeviceEngine engine;
    const DeviceCheckSettings how = child("exit 1");
    RunSpec spec;
    spec.cuda_graphs = GraphUse::on;
    choose_device_trust(engine, spec, std::nullopt, how);
    EXPECT_EQ(engine.trusted, DeviceTrust{.graphs = true});
    spec.cuda_graphs = GraphUse::off;
    choose_device_trust(engine, spec, std::nullopt, how);
    EXPECT_EQ(engine.trusted, DeviceTrust());
    // Runs on the CPU need no check.
    EXPECT_EQ(choose_device_trust(engine, {}, RunConditions{"float32", "cpu", 1, "as before"}, how).message, "");
    spec = {};
    spec.device = Device::cpu;
    EXPECT_EQ(choose_device_trust(engine, spec, std::nullopt, how).message, "");
    EXPECT_FALSE(read_device_record(how.folder, engine.identity));
}

TEST_F(FirstContactTest, ResumedRunGetsNoGraphsIfItHadNone) {
    DeviceEngine engine;
    RunConditions conditions{"bfloat16", "cuda", 1, "as before"};
    conditions.graphs = "all but graphs";
    EXPECT_FALSE(choose_device_trust(engine, {}, conditions, child(done())).leaves_device);
    EXPECT_EQ(to_text(engine.trusted), "off");
    RunSpec spec;
    spec.cuda_graphs = GraphUse::on;
    choose_device_trust(engine, spec, conditions, child("exit 1"));
    EXPECT_EQ(to_text(engine.trusted), "off");
    conditions.graphs = "all but norm";
    choose_device_trust(engine, spec, conditions, child("exit 1"));
    EXPECT_EQ(to_text(engine.trusted), "graphs");
}

TEST_F(FirstContactTest, RejectsCudaOnAnUntrustedDevice) {
    DeviceEngine engine;
    const DeviceCheckSettings how = child(of_device(Outcome::failed, "number 0 is 1 instead of 2") + done());
    RunSpec spec;
    spec.device = Device::cuda;
    EXPECT_MESSAGE(choose_device_trust(engine, spec, std::nullopt, how), BadInput, "failed its check");
    spec.device = Device::automatic;
    EXPECT_FALSE(choose_device_trust(engine, spec, std::nullopt, how).leaves_device);
    EXPECT_FALSE(engine.trusted.device);
    const RunConditions on_device{"float32", "cuda", 1, "as before"};
    EXPECT_TRUE(choose_device_trust(engine, spec, on_device, how).leaves_device);
    spec.cuda_graphs = GraphUse::off;  // the record is not used
    EXPECT_FALSE(choose_device_trust(engine, spec, on_device, how).leaves_device);
    EXPECT_EQ(engine.trusted, DeviceTrust());
}

TEST_F(FirstContactTest, FaultRevokesTheTrust) {
    DeviceEngine engine;
    const DeviceCheckSettings how = child(done());
    choose_device_trust(engine, {}, std::nullopt, how);
    const std::string message = revoke_device_trust(engine, "The CUDA device failed.", false, how);
    EXPECT_NE(message.find("without CUDA graphs"), std::string::npos);
    EXPECT_EQ(engine.trusted, DeviceTrust());
    EXPECT_EQ(read_device_record(how.folder, "A")->state, DeviceRecord::State::revoked);
    EXPECT_EQ(read_device_record(how.folder, "A")->trust, DeviceTrust());
    EXPECT_NE(choose_device_trust(engine, {}, std::nullopt, how).message, "");
    EXPECT_EQ(engine.trusted, DeviceTrust());
}

TEST_F(FirstContactTest, LostDeviceIsNotUsedAgainInThisProcess) {
    DeviceEngine engine;
    engine.identity = "a device that is lost";
    const DeviceCheckSettings how = child(done());
    EXPECT_NE(revoke_device_trust(engine, "The device is lost.", true, how).find("on the CPU"), std::string::npos);
    RunSpec spec;
    spec.cuda_graphs = GraphUse::on;
    const RunConditions on_device{"float32", "cuda", 1, "as before"};
    EXPECT_TRUE(choose_device_trust(engine, spec, on_device, how).leaves_device);
    EXPECT_FALSE(engine.trusted.device);
    spec.device = Device::cuda;
    EXPECT_MESSAGE(choose_device_trust(engine, spec, std::nullopt, how), BadInput,
                   "failed earlier while this program was running");
}

}  // namespace
}  // namespace ropelab
