#pragma once

#include <QString>
#include <QStringList>
#include <QVariant>
#include <memory>
#include <span>

class QSettings;

namespace ropelab::ui {

/// What the window remembers between starts. One table holds every key, its type (that of its default) and its meaning;
/// only values other than the default are stored, and keys of other versions are left alone.
class Settings {
 public:
    struct Entry {
        const char* key;
        QVariant standard;
        const char* meaning;
    };
    static std::span<const Entry> table();

    /// In `file` (an INI file), or in the user's settings where it is empty.
    explicit Settings(const QString& file = {});
    ~Settings();

    /// The stored value, or the default where there is none or it is of another type. `key` must be in the table.
    QVariant value(const char* key) const;
    /// Stores it at once, so that a killed program keeps it. `key` must be in the table.
    void setValue(const char* key, const QVariant& value);

    /// Puts a lab at the head of the recent ones (at most ten).
    void addRecentLab(const QString& path);
    /// Recent labs that still exist, newest first.
    QStringList recentLabs() const;

 private:
    std::unique_ptr<QSettings> m_store;
};

}  // namespace ropelab::ui
