#pragma once

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/experiment/experiment.h"
#include "core/run/checkpoint.h"
#include "tests/ui/support/workbench.h"
#include "ui/probes/inside_run.h"
#include "ui/rooms/inspect/inspect_figures.h"

namespace ropelab::ui {

inline constexpr std::int64_t kTestLayers = 2;
inline constexpr std::int64_t kTestHeads = 2;
inline constexpr std::int64_t kTestPairs = 4;
inline constexpr std::int64_t kTestLength = 16;
inline constexpr std::int64_t kTestMapSize = 6;
inline constexpr const char* kTestVocabulary = "characters:32,97,98,99,100";

/// Draws the figure with this name, as the room does.
inline InspectPicture drawn(const char* figure, const InspectData& data) {
    return findInspectFigure(QLatin1String(figure))->make(data);
}

/// Returns an array with the values first, first + step, first + 2·step, …
inline ProbeArray filledArray(std::vector<std::int64_t> shape, float first, float step) {
    ProbeArray array{std::move(shape), {}};
    std::int64_t size = 1;
    for (const std::int64_t extent : array.shape) size *= extent;
    for (std::int64_t i = 0; i < size; ++i) array.values.push_back(first + step * static_cast<float>(i));
    return array;
}

/// Returns a probe result with distinct values: norms increase with layer, head, pair and `level`.
inline ProbeResult probeResultAt(float level) {
    ProbeResult result;
    result.sequences = 2;
    result.length = kTestLength;
    result.frequencies = {{kTestLayers, 1, kTestPairs}, {}};
    for (std::int64_t i = 0; i < kTestLayers * kTestPairs; ++i) {
        const double theta = i < kTestPairs ? 100.0 * level : 5000.0;
        const double slope = -2.0 * static_cast<double>(i % kTestPairs) / (2.0 * kTestPairs);
        result.frequencies.values.push_back(static_cast<float>(std::pow(theta, slope)));
    }
    result.query_usage = filledArray({kTestLayers, kTestHeads, kTestPairs}, level, 1);
    result.key_usage = filledArray({kTestLayers, kTestHeads, kTestPairs}, level + 1, 1);
    result.value_usage = filledArray({kTestLayers, kTestHeads, kTestPairs}, level + 2, 1);
    result.query_massive = filledArray({kTestLayers, kTestHeads, 2 * kTestPairs}, level, 0.5F);
    result.key_massive = filledArray({kTestLayers, kTestHeads, 2 * kTestPairs}, level, 0.25F);
    result.stream_rms = filledArray({kTestLayers + 1}, level, 0.5F);
    result.stream_largest = filledArray({kTestLayers + 1}, 10 * level, 2);
    result.gradient_norm = filledArray({kTestLayers, 2}, 0.1F * level, 0.5F);
    result.update_ratio = filledArray({kTestLayers, 2}, 0.001F * level, 0.002F);
    result.accumulated_update = filledArray({kTestLayers, 2}, 0.01F * level, 0.25F);
    result.logit_contribution = filledArray({kTestLayers, kTestHeads, kTestPairs + 1}, 0, 0.02F);
    result.weighted_logit_contribution = filledArray({kTestLayers, kTestHeads, kTestPairs + 1}, 0, 0.03F);
    for (std::int64_t i = 0; i < kTestLength; ++i) result.distances.push_back(i);
    result.logit_by_distance = filledArray({kTestLayers, kTestHeads, kTestLength}, level, 0.1F);
    result.attention_by_distance = filledArray({kTestLayers, kTestHeads, kTestLength}, 0.05F, 0.001F);
    result.entropy = filledArray({kTestLayers, kTestHeads}, level, 0.5F);
    result.sink = filledArray({kTestLayers, kTestHeads}, 0.1F, 0.1F);
    result.attention = {{kTestLayers, kTestHeads, kTestMapSize, kTestMapSize}, {}};
    for (std::int64_t map = 0; map < kTestLayers * kTestHeads; ++map) {
        for (std::int64_t query = 0; query < kTestMapSize; ++query) {
            for (std::int64_t key = 0; key < kTestMapSize; ++key) {
                result.attention.values.push_back(key <= query ? 1.0F / static_cast<float>(query + 1) : 0.0F);
            }
        }
    }
    result.map_tokens = {1, 2, 3, 4, 0, 1};
    for (std::int64_t i = 0; i < kTestLength; ++i)
        result.loss_by_position.push_back(3.0 - 0.1 * static_cast<double>(i));
    result.loss = 2.25;
    // The first layer is dense; expert 0 of the second one takes the spaces.
    result.expert_tokens = {0, 1, 2};
    result.expert_shares = {{kTestLayers, 2, 3}, {0, 0, 0, 0, 0, 0, 0.25F, 0.125F, 0, 0, 0.375F, 0.25F}};
    result.expert_balance = {{kTestLayers, 1}, {0, 1.0F + 0.01F * level}};
    result.expert_dropped = {{kTestLayers, 1}, {0, 0.125F}};
    result.retrieval = {{4, 8, 0.25, 2.0, 0.1, 3.0}, {8, 8, 0.75, 1.0, 0.1, 3.0}};
    return result;
}

/// Returns the specification of a small run with this theta.
inline RunSpec testSpec(double theta) {
    RunSpec spec;
    spec.layers = kTestLayers;
    spec.heads = kTestHeads;
    spec.width = kTestHeads * 2 * kTestPairs;
    spec.context = kTestLength;
    spec.theta = theta;
    spec.iterations = 100;
    spec.evaluate_every = 50;
    return spec;
}

/// Returns the message of the BadInput that `call` throws; "" if it throws nothing.
inline QString refusal(const std::function<void()>& call) {
    try {
        call();
    } catch (const BadInput& error) {
        return QString::fromUtf8(error.what());
    }
    return {};
}

/// Returns a run with snapshots after 1, 50 and 100 steps, without a lab.
inline InsideRun testRun(RunId id, double theta) {
    InsideRun run;
    run.id = id;
    run.name = QStringLiteral("θ = %1").arg(theta);
    run.spec = testSpec(theta);
    run.spec.expert_capacity = 1;  // probeResultAt() has choices beyond it
    run.plan = plan_of(run.spec, 65);
    run.vocabulary = kTestVocabulary;
    for (const std::int64_t iteration : {1, 50, 100}) {
        run.addSnapshot({iteration, std::make_shared<const ProbeResult>(probeResultAt(static_cast<float>(iteration)))});
    }
    run.iterations = {50, 100};
    run.validationLoss = {2.5, 2.0};
    return run;
}

/// Fixture that creates labs with two runs, with or without snapshots and checkpoints for the fake engine.
class InspectBench : public Workbench {
 protected:
    /// Creates a lab and returns its path. `more` are additional settings of the runs, `firstOnly` of the first run.
    QString writeLab(bool withSnapshots = true, const nlohmann::json& more = nlohmann::json::object(),
                     bool withCheckpoints = true, const nlohmann::json& firstOnly = nlohmann::json::object()) {
        const QString path = file(QStringLiteral("inside %1.ropelab").arg(++labs).toLatin1().constData());
        const auto lab = LabFile::create(path.toStdString());
        const std::int64_t experiment = lab->add_experiment("inside", Experiment("inside").to_json().dump());
        for (const double theta : {100.0, 10000.0}) {
            RunSpec spec = testSpec(theta);
            spec.data = textFile().toStdString();
            nlohmann::json settings = to_json(spec);
            settings.update(more);
            if (theta < 1000) settings.update(firstOnly);
            const RunId run = lab->add_run(experiment, theta < 1000 ? "θ 100" : "θ 10k", settings.dump());
            std::vector<Event> events = {event::Evaluated{run, 50, 2.4, 2.5}, event::Evaluated{run, 100, 1.9, 2.0}};
            for (const std::int64_t iteration : {1, 50, 100}) {
                const float level = static_cast<float>(iteration) + (theta < 1000 ? 0.0F : 3.0F);
                if (withSnapshots) {
                    events.emplace_back(
                        event::Probed{run, iteration, std::make_shared<const ProbeResult>(probeResultAt(level))});
                }
            }
            RunSummary summary;
            summary.iterations = 100;
            events.emplace_back(event::RunEnded{run, RunState::finished, "", summary});
            lab->record(events);
            const auto corpus = open_corpus(run_spec_from_json(settings));
            const std::string vocabulary = corpus->vocabulary.to_text();
            lab->set_vocabulary(run, vocabulary);
            if (!withCheckpoints) continue;
            Checkpoint checkpoint;
            checkpoint.spec = run_spec_from_json(settings);
            checkpoint.vocabulary = vocabulary;
            checkpoint.conditions = {"float32", "cpu", 1, "float32: the only precision of this engine"};
            checkpoint.iteration = 100;
            checkpoint.state = {{"model.step", {1}, {100}}};
            write_checkpoint(lab->checkpoint_path(run), checkpoint);
        }
        return path;
    }

    int labs = 0;
};

}  // namespace ropelab::ui
