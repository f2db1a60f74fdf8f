#include "ui/window/figure_opener.h"

#include <QFileInfo>
#include <QJsonArray>
#include <QWidget>
#include <utility>

#include "core/spec/error.h"
#include "ui/common/banners.h"
#include "ui/figure/figure_record.h"
#include "ui/rooms/anatomy/anatomy_room.h"
#include "ui/rooms/inspect/inspect_room.h"
#include "ui/rooms/train/train_room.h"
#include "ui/session/lab_origin.h"
#include "ui/session/workspace.h"
#include "ui/theme/dialogs.h"
#include "ui/window/figures.h"
#include "ui/window/rooms.h"

namespace ropelab::ui {

FigureOpener::FigureOpener(Workspace& workspace, BannerArea& banners, RoomStack& rooms,
                           std::function<void(const QString& room, const QString& part)> showRoom, QWidget* window)
    : QObject(window),
      m_workspace(workspace),
      m_banners(banners),
      m_rooms(rooms),
      m_showRoom(std::move(showRoom)),
      m_window(window) {}

void FigureOpener::open(const QString& path) {
    const QString banner = QStringLiteral("figure");
    try {
        const FigureRecord record = readFigureFile(path).front();
        m_banners.dismiss(banner);
        const QString setup = record.origin.flags[QStringLiteral("setup")].toString();
        if (record.origin.lab.isEmpty() && setup.isEmpty()) {
            throw BadInput("The figure " + record.figure.toStdString() +
                           " names neither a lab nor a rotary setup, so there is nothing to open.");
        }
        if (!record.origin.lab.isEmpty()) {
            if (!openLabOf(record, path)) return;
        } else {
            m_workspace.rotary().endDrag();
            m_workspace.rotary().changeBoth(tr("setup of a figure"), parse_setups(setup.toStdString()));
        }
        showRoomOf(record);
        if (record.isEdited) {
            m_banners.show(banner, BannerArea::Kind::warning,
                           tr("The data of the figure %1 were edited after its export, so they do not agree with what "
                              "the window shows.")
                               .arg(QFileInfo(path).fileName()));
        }
    } catch (const BadInput& error) {
        m_banners.show(banner, BannerArea::Kind::error, QString::fromStdString(error.what()));
    }
}

bool FigureOpener::openLabOf(const FigureRecord& record, const QString& figurePath) {
    const QJsonObject& origin = record.origin.lab;
    QString lab = findLab(origin, QFileInfo(figurePath).absolutePath());
    if (lab.isEmpty() && m_workspace.lab().hasFile() && whyAnotherLab(origin, m_workspace.lab().path()).isEmpty()) {
        lab = m_workspace.lab().path();
    }
    if (lab.isEmpty()) {
        const QString before = origin[QStringLiteral("path")].toString();
        lab = dialogs().open(
            m_window,
            {.title = tr("Where is the lab %1?").arg(before), .path = before, .filters = tr("Labs (*.ropelab)")});
    }
    if (lab.isEmpty()) return false;
    const QString why = whyAnotherLab(origin, lab);
    if (!why.isEmpty()) throw BadInput(why.toStdString());
    if (QFileInfo(lab) != QFileInfo(m_workspace.lab().path())) m_workspace.openLab(lab);
    return QFileInfo(lab) == QFileInfo(m_workspace.lab().path());  // a banner says why a lab cannot be opened
}

void FigureOpener::showRoomOf(const FigureRecord& record) {
    const QJsonObject& flags = record.origin.flags;
    const FigureEntry* place = findFigure(flags[QStringLiteral("figure")].toString());
    if (place && !place->room.isEmpty()) {
        m_showRoom(place->room, place->part);
    } else if (!record.origin.lab.isEmpty()) {
        m_showRoom(QStringLiteral("train"), {});
    } else if (place) {
        emit m_workspace.rotary().modelsRequested();  // the only figures of a setup that no room shows
    }
    Room* room = &m_rooms.room();
    if (auto* inspect = dynamic_cast<InspectRoom*>(room)) {
        const QString step = flags[QStringLiteral("step")].toString();
        inspect->showRun(flags[QStringLiteral("run")].toString().toLongLong(), step.isEmpty() ? -1 : step.toLongLong());
    } else if (auto* anatomy = dynamic_cast<AnatomyRoom*>(room); anatomy && flags.contains(QStringLiteral("run"))) {
        anatomy->showSource(QStringLiteral("run:") + flags[QStringLiteral("run")].toString());
        anatomy->pick(flags[QStringLiteral("stage")].toString().section(QLatin1Char('/'), 0, 0));
    } else if (auto* train = dynamic_cast<TrainRoom*>(room); train && place && place->room == train->objectName()) {
        train->showQuantity(flags[QStringLiteral("figure")].toString().replace(QLatin1Char('-'), QLatin1Char('_')));
    }
}

}  // namespace ropelab::ui
