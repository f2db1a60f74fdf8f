#include "ui/window/frame/file_drops.h"

#include <QDropEvent>
#include <QFileInfo>
#include <QMimeData>
#include <QUrl>
#include <QWidget>
#include <algorithm>

namespace ropelab::ui {

FileDrops::FileDrops(QWidget* window, std::vector<std::pair<const char*, Open>> bySuffix, OpenAll openResults,
                     Import runs)
    : QObject(window), m_bySuffix(std::move(bySuffix)), m_openResults(std::move(openResults)), m_runs(std::move(runs)) {
    window->setAcceptDrops(true);
    window->installEventFilter(this);
}

std::function<void()> FileDrops::opens(const QMimeData* data) const {
    QStringList files;
    for (const QUrl& url : data->urls()) {
        if (!url.isLocalFile()) return {};
        files << url.toLocalFile();
    }
    const auto hasSuffix = [](const QString& path, const char* suffix) {
        return path.endsWith(QLatin1String(suffix), Qt::CaseInsensitive);
    };
    const bool areStates = std::all_of(files.begin(), files.end(),
                                       [&](const QString& path) { return hasSuffix(path, "trainer_state.json"); });
    if (files.size() > 1 && !areStates) {
        const bool areResults = std::all_of(files.begin(), files.end(), [&](const QString& path) {
            return hasSuffix(path, ".ropelab") || hasSuffix(path, ".json");
        });
        if (areResults) return [this, files] { m_openResults(files); };
    }
    for (const auto& [suffix, open] : m_bySuffix) {
        const QString name = QFileInfo(files.value(0)).isDir() ? files.first() + u'/' : files.value(0);
        if (files.size() == 1 && !areStates && hasSuffix(name, suffix)) {
            return [&open = open, path = files.first()] { open(path); };
        }
    }
    const bool areRuns = !files.isEmpty() && std::all_of(files.begin(), files.end(), m_runs.accepts);
    return areRuns ? [this, files] { m_runs.open(files); } : std::function<void()>();
}

bool FileDrops::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::DragEnter || event->type() == QEvent::Drop) {
        auto* drop = static_cast<QDropEvent*>(event);
        if (const auto open = opens(drop->mimeData())) {
            drop->acceptProposedAction();
            if (event->type() == QEvent::Drop) open();
            return true;
        }
    }
    return QObject::eventFilter(watched, event);
}

}  // namespace ropelab::ui

#include "moc_file_drops.cpp"
