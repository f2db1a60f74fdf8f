#include "core/interop/metrics_csv.h"

#include <cmath>
#include <fstream>

#include "core/base/error.h"
#include "core/experiment/experiment.h"
#include "tests/support/expect_message.h"
#include "tests/support/scratch_folder.h"

namespace ropelab {
namespace {

class MetricsCsvTest : public testing::Test {
 protected:
    RunId add_run(const std::string& name, double theta, std::int64_t seed) {
        RunSpec spec;
        spec.theta = theta;
        spec.seed = seed;
        return lab_->add_run(experiment_, name, to_json(spec).dump());
    }

    std::string written(bool replace = false) {
        write_metrics_csv(*lab_, lab_->runs(), file_, replace);
        std::ifstream stream(file_, std::ios::binary);
        return {std::istreambuf_iterator<char>(stream), {}};
    }

    ScratchFolder folder_;
    std::filesystem::path file_ = folder_ / "all.csv";
    std::unique_ptr<LabFile> lab_ = LabFile::create(folder_ / "a.ropelab");
    std::int64_t experiment_ = lab_->add_experiment("small", "{}");
};

TEST_F(MetricsCsvTest, HasOneNumberPerLineAndTheSettingsThatDiffer) {
    const RunId first = add_run("one, \"two\"", 500, 1);
    const RunId second = add_run("b", 10000, 2);
    RunSummary summary;
    summary.iterations = 1;
    summary.whole_validation_loss = 2.25;
    summary.seconds = 0.5;
    summary.tokens_per_second = 4096;
    const std::vector<Event> events = {event::Evaluated{first, 0, 4.25, 4.5}, event::Step{first, 1, 3.5, 1.25, 1e-3},
                                       event::RunEnded{first, RunState::finished, "", summary},
                                       event::Step{second, 1, std::nan(""), 1e300, 1e-3}};
    lab_->record(events);
    const std::string a = "1,\"one, \"\"two\"\"\",500,1,,,,";
    EXPECT_EQ(written(),
              "run,name,theta,seed,chosen_precision,chosen_device,chosen_kernels,iteration,quantity,value\r\n" +  //
                  a + "1,training_loss,3.5\r\n" +                                                                 //
                  a + "1,gradient_norm,1.25\r\n" +                                                                //
                  a + "1,learning_rate,0.001\r\n" +                                                               //
                  a + "0,evaluated_training_loss,4.25\r\n" +                                                      //
                  a + "0,validation_loss,4.5\r\n" +                                                               //
                  a + "1,whole_validation_loss,2.25\r\n" +                                                        //
                  a + "1,seconds,0.5\r\n" +                                                                       //
                  a + "1,tokens_per_second,4096\r\n" +                                                            //
                  "2,b,10000,2,,,,1,training_loss,\r\n2,b,10000,2,,,,1,gradient_norm,1e+300\r\n"                  //
                  "2,b,10000,2,,,,1,learning_rate,0.001\r\n");
}

TEST_F(MetricsCsvTest, OneRunHasNoSettingsThatDiffer) {
    add_run("a", 500, 1);
    const MetricsCsv result = write_metrics_csv(*lab_, lab_->runs(), file_, false);
    EXPECT_TRUE(result.keys.empty());
    EXPECT_EQ(result.rows, 0);
    EXPECT_EQ(written(true), "run,name,chosen_precision,chosen_device,chosen_kernels,iteration,quantity,value\r\n");
}

TEST_F(MetricsCsvTest, ExistingFileIsReplacedOnlyWithReplace) {
    add_run("a", 500, 1);
    written();
    EXPECT_MESSAGE(written(), BadInput, "--force");
    EXPECT_FALSE(written(true).empty());
    EXPECT_MESSAGE(write_metrics_csv(*lab_, lab_->runs(), folder_.path(), true), BadInput, "is a folder");
}

}  // namespace
}  // namespace ropelab
