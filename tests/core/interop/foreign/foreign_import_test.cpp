#include "core/interop/foreign/foreign_import.h"

#include <algorithm>
#include <boost/crc.hpp>
#include <cmath>
#include <iostream>
#include <set>

#include "core/base/error.h"
#include "core/data/json_text.h"
#include "core/interop/metrics_csv.h"
#include "core/interop/tensorboard.h"
#include "core/results/results_cells.h"
#include "core/results/results_table.h"
#include "core/store/run_settings.h"
#include "core/store/sqlite.h"
#include "core/sweep/lab_results.h"
#include "core/sweep/stored_run.h"
#include "tests/support/expect_message.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/shared_data.h"

namespace ropelab {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Files that each library wrote itself, with what was logged and what its store keeps.
fs::path foreign_runs(const std::string& name) {
    return shared_data("../runs/" + name);
}

#define SKIP_WITHOUT_RUNS() \
    if (!fs::exists(foreign_runs(""))) GTEST_SKIP() << "The runs of other programs, ../shared/runs, do not exist.";

// As the readers return them, by name.
std::map<std::string, ForeignRun> read_raw(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file()) files.push_back(entry.path());
    }
    std::ranges::sort(files);
    std::map<std::string, ForeignRun> runs;
    std::map<fs::path, std::vector<fs::path>> events;
    const auto add = [&](ForeignRun run) {
        const std::string name = run.name;
        runs[name] = std::move(run);
    };
    for (const fs::path& file : files) {
        const FileHead head{file, read_file(file).substr(0, 64 << 10)};
        for (const ForeignFormat* format : foreign_formats()) {
            if (format == &mlruns_format || !format->is(head)) continue;
            if (format == &tensorboard_format) {
                events[folder / *file.lexically_relative(folder).begin()].push_back(file);
            } else {
                format->read(std::vector{file}, folder, [&](ForeignRun run) {
                    if (format == &csv_format) run.name = file.parent_path().lexically_relative(folder).string();
                    add(std::move(run));
                });
            }
            break;
        }
    }
    for (const auto& [run, all] : events) tensorboard_format.read(all, folder, add);
    return runs;
}

double number(const json& value) {
    const auto number = logged_number(value);
    EXPECT_TRUE(number) << value;
    // MLflow stores infinity as this number.
    return number && *number == 1.7976931348623157e308 ? INFINITY : number.value_or(0);
}

bool same(double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b));
}

// Right points of a series [[step, value], …].
int right_points(const ForeignRun& run, const std::string& metric, const json& series) {
    const auto found = run.metrics.find(metric);
    if (found == run.metrics.end() || found->second.size() != series.size()) return 0;
    int right = 0;
    for (std::size_t i = 0; i < series.size(); ++i) {
        right += found->second[i].step == series[i][0] && same(found->second[i].value, number(series[i][1])) ? 1 : 0;
    }
    return right;
}

class StoredRuns : public testing::TestWithParam<const char*> {};

TEST_P(StoredRuns, AreReadAsTheStoreKeepsThem) {
    SKIP_WITHOUT_RUNS();
    const json kept = read_json_file(foreign_runs(GetParam()) / "expected.json").at("kept");
    const json truth = read_json_file(foreign_runs("ground_truth.json"));
    const std::map<std::string, ForeignRun> runs = read_raw(foreign_runs(GetParam()));
    EXPECT_EQ(runs.size(), kept.size());
    int right = 0, all = 0;
    for (const auto& [name, metrics] : kept.items()) {
        ASSERT_TRUE(runs.contains(name)) << name;
        for (const auto& [metric, series] : metrics.items()) {
            all += static_cast<int>(series.size());
            const int points = right_points(runs.at(name), metric, series);
            EXPECT_EQ(points, std::ssize(series)) << name << ' ' << metric;
            right += points;
        }
        EXPECT_TRUE(runs.at(name).notes.empty()) << runs.at(name).notes.front();
        if (runs.at(name).program == "SwanLab") continue;  // whose file has no settings
        for (const auto& [setting, value] : truth.at(name.substr(0, name.find('/'))).at("config").items()) {
            EXPECT_EQ(runs.at(name).config.value(setting, json()), value) << name << ' ' << setting;
        }
    }
    std::cout << GetParam() << ": " << right << " of " << all << " points" << std::endl;
}

INSTANTIATE_TEST_SUITE_P(ForeignRuns, StoredRuns,
                         testing::Values("wandb", "swanlab", "torch_summarywriter", "lightning_csv", "mlflow_sqlite"),
                         [](const auto& info) { return std::string(info.param); });

TEST(ForeignRuns, OfTrackioHaveTheNumbersOfEachRow) {
    SKIP_WITHOUT_RUNS();
    const json kept = read_json_file(foreign_runs("trackio") / "expected.json").at("kept");
    const auto runs = read_raw(foreign_runs("trackio"));
    int right = 0, all = 0;
    for (const auto& [name, rows] : kept.items()) {
        std::map<std::string, json> series;
        for (const json& row : rows) {
            for (const auto& [metric, value] : row[1].items()) {
                if (value.is_object()) {
                    for (const auto& [inner, each] : value.items())
                        series[metric + "." + inner].push_back({row[0], each});
                } else if (logged_number(value)) {
                    series[metric].push_back({row[0], value});
                }
            }
        }
        ASSERT_TRUE(runs.contains(name)) << name;
        EXPECT_EQ(runs.at(name).metrics.size(), series.size());
        for (const auto& [metric, points] : series) {
            all += static_cast<int>(points.size());
            const int count = right_points(runs.at(name), metric, points);
            EXPECT_EQ(count, std::ssize(points)) << name << ' ' << metric;
            right += count;
        }
    }
    std::cout << "trackio: " << right << " of " << all << " points" << std::endl;
}

