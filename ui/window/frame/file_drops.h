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

    /// A single file is opened by the function of its suffix, such as ".ropelab", a folder by that of "/"; several labs
    /// or JSON files are the results of a class.
    FileDrops(QWidget* window, std::vector<std::pair<const char*, Open>> bySuffix, OpenAll openResults);

 protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

 private:
    /// Empty if the files cannot be opened.
    std::function<void()> opens(const QMimeData* data) const;

    std::vector<std::pair<const char*, Open>> m_bySuffix;
    OpenAll m_openResults;
};

}  // namespace ropelab::ui
