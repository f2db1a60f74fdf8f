#include "ui/experiment/floor_finder.h"

#include <QMetaObject>
#include <exception>

#include "core/data/corpus.h"

namespace ropelab::ui {

FloorFinder::FloorFinder(QObject* parent) : QObject(parent) {}

FloorFinder::~FloorFinder() {
    if (m_thread.joinable()) {
        m_thread.request_stop();
        m_thread.join();
    }
}

void FloorFinder::ask(const std::optional<RunSpec>& spec) {
    const std::string key = spec ? keyOf(*spec) : std::string();
    if (key == m_asked) return;
    m_asked = key;
    m_pending = false;
    m_thread.request_stop();
    if (!spec || !spec->data.starts_with("generated")) {
        emit found(std::nullopt);
        return;
    }
    if (const auto known = m_known.find(key); known != m_known.end()) {
        emit found(known->second);
        return;
    }
    emit found(std::nullopt);
    m_pending = true;
    // Assigning joins the thread before, which has been asked to stop and looks up often.
    m_thread = std::jthread([this, key, run = *spec](const std::stop_token& stop) {
        std::optional<double> nats;
        try {
            if (const auto floor = floor_of(run, [&stop] { return stop.stop_requested(); })) nats = floor->mean;
        } catch (const std::exception&) {
            // A corpus that cannot be opened has no floor; training it says why.
        }
        if (stop.stop_requested()) return;
        QMetaObject::invokeMethod(
            this, [this, key, nats] { deliver(key, nats); }, Qt::QueuedConnection);
    });
}

std::string FloorFinder::keyOf(const RunSpec& spec) {
    return spec.data + '|' + std::to_string(spec.data_seed) + '|' + std::to_string(spec.data_length) + '|' +
           std::to_string(spec.context) + '|' + std::to_string(static_cast<int>(spec.split));
}

void FloorFinder::deliver(const std::string& key, std::optional<double> nats) {
    m_known[key] = nats;
    if (key != m_asked) return;
    m_pending = false;
    emit found(nats);
}

}  // namespace ropelab::ui