TEST(ForeignRuns, OfTheTrainerHaveMeansSinceTheLastLogAndNaNInPlaceOfZero) {
    SKIP_WITHOUT_RUNS();
    const auto runs = read_raw(foreign_runs("transformers_trainer"));
    EXPECT_EQ(runs.size(), 8U);
    int right = 0, all = 0;
    for (const auto& [name, run] : runs) {
        const json truth = read_json_file(foreign_runs("transformers_trainer") / name / "truth.json");
        std::vector<double> losses;
        for (const json& loss : truth.at("losses_of_each_training_step"))
            losses.push_back(logged_number(typed_value(loss.get<std::string>())).value());
        const std::vector<ForeignPoint>& points = run.metrics.at("loss");
        // The truth of a resumed run begins at its checkpoint.
        const std::int64_t begin = points.back().step - std::ssize(losses) > 2 ? 20 : 0;
        std::int64_t before = begin;
        for (const ForeignPoint& point : points) {
            if (point.step <= begin) continue;
            double sum = 0;
            for (std::int64_t step = before; step < point.step; ++step) {
                sum += losses.at(static_cast<std::size_t>(step - begin));
            }
            const double mean = sum / static_cast<double>(point.step - before);
            const bool is_right = std::isnan(mean) ? std::isnan(point.value) : std::abs(mean - point.value) < 1e-5;
            EXPECT_TRUE(is_right) << name << ' ' << point.step << ": " << point.value << ", not " << mean;
            right += is_right ? 1 : 0;
            ++all;
            before = point.step;
        }
    }
    std::cout << "transformers: " << right << " of " << all << " losses" << std::endl;
}

TEST(ForeignRuns, OfClearMlHaveNaNWhereItStoresZero) {
    SKIP_WITHOUT_RUNS();
    const json truth = read_json_file(foreign_runs("ground_truth.json"));
    const auto runs = read_raw(foreign_runs("clearml"));
    EXPECT_EQ(runs.size(), 3U);
    int right = 0, all = 0;
    for (const auto& [name, run] : runs) {
        std::map<std::string, json> series;
        for (const json& row : truth.at(name).at("rows")) {
            for (const auto& [metric, value] : row.items()) {
                const bool is_finite = std::isfinite(number(value));
                if (metric != "step") series[metric].push_back({row["step"], is_finite ? value : json("NaN")});
            }
        }
        for (const auto& [metric, points] : series) {
            all += static_cast<int>(points.size());
            const int count = right_points(run, metric, points);
            EXPECT_EQ(count, std::ssize(points)) << name << ' ' << metric;
            right += count;
        }
    }
    EXPECT_EQ(runs.at("base-seed2").notes.size(), 1U);
    std::cout << "clearml: " << right << " of " << all << " points" << std::endl;
}

// What was logged, by step; of equal steps the last value.
std::map<std::int64_t, double> logged(const json& rows, const std::string& metric) {
    std::map<std::int64_t, double> result;
    for (const json& row : rows) {
        if (row.contains(metric)) result[row["step"].get<std::int64_t>()] = number(row[metric]);
    }
    return result;
}

class ImportedCurves : public testing::TestWithParam<const char*> {};

// Restarts, NaN, a step out of order and a sparse metric. The stores of wandb and SwanLab have already lost values
// here.
TEST_P(ImportedCurves, AreWhatWasLogged) {
    SKIP_WITHOUT_RUNS();
    const json truth = read_json_file(foreign_runs("ground_truth.json"));
    const ImportPlan plan = plan_import(std::vector{foreign_runs(GetParam())});
    const double tolerance = std::string_view(GetParam()) == "torch_summarywriter" ? 3e-7 : 0;  // float32
    ASSERT_EQ(plan.runs.size(), truth.size());
    const auto compare = [&](const std::vector<std::int64_t>& steps, const std::vector<double>& values,
                             const std::map<std::int64_t, double>& expected) {
        ASSERT_EQ(steps.size(), expected.size());
        std::size_t i = 0;
        for (const auto& [step, value] : expected) {
            EXPECT_EQ(steps[i], step);
            const bool is_close = std::abs(values[i] - value) <= tolerance * std::abs(value);
            EXPECT_TRUE(same(values[i], value) || is_close) << step << ": " << values[i] << ", not " << value;
            ++i;
        }
    };
    for (const PlannedImport& run : plan.runs) {
        SCOPED_TRACE(run.name);
        const json& rows = truth.at(run.name).at("rows");
        const auto& [steps, evaluations, sample] = run.metrics;
        compare(steps.iteration, steps.training_loss, logged(rows, "train/loss"));
        compare(steps.iteration, steps.learning_rate, logged(rows, "lr"));
        compare(evaluations.iteration, evaluations.validation_loss, logged(rows, "val/loss"));
        const json& config = truth.at(run.name).at("config");
        EXPECT_EQ(run.seed, config.at("seed"));
        EXPECT_EQ(run.settings.at("theta"), config.at("theta"));
        EXPECT_EQ(run.settings.at("learning_rate"), config.at("lr"));
        EXPECT_FALSE(run.settings.contains("setting"));  // the name says nothing that the settings do not
    }
}

INSTANTIATE_TEST_SUITE_P(ForeignRuns, ImportedCurves,
                         testing::Values("torch_summarywriter", "lightning_csv", "mlflow_sqlite", "trackio"),
                         [](const auto& info) { return std::string(info.param); });

ResultsTable table_of(const LabFile& lab) {
    return results_table(result_runs(lab, lab_runs(lab, stored_selection(lab)), false));
}

