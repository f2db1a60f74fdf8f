#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "core/spec/run_spec.h"
#include "ui/rotary/latest_job.h"

namespace ropelab::ui {

/// Finds the best possible loss on a run's text beside the window's thread: it takes seconds. A newer question cancels
/// the one on its way, without waiting for it; answers are kept.
class FloorFinder : public QObject {
    Q_OBJECT

 public:
    /// In nats per character; nullopt where there is none.
    using Find = std::function<std::optional<double>(const RunSpec& spec, const Cancelled& cancelled)>;

    /// `find` is floor_of; tests give their own.
    explicit FloorFinder(QObject* parent = nullptr, Find find = {});

    /// found() follows, at once where the answer is known; nullopt asks for nothing and cancels.
    void ask(const std::optional<RunSpec>& spec);
    /// Whether an answer is on its way.
    bool isPending() const { return m_job.isRunning(); }
    /// Two runs with the same key have the same floor.
    static std::string keyOf(const RunSpec& spec);

 signals:
    /// In nats per character; nullopt where it is not known or cannot be.
    void found(std::optional<double> nats);

 private:
    Find m_find;
    std::string m_asked;
    std::map<std::string, std::optional<double>> m_known;
    LatestJob m_job;  // last, so that it ends first
};

}  // namespace ropelab::ui
