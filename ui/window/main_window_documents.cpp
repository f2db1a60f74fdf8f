// Functions of the main window that export a handout or slides of the open lecture, in a separate process.
#include <nlohmann/json.hpp>

#include "core/spec/error.h"
#include "ui/animation/export_process.h"
#include "ui/common/paths.h"
#include "ui/lecture/document_job.h"
#include "ui/lecture/lecture_player.h"
#include "ui/theme/dialogs.h"
#include "ui/theme/theme_manager.h"
#include "ui/window/main_window.h"

namespace ropelab::ui {

namespace {

const QString kDocumentBanner = QStringLiteral("lecture.document");

}  // namespace

void MainWindow::makeDocuments() {
    m_lectureExport = new ExportProcess(tr("lecture"), this);
    connect(m_lectureExport, &ExportProcess::finished, this, [this] {
        m_actions->refresh();
        m_banners->show(kDocumentBanner, BannerArea::Kind::information,
                        tr("The lecture was exported to %1.").arg(m_documentPath));
    });
    connect(m_lectureExport, &ExportProcess::stopped, this, [this] {
        m_actions->refresh();
        m_banners->show(kDocumentBanner, BannerArea::Kind::information, tr("The export of the lecture was stopped."));
    });
    connect(m_lectureExport, &ExportProcess::failed, this, [this](const QString& sentence) {
        m_actions->refresh();
        m_banners->show(kDocumentBanner, BannerArea::Kind::error, sentence);
    });
}

void MainWindow::addDocumentActions() {
    const auto isReady = [this] { return m_player->hasLecture() && !m_lectureExport->isRunning(); };
    m_actions->add({.id = "lecture.handout",
                    .menu = "Lecture",
                    .text = tr("Export handout …"),
                    .handler =
                        [this] {
                            exportDocument("handout", dialogs().save(this, {.title = tr("File of the handout"),
                                                                            .filters = tr("PDF (*.pdf)")}));
                        },
                    .enabled = isReady,
                    .separatorBefore = true});
    m_actions->add(
        {.id = "lecture.slides",
         .menu = "Lecture",
         .text = tr("Export slides …"),
         .handler =
             [this] {
                 exportDocument(
                     "slides",
                     dialogs().save(this, {.title = tr("File or folder of the slides"),
                                           .filters = tr("PDF (*.pdf);;HTML (*.html);;Folder of PNG files (*)")}));
             },
         .enabled = isReady});
}

void MainWindow::exportDocument(const char* kind, const QString& path) {
    if (path.isEmpty()) return;
    const bool isDark = ThemeManager::instance().theme().appearance == Appearance::dark;
    const nlohmann::json fields{{"kind", kind},
                                {"lecture", m_player->lecture().file.string()},
                                {"output", path.toStdString()},
                                {"theme", isDark ? "dark" : "light"}};
    const LectureDocumentJob job = parseDocumentJob(fields.dump());  // throws before anything is started
    m_documentPath = path;
    m_lectureExport->start({QStringLiteral("--document"), QString::fromStdString(documentJobText(job))},
                           !job.isFolder());
    m_actions->refresh();
    m_banners->show(kDocumentBanner, BannerArea::Kind::information,
                    tr("The lecture is being exported to %1.").arg(path),
                    {{tr("Stop export"), [this] { m_lectureExport->stop(); }}});
}

}  // namespace ropelab::ui