TEST(ForeignRuns, AreGroupedTestedAndExportedWithTheirOrigin) {
    SKIP_WITHOUT_RUNS();
    const ScratchFolder folder;
    const auto lab = LabFile::create(folder / "a.ropelab");
    store_import(*lab, plan_import(std::vector{foreign_runs("mlflow_sqlite")}));
    const ResultsTable table = table_of(*lab);
    EXPECT_EQ(table.swept, std::vector<std::string>{"theta"});
    ASSERT_EQ(table.groups.size(), 2U);
    // NumPy: mean of the lowest val/loss of each seed.
    const json truth = read_json_file(foreign_runs("ground_truth.json"));
    for (const ResultGroup& group : table.groups) {
        EXPECT_EQ(group.seeds, (std::vector<std::int64_t>{1, 2, 3}));
        double sum = 0;
        for (const int seed : {1, 2, 3}) {
            const std::string name =
                (group.settings.at("theta") == 10000.0 ? "base-seed" : "wide-seed") + std::to_string(seed);
            double least = INFINITY;
            for (const auto& [step, loss] : logged(truth.at(name).at("rows"), "val/loss"))
                least = std::min(least, loss);
            sum += least;
        }
        EXPECT_NEAR(group.described[measure_index("best_validation_loss")].mean, sum / 3, 1e-12);
        if (!table.is_baseline(group)) {
            EXPECT_EQ(group.test, TestKind::paired);
            EXPECT_EQ(group.pairs, 3);
        }
    }
    // Defaults of RoPE Lab are not theirs.
    EXPECT_FALSE(table.shared.contains("layers"));
    EXPECT_EQ(table.shared.at("imported"), "MLflow");
    EXPECT_THAT(results_text(table), testing::HasSubstr("Imported runs (from MLflow)"));
    EXPECT_THAT(results_csv(table), testing::HasSubstr("imported"));
    EXPECT_THAT(results_latex(table), testing::HasSubstr("MLflow"));
    EXPECT_THAT(results_latex(table), testing::HasSubstr("& MLflow &"));
    EXPECT_THAT(results_latex(table), testing::Not(testing::HasSubstr("(nats)")));
    EXPECT_EQ(table.groups[0].described[measure_index("bits_per_character")].n, 0);  // what a token is is unknown
    EXPECT_EQ(results_json(table).at("imported"), "MLflow");
    EXPECT_THAT(caption_words(table), testing::Not(testing::HasSubstr("layers")));

    const RunRecord run = lab->runs().front();
    EXPECT_EQ(run.state, RunState::finished);
    EXPECT_TRUE(is_imported(run));
    EXPECT_TRUE(run_checkpoint(*lab, run).path.empty());
    EXPECT_THAT(run.note, testing::HasSubstr("Imported from MLflow"));
    write_metrics_csv(*lab, lab->runs(), folder / "all.csv", false);
    const std::string csv = read_file(folder / "all.csv");
    EXPECT_TRUE(csv.starts_with("run,name,theta,imported,seed,")) << csv.substr(0, 80);
    write_event_files(*lab, lab->runs(), folder / "events", false);

    // What is exported for TensorBoard can be imported again, with the same curves.
    const ImportPlan again = plan_import(std::vector{folder / "events"});
    ASSERT_EQ(again.runs.size(), 6U);
    EXPECT_EQ(again.runs.front().training, "loss/train");
    EXPECT_EQ(again.runs.front().metrics.steps.iteration.size(), 30U);
}

TEST(ForeignRuns, OfTwoProgramsAreDifferentGroupsAndDoNotChangeThoseOfTheLab) {
    const ScratchFolder folder;
    const auto lab = LabFile::create(folder / "a.ropelab");
    const std::int64_t own = lab->add_experiment("own", "{}");
    RunSpec spec;
    for (const double theta : {500.0, 10000.0}) {
        spec.theta = theta;
        const RunId id = lab->add_run(own, "own", to_json(spec).dump());
        RunSummary summary;
        summary.best_validation_loss = 2;
        lab->record(std::vector<Event>{event::RunEnded{id, RunState::finished, "", summary}});
    }
    folder.write("x/seed1.csv", "step,loss,val_loss\n0,4,4\n1,3,3.5\n");
    folder.write("x/seed2.jsonl",
                 "{\"config\": {\"rope_theta\": 777}}\n{\"step\": 1, \"loss\": NaN, \"val_loss\": 2}\n");
    store_import(*lab, plan_import(std::vector{folder / "x"}));
    RunSelection selection;
    selection.experiment = RunSelection::all_experiments;
    const ResultsTable table = results_table(result_runs(*lab, lab_runs(*lab, selection), false));
    EXPECT_EQ(table.groups.size(), 4U);
    EXPECT_EQ(table.swept, (std::vector<std::string>{"theta", "imported"}));
    EXPECT_EQ(imported_words(table), "CSV, JSONL");
}

TEST(ForeignRuns, WithoutSeedsAreRepetitionsThatAreNotPaired) {
    const ScratchFolder folder;
    for (const char* name : {"a1", "a2", "b1", "b2"}) {
        folder.write(std::string("x/") + name + "/hparams.yaml", std::string("kind: ") + name[0] + "\n");
        folder.write(std::string("x/") + name + "/metrics.csv", "step,val_loss\n0,4." + std::string(1, name[1]) + "\n");
    }
    const ImportPlan plan = plan_import(std::vector{folder / "x"});
    ASSERT_EQ(plan.runs.size(), 4U);
    EXPECT_FALSE(plan.runs.front().seed);
    EXPECT_EQ(plan.notes.size(), 1U);
    const auto lab = LabFile::create(folder / "a.ropelab");
    store_import(*lab, plan);
    const ResultsTable table = table_of(*lab);
    ASSERT_EQ(table.groups.size(), 2U);
    EXPECT_EQ(table.groups[0].counted.size(), 2U);
    EXPECT_EQ(table.groups[1].pairs, 0);
    EXPECT_EQ(table.swept, std::vector<std::string>{"kind"});
}

