// Tests of the check of a CUDA device, with shell scripts as the child process.
#include "core/run/first_contact.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "core/run/device_choice.h"
#include "core/spec/error.h"
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
    static std::string started(const std::string& name, DevicePart part) { return line({.name = name, .part = part}); }
    static std::string ended(const std::string& name, DevicePart part, Outcome outcome, const std::string& detail) {
        return line({.name = name, .part = part, .outcome = outcome, .detail = detail});
    }
    static std::string done() { return std::string("echo '") + device_check_end + "'\n"; }

    ScratchFolder folder_;
};

TEST_F(FirstContactTest, TrustsAndStoresWhatPassed) {
    const DeviceCheckSettings how = child(ended("GELU", DevicePart::activation, Outcome::passed, "") + done());
    const DeviceRecord record = check_cuda_device("device A", how);
    EXPECT_EQ(record.trust, DeviceTrust::everything());
    EXPECT_NE(record.sentence.find("passed its check"), std::string::npos);
    const auto stored = read_device_record(how.folder, "device A");
    ASSERT_TRUE(stored);
    EXPECT_EQ(stored->state, DeviceRecord::State::done);
    EXPECT_EQ(stored->trust, record.trust);
    EXPECT_EQ(stored->checks.size(), 1U);
    EXPECT_FALSE(read_device_record(how.folder, "device B"));
}

TEST_F(FirstContactTest, DisablesWhatFailedOrWasSlower) {
    const DeviceRecord record = check_cuda_device(
        "A", child(ended("RMSNorm", DevicePart::norm, Outcome::failed, "RMSNorm: number 3 is 2 instead of 1") +
                   ended("dropout", DevicePart::dropout, Outcome::slower, "dropout: 0.7 times as fast") + done()));
    EXPECT_EQ(to_text(record.trust), "all but norm, dropout");
    EXPECT_NE(record.sentence.find("RMSNorm: number 3 is 2 instead of 1"), std::string::npos) << record.sentence;
    EXPECT_NE(record.sentence.find("slower than LibTorch's operations: dropout"), std::string::npos) << record.sentence;
}

TEST_F(FirstContactTest, CrashOfTheChildLeavesOnlyLibTorch) {
    const DeviceRecord record =
        check_cuda_device("A", child(started("softmax, float32", DevicePart::softmax) + "kill -SEGV $$"));
    EXPECT_EQ(record.trust, DeviceTrust::libtorch_alone());
    EXPECT_NE(record.sentence.find("crashed (signal 11) at \"softmax, float32\""), std::string::npos)
        << record.sentence;
}

TEST_F(FirstContactTest, CrashInLibTorchDisablesTheDevice) {
    const DeviceRecord record = check_cuda_device(
        "A", child(line({.name = "products of LibTorch", .checks_libtorch = true}) + "kill -SEGV $$"));
    EXPECT_FALSE(record.trust.device);
    EXPECT_NE(record.sentence.find("the device is not used"), std::string::npos) << record.sentence;
}

TEST_F(FirstContactTest, KillsAChildThatHangs) {
    DeviceCheckSettings how = child("echo $$ > '" + (folder_.path() / "id").string() + "'\nexec sleep 60");
    how.limit = std::chrono::milliseconds(500);
    const auto begin = std::chrono::steady_clock::now();
    const DeviceRecord record = check_cuda_device("A", how);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
    EXPECT_EQ(record.trust, DeviceTrust::libtorch_alone());
    EXPECT_NE(record.sentence.find("did not end within"), std::string::npos) << record.sentence;
    std::string id;
    std::ifstream(folder_.path() / "id") >> id;
    EXPECT_FALSE(id.empty());
    EXPECT_FALSE(std::filesystem::exists("/proc/" + id));
}

