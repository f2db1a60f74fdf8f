#pragma once

#include <QObject>
#include <QStringList>
#include <functional>
#include <utility>
#include <vector>

class QMimeData;
class QWidget;

namespace ropelab::ui {

/// Opens files that are dropped on a window.
class FileDrops : public QObject {
    Q_OBJECT

 public:
    using Open = std::function<void(const QString& path)>;
    using OpenAll = std::function<void(const QStringList& paths)>;
    struct Import {
        std::function<bool(const QString& path)> accepts;
        OpenAll open;
    };

    /// A single file is opened by the function of its suffix, such as ".ropelab", a folder by that of "/"; several labs
    /// or JSON files are the results of a class. What is left, and states of a Trainer, are runs of other programs if
    /// these accept all of it.
    FileDrops(QWidget* window, std::vector<std::pair<const char*, Open>> bySuffix, OpenAll openResults, Import runs);

 protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

 private:
    /// Empty if the files cannot be opened.
    std::function<void()> opens(const QMimeData* data) const;

    std::vector<std::pair<const char*, Open>> m_bySuffix;
    OpenAll m_openResults;
    Import m_runs;
};

}  // namespace ropelab::ui