TEST(ForeignRuns, OfNanoGptAndOfWandbChartsAreRead) {
    const ScratchFolder folder;
    folder.write("n/out-seed3/train.log",
                 "Overriding: learning_rate = 6e-4\nnumber of parameters: 10.65M\n"
                 "step 0: train loss 4.2874, val loss 4.2823\niter 0: loss 4.2654, time 32667.41ms, mfu -100.00%\n"
                 "iter 10: loss nan, time 100.41ms, mfu 5.00%\nstep 250: train loss 1.9, val loss 2.0\n");
    const ImportPlan log = plan_import(std::vector{folder / "n"});
    ASSERT_EQ(log.runs.size(), 1U);
    EXPECT_EQ(log.runs[0].program, "nanoGPT");
    EXPECT_EQ(log.runs[0].seed, 3);
    EXPECT_EQ(log.runs[0].settings.at("learning_rate"), 6e-4);
    EXPECT_EQ(log.runs[0].metrics.evaluations.iteration, (std::vector<std::int64_t>{0, 250}));
    EXPECT_EQ(log.runs[0].metrics.evaluations.validation_loss, (std::vector<double>{4.2823, 2.0}));
    EXPECT_EQ(log.runs[0].metrics.steps.iteration, (std::vector<std::int64_t>{0, 10}));
    EXPECT_TRUE(std::isnan(log.runs[0].metrics.steps.training_loss[1]));

    folder.write("w/wandb_export.csv",
                 "\"Step\",\"base-seed1 - val/loss\",\"base-seed1 - val/loss__MIN\",\"base-seed1 - val/loss__MAX\","
                 "\"wide - seed2 - val/loss\"\n\"0\",\"4.5\",\"4.5\",\"4.5\",\"\"\n\"10\",\"3\",\"3\",\"3\",\"2.5\"\n");
    const ImportPlan chart = plan_import(std::vector{folder / "w"});
    ASSERT_EQ(chart.runs.size(), 2U);
    EXPECT_EQ(chart.runs[0].program, "wandb CSV");
    EXPECT_EQ(chart.runs[0].metrics.evaluations.validation_loss, (std::vector<double>{4.5, 3}));
    EXPECT_EQ(chart.runs[1].name, "wide - seed2");
    EXPECT_EQ(chart.runs[1].metrics.evaluations.iteration, std::vector<std::int64_t>{10});
}

TEST(ForeignRuns, OfMlflowsFoldersAreRead) {
    const ScratchFolder folder;
    const std::string run = "mlruns/1/abc/";
    folder.write("mlruns/1/meta.yaml", "name: e\n");
    folder.write(run + "meta.yaml", "lifecycle_stage: active\nrun_name: wide-seed7\n");
    folder.write(run + "params/seed", "8");
    folder.write(run + "params/optimizer", "adamw");
    folder.write(run + "metrics/val/loss",
                 "1795853404003 4.5 0\n1795853405003 1.7976931348623157e+308 1\n1795853406003 nan 2\n");
    const ImportPlan plan = plan_import(std::vector{folder.path()});
    ASSERT_EQ(plan.runs.size(), 1U);
    EXPECT_EQ(plan.runs[0].name, "wide-seed7");
    EXPECT_EQ(plan.runs[0].seed, 8);  // the settings count, and a note says so
    EXPECT_EQ(plan.runs[0].notes.size(), 1U);
    EXPECT_EQ(plan.runs[0].settings.at("config.optimizer"), "adamw");  // RoPE Lab's optimizers have other words
}

TEST(ForeignRuns, ADamagedLineOfClearMlLosesOnlyItsOwnEvents) {
    const ScratchFolder folder;
    const auto line = [](int step, double value) {
        return "[{\"type\": \"training_stats_scalar\", \"metric\": \"loss\", \"variant\": \"loss\", \"iter\": " +
               std::to_string(step) + ", \"value\": " + std::to_string(value) + ", \"timestamp\": 1000}]\n";
    };
    folder.write("run-seed2/metrics.jsonl", line(0, 2.5) + "[{\"type\": \"trai\n" + line(10, 1.5));
    const ImportPlan plan = plan_import(std::vector{folder.path()});
    ASSERT_EQ(plan.runs.size(), 1U);
    EXPECT_EQ(plan.runs[0].metrics.steps.iteration, (std::vector<std::int64_t>{0, 10}));
    ASSERT_EQ(plan.runs[0].notes.size(), 1U);
    EXPECT_THAT(plan.runs[0].notes[0], testing::HasSubstr("without a list of events."));
}

TEST(ForeignRuns, SettingsOfNestedYamlHaveTheNamesOfTheirMappings) {
    const ScratchFolder folder;
    folder.write("run-seed2/hparams.yaml",
                 "model:\n  kind: tall\n  inner:\n    'gate': on\n  shape: wide\ndepth: low\n# a: b\n- c: d\n");
    folder.write("run-seed2/metrics.csv", "step,loss\n0,4\n");
    EXPECT_EQ(
        plan_import(std::vector{folder.path()}).runs.at(0).config,
        json::parse(R"({"model.kind": "tall", "model.inner.gate": "on", "model.shape": "wide", "depth": "low"})"));
}

TEST(ForeignRuns, SettingsThatTheLabCannotHaveKeepTheirOwnNames) {
    const ScratchFolder folder;
    folder.write("seed1.jsonl",
                 R"({"config": {"precision": "bf16-mixed", "batch_size": -1, "n_head": 3, "n_embd": 64, "imported": 1,)"
                 R"( "symbols": "x", "deep": {"er": [1, 2]}, "lr": 0.5}})"
                 "\n{\"step\": 1, \"loss\": 2}\n");
    const json settings = plan_import(std::vector{folder.path()}).runs.front().settings;
    EXPECT_EQ(settings,
              json::parse(R"({"imported": "JSONL", "seed": 1, "config.precision": "bf16-mixed", "batch_size": -1,
        "n_head": 3, "n_embd": 64, "config.imported": 1, "config.symbols": "x", "deep.er": "[1,2]",
        "learning_rate": 0.5})"))
        << settings;
    RunRecord record;
    record.settings = settings.dump();
    EXPECT_EQ(stored_spec(record).learning_rate, 0.5);  // a lab with it opens
}

TEST(ForeignRuns, StatesOfEarlierCheckpointsOfARunAreLeftOut) {
    const ScratchFolder folder;
    for (const char* step : {"20", "100"}) {
        folder.write("out-seed4/checkpoint-" + std::string(step) + "/trainer_state.json",
                     "{\"log_history\": [{\"step\": " + std::string(step) + ", \"loss\": 2.0}]}");
    }
    folder.write("out-seed5/checkpoint-20/trainer_state.json", R"({"log_history": [{"step": 20, "loss": 2.0}]})");
    folder.write("out-seed5/trainer_state.json", R"({"log_history": [{"step": 30, "loss": 2.0}]})");
    const ImportPlan plan = plan_import(std::vector{folder.path()});
    ASSERT_EQ(plan.runs.size(), 2U);
    EXPECT_EQ(plan.runs[0].name, "out-seed4");
    EXPECT_EQ(plan.runs[0].metrics.steps.iteration, std::vector<std::int64_t>{100});
    EXPECT_EQ(plan.runs[1].name, "out-seed5");
    EXPECT_EQ(plan.runs[1].metrics.steps.iteration, std::vector<std::int64_t>{30});
}

