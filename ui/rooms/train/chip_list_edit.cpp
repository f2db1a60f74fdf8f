#include "ui/rooms/train/chip_list_edit.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QObject>
#include <QScrollArea>
#include <QStyle>
#include <QStyleOptionButton>
#include <QTimer>
#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/rope/frequencies.h"
#include "core/settings/keys.h"
#include "ui/common/choice_words.h"
#include "ui/common/scaled.h"
#include "ui/common/text.h"
#include "ui/controls/field_note.h"
#include "ui/controls/fields.h"
#include "ui/controls/flow_layout.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

// Checks the range, but not whether the value fits the other settings.
Value checked(const char* name, const QString& typed) {
    const Key& entry = key(name);
    RunSpec scratch;
    Value value = parse_value(entry, typed.toStdString(), scratch);
    entry.set(scratch, value);
    return value;
}

QString text(const Value& value) {
    return QString::fromStdString(to_text(value));
}

}  // namespace

QString parseTheta(const QString& typed) {
    return text(checked("theta", typed));
}

QString showTheta(const QString& value) {
    return QString::fromStdString(short_number(parse_number(value.toStdString())));
}

QString parseFraction(const QString& typed) {
    if (typed.endsWith(u"ch"_s)) {
        // The number of channels of a head depends on the model, so the upper limit is checked with the experiment.
        double channels = 0;
        try {
            channels = parse_number(typed.chopped(2).trimmed().toStdString());
        } catch (const BadInput&) {
            checked("fraction", typed);  // throws the sentence that says how to write a fraction
        }
        if (channels < 0 || channels != static_cast<int>(channels) || static_cast<int>(channels) % 2 != 0) {
            throw BadInput(
                "RoPE rotates channels in pairs, so the number of rotated channels must be even, like 6 ch; got \"" +
                typed.toStdString() + "\".");
        }
        return u"%1 ch"_s.arg(static_cast<int>(channels));
    }
    return text(checked("fraction", typed));
}

QString showFraction(const QString& value) {
    if (value.endsWith(u"ch"_s)) return value;
    const double fraction =
        parse_number(value.endsWith(QLatin1Char('%')) ? parseFraction(value).toStdString() : value.toStdString());
    return QString::fromStdString(percent_text(fraction)) + u" %"_s;
}

QString parseSeed(const QString& typed) {
    return text(checked("seed", typed));
}

QStringList explicitRunLabels(const Experiment& experiment) {
    QStringList labels;
    const bool both = isSetByRuns(experiment, "theta") && isSetByRuns(experiment, "fraction");
    for (auto run : experiment.explicit_runs()) {
        // As in legends, a run is named by θ and fraction if the list varies both: "θ 10k, 25 %" beside "θ 1M, 100 %".
        for (const char* name : {"theta", "fraction"}) {
            const std::vector<std::string>& values = experiment.values(name);
            if (both && !run.contains("position") && values.size() == 1) run.emplace(name, values.front());
        }
        const auto fraction = run.find("fraction");
        if (fraction != run.end() && parse_value(key("fraction"), fraction->second, RunSpec{}) == Value(0.0)) {
            run.erase("theta");
        }
        QStringList parts;
        for (const Key& each : keys()) {
            const auto found = run.find(std::string(each.name));
            if (found == run.end()) continue;
            const auto& [name, value] = *found;
            const QString shown = QString::fromStdString(value);
            if (name == "theta") {
                parts << u"θ "_s + showTheta(shown);
            } else if (name == "fraction") {
                parts << (parse_value(key("fraction"), value, RunSpec{}) == Value(0.0) ? u"RoPE 0 %"_s
                                                                                       : showFraction(shown));
            } else if (name == "position") {
                parts << choiceTitle(name, value);
            } else {
                parts << QString::fromStdString(name).replace(QLatin1Char('_'), QLatin1Char(' ')) + QLatin1Char(' ') +
                             fieldText(name, shown);
            }
        }
        labels << (parts.isEmpty() ? u"settings below"_s : parts.join(u", "_s));
    }
    return labels;
}

QString runWords(const Experiment& experiment, std::size_t run) {
    RunSpec spec;
    try {
        Experiment alone = experiment;
        alone.set_explicit_runs({experiment.explicit_runs().at(run)});
        spec = alone.expand().at(0);
    } catch (const std::exception&) {
        return {};  // the panel says what is wrong with the sweep
    }
    const int head = static_cast<int>(spec.rotary_head_dim());
    const int rotated = spec.rotates() ? rotary_dim(head, spec.fraction) : 0;
    if (rotated == 0) return u"%1: no channel of a head is rotated."_s.arg(QString::fromStdString(label_of(spec)));
    return u"%1: position rotates %2 of the %3 channels of each head, with the base θ = %4."_s.arg(
        QString::fromStdString(label_of(spec)), QString::number(rotated), QString::number(head),
        QString::fromStdString(number_text(spec.theta)));
}

