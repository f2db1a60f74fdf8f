#include "ui/session/entropy_floor.h"

#include <exception>
#include <utility>

#include "core/data/corpus.h"
#include "core/data/synthetic/language.h"

namespace ropelab::ui {

namespace {

std::optional<double> findFloor(const RunSpec& spec, const Cancelled& cancelled) {
    const auto floor = entropy_floor_of(spec, cancelled);
    return floor ? std::optional(floor->mean) : std::nullopt;
}

}  // namespace

EntropyFloorJob::EntropyFloorJob(QObject* parent, Find find)
    : QObject(parent), m_find(find ? std::move(find) : Find(&findFloor)) {}

void EntropyFloorJob::ask(const std::optional<RunSpec>& spec) {
    const std::string key = spec ? keyOf(*spec) : std::string();
    if (key == m_asked) return;
    m_asked = key;
    m_job.cancel();
    const auto known = m_known.find(key);
    emit found(known == m_known.end() ? std::nullopt : known->second);
    if (!spec || !find_language(spec->data) || known != m_known.end()) return;
    m_job.start([this, key, find = m_find, run = *spec](const Cancelled& cancelled) -> std::function<void()> {
        std::optional<double> nats;
        try {
            nats = find(run, cancelled);
        } catch (const std::exception&) {
            nats = std::nullopt;  // Training reports why the data set cannot be opened.
        }
        return [this, key, nats] {
            m_known[key] = nats;
            emit found(nats);
        };
    });
}

std::string EntropyFloorJob::keyOf(const RunSpec& spec) {
    return spec.data + '|' + std::to_string(spec.data_seed) + '|' + std::to_string(spec.data_length) + '|' +
           std::to_string(spec.context) + '|' + std::to_string(static_cast<int>(spec.split));
}

}  // namespace ropelab::ui
