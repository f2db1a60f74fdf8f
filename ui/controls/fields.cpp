#include "ui/controls/fields.h"

#include <QAbstractListModel>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QButtonGroup>
#include <QComboBox>
#include <QFrame>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMetaProperty>
#include <QPointer>
#include <QResizeEvent>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSlider>
#include <QStandardItemModel>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/common/scaled.h"
#include "ui/controls/choice_box.h"

namespace ropelab::ui {

namespace {

/// Redirects the mouse wheel from unfocused fields to their parents.
class WheelGuard : public QObject {
 public:
    using QObject::QObject;

 protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() != QEvent::Wheel && event->type() != QEvent::Polish) return false;
        auto* widget = qobject_cast<QWidget*>(watched);
        const bool changes = qobject_cast<QComboBox*>(widget) || qobject_cast<QAbstractSpinBox*>(widget) ||
                             qobject_cast<QSlider*>(widget);
        if (!changes) return false;
        if (event->type() == QEvent::Polish) {
            // With the policy WheelFocus, the wheel itself would give the field the keyboard focus.
            if (widget->focusPolicy() == Qt::WheelFocus) widget->setFocusPolicy(Qt::StrongFocus);
            return false;
        }
        if (widget->hasFocus()) return false;
        event->ignore();  // Qt offers the event to the parent next.
        return true;
    }
};

class LabelOfField : public QObject {
 public:
    LabelOfField(QLabel* label, QWidget* field) : QObject(label), m_label(label) {
        label->setEnabled(field->isEnabled());
        field->installEventFilter(this);
    }

 protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() == QEvent::EnabledChange) m_label->setEnabled(static_cast<QWidget*>(watched)->isEnabled());
        return false;
    }

 private:
    QLabel* m_label;
};

constexpr const char* kDiscardsText = "discardsText";

using ChoiceEntries = QList<QPair<QString, QVariant>>;

/// Very many entries of a choice, such as the runs of a large lab: items of their own would take milliseconds to make.
class ManyEntries : public QAbstractListModel {
 public:
    ManyEntries(ChoiceEntries entries, QObject* parent) : QAbstractListModel(parent), m_entries(std::move(entries)) {}
    const ChoiceEntries& entries() const { return m_entries; }
    int rowCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : static_cast<int>(m_entries.size());
    }
    QVariant data(const QModelIndex& index, int role) const override {
        if (role == Qt::DisplayRole || role == Qt::EditRole) return m_entries.value(index.row()).first;
        return role == Qt::UserRole ? m_entries.value(index.row()).second : QVariant();
    }
    bool removeRows(int row, int count, const QModelIndex& parent) override {
        beginRemoveRows(parent, row, row + count - 1);
        m_entries.remove(row, count);
        endRemoveRows();
        return true;
    }

 private:
    ChoiceEntries m_entries;
};

constexpr qsizetype kMany = 500;  // entries of a choice

}  // namespace

void markAsDiscardingText(QWidget* field) {
    field->setProperty(kDiscardsText, true);
}

bool discardsTextItself(const QWidget* field) {
    return field->property(kDiscardsText).toBool();
}

void keepWheelFromFields() {
    static QPointer<WheelGuard> guard;
    if (guard) return;
    guard = new WheelGuard(qApp);
    qApp->installEventFilter(guard);
}

ScrollColumn makeScrollColumn(QWidget* parent) {
    auto* area = new QScrollArea(parent);
    area->setWidgetResizable(true);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setFocusPolicy(Qt::NoFocus);
    auto* content = new QFrame(area);
    content->setProperty("panel", true);
    auto* column = scaledColumn(content, 12, {12, 12, 12, 12});
    area->setWidget(content);
    return {area, content, column};
}

ScrollColumn makePanel(QFrame* panel, const QString& name) {
    panel->setProperty("panel", true);
    panel->setAccessibleName(name);
    keepWheelFromFields();
    auto* layout = scaledColumn(panel, 0);
    const ScrollColumn result = makeScrollColumn(panel);
    layout->addWidget(result.area, 1);
    return result;
}

QLabel* makeHeading(const QString& text, QWidget* parent) {
    auto* heading = new QLabel(text.toUpper(), parent);
    heading->setProperty("heading", true);
    return heading;
}

QLabel* makeText(const QString& name, QWidget* parent) {
    auto* label = new QLabel(parent);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    label->setAccessibleName(name);
    return label;
}

QGridLayout* makeFieldGrid(int labelWidth) {
    auto* grid = new QGridLayout;
    grid->setProperty("labelWidth", labelWidth);
    scaleLayout(grid, {0, 0, 0, 0}, 8);
    grid->setColumnStretch(1, 1);
    return grid;
}

QLabel* addField(QGridLayout* grid, const QString& title, QWidget* field, const QString& why) {
    auto* label = new QLabel(title, field->parentWidget());
    label->setProperty("quiet", true);
    label->setBuddy(field);
    label->setWordWrap(true);
    new LabelOfField(label, field);
    scaleWidth(label, grid->property("labelWidth").toInt());
    if (!why.isEmpty()) {
        label->setToolTip(why);
        field->setToolTip(why);
    }
    const int row = grid->rowCount();
    grid->addWidget(label, row, 0, Qt::AlignVCenter);
    grid->addWidget(field, row, 1);
    return label;
}

namespace {

/// Keeps the text of a field beside its unit, whose width follows the theme and, on the stage of a lecture, larger
/// type.
class UnitRoom : public QObject {
 public:
    explicit UnitRoom(QLineEdit* field) : QObject(field), m_field(field) {}