void removeExplicitRun(Experiment& experiment, std::size_t index) {
    auto runs = experiment.explicit_runs();
    runs.erase(runs.begin() + static_cast<std::ptrdiff_t>(index));
    experiment.set_explicit_runs(std::move(runs));
}

QString zipText(const std::vector<std::string>& zip) {
    return texts(zip).join(u", "_s);
}

bool isSetByRuns(const Experiment& experiment, const char* key) {
    const auto& runs = experiment.explicit_runs();
    return std::any_of(runs.begin(), runs.end(), [key](const auto& run) { return run.contains(key); });
}

void setSwept(Experiment& experiment, const char* key, const QStringList& values) {
    if (!isSetByRuns(experiment, key)) {
        std::vector<std::string> texts;
        for (const QString& value : values) texts.push_back(value.toStdString());
        return experiment.set(key, std::move(texts));
    }
    auto runs = experiment.explicit_runs();
    for (const QString& value : values) {
        auto added = *std::find_if(runs.rbegin(), runs.rend(), [key](const auto& run) { return run.contains(key); });
        added[key] = value.toStdString();
        if (std::find(runs.begin(), runs.end(), added) != runs.end()) {
            throw BadInput("The run with " + assignments_text(added) + " is already in the list.");
        }
        runs.push_back(std::move(added));
    }
    experiment.set_explicit_runs(std::move(runs));
}

namespace {

const QString kCross = u"  ×"_s;
// Lengths in pixels at a window scale of 100 %.
constexpr int kMinimumWidth = 64;
constexpr int kSpacing = 4;

}  // namespace

Chip::Chip(const QString& text, bool removable, QWidget* parent)
    : QPushButton(removable ? text + kCross : text, parent), m_removable(removable) {
    setProperty("chip", true);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setFocusPolicy(Qt::TabFocus);
    setMouseTracking(removable);
}

bool Chip::isOverCross(const QPoint& where) const {
    const int cross = fontMetrics().horizontalAdvance(u" ×"_s) + ThemeManager::instance().pixels(8);
    return m_removable && where.x() >= width() - cross;
}

void Chip::setOverCross(bool over) {
    if (over == m_overCross) return;
    m_overCross = over;
    emit removalConsidered(over);
}

void Chip::mouseMoveEvent(QMouseEvent* event) {
    QPushButton::mouseMoveEvent(event);
    setOverCross(rect().contains(event->pos()) && isOverCross(event->pos()));
}

void Chip::leaveEvent(QEvent* event) {
    QPushButton::leaveEvent(event);
    setOverCross(false);
}

QSize Chip::minimumSizeHint() const {
    const QSize size = sizeHint();
    return {std::min(size.width(), ThemeManager::instance().pixels(kMinimumWidth)), size.height()};
}

void Chip::initStyleOption(QStyleOptionButton* option) const {
    QPushButton::initStyleOption(option);
    const QString cross = m_removable ? kCross : QString();
    const QSize textSize = fontMetrics().size(Qt::TextShowMnemonic, text());
    const int missing = style()->sizeFromContents(QStyle::CT_PushButton, option, textSize, this).width() - width();
    if (missing <= 0) return;
    const int available = textSize.width() - missing - fontMetrics().horizontalAdvance(cross);
    option->text = fontMetrics().elidedText(text().chopped(cross.size()), Qt::ElideRight, available) + cross;
}

void Chip::mouseReleaseEvent(QMouseEvent* event) {
    const bool hit = isDown() && rect().contains(event->pos());
    setDown(false);
    if (!hit) return;
    if (isOverCross(event->pos())) {
        emit removeAsked();
    } else {
        emit editAsked();
    }
}

void Chip::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Delete:
        case Qt::Key_Backspace:
            if (m_removable) emit removeAsked();
            break;
        case Qt::Key_Return:
        case Qt::Key_Enter:
        case Qt::Key_Space:
            emit editAsked();
            break;
        default:
            QPushButton::keyPressEvent(event);
    }
}

