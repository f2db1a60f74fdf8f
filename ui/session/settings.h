#pragma once

#include <QString>
#include <QStringList>
#include <QVariant>
#include <map>
#include <memory>
#include <span>
#include <string>

class QSettings;

namespace ropelab::ui {

/// Settings between sessions. A table contains keys, defaults (which determine the type) and meanings. Only values that
/// differ from the default are stored; unknown keys of other versions stay unchanged.
class Settings {
 public:
    struct Entry {
        const char* key;
        QVariant standard;  // the default value
        const char* meaning;
    };
    static std::span<const Entry> table();
    static const QVariant& standard(const char* key);

    /// `file` is an INI file; empty: the settings of the user.
    explicit Settings(const QString& file = {});
    ~Settings();

    /// `key` must be in the table. Gives the default value if none is stored or the stored value has another type.
    QVariant value(const char* key) const;
    /// `key` must be in the table. The file is written immediately, so the value survives a crash.
    void setValue(const char* key, const QVariant& value);
    /// Choices of pages, such as the unit of losses, are in the file only after setHeld(false), so that it has the
    /// user's if the program ends during a lecture.
    void setHeld(bool held);

    /// The lab becomes the first of at most ten entries.
    void addRecentLab(const QString& path);
    /// Labs that still exist, newest first.
    QStringList recentLabs() const;

 private:
    std::unique_ptr<QSettings> m_store;
    bool m_isHeld = false;
    std::map<std::string, QVariant> m_held;
};

}  // namespace ropelab::ui