    /// A long number at the right may use the padding at its left.
    static void keep(QLineEdit* field, int width) {
        field->setTextMargins(field->alignment() & Qt::AlignRight ? -6 : 0, 0, width, 0);
    }

 protected:
    bool eventFilter(QObject*, QEvent* event) override {
        if (event->type() == QEvent::Resize) keep(m_field, static_cast<QResizeEvent*>(event)->size().width());
        return false;
    }

 private:
    QLineEdit* m_field;
};

}  // namespace

void setUnit(QLineEdit* field, const QString& unit) {
    if (unit.isEmpty()) return;
    auto* label = new QLabel(unit, field);
    label->setProperty("quiet", true);
    label->setAttribute(Qt::WA_TransparentForMouseEvents);
    auto* row = scaledRow(field, 0, {0, 0, 8, 0});
    row->addWidget(label, 0, Qt::AlignRight | Qt::AlignVCenter);
    UnitRoom::keep(field, label->sizeHint().width());
    label->installEventFilter(new UnitRoom(field));
}

namespace {

/// The row of the buttons of `group`, which share their borders; null in a layout that breaks lines.
QHBoxLayout* segments(QLayout* row, QButtonGroup* group) {
    auto* outer = qobject_cast<QBoxLayout*>(row);
    if (!outer) return nullptr;
    if (!group->buttons().isEmpty())
        return static_cast<QHBoxLayout*>(group->buttons().first()->parentWidget()->layout());
    auto* box = new QWidget(row->parentWidget());
    box->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    outer->addWidget(box);
    return scaledRow(box, 0);
}

}  // namespace

QToolButton* addToggle(QLayout* row, QButtonGroup* group, const QString& text, const QString& accessibleName,
                       const QString& why) {
    QHBoxLayout* joined = segments(row, group);
    auto* button = makeButton<QToolButton>(text, why, (joined ? joined : row)->parentWidget());
    button->setAccessibleName(accessibleName);
    button->setCheckable(true);
    group->addButton(button);
    (joined ? joined : row)->addWidget(button);
    const QList<QAbstractButton*> all = group->buttons();
    for (int i = 0; joined && i < all.size(); ++i) {
        const bool isLast = i == all.size() - 1;
        all[i]->setProperty("segment", i > 0 ? (isLast ? "last" : "middle") : isLast ? "only" : "first");
    }
    return button;
}

QButtonGroup* addToggles(QLayout* row, const QList<Toggle>& toggles, const std::function<void(int)>& chosen) {
    auto* group = new QButtonGroup(row->parentWidget());
    for (int i = 0; i < toggles.size(); ++i) {
        group->setId(addToggle(row, group, toggles[i].text, toggles[i].accessibleName, toggles[i].why), i);
    }
    group->buttons().first()->setChecked(true);
    if (chosen) QObject::connect(group, &QButtonGroup::idClicked, group, chosen);
    return group;
}

QComboBox* makeChoice(const QString& name, QWidget* parent, int letters) {
    auto* choice = new ChoiceBox(parent);
    choice->setAccessibleName(name);
    choice->setFocusPolicy(Qt::StrongFocus);
    choice->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    choice->setMinimumContentsLength(letters);
    return choice;
}

void refillChoice(QComboBox* choice, const QList<QPair<QString, QVariant>>& entries, const QVariant& chosen) {
    const QSignalBlocker quiet(choice);
    const auto* many = dynamic_cast<ManyEntries*>(choice->model());
    bool same = choice->count() == entries.size();
    for (int i = 0; same && !many && i < choice->count(); ++i) {
        same = choice->itemText(i) == entries[i].first && choice->itemData(i) == entries[i].second;
    }
    if (many ? many->entries() != entries : !same) {
        if (entries.size() > kMany) {
            choice->setModel(new ManyEntries(entries, choice));
            // The list would measure each entry whenever its style changes.
            if (auto* list = qobject_cast<QListView*>(choice->view())) list->setUniformItemSizes(true);
        } else {
            if (many) choice->setModel(new QStandardItemModel(0, 1, choice));
            choice->clear();
            for (const auto& [title, data] : entries) choice->addItem(title, data);
        }
    }
    const auto place = std::ranges::find(entries, chosen, &QPair<QString, QVariant>::second) - entries.begin();
    choice->setCurrentIndex(place < entries.size() ? static_cast<int>(place) : 0);
}

void chooseData(QComboBox* choice, const QVariant& data) {
    choice->setCurrentIndex(std::max(0, choice->findData(data)));
}

QVariant fieldValue(const QWidget* field) {
    if (const auto* choice = qobject_cast<const QComboBox*>(field)) return choice->currentData();
    return field->metaObject()->userProperty().read(field);
}

void setFieldValue(QWidget* field, const QVariant& value) {
    if (auto* choice = qobject_cast<QComboBox*>(field)) return chooseData(choice, value);
    field->metaObject()->userProperty().write(field, value);
}

QToolButton* makeFold(const QString& text, const QString& why, QWidget* content, QWidget* parent) {
    auto* button = makeButton<QToolButton>(text, why, parent);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setArrowType(Qt::RightArrow);
    content->hide();
    QObject::connect(button, &QToolButton::clicked, content, [button, content] {
        content->setVisible(content->isHidden());
        button->setArrowType(content->isHidden() ? Qt::RightArrow : Qt::DownArrow);
    });
    return button;
}

}  // namespace ropelab::ui