TEST(ForeignRuns, ScalarsOfOneTagInFoldersOfTheirOwnBelongToTheRunAbove) {
    const ScratchFolder folder;
    const auto event = [](const std::string& tag) {  // step 7, value 2.5
        const std::string scalar =
            "\x0A" + std::string(1, static_cast<char>(tag.size())) + tag + std::string("\x15\0\0\x20\x40", 5);
        const std::string value = "\x0A" + std::string(1, static_cast<char>(scalar.size())) + scalar;
        return event_record("\x10\x07\x2A" + std::string(1, static_cast<char>(value.size())) + value);
    };
    folder.write("a-seed1/events.out.tfevents.1", event("lr"));
    folder.write("a-seed1/loss_train/events.out.tfevents.1", event("loss"));
    folder.write("a-seed1/loss_val/events.out.tfevents.1", event("loss"));
    folder.write("a-seed1/other/events.out.tfevents.1", event("loss") + event("x"));
    folder.write("a-seed1/x/loss/events.out.tfevents.1", event("loss"));
    // tensorboardX
    folder.write("b-seed1/events.out.tfevents.1", event("lr"));
    folder.write("b-seed1/all/loss/train/events.out.tfevents.1", event("all/loss"));
    folder.write("b-seed1/loss/val/events.out.tfevents.1", event("loss"));
    const ImportPlan plan = plan_import(std::vector{folder.path()}, {"", "loss/val"});
    ASSERT_EQ(plan.runs.size(), 4U);
    EXPECT_EQ(plan.runs[0].training, "loss/train");
    for (const std::size_t run : {0, 3}) {
        EXPECT_EQ(plan.runs[run].validation, "loss/val");
        EXPECT_EQ(plan.runs[run].metrics.evaluations.validation_loss, std::vector<double>{2.5});
    }
    EXPECT_EQ(plan.runs[1].name, "a-seed1/other");
    EXPECT_EQ(plan.runs[2].name, "a-seed1/x/loss");
    EXPECT_EQ(plan.runs[3].name, "b-seed1");
    EXPECT_EQ(plan.runs[3].last_values, (std::map<std::string, double>{{"all/loss/train", 2.5}}));
}

// wandb's log of records, with the rows of a run's history.
std::string wandb_log(const std::vector<json>& rows) {
    const auto field = [](int number, const std::string& bytes) {
        std::string head;
        for (unsigned tag = static_cast<unsigned>(number) * 8 + 2; tag > 0; tag >>= 7U)
            head += static_cast<char>((tag & 0x7FU) | (tag > 0x7F ? 0x80U : 0U));
        return head + static_cast<char>(bytes.size()) + bytes;
    };
    std::string log(":W&B\xE1\xBE\0", 7);
    for (const json& row : rows) {
        std::string items;
        for (const auto& [key, value] : row.items()) items += field(1, field(1, key) + field(16, value.dump()));
        const std::string record = "\x01" + field(2, items);
        boost::crc_32_type crc;
        crc.process_bytes(record.data(), record.size());
        const std::uint32_t sum = crc.checksum();
        log.append(reinterpret_cast<const char*>(&sum), 4);
        log += std::string({static_cast<char>(record.size() - 1), '\0'}) + record;
    }
    return log;
}

// The counter of calls was the step: 4 in place of 150.
TEST(ForeignRuns, HaveTheTrainingStepAndNotTheNumberOfLogCalls) {
    const ScratchFolder folder;
    for (const char* name : {"trainer/global_step", "train/global_step", "global_step", "iter"}) {
        std::vector<json> rows = {{{"_step", 0}, {"train/loss", 3.0}, {name, 50}},
                                  {{"_step", 1}, {"train/loss", 2.5}, {name, 100}},
                                  {{"_step", 2}, {"eval/loss", 2.75}},
                                  {{"_step", 3}, {"train/loss", 2.0}, {name, 150}},
                                  {{"_step", 4}, {"eval/loss", 2.25}, {name, 150}}};
        std::string table = std::string("_step,train/loss,eval/loss,") + name + "\n", lines;
        const fs::path database = folder.write("trackio.db", "");
        const sqlite::Connection writer(database, sqlite::Access::write);
        writer.run(
            "CREATE TABLE metrics (id INTEGER PRIMARY KEY, timestamp TEXT, run_name TEXT, step INTEGER, "
            "metrics TEXT)");
        for (json& row : rows) {
            const auto cell = [&](const char* key) { return row.contains(key) ? row[key].dump() : std::string(); };
            table += cell("_step") + "," + cell("train/loss") + "," + cell("eval/loss") + "," + cell(name) + "\n";
            lines += row.dump() + "\n";
            json stored = row;
            stored.erase("_step");
            writer.run(("INSERT INTO metrics (run_name, step, metrics) VALUES ('a', " + row["_step"].dump() + ", '" +
                        stored.dump() + "')")
                           .c_str());
        }
        for (const fs::path& file : {database, folder.write("a.wandb", wandb_log(rows)), folder.write("a.csv", table),
                                     folder.write("a.jsonl", lines)}) {
            SCOPED_TRACE(file.filename().string() + " " + name);
            const ImportPlan plan = plan_import(std::vector{file});
            ASSERT_EQ(plan.runs.size(), 1U);
            const PlannedImport& run = plan.runs[0];
            EXPECT_EQ(run.metrics.steps.iteration, (std::vector<std::int64_t>{50, 100, 150}));
            EXPECT_EQ(run.metrics.evaluations.iteration, (std::vector<std::int64_t>{100, 150}));
            EXPECT_THAT(run.notes, testing::ElementsAre("1 record without a training step: the newest step before was "
                                                        "used."));
            EXPECT_TRUE(run.last_values.empty());
        }
        fs::remove(database);
    }
    // Where the program gives wandb the step, records without another name for it have it, too.
    const PlannedImport given =
        plan_import(std::vector{folder.write("given.wandb", wandb_log({{{"_step", 50}, {"loss", 3.0}, {"iter", 50}},
                                                                       {{"_step", 100}, {"loss", 2.5}}}))})
            .runs.front();
    EXPECT_EQ(given.metrics.steps.iteration, (std::vector<std::int64_t>{50, 100}));
    EXPECT_TRUE(given.notes.empty());
}