TEST_F(FirstContactTest, DistrustsInvalidOutputAndAnEarlyEnd) {
    EXPECT_EQ(check_cuda_device("A", child("echo '%$garbage'\nsleep 60")).trust, DeviceTrust::libtorch_alone());
    EXPECT_EQ(check_cuda_device("A", child("exit 0")).trust, DeviceTrust::libtorch_alone());
    EXPECT_EQ(check_cuda_device("A", child(done() + "exit 3")).trust, DeviceTrust::libtorch_alone());
    DeviceCheckSettings none = child("");
    none.command = {"/no/such/program"};
    const DeviceRecord record = check_cuda_device("A", none);
    EXPECT_EQ(record.trust, DeviceTrust::libtorch_alone());
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
    EXPECT_EQ(read_device_record(none.folder, "A")->trust, DeviceTrust::everything());
}

TEST_F(FirstContactTest, CancelledCheckLeavesNoRecord) {
    DeviceCheckSettings how = child("exec sleep 60");
    how.limit = std::chrono::seconds(60);
    how.cancelled = [] { return true; };
    const auto begin = std::chrono::steady_clock::now();
    const DeviceRecord record = check_cuda_device("A", how);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
    EXPECT_EQ(record.trust, DeviceTrust::libtorch_alone());
    EXPECT_EQ(record.sentence, "");
    EXPECT_FALSE(read_device_record(how.folder, "A"));
}

TEST_F(FirstContactTest, KillsAChildThatClosesItsOutputAndHangs) {
    DeviceCheckSettings how = child(done() + "exec sleep 60 >&-");
    how.limit = std::chrono::milliseconds(500);
    const DeviceRecord record = check_cuda_device("A", how);
    EXPECT_EQ(record.trust, DeviceTrust::libtorch_alone());
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
    std::unique_ptr<Model> create_model(const RunSpec&, int, std::span<const NamedTensor>) override { return nullptr; }
    void trust_device(const DeviceTrust& trust) override { trusted = trust; }
    std::string identity = "A";
    DeviceTrust trusted;
};

TEST_F(FirstContactTest, ChecksAnUnknownDeviceOnceBeforeTraining) {
    DeviceEngine engine;
    const auto ran = folder_.path() / "ran";
    const DeviceCheckSettings how = child("echo x >> '" + ran.string() + "'\n" + done());
    EXPECT_NE(choose_device_trust(engine, {}, std::nullopt, how).message, "");
    EXPECT_EQ(engine.trusted, DeviceTrust::everything());
    EXPECT_EQ(choose_device_trust(engine, {}, std::nullopt, how).message, "");
    EXPECT_EQ(std::filesystem::file_size(ran), 2U);
}

TEST_F(FirstContactTest, SettingsAndEnvironmentOverrideTheRecord) {
    DeviceEngine engine;
    const DeviceCheckSettings how = child("exit 1");
    RunSpec spec;
    spec.cuda_kernels = CudaKernels::all;
    choose_device_trust(engine, spec, std::nullopt, how);
    EXPECT_EQ(engine.trusted, DeviceTrust::everything());
    setenv("ROPELAB_CUDA_KERNELS", "off", 1);
    choose_device_trust(engine, spec, std::nullopt, how);
    EXPECT_EQ(engine.trusted, DeviceTrust::libtorch_alone());
    setenv("ROPELAB_CUDA_KERNELS", "no-graphs", 1);
    choose_device_trust(engine, spec, std::nullopt, how);
    EXPECT_EQ(to_text(engine.trusted), "all but graphs");
    setenv("ROPELAB_CUDA_KERNELS", "some", 1);
    EXPECT_MESSAGE(choose_device_trust(engine, spec, std::nullopt, how), BadInput, "off, no-graphs or all");
    unsetenv("ROPELAB_CUDA_KERNELS");
}