ChipListEdit::ChipListEdit(const QString& what, QWidget* parent)
    : QWidget(parent),
      m_what(what),
      m_parser([](const QString& typed) { return typed; }),
      m_display([](const QString& value) { return value; }),
      m_area(new QScrollArea(this)),
      m_box(new QWidget),
      m_flow(new FlowLayout(m_box)),
      m_placeholder(new QLabel(m_box)),
      m_add(new Chip(u"+"_s, false, this)),
      m_error(new FieldNote(this, FieldNote::Look::framed)) {
    auto* layout = scaledRow(this, kSpacing);
    scaleLayout(m_flow, {0, 0, 0, 0}, kSpacing);
    m_area->setWidgetResizable(true);
    m_area->setFrameShape(QFrame::NoFrame);
    m_area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_area->setFocusPolicy(Qt::NoFocus);
    m_area->setWidget(m_box);
    for (QWidget* each : {m_area->viewport(), m_box}) each->setAutoFillBackground(false);
    layout->addWidget(m_area, 1);
    layout->addWidget(m_add, 0, Qt::AlignTop);  // outside the area, where it keeps its place and stays visible
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, &ChipListEdit::fitHeight);
    m_area->viewport()->installEventFilter(this);
    setAccessibleName(what);
    m_placeholder->setProperty("quiet", true);
    m_add->setToolTip(u"Add a value"_s);
    m_add->setAccessibleName(u"Add a value of %1"_s.arg(what));
    connect(static_cast<Chip*>(m_add), &Chip::editAsked, this, &ChipListEdit::openSuggestions);
    rebuild();
    fitHeight();
}

void ChipListEdit::setLines(int lines) {
    m_lines = lines;
    fitHeight();
}

void ChipListEdit::fitHeight() {
    m_add->ensurePolished();
    const int spacing = ThemeManager::instance().pixels(kSpacing);
    const int line = m_add->sizeHint().height();
    const int needed = m_flow->heightForWidth(std::max(1, m_area->viewport()->width()));
    m_area->setFixedHeight(std::clamp(needed, line, m_lines * line + (m_lines - 1) * spacing));
}

void ChipListEdit::reveal(QWidget* widget) {
    QTimer::singleShot(0, widget, [this, widget] { m_area->ensureWidgetVisible(widget, 0, 0); });
}

void ChipListEdit::setTypable(bool typable) {
    m_typable = typable;
    rebuild();
}

void ChipListEdit::setPlaceholder(const QString& text) {
    if (text == m_placeholder->text()) return;
    m_placeholder->setText(text);
    rebuild();
}

void ChipListEdit::setValues(const QStringList& values) {
    if (values == m_values) return;
    m_values = values;
    rebuild();
}

bool ChipListEdit::commit(int index, const QString& typed) {
    QString value;
    try {
        value = m_parser(typed.trimmed());
    } catch (const BadInput& error) {
        showError(fieldError(m_what, QString::fromStdString(error.what())));
        return false;
    }
    const qsizetype duplicate = m_values.indexOf(value);
    if (duplicate >= 0 && duplicate != index) {
        showError(u"%1 is already in the list."_s.arg(m_display(value)));
        return false;
    }
    showError({});
    if (index < m_values.size() && m_values[index] == value) return true;
    const QStringList values = valuesWith(index, value);
    setValues(values);
    emit edited(values);
    return true;
}

QStringList ChipListEdit::valuesWith(int index, const QString& value) const {
    QStringList values = m_values;
    if (index < values.size()) {
        values[index] = value;
    } else {
        values.append(value);
    }
    return values;
}

void ChipListEdit::considerTyped() {
    try {
        const QString value = m_parser(m_field->text().trimmed());
        emit considered(m_values.contains(value) ? m_values : valuesWith(m_editing, value));
    } catch (const BadInput&) {
        emit considered(m_values);
    }
}

void ChipListEdit::remove(int index) {
    showError({});
    QStringList values = m_values;
    values.removeAt(index);
    setValues(values);
    // The keyboard focus moves to the chip that is now at this place.
    QWidget* next = index < m_values.size() ? m_flow->itemAt(index)->widget() : m_add;
    next->setFocus();
    if (next != m_add) reveal(next);
    emit edited(values);
}

QString ChipListEdit::error() const {
    return m_error ? m_error->text() : QString();
}

void ChipListEdit::beginEdit(int index) {
    if (!m_typable) return;
    endEdit(false);
    m_editing = index;
    m_field = new QLineEdit(index < m_values.size() ? m_display(m_values[index]) : QString(), m_box);
    m_field->setAccessibleName(u"Value of %1"_s.arg(m_what));
    m_field->setFixedWidth(ThemeManager::instance().pixels(88));
    m_field->selectAll();
    m_field->installEventFilter(this);
    markAsDiscardingText(m_field);
    connect(m_field, &QLineEdit::textEdited, this, [this] {
        setLook(m_field, "wrong", false);
        considerTyped();
    });
    if (index < m_values.size()) m_flow->itemAt(index)->widget()->hide();
    m_flow->insertWidget(index, m_field);
    m_field->show();
    m_field->setFocus();
    fitHeight();
    reveal(m_field);
    updateGeometry();
}