TEST(ForeignRuns, SummariesAreThoseOfTheCurves) {
    const ScratchFolder folder;
    // The last line of the table is cut before its end.
    folder.write("seed1.csv", "step,_timestamp,my_loss,other\n0,100,4,2\n10,103,3,1\n20,107.5,5,6");
    const auto lab = LabFile::create(folder / "a.ropelab");
    store_import(*lab, plan_import(std::vector{folder / "seed1.csv"}, {"my_loss", "other"}));
    const RunSummary summary = lab->runs().front().summary.value();
    EXPECT_EQ(summary.iterations, 20);
    EXPECT_EQ(summary.best_validation_loss, 1);
    EXPECT_EQ(summary.best_iteration, 10);
    EXPECT_EQ(summary.final_validation_loss, 6);
    EXPECT_EQ(summary.final_training_loss, 5);
    EXPECT_EQ(summary.seconds, 7.5);
    EXPECT_TRUE(std::isnan(summary.tokens_per_second));
}

TEST(ForeignRuns, AMetricCanBeNamed) {
    const ScratchFolder folder;
    folder.write("seed1.csv", "step,my_loss,other\n0,4,1\n2,3,7\n");
    EXPECT_EQ(plan_import(std::vector{folder.path()}).runs[0].training, "");
    const ImportPlan plan = plan_import(std::vector{folder.path()}, {"my_loss", "other"});
    EXPECT_EQ(plan.runs[0].metrics.steps.training_loss, (std::vector<double>{4, 3}));
    EXPECT_EQ(plan.runs[0].metrics.evaluations.validation_loss, (std::vector<double>{1, 7}));
    EXPECT_MESSAGE(plan_import(std::vector{folder.path()}, {"my_los", ""}), BadInput, "did you mean my_loss?");
}

// Hostile and damaged files

TEST(ForeignFiles, ThatAreCutOffOrDamagedGiveWhatPrecedes) {
    SKIP_WITHOUT_RUNS();
    const ScratchFolder folder;
    const std::string log = read_file(foreign_runs("wandb/run-base1aaa.wandb"));
    const fs::path events = *fs::directory_iterator(foreign_runs("torch_summarywriter/base-seed2"));
    const std::string records = read_file(events);
    const auto runs_of = [&](const std::string& name, const std::string& bytes) {
        return plan_import(std::vector{folder.write(name, bytes)}).runs.front();
    };
    std::string flipped = log;
    flipped[6000] = static_cast<char>(flipped[6000] ^ 1);
    for (const PlannedImport& run :
         {runs_of("cut.wandb", log.substr(0, 6000)), runs_of("flipped.wandb", flipped),
          runs_of("events.out.tfevents.1", records.substr(0, 1990)),
          runs_of("events.out.tfevents.2", records.substr(0, 2000) + std::string(64, '\x7F'))}) {
        ASSERT_EQ(run.notes.size(), 1U) << run.name;
        EXPECT_THAT(run.notes[0], testing::HasSubstr("is cut off or damaged from byte"));
        EXPECT_GT(run.metrics.steps.iteration.size(), 3U);
        EXPECT_LT(run.metrics.steps.iteration.size(), 30U);
    }
    const PlannedImport whole = runs_of("whole.wandb", log);
    const PlannedImport reserved = runs_of("reserved.wandb", log + std::string(200, '\0'));
    EXPECT_EQ(reserved.metrics.steps.iteration, whole.metrics.steps.iteration);
    EXPECT_EQ(reserved.notes, whole.notes) << "the rest of a block may be reserved and not written";
}

TEST(ForeignFiles, LengthsOfStrangersAreNotBelieved) {
    const ScratchFolder folder;
    // A record of 2⁶² bytes with the right checksum of its length.
    const std::string length("\0\0\0\0\0\0\0\x40", 8);
    const std::string whole =
        event_record(std::string("\x1A\x0D"
                                 "brain.Event:2",
                                 15));
    const std::string of_length = [&] {
        const std::uint32_t crc = crc32c(length);
        const std::uint32_t masked = ((crc >> 15U) | (crc << 17U)) + 0xA282EAD8U;
        return length + std::string(reinterpret_cast<const char*>(&masked), 4);
    }();
    folder.write("a/events.out.tfevents.1", of_length);
    EXPECT_MESSAGE(plan_import(std::vector{folder / "a"}), BadInput, "has no runs of other programs");
    folder.write("b/events.out.tfevents.1", whole + of_length);
    EXPECT_MESSAGE(plan_import(std::vector{folder / "b"}), BadInput, "nothing to import");
    // A field of 2⁶³ bytes inside a record.
    folder.write("c/events.out.tfevents.1", event_record("\x2A\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F"));
    EXPECT_MESSAGE(plan_import(std::vector{folder / "c"}), BadInput, "nothing to import");
    folder.write("d.wandb", std::string(":W&B\xE1\xBE\0\1\1\1\1\xFF\xFF\1", 14));
    EXPECT_MESSAGE(plan_import(std::vector{folder / "d.wandb"}), BadInput, "nothing to import");
    folder.write("e.csv", "step,loss\n1e300,1\n-5,2\nnan,3\n");
    EXPECT_MESSAGE(plan_import(std::vector{folder / "e.csv"}), BadInput, "nothing to import");
    folder.write("trainer_state.json", "{\"log_history\": [" + std::string(100, '['));
    EXPECT_MESSAGE(plan_import(std::vector{folder / "trainer_state.json"}), BadInput, "cut off or no JSON");
}

