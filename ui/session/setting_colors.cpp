#include "ui/session/setting_colors.h"

#include <algorithm>
#include <set>

#include "core/experiment/setting_names.h"
#include "core/sweep/stored_run.h"
#include "ui/theme/theme.h"

namespace ropelab::ui {

namespace {

static_assert(SettingColors::kCount == static_cast<int>(std::tuple_size_v<decltype(Theme::data)>) * Theme::kDashes);

constexpr int kHues = SettingColors::kCount / Theme::kDashes;

}  // namespace

std::string settingKey(const RunSpec& run) {
    return setting_key(run);
}

SettingColors SettingColors::of(const LabFile& lab) {
    SettingColors colors;
    colors.load(&lab, false);
    std::vector<std::string> settings;
    for (const RunRecord& record : lab.runs()) settings.push_back(settingKey(stored_spec(record)));
    colors.assign(settings);
    return colors;
}

void SettingColors::load(const LabFile* file, bool keep) {
    if (keep) {
        std::erase_if(m_entries, [](const auto& entry) { return entry.second.stored; });
    } else {
        m_entries.clear();
    }
    if (!file) return;
    std::set<std::string> loaded;
    for (SettingLook& look : file->setting_looks()) {
        const auto key = setting_key(look);
        look.color = ((look.color % kCount) + kCount) % kCount;  // a stranger's lab may store any number
        // Two spellings of one setting, from two versions of the program: the older entry counts.
        if (key && loaded.insert(*key).second) m_entries[*key] = {std::move(look), true};
    }
}

void SettingColors::assign(const std::vector<std::string>& settings) {
    for (const std::string& setting : settings) {
        if (m_entries.contains(setting)) continue;
        const int color = nextFree(settings);
        m_entries[setting] = {{setting, color, false}, false};
    }
}

int SettingColors::nextFree(const std::vector<std::string>& present) const {
    std::vector<int> uses(kCount, 0);
    for (const auto& [key, entry] : m_entries) ++uses[static_cast<std::size_t>(entry.look.color % kCount)];
    const auto unused = std::find(uses.begin(), uses.end(), 0);
    if (unused != uses.end()) return static_cast<int>(unused - uses.begin());
    // All are in use: colours of settings without runs come next, then those that the fewest settings have.
    const std::set<std::string> shown(present.begin(), present.end());
    std::fill(uses.begin(), uses.end(), 0);
    std::vector<bool> isPinned(kCount, false);
    for (const auto& [key, entry] : m_entries) {
        const auto color = static_cast<std::size_t>(entry.look.color % kCount);
        if (shown.contains(key)) ++uses[color];
        if (entry.look.pinned) isPinned[color] = true;
    }
    int best = -1;
    for (int i = 0; i < kCount; ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (!isPinned[at] && (best < 0 || uses[at] < uses[static_cast<std::size_t>(best)])) best = i;
    }
    return std::max(best, 0);  // every colour is pinned
}

SettingLook SettingColors::lookOf(const std::string& setting) const {
    const auto found = m_entries.find(setting);
    return found == m_entries.end() ? SettingLook{setting, 0, false} : found->second.look;
}

Ink SettingColors::inkOf(const std::string& setting, std::int64_t seed) const {
    const std::int64_t from = seed - RunSpec{}.seed;
    const std::int64_t shade = ((from % Theme::kShades) + Theme::kShades) % Theme::kShades;
    return Ink::data(lookOf(setting).color, static_cast<int>(shade));
}

int SettingColors::freeColor(const std::string& setting, int hue) const {
    for (int round = 0; round < Theme::kDashes; ++round) {
        const int color = hue + kHues * round;
        const bool isTaken = std::any_of(m_entries.begin(), m_entries.end(), [&](const auto& entry) {
            return entry.first != setting && entry.second.look.color == color;
        });
        if (!isTaken) return color;
    }
    return hue;
}

std::vector<SettingLook> SettingColors::unstored() const {
    std::vector<SettingLook> result;
    for (const auto& [key, entry] : m_entries) {
        if (!entry.stored) result.push_back(entry.look);
    }
    std::sort(result.begin(), result.end(),
              [](const SettingLook& a, const SettingLook& b) { return a.color < b.color; });
    return result;
}

void SettingColors::setStored() {
    for (auto& [key, entry] : m_entries) entry.stored = true;
}

}  // namespace ropelab::ui
