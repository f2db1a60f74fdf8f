#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/spec/run_spec.h"
#include "core/store/lab_file.h"
#include "ui/figure/figure.h"

namespace ropelab::ui {

/// Settings without the seed as JSON text (setting_key). Runs with equal texts have the same setting.
std::string settingKey(const RunSpec& run);

/// A setting keeps its first free colour and dash pattern in all rooms and later sweeps until the user changes them.
/// Seven settings have solid lines in seven colours; dash patterns distinguish later ones (Theme::dashes), and all
/// settings in prints without colours. The lab file stores colours and names.
class SettingColors {
 public:
    static constexpr int kCount = 49;

    /// Includes colours that the file does not store yet.
    static SettingColors of(const LabFile& lab);

    /// Null: there are no stored colours. With `keep`, colours that are not stored yet stay.
    void load(const LabFile* file, bool keep);
    /// `settings` are the keys of the lab's runs, in their order. If all kCount colours are in use, the colour of a
    /// setting that is not in the list and not pinned is used again.
    void assign(const std::vector<std::string>& settings);

    /// The setting must have a colour. Its settings are in the spelling of the lab file.
    SettingLook lookOf(const std::string& setting) const;
    /// The shade is that of the run with this seed.
    Ink inkOf(const std::string& setting, std::int64_t seed) const;
    /// `hue` is 0 to 6. The dash pattern is one that no other setting has; the first one if all are in use.
    int freeColor(const std::string& setting, int hue) const;

    /// Looks that the lab file does not store yet.
    std::vector<SettingLook> unstored() const;
    void setStored();

 private:
    struct Entry {
        SettingLook look;
        bool stored = false;
    };
    int nextFree(const std::vector<std::string>& present) const;

    std::map<std::string, Entry> m_entries;  // by settingKey()
};

}  // namespace ropelab::ui