TEST(ForeignFiles, NumbersThatCannotBeReadAreCounted) {
    const ScratchFolder folder;
    const auto run_of = [&](const std::string& name, const std::string& text) {
        return plan_import(std::vector{folder.write(name, text)}).runs.front();
    };
    const PlannedImport table = run_of("a.csv",
                                       "step,loss,val_loss,date,phase\n0,\"1,234.5\",3,2026-11-30,warm\n"
                                       "10,2.5e,2,2026-12-01,main\n,1,1,,\n");
    EXPECT_THAT(table.notes,
                testing::ElementsAre("Left out: 1 line of a.csv without a step from 0 to 10^15.",
                                     "Left out as unreadable: 2 numbers, first \"1,234.5\" (loss at step 0)."));
    const PlannedImport lines = run_of("b.jsonl",
                                       "{\"config\": {\"seed\": 1, \"lr\": 1e400, \"wide\": 1e-3}}\n"
                                       "{\"step\": 0, \"loss\": 3, \"val_loss\": 1e309}\n"
                                       "{\"step\": 1, \"loss\": \"2.5\", \"val_loss\": -1E2}\n"
                                       "{\"step\": -5, \"loss\": 7}\n{\n{\n");
    EXPECT_THAT(lines.notes,
                testing::ElementsAre("Left out: 2 lines of b.jsonl without a JSON object.",
                                     "Left out: 1 line of b.jsonl without a step from 0 to 10^15.",
                                     "Left out as unreadable: 2 numbers, first \"2.5\" (loss at step 1)."));
    EXPECT_EQ(lines.settings, json::parse(R"({"imported": "JSONL", "seed": 1, "lr": "1e400", "wide": 0.001})"));
    EXPECT_EQ(lines.metrics.steps.training_loss, std::vector<double>{3});
    EXPECT_EQ(lines.metrics.evaluations.validation_loss, std::vector<double>{-100});
    // Without losses, the last step is that of the other metrics.
    const PlannedImport others = run_of("c.jsonl",
                                        "{\"step\": 0, \"val_ppl\": 20, \"note\": \"\", \"phase\": \"e\"}\n"
                                        "{\"step\": 10, \"val_ppl\": 9, \"note\": \"\", \"phase\": \"-\"}\n");
    EXPECT_THAT(others.notes, testing::IsEmpty());
    EXPECT_EQ(import_json({{others}, {}})["runs"][0]["last_step"], 10);
}

// Only lines of tables and of JSON Lines were counted.
TEST(ForeignFiles, RecordsWithoutAStepAreCountedInEachFormat) {
    const ScratchFolder folder;
    const auto expect_left_out = [](const std::string& file, int records, const std::vector<std::string>& others = {}) {
        const ImportPlan plan = plan_import(std::vector{fs::path(file)});
        ASSERT_EQ(plan.runs.size(), 1U) << file;
        std::vector<std::string> notes = others;
        notes.push_back("Left out: " + counted(records, "record") + " without a name or a step from 0 to 10^15.");
        EXPECT_THAT(plan.runs[0].notes, testing::IsSupersetOf(notes)) << file;
        EXPECT_EQ(plan.runs[0].metrics.steps.iteration, std::vector<std::int64_t>{7}) << file;
    };
    expect_left_out(folder.write("a/trainer_state.json", R"({"log_history": [{"step": 7, "loss": 2.0}, {"loss": 1.0},
                                                         {"step": -1, "loss": 1.0}, 5]})"),
                    3);
    const auto event = [](const std::string& rest) {
        return R"([{"type": "training_stats_scalar", "variant": "loss", "value": 2, )" + rest + "}]\n";
    };
    expect_left_out(folder.write("b/metrics.jsonl", event(R"("metric": "loss", "iter": 7)") +
                                                        event(R"("metric": "loss", "iter": "last")") +
                                                        event(R"("metric": "loss")") + event(R"("iter": 8)")),
                    3);
    expect_left_out(folder.write("c/log.txt", "iter -1: loss 3.0\niter 7: loss 2.0\n"), 1);
    const auto scalar = [](const std::string& step) {
        return event_record("\x10" + step + "\x2A\x0D\x0A\x0B\x0A\x04loss" + std::string("\x15\0\0\x20\x40", 5));
    };
    expect_left_out(
        folder.write("d/events.out.tfevents.1", scalar("\x07") + scalar("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01")),
        1);
    folder.write("e/run/meta.yaml", "run_name: e\n");
    folder.write("e/run/metrics/loss", "1000 2.0 7\n1001 1.0 -3\n1002 1.0\n1003 1,5 8\n");
    expect_left_out((folder / "e").string(), 2, {"Left out as unreadable: 1 number, first \"1,5\" (loss at step 8)."});
    const auto database = [&](const char* name, const std::vector<const char*>& statements) {
        const fs::path file = folder.write(name, "");
        const sqlite::Connection writer(file, sqlite::Access::write);
        for (const char* sql : statements) writer.run(sql);
        return file.string();
    };
    expect_left_out(
        database("f.db", {"CREATE TABLE metrics (id INTEGER PRIMARY KEY, timestamp TEXT, run_name TEXT, step INTEGER, "
                          "metrics TEXT)",
                          R"(INSERT INTO metrics (run_name, step, metrics) VALUES ('f', 7, '{"loss": 2}'),
                          ('f', -7, '{"loss": 2}'), ('f', 8, 'cut'))"}),
        2);
    expect_left_out(
        database("g.db", {"CREATE TABLE runs (run_uuid TEXT, name TEXT, lifecycle_stage TEXT)",
                          "CREATE TABLE params (key TEXT, value TEXT, run_uuid TEXT)",
                          "CREATE TABLE metrics (key TEXT, value REAL, timestamp INTEGER, run_uuid TEXT, step INTEGER, "
                          "is_nan INTEGER)",
                          "INSERT INTO runs VALUES ('1', 'g', 'active')",
                          "INSERT INTO metrics VALUES ('loss', 2, 0, '1', 7, 0), ('loss', 2, 0, '1', -1, 0)"}),
        1);
}

