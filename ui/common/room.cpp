#include "ui/common/room.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QMenu>

#include "ui/common/figure_table.h"
#include "ui/figure/export.h"
#include "ui/figure/export_dialog.h"
#include "ui/figure/figure_caption.h"
#include "ui/plot/plot_widget.h"

namespace ropelab::ui {

void Room::showPart(const QString& part) {
    throw noPart(part, {});
}

BadInput Room::noPart(const QString& part, const QStringList& parts) {
    const QString names = parts.join(QStringLiteral(", "));
    const QString sentence = parts.isEmpty() ? tr("There is no part “%1”, because this room has no parts.").arg(part)
                             : parts.size() == 1
                                 ? tr("There is no part “%1” of this room; its only part is %2.").arg(part, names)
                                 : tr("There is no part “%1” of this room; its parts are %2.").arg(part, names);
    return BadInput(sentence.toStdString());
}

bool Room::setControl(const QString& name, const QString& value) {
    for (const RoomControl& each : controls()) {
        if (each.name != name) continue;
        each.set(value);
        return true;
    }
    return false;
}

QVariant Room::control(const QString& name) {
    for (const RoomControl& each : controls()) {
        if (each.name == name) return each.value();
    }
    return {};
}

QWidget* Room::controlWidget(const QString& name) {
    for (const RoomControl& each : controls()) {
        if (each.name == name) return each.widget;
    }
    return nullptr;
}

std::function<void()> Room::restorer() {
    QList<QPair<QString, QString>> values;
    for (const RoomControl& each : controls()) values.append({each.name, each.value().toString()});
    return [this, part = shownPart(), values] {
        const auto attempt = [](const auto& restore) {
            try {
                restore();
            } catch (const BadInput&) {  // the value belongs to a lab that is no longer open
            }
        };
        if (!part.isEmpty()) attempt([&] { showPart(part); });
        for (const auto& [name, value] : values) {
            if (control(name).toString() != value) attempt([&] { setControl(name, value); });
        }
    };
}

QWidget* Room::picture() {
    for (PlotWidget* plot : findChildren<PlotWidget*>()) {
        if (plot->isVisible()) return plot;
    }
    return this;
}

Figure Room::exportedFigure() {
    Figure result = figure();
    result.origin = originOf(result);
    return result;
}

std::vector<Figure> Room::exportedFigures() {
    std::vector<Figure> result;
    for (Figure& each : pageFigures()) {
        if (ui::isEmpty(each)) continue;
        each.origin = originOf(each);
        result.push_back(std::move(each));
    }
    if (result.empty()) result.push_back(exportedFigure());
    return result;
}

void Room::openExport() {
    if (hasFigure()) (new ExportDialog([this] { return exportedFigure(); }, window()))->show();
}

void Room::openRoomExport() {
    if (hasFigure()) (new ExportDialog([this] { return exportedFigures(); }, window()))->show();
}

void Room::openTable() {
    if (hasFigure()) (new FigureTableWindow(figure(), window()))->show();
}

void Room::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_F2 && event->modifiers() == Qt::NoModifier) return openTable();
    QWidget::keyPressEvent(event);
}

void Room::copy() {
    if (hasFigure()) copyFigure(exportedFigure(), ExportOptions{});
}

void Room::copyCaption() {
    if (hasFigure()) QGuiApplication::clipboard()->setText(captionOf(exportedFigure()));
}

void Room::addCaptionEntry(QMenu& menu) {
    menu.addAction(tr("Copy caption"), this, &Room::copyCaption);
}

}  // namespace ropelab::ui
