// Tests of the stored record of a device check.
#include "core/run/device_record.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/store/process_mark.h"
#include "tests/support/expect_message.h"
#include "tests/support/scratch_folder.h"

namespace ropelab {
namespace {

using State = DeviceRecord::State;

class DeviceRecordTest : public testing::Test {
 protected:
    std::optional<DeviceRecord> read(const std::string& identity) const { return read_device_record(path_, identity); }
    static DeviceRecord record_of(const std::string& identity, State state) {
        DeviceRecord record;
        record.identity = identity;
        record.state = state;
        record.trust = {.graphs = true};
        record.sentence = "The device passed its check.";
        return record;
    }

    ScratchFolder folder_;
    std::filesystem::path path_ = folder_ / "devices";
};

TEST_F(DeviceRecordTest, RoundTripsByIdentity) {
    DeviceRecord written = record_of("NVIDIA H200, driver 580.65.06", State::done);
    written.checks = {{.name = "LibTorch's products", .outcome = DeviceCheck::Outcome::passed},
                      {.name = "steps by graphs",
                       .of_graphs = true,
                       .outcome = DeviceCheck::Outcome::failed,
                       .detail = "the largest error is 0.1"}};
    write_device_record(path_, written);
    const auto stored = read(written.identity);
    ASSERT_TRUE(stored);
    EXPECT_EQ(stored->state, State::done);
    EXPECT_EQ(stored->trust, written.trust);
    EXPECT_EQ(stored->sentence, written.sentence);
    ASSERT_EQ(stored->checks.size(), 2U);
    EXPECT_FALSE(stored->checks[0].of_graphs);
    EXPECT_EQ(stored->checks[1].name, "steps by graphs");
    EXPECT_TRUE(stored->checks[1].of_graphs);
    EXPECT_EQ(stored->checks[1].outcome, DeviceCheck::Outcome::failed);
    EXPECT_EQ(stored->checks[1].detail, "the largest error is 0.1");
    EXPECT_FALSE(read("NVIDIA H200, driver 581.00.00"));
    remove_device_record(path_, written.identity);
    EXPECT_FALSE(read(written.identity));
}

TEST_F(DeviceRecordTest, IncompleteCheckTrustsNoGraphs) {
    write_device_record(path_, record_of("A", State::started));
    EXPECT_EQ(read("A")->trust, DeviceTrust());
    write_device_record(path_, record_of("A", State::revoked));
    EXPECT_EQ(read("A")->state, State::revoked);
}

TEST_F(DeviceRecordTest, IgnoresInvalidFilesAndOtherDevices) {
    write_device_record(path_, record_of("A", State::done));
    const std::filesystem::path file = std::filesystem::directory_iterator(path_)->path();
    for (const std::string text :
         {"", "{", "[]", "{}", R"({"identity": "A", "state": "done", "trust": "some"})",
          R"({"identity": "B", "state": "done", "trust": "all", "sentence": "", "checks": []})",
          R"({"identity": "A", "state": "new", "trust": "all", "sentence": "", "checks": []})"}) {
        folder_.write("devices/" + file.filename().string(), text);
        const auto record = read("A");
        EXPECT_TRUE(!record || record->trust == DeviceTrust()) << text;
    }
    write_device_record(path_, record_of("A", State::done));
    EXPECT_EQ(to_text(read("A")->trust), "graphs");
}

TEST_F(DeviceRecordTest, DetectsAConcurrentCheck) {
    const auto limit = std::chrono::seconds(120);
    const auto stored = [&](State state, const std::string& writer) {
        DeviceRecord record = record_of("A", state);
        record.writer = writer;
        write_device_record(path_, record);
        return *read("A");
    };
    EXPECT_FALSE(is_being_checked(stored(State::started, ""), limit));
    EXPECT_FALSE(is_being_checked(stored(State::started, process_mark()), limit));  // this process is not checking
    DeviceRecord elsewhere = stored(State::started, "another-machine-of-the-cluster 12 345");
    EXPECT_TRUE(is_being_checked(elsewhere, limit));
    elsewhere.time -= 200;
    EXPECT_FALSE(is_being_checked(elsewhere, limit));
    EXPECT_FALSE(is_being_checked(stored(State::done, "another-machine-of-the-cluster 12 345"), limit));
}

TEST_F(DeviceRecordTest, CheckLinesRoundTrip) {
    const DeviceCheck check{.name = "θ \"quoted\"\n", .of_graphs = true, .detail = "d"};
    const std::string line = to_json_line(check);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_EQ(device_check_of(line).name, check.name);
    EXPECT_TRUE(device_check_of(line).of_graphs);
    EXPECT_EQ(device_check_of(line).outcome, DeviceCheck::Outcome::started);
    EXPECT_MESSAGE(device_check_of("hello"), BadInput, "\"hello\" is not a line");
    EXPECT_MESSAGE(device_check_of(R"({"name": 1})"), BadInput, "is not a line");
}

}  // namespace
}  // namespace ropelab