// Spreadsheets and editors of Windows write the mark; its files were refused.
TEST(ForeignFiles, MayBeginWithAMarkAndHaveSpacesInTables) {
    const ScratchFolder folder;
    for (const auto& [name, text] :
         {std::pair("a/seed1.csv", "step, loss, val_loss\r\n0, 4, 3\r\n"),
          {"b/seed1.jsonl", "{\"step\": 0, \"loss\": 4, \"val_loss\": 3}\n"},
          {"c/trainer_state.json", "{\"log_history\": [{\"step\": 0, \"loss\": 4, \"eval_loss\": 3}]}"},
          {"d/seed1.txt", "step 0: train loss 4, val loss 3\niter 0: loss 4\n"}}) {
        const PlannedImport run =
            plan_import(std::vector{folder.write(name, std::string("\xEF\xBB\xBF") + text)}).runs.front();
        EXPECT_EQ(run.metrics.steps.training_loss, std::vector<double>{4}) << name;
        EXPECT_EQ(run.metrics.evaluations.validation_loss, std::vector<double>{3}) << name;
    }
}

// It resumed from the largest number instead.
TEST(ForeignFiles, AVersionWithoutNumbersIsNoted) {
    const ScratchFolder folder;
    folder.write("version_0/metrics.csv", "step,loss\n0,4\n1,3\n");
    folder.write("version_1/metrics.csv", "step,loss\n");
    folder.write("version_2/metrics.csv", "step,loss\n10,3\n");
    const ImportPlan plan = plan_import(std::vector{folder.path()});
    ASSERT_EQ(plan.runs.size(), 1U);
    EXPECT_THAT(plan.runs[0].notes,
                testing::IsSupersetOf({"version_1 has no numbers.", "version_2 resumes this run from step 10."}));
}

// The notes of a version that resumes another one were lost.
TEST(ForeignFiles, AResumedVersionKeepsItsNotes) {
    const ScratchFolder folder;
    folder.write("version_0/metrics.csv", "step,loss\n0,4\n1,\"3,5\"\n");
    folder.write("version_1/metrics.csv", "step,loss\n10,3\n11,\"2,5\"\n,1\n");
    const ImportPlan plan = plan_import(std::vector{folder.path()});
    ASSERT_EQ(plan.runs.size(), 1U);
    EXPECT_THAT(plan.runs[0].notes,
                testing::ElementsAre("version_1 resumes this run from step 10.",
                                     "Left out: 1 line of metrics.csv without a step from 0 to 10^15.",
                                     "Left out as unreadable: 2 numbers, first \"3,5\" (loss at step 1)."));
}

TEST(ForeignFiles, OfNoKnownFormatAreRefusedWithAllFormats) {
    const ScratchFolder folder;
    EXPECT_MESSAGE(plan_import(std::vector{folder / "missing"}), BadInput, "There is no file or folder");
    folder.write("x/notes.txt", "step by step\n");
    EXPECT_MESSAGE(plan_import(std::vector{folder / "x/notes.txt"}), BadInput, "trackio (its database (SQLite))");
    EXPECT_MESSAGE(plan_import(std::vector{folder / "x"}), BadInput, "has no runs of other programs");
    EXPECT_FALSE(may_be_foreign(folder / "x/notes.txt"));
    // A lab, a database with other tables, and one whose tables are views.
    LabFile::create(folder / "a.ropelab");
    EXPECT_MESSAGE(plan_import(std::vector{folder / "a.ropelab"}), BadInput, "no file of runs");
    for (const char* sql : {"CREATE TABLE runs (x)",
                            "CREATE VIEW metrics AS WITH RECURSIVE c(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM c) "
                            "SELECT id, '' AS timestamp, '' AS run_name, 1 AS step, '{}' AS metrics FROM c"}) {
        const fs::path file = folder.write("other.db", "");
        sqlite::Connection(file, sqlite::Access::write).run(sql);
        EXPECT_MESSAGE(plan_import(std::vector{file}), BadInput, "no file of runs");
        fs::remove(file);
    }
}

TEST(ForeignFiles, LinksInFoldersAreNotFollowed) {
    const ScratchFolder folder;
    folder.write("run-seed1.csv", "step,loss\n0,1\n");
    fs::create_directory_symlink(folder.path(), folder / "circle");
    fs::create_symlink(folder / "run-seed1.csv", folder / "latest.csv");
    fs::create_symlink("/dev/zero", folder / "endless.jsonl");
    EXPECT_EQ(plan_import(std::vector{folder.path()}).runs.size(), 1U);
    // The same file named twice is one run.
    EXPECT_EQ(plan_import(std::vector{folder.path(), folder / "latest.csv", folder.path()}).runs.size(), 1U);
}

TEST(ForeignFiles, ADatabaseAndItsLogStayAsTheyAreAndTheNewestRowsAreRead) {
    const ScratchFolder folder;
    const fs::path file = folder.write("trackio.db", "");
    const sqlite::Connection writer(file, sqlite::Access::write);
    ASSERT_TRUE(writer.set_write_ahead_log(true));
    writer.run(
        "CREATE TABLE metrics (id INTEGER PRIMARY KEY, timestamp TEXT, run_name TEXT, step INTEGER, metrics TEXT)");
    writer.run(
        "INSERT INTO metrics (timestamp, run_name, step, metrics) VALUES "
        "('2026-11-28T08:13:37.5+00:00', 'a-seed1', 3, '{\"loss\": 2.5}')");
    const std::string log = file.string() + "-wal";
    const std::string before = read_file(file), log_before = read_file(log);
    ASSERT_GT(log_before.size(), 0U);
    const ImportPlan plan = plan_import(std::vector{file});
    ASSERT_EQ(plan.runs.size(), 1U);
    EXPECT_EQ(plan.runs[0].metrics.steps.iteration, std::vector<std::int64_t>{3});
    EXPECT_DOUBLE_EQ(plan.runs[0].metrics.steps.time[0], 1795853617.5);
    EXPECT_EQ(read_file(file), before);
    EXPECT_EQ(read_file(log), log_before);
}

}  // namespace
}  // namespace ropelab