bool ChipListEdit::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_area->viewport() && event->type() == QEvent::Resize) fitHeight();
    if (watched != m_field) return QWidget::eventFilter(watched, event);
    if (event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Escape) {
            endEdit(false);
            return true;
        }
        if (key == Qt::Key_Return || key == Qt::Key_Enter) {
            const int index = m_editing;
            endEdit(true);
            // Otherwise Qt would give the focus of the deleted field to any other field, which would take the digits.
            if (QLayoutItem* item = m_field ? nullptr : m_flow->itemAt(index)) item->widget()->setFocus();
            return true;
        }
    }
    // When the field loses the focus, a valid value is accepted and an invalid one is discarded.
    if (event->type() == QEvent::FocusOut && static_cast<QFocusEvent*>(event)->reason() != Qt::PopupFocusReason) {
        endEdit(!m_field->text().trimmed().isEmpty());
        if (m_field) rebuild();  // The value was invalid: the error stays below the chips.
    }
    return false;
}

void ChipListEdit::endEdit(bool accept) {
    if (!m_field) return;
    if (accept && !m_field->text().trimmed().isEmpty()) {
        QLineEdit* field = m_field;
        if (!commit(m_editing, field->text())) {
            setLook(field, "wrong", true);
            return;
        }
    } else {
        showError({});
    }
    // If the value changed, commit() has already rebuilt the row and deleted the field.
    if (m_field) rebuild();
}

void ChipListEdit::showError(const QString& sentence) {
    if (m_error) m_error->say(sentence);
}

void ChipListEdit::openSuggestions() {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (const QString& suggestion : std::as_const(m_suggestions)) {
        if (m_values.contains(m_parser(suggestion))) continue;
        QAction* action = menu->addAction(m_display(m_parser(suggestion)));
        connect(action, &QAction::hovered, this, [this, suggestion] {
            emit considered(valuesWith(static_cast<int>(m_values.size()), m_parser(suggestion)));
        });
        connect(action, &QAction::triggered, this,
                [this, suggestion] { commit(static_cast<int>(m_values.size()), suggestion); });
    }
    connect(menu, &QMenu::aboutToHide, this, [this] { emit considered(m_values); });
    menu->addSeparator();
    QAction* type = menu->addAction(u"Type a value …"_s);
    connect(type, &QAction::triggered, this, [this] { beginEdit(static_cast<int>(m_values.size())); });
    menu->popup(m_add->mapToGlobal(QPoint(0, m_add->height())));
}

void ChipListEdit::rebuild() {
    // The chips are few, so all are recreated. deleteLater() is required because a signal of a chip may be the caller.
    while (QLayoutItem* item = m_flow->takeAt(0)) {
        QWidget* widget = item->widget();
        delete item;
        if (widget == m_placeholder) continue;
        widget->removeEventFilter(this);
        widget->hide();
        widget->deleteLater();
    }
    m_field = nullptr;
    m_editing = -1;
    emit considered(m_values);
    for (int i = 0; i < m_values.size(); ++i) {
        auto* chip = new Chip(m_display(m_values[i]), true, m_box);
        chip->setObjectName(u"chip"_s);
        chip->setAccessibleName(u"%1 %2"_s.arg(m_what, m_display(m_values[i])));
        if (m_why || !m_typable) chip->setToolTip(m_why ? m_why(m_values[i]) : m_values[i]);
        chip->setAccessibleDescription(m_typable ? u"The Enter key edits this value; the Delete key removes the "
                                                   "value from the list"_s
                                                 : u"The Delete key removes this value from the list"_s);
        connect(chip, &Chip::editAsked, this, [this, i] { beginEdit(i); });
        connect(chip, &Chip::removeAsked, this, [this, i] { remove(i); });
        connect(chip, &Chip::removalConsidered, this, [this, i](bool over) {
            QStringList left = m_values;
            if (over) left.removeAt(i);
            emit considered(left);
        });
        m_flow->addWidget(chip);
        chip->show();
    }
    m_placeholder->setVisible(m_values.isEmpty() && !m_placeholder->text().isEmpty());
    m_flow->addWidget(m_placeholder);
    m_add->setVisible(m_typable);
    m_box->updateGeometry();
    fitHeight();
    updateGeometry();
}

}  // namespace ropelab::ui

#include "moc_chip_list_edit.cpp"
