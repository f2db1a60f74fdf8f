#include "ui/shell/room.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QMenu>
#include <algorithm>

#include "ui/controls/fields.h"
#include "ui/controls/number_slider.h"
#include "ui/figure/export/export.h"
#include "ui/figure/export/export_dialog.h"
#include "ui/figure/figure_caption.h"
#include "ui/plot/plot_widget.h"
#include "ui/shell/figure_table.h"
#include "ui/sound/figure_player.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

void Room::addFigure(RoomFigure figure) {
    PlotWidget* view = figure.view;
    if (!m_chosen) m_chosen = view;
    m_figures.push_back(std::move(figure));
    addViewOf(view, view);
}

void Room::addViewOf(PlotWidget* owner, PlotWidget* view) {
    connect(view, &PlotWidget::chosen, this, [this, owner] { m_chosen = owner; });
    connect(view, &PlotWidget::contextMenuRequested, this, [this, owner](const QPoint& where) {
        m_chosen = owner;
        const auto found = std::find_if(m_figures.begin(), m_figures.end(),
                                        [owner](const RoomFigure& each) { return each.view == owner; });
        openFigureMenu(where, found->addToMenu);
    });
}

PlotWidget* Room::chosenView() const {
    return m_chosen;
}

Figure Room::figure() {
    for (const RoomFigure& each : m_figures) {
        if (each.view == m_chosen) return each.figure();
    }
    return {};
}

std::vector<Figure> Room::pageFigures() {
    std::vector<Figure> result;
    for (const RoomFigure& each : m_figures) {
        if (each.view->isVisible()) result.push_back(each.figure());
    }
    return result.empty() ? std::vector<Figure>{figure()} : result;
}

void Room::showPart(const QString& part) {
    QStringList names;
    for (const RoomPart& each : m_parts) {
        if (each.name == part) return each.show();
        names << each.name;
    }
    throw noPart(part, names);
}

QString Room::shownPart() const {
    for (const RoomPart& each : m_parts) {
        if (each.isShown && each.isShown()) return each.name;
    }
    return {};
}

void Room::showOnlyPart(const QString& part) {
    if (!part.isEmpty()) showPart(part);
    if (part == m_onlyPart) return;
    m_onlyPart = part;
    QList<QWidget*> hidden;
    for (const RoomPart& each : m_parts) {
        if (each.name == part) hidden = each.hides;
    }
    for (const RoomPart& each : m_parts) {
        for (QWidget* widget : each.hides) widget->setVisible(!hidden.contains(widget));
    }
    fitOnlyPart();
}

BadInput Room::noPart(const QString& part, const QStringList& parts) {
    const QString names = parts.join(u", "_s);
    const QString sentence =
        parts.isEmpty()     ? u"There is no part “%1”, because this page (room) has no parts."_s.arg(part)
        : parts.size() == 1 ? u"There is no part “%1” on this page (room); its only part is %2."_s.arg(part, names)
                            : u"There is no part “%1” on this page (room); its parts are %2."_s.arg(part, names);
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

namespace {

template <typename Restore>
void attempt(const Restore& restore) {
    try {
        restore();
    } catch (const BadInput&) {  // the value belongs to a lab that is no longer open
    }
}

}  // namespace

std::function<void()> Room::restorer(bool standard) {
    QList<QPair<QString, QString>> values;
    for (const RoomControl& each : controls()) values.append({each.name, each.value().toString()});
    return [this, part = shownPart(), values, choices = choicesRestorer(standard)] {
        if (!part.isEmpty()) attempt([&] { showPart(part); });
        for (const auto& [name, value] : values) {
            if (control(name).toString() != value) attempt([&] { setControl(name, value); });
        }
        choices();
    };
}

std::function<void()> Room::choicesRestorer(bool standard) {
    std::vector<QVariant> values;
    for (const RoomChoice& each : m_choices) values.push_back(standard ? each.standard : each.value());
    return [this, values] {
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (m_choices[i].value() != values[i]) attempt([&] { m_choices[i].set(values[i]); });
        }
    };
}

void Room::addChoice(QWidget* field, const QVariant& standard) {
    auto* slider = qobject_cast<NumberSlider*>(field);
    addChoice({[field] { return fieldValue(field); },
               [field, slider](const QVariant& value) {
                   setFieldValue(field, value);
                   if (slider) emit slider->changed(value.toDouble());
               },
               standard.isValid() ? standard : fieldValue(field)});
}

void Room::addChoices(const QList<QWidget*>& fields) {
    for (QWidget* each : fields) addChoice(each);
}

QWidget* Room::picture() {
    if (m_chosen && m_chosen->isVisible()) return m_chosen;
    for (PlotWidget* plot : findChildren<PlotWidget*>()) {
        if (plot->isVisible()) return plot;
    }
    return this;
}

void Room::fixAxis(int axis, std::optional<Range> ends) {
    m_fixedAxes[axis] = ends;
    fitAxes();
}

void Room::applyFixedAxes(Figure& figure) const {
    if (!figure.panels.empty() || figure.map || figure.drawing) return;
    const auto fix = [](Axis& axis, const std::optional<Range>& ends) {
        if (!ends || (axis.logarithmic && ends->minimum <= 0)) return;
        axis.minimum = ends->minimum;
        axis.maximum = ends->maximum;
    };
    fix(figure.x, m_fixedAxes[0]);
    fix(figure.y, m_fixedAxes[1]);
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

void Room::listen() {
    FigurePlayer& player = FigurePlayer::instance();
    if (player.isPlaying()) return player.stop();
    if (!hasFigure()) return;
    try {
        player.play(soundOf(figure()));
    } catch (const BadInput& error) {
        emit soundFailed(QString::fromUtf8(error.what()));
    }
}

QString Room::listenText() {
    const QString why = FigurePlayer::whyUnavailable();
    if (!why.isEmpty()) return u"Listen to figure (%1)"_s.arg(why);
    return FigurePlayer::instance().isPlaying() ? u"Stop the sound"_s : u"Listen to figure"_s;
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

void Room::openFigureMenu(const QPoint& where, const std::function<void(QMenu&)>& addMore) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(u"Export figure …"_s, this, &Room::openExport);
    menu->addAction(u"Copy figure"_s, this, &Room::copy);
    addCaptionEntry(*menu);
    QAction* table = menu->addAction(u"Show as table"_s, this, &Room::openTable);
    table->setEnabled(hasFigure() && !ui::isEmpty(figure()));
    if (!hasFigure()) {
        for (QAction* each : menu->actions()) each->setEnabled(false);
    }
    if (addMore) addMore(*menu);
    menu->popup(where);
}

void Room::addCaptionEntry(QMenu& menu) {
    menu.addAction(u"Copy caption"_s, this, &Room::copyCaption);
    QAction* listening = menu.addAction(listenText(), this, &Room::listen);
    listening->setEnabled(FigurePlayer::whyUnavailable().isEmpty());
}

}  // namespace ropelab::ui

#include "moc_room.cpp"
