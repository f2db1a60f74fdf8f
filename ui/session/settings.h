#pragma once

#include <QString>
#include <QStringList>
#include <QVariant>
#include <memory>
#include <span>

class QSettings;

namespace ropelab::ui {

/// Settings that the window stores between sessions. A table contains each key with its default value, which also
/// determines the type, and its meaning. Only values that differ from the default are stored; unknown keys of other
/// versions stay unchanged.
class Settings {
 public:
    struct Entry {
        const char* key;
        QVariant standard;  // the default value
        const char* meaning;
    };
    /// Returns the table of all settings.
    static std::span<const Entry> table();

    /// Opens the settings in the INI file `file`, or the settings of the user if `file` is empty.
    explicit Settings(const QString& file = {});
    ~Settings();

    /// Returns the stored value of `key`, which must be in the table. Returns the default value if none is stored or
    /// the stored value has another type.
    QVariant value(const char* key) const;
    /// Stores a value of `key`, which must be in the table. The file is written immediately, so the value survives a
    /// crash.
    void setValue(const char* key, const QVariant& value);

    /// Adds a lab to the beginning of the list of recent labs, which has at most ten entries.
    void addRecentLab(const QString& path);
    /// Returns the paths of the recent labs that still exist, newest first.
    QStringList recentLabs() const;

 private:
    std::unique_ptr<QSettings> m_store;
};

}  // namespace ropelab::ui