TEST_F(FirstContactTest, ResumedRunGetsNoAdditionalKernels) {
    DeviceEngine engine;
    RunConditions conditions{"bfloat16", "cuda", 1, "as before"};
    conditions.kernels = "all but norm";
    EXPECT_FALSE(choose_device_trust(engine, {}, conditions, child(done())).leaves_device);
    EXPECT_EQ(to_text(engine.trusted), "all but norm");
    RunSpec spec;
    spec.cuda_kernels = CudaKernels::all;
    choose_device_trust(engine, spec, conditions, child("exit 1"));
    EXPECT_EQ(to_text(engine.trusted), "all but norm");
}

TEST_F(FirstContactTest, RejectsCudaOnAnUntrustedDevice) {
    DeviceEngine engine;
    const DeviceCheckSettings how = child(line({.name = "products of LibTorch",
                                                .checks_libtorch = true,
                                                .outcome = Outcome::failed,
                                                .detail = "number 0 is 1 instead of 2"}) +
                                          done());
    RunSpec spec;
    spec.device = Device::cuda;
    EXPECT_MESSAGE(choose_device_trust(engine, spec, std::nullopt, how), BadInput, "failed its check");
    spec.device = Device::automatic;
    EXPECT_FALSE(choose_device_trust(engine, spec, std::nullopt, how).leaves_device);
    EXPECT_FALSE(engine.trusted.device);
    const RunConditions on_device{"float32", "cuda", 1, "as before"};
    EXPECT_TRUE(choose_device_trust(engine, spec, on_device, how).leaves_device);
    spec.cuda_kernels = CudaKernels::off;  // the record is not used
    EXPECT_FALSE(choose_device_trust(engine, spec, on_device, how).leaves_device);
    EXPECT_EQ(engine.trusted, DeviceTrust::libtorch_alone());
}

TEST_F(FirstContactTest, FaultRevokesTheTrust) {
    DeviceEngine engine;
    const DeviceCheckSettings how = child(done());
    choose_device_trust(engine, {}, std::nullopt, how);
    const std::string message = revoke_device_trust(engine, "The device refused the kernel adamw.", false, how);
    EXPECT_NE(message.find("LibTorch's operations"), std::string::npos);
    EXPECT_EQ(engine.trusted, DeviceTrust::libtorch_alone());
    EXPECT_EQ(read_device_record(how.folder, "A")->state, DeviceRecord::State::revoked);
    EXPECT_EQ(read_device_record(how.folder, "A")->trust, DeviceTrust::libtorch_alone());
    EXPECT_NE(choose_device_trust(engine, {}, std::nullopt, how).message, "");
    EXPECT_EQ(engine.trusted, DeviceTrust::libtorch_alone());
}

TEST_F(FirstContactTest, LostDeviceIsNotUsedAgainInThisProcess) {
    DeviceEngine engine;
    engine.identity = "a device that is lost";
    const DeviceCheckSettings how = child(done());
    EXPECT_NE(revoke_device_trust(engine, "The device is lost.", true, how).find("on the CPU"), std::string::npos);
    RunSpec spec;
    spec.cuda_kernels = CudaKernels::all;
    const RunConditions on_device{"float32", "cuda", 1, "as before"};
    EXPECT_TRUE(choose_device_trust(engine, spec, on_device, how).leaves_device);
    EXPECT_FALSE(engine.trusted.device);
    spec.device = Device::cuda;
    EXPECT_MESSAGE(choose_device_trust(engine, spec, std::nullopt, how), BadInput,
                   "failed earlier while this program was running");
}

TEST_F(FirstContactTest, RejectsAnUnknownValueOfTheVariable) {
    setenv("ROPELAB_CUDA_KERNELS", "most", 1);
    EXPECT_MESSAGE(check_cuda_kernels_variable(), BadInput, "ROPELAB_CUDA_KERNELS is \"most\"");
    unsetenv("ROPELAB_CUDA_KERNELS");
    EXPECT_NO_THROW(check_cuda_kernels_variable());
}

}  // namespace
}  // namespace ropelab
