#include "core/engine/device/accelerator.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <utility>

namespace ropelab {
namespace {

int captures = 0;
int replays = 0;

class CountedGraph : public DeviceGraph {
 public:
    void capture(const std::function<void()>& work) override {
        ++captures;
        work();
    }
    void replay() override { ++replays; }
};
const CudaGraphs counted = {nullptr, []() -> std::unique_ptr<DeviceGraph> { return std::make_unique<CountedGraph>(); }};

TEST(RepeatedWork, CapturesOnceAfterThreeRuns) {
    captures = replays = 0;
    RepeatedWork repeated(&counted);
    int done = 0;
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(repeated.captured(), i > 3);
        repeated([&] { ++done; });
    }
    EXPECT_EQ(done, 4);  // three runs, and one for the capture
    EXPECT_EQ(captures, 1);
    EXPECT_EQ(replays, 7);
    EXPECT_EQ(repeated.failure(), "");
}

TEST(RepeatedWork, ContinuesWithoutGraphAfterFailedCapture) {
    RepeatedWork repeated(&counted);
    int done = 0;
    for (int i = 0; i < 3; ++i) repeated([&] { ++done; });
    bool capturing = true;
    for (int i = 0; i < 4; ++i) {
        repeated([&] {
            if (std::exchange(capturing, false)) throw std::runtime_error("not while capturing.\ntrace");
            ++done;
        });
    }
    EXPECT_EQ(done, 7);
    EXPECT_FALSE(repeated.captured());
    EXPECT_EQ(repeated.failure(), "not while capturing.");
}

TEST(RepeatedWork, StartsWithoutGraphsIfThereAreNone) {
    RepeatedWork repeated(nullptr);
    int done = 0;
    for (int i = 0; i < 6; ++i) repeated([&] { ++done; });
    EXPECT_EQ(done, 6);
    EXPECT_FALSE(repeated.captured());
}

TEST(RepeatedWork, PropagatesErrorsOfTheWork) {
    RepeatedWork repeated(&counted);
    EXPECT_THROW(repeated([] { throw std::runtime_error("out of memory"); }), std::runtime_error);
}

}  // namespace
}  // namespace ropelab
