#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "core/spec/run_spec.h"
#include "ui/common/latest_job.h"

namespace ropelab::ui {

/// On a background thread, because it takes seconds. A newer request cancels the running one; results are cached.
class EntropyFloorJob : public QObject {
    Q_OBJECT

 public:
    /// In nats per character; nullopt if the data set has no entropy floor.
    using Find = std::function<std::optional<double>(const RunSpec& spec, const Cancelled& cancelled)>;

    /// `find` is entropy_floor_of by default; tests pass a function of their own.
    explicit EntropyFloorJob(QObject* parent = nullptr, Find find = {});

    /// found() follows, immediately if the result is cached. nullopt only cancels the running computation.
    void ask(const std::optional<RunSpec>& spec);
    bool isPending() const { return m_job.isRunning(); }
    /// Runs with equal keys have the same entropy floor.
    static std::string keyOf(const RunSpec& spec);

 signals:
    /// In nats per character; nullopt if it is unknown or does not exist.
    void found(std::optional<double> nats);

 private:
    Find m_find;
    std::string m_asked;
    std::map<std::string, std::optional<double>> m_known;
    LatestJob m_job;  // declared last so that it is destroyed first
};

}  // namespace ropelab::ui
