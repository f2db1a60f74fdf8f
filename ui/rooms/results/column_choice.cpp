#include "ui/rooms/results/column_choice.h"

#include <QAction>
#include <QMenu>
#include <algorithm>

namespace ropelab::ui {

namespace {

const QString kFull = QStringLiteral("full");
const QString kPaper = QStringLiteral("paper");

}  // namespace

ColumnChoice::ColumnChoice(QWidget* parent) : QToolButton(parent) {
    setText(tr("Columns"));
    setAccessibleName(tr("Columns of the table"));
    setToolTip(
        tr("Chooses the columns of the table on screen and in its exports. To change their order, drag the titles of "
           "the table. ropelab-cli results --columns does the same."));
    setFocusPolicy(Qt::TabFocus);
    setPopupMode(QToolButton::InstantPopup);
    setMenu(new QMenu(this));
    refill();
}

void ColumnChoice::setColumns(const QList<QPair<QString, QString>>& columns, const QStringList& inPaper) {
    if (columns == m_columns && inPaper == m_inPaper) return;  // an open menu stays open
    m_columns = columns;
    m_inPaper = inPaper;
    refill();
}

std::vector<std::string> ColumnChoice::columns() const {
    std::vector<std::string> result;
    for (const QString& name : m_chosen) result.push_back(name.toStdString());
    return result;
}

void ColumnChoice::choose(const QString& words) {
    m_chosen = words.split(QLatin1Char(','), Qt::SkipEmptyParts);
    if (m_chosen.isEmpty()) m_chosen = {kFull};
    refill();
}

QAction* ColumnChoice::actionOf(const QString& name) const {
    for (QAction* action : menu()->actions()) {
        if (action->data().toString() == name) return action;
    }
    return nullptr;
}

QStringList ColumnChoice::shown() const {
    const bool isPreset = m_chosen == QStringList(kPaper) || m_chosen == QStringList(kFull);
    return isPreset ? namesOf(m_chosen.front()) : m_chosen;
}

QStringList ColumnChoice::namesOf(const QString& preset) const {
    if (preset == kPaper) return m_inPaper;
    QStringList all;
    for (const auto& [name, title] : m_columns) {
        if (name != QStringLiteral("mark")) all << name;  // the verdict says the same in words
    }
    return all;
}

void ColumnChoice::refill() {
    menu()->clear();
    const auto add = [this](const QString& name, const QString& title) {
        QAction* action = menu()->addAction(title);
        action->setData(name);
        action->setCheckable(true);
        return action;
    };
    for (const auto& [name, title] : {QPair(kFull, tr("All columns")), QPair(kPaper, tr("Columns for a paper"))}) {
        QAction* action = add(name, title);
        connect(action, &QAction::triggered, this, [this, preset = name] { choosePreset(preset); });
    }
    menu()->addSeparator();
    for (const auto& [name, title] : m_columns) {
        QAction* action = add(name, title);
        connect(action, &QAction::triggered, this, [this, column = name](bool on) { toggleColumn(column, on); });
    }
    renewChecks();
}

void ColumnChoice::renewChecks() {
    const QStringList now = shown();
    for (QAction* action : menu()->actions()) {
        const QString name = action->data().toString();
        const bool isPreset = name == kFull || name == kPaper;
        action->setChecked(isPreset ? m_chosen == QStringList(name) : now.contains(name));
    }
}

void ColumnChoice::choosePreset(const QString& name) {
    m_chosen = {name};
    renewChecks();
    emit changed();
}

void ColumnChoice::toggleColumn(const QString& name, bool on) {
    QStringList wanted = shown();
    wanted.removeAll(name);
    if (on) {  // after the columns that precede it in the full table
        qsizetype place = 0;
        for (const auto& [column, title] : m_columns) {
            if (column == name) break;
            place = std::max(place, wanted.indexOf(column) + 1);
        }
        wanted.insert(place, name);
    }
    setShown(wanted);
}

void ColumnChoice::setShown(const QStringList& names) {
    m_chosen = names;
    for (const QString& preset : {kFull, kPaper}) {
        if (names.isEmpty() || names == namesOf(preset)) {
            m_chosen = {preset};
            break;
        }
    }
    renewChecks();
    emit changed();
}

}  // namespace ropelab::ui
