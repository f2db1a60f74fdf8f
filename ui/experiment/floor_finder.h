#pragma once

#include <QObject>
#include <map>
#include <optional>
#include <string>
#include <thread>

#include "core/spec/run_spec.h"

namespace ropelab::ui {

/// Finds the best possible loss on a run's text, on a thread of its own: it takes seconds. A newer question cancels the
/// one on its way; answers are kept.
class FloorFinder : public QObject {
    Q_OBJECT

 public:
    explicit FloorFinder(QObject* parent = nullptr);
    /// Cancels and joins.
    ~FloorFinder() override;

    /// found() follows, at once where the answer is known; nullopt asks for nothing and cancels.
    void ask(const std::optional<RunSpec>& spec);
    /// Whether an answer is on its way.
    bool isPending() const { return m_pending; }
    /// Two runs with the same key have the same floor.
    static std::string keyOf(const RunSpec& spec);

 signals:
    /// In nats per character; nullopt where it is not known or cannot be.
    void found(std::optional<double> nats);

 private:
    void deliver(const std::string& key, std::optional<double> nats);

    std::string m_asked;
    bool m_pending = false;
    std::map<std::string, std::optional<double>> m_known;
    std::jthread m_thread;
};

}  // namespace ropelab::ui
