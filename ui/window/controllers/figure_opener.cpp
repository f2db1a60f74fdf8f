#include "ui/window/controllers/figure_opener.h"

#include <QFileInfo>
#include <QJsonArray>
#include <QWidget>

#include "core/base/error.h"
#include "ui/figure/export/figure_record.h"
#include "ui/rooms/anatomy/anatomy_room.h"
#include "ui/rooms/inspect/inspect_room.h"
#include "ui/rooms/train/train_room.h"
#include "ui/session/lab_origin.h"
#include "ui/session/workspace.h"
#include "ui/shell/notices/banners.h"
#include "ui/theme/dialogs.h"
#include "ui/window/frame/figures.h"
#include "ui/window/frame/rooms.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

FigureOpener::FigureOpener(Workspace& workspace, BannerArea& banners, RoomStack& rooms, QWidget* window)
    : QObject(window), m_workspace(workspace), m_banners(banners), m_rooms(rooms), m_window(window) {}

void FigureOpener::open(const QString& path) {
    const QString banner = u"figure"_s;
    try {
        const FigureRecord record = readFigureFile(path).front();
        m_banners.dismiss(banner);
        const QString setup = record.origin.flags[u"setup"_s].toString();
        if (record.origin.lab.isEmpty() && setup.isEmpty()) {
            throw BadInput("The figure " + record.figure.toStdString() +
                           " contains neither the name of a lab file nor a rotary setup, so there is nothing to open.");
        }
        if (!record.origin.lab.isEmpty()) {
            if (!openLabOf(record, path)) return;
        } else {
            m_workspace.rotary().endDrag();
            m_workspace.rotary().changeBoth(u"load setup of a figure"_s, parse_setups(setup.toStdString()));
        }
        showRoomOf(record);
        if (record.isEdited) {
            m_banners.show(banner, BannerArea::Kind::warning,
                           u"The data of the figure %1 were edited after its export, so they do not agree with what "
                           "the window shows."_s.arg(QFileInfo(path).fileName()));
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
        const QString before = origin[u"path"_s].toString();
        lab =
            dialogs().open(m_window, {.title = u"Where is the lab file %1 that the figure was made from?"_s.arg(before),
                                      .path = before,
                                      .filters = u"Labs (*.ropelab)"_s});
    }
    if (lab.isEmpty()) return false;
    const QString why = whyAnotherLab(origin, lab);
    if (!why.isEmpty()) throw BadInput(why.toStdString());
    if (QFileInfo(lab) != QFileInfo(m_workspace.lab().path())) m_workspace.openLabNow(lab);
    return QFileInfo(lab) == QFileInfo(m_workspace.lab().path());  // a banner says why a lab cannot be opened
}

void FigureOpener::showRoomOf(const FigureRecord& record) {
    const QJsonObject& flags = record.origin.flags;
    const FigureEntry* place = findFigure(flags[u"figure"_s].toString());
    if (place && !place->room.isEmpty()) {
        m_rooms.show(place->room, place->part);
    } else if (!record.origin.lab.isEmpty()) {
        m_rooms.show(u"train"_s);
    } else if (place) {
        emit m_workspace.rotary().modelsRequested();  // the only figures of a setup that no room shows
    }
    Room* room = &m_rooms.room();
    if (auto* inspect = dynamic_cast<InspectRoom*>(room)) {
        const QString step = flags[u"step"_s].toString();
        inspect->showRun(flags[u"run"_s].toString().toLongLong(), step.isEmpty() ? -1 : step.toLongLong());
    } else if (auto* anatomy = dynamic_cast<AnatomyRoom*>(room); anatomy && flags.contains(u"run"_s)) {
        anatomy->showSource(u"run:"_s + flags[u"run"_s].toString());
        anatomy->pick(flags[u"stage"_s].toString().section(QLatin1Char('/'), 0, 0));
    } else if (auto* train = dynamic_cast<TrainRoom*>(room); train && place && place->room == train->objectName()) {
        const QString own = flags[u"figure"_s].toString().replace(QLatin1Char('-'), QLatin1Char('_'));
        train->showQuantity(record.origin.view[u"quantity"_s].toString(own));
    }
}

}  // namespace ropelab::ui

#include "moc_figure_opener.cpp"
