#include "ui/rooms/rotation/position_bar.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSlider>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "ui/common/format.h"
#include "ui/common/icons.h"
#include "ui/common/scaled.h"
#include "ui/controls/field_note.h"
#include "ui/controls/flow_layout.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr int kSpeeds[] = {1, 5, 20, 60, 200, 1000};
constexpr int kUsualSpeed = 20;

}  // namespace

PositionSlider::PositionSlider(const QString& name, const QString& accessibleName, const QString& tip, QWidget* parent)
    : QWidget(parent),
      m_name(accessibleName),
      m_tip(tip),
      m_field(new QLineEdit(this)),
      m_slider(new QSlider(Qt::Horizontal, this)) {
    auto* row = scaledRow(this, 8);
    auto* label = new QLabel(name, this);
    label->setBuddy(m_field);
    label->setToolTip(tip);
    row->addWidget(label);
    m_field->setAlignment(Qt::AlignRight);
    m_field->setAccessibleName(accessibleName);
    scaleWidth(m_field, 88);
    row->addWidget(m_field);
    m_slider->setAccessibleName(accessibleName);
    m_slider->setToolTip(tip);
    row->addWidget(m_slider, 1);
    connect(m_slider, &QSlider::valueChanged, this, [this](int position) {
        if (!m_setting) {
            setAndNotify(position);
        }
    });
    connect(m_slider, &QSlider::sliderReleased, this, &PositionSlider::finished);
    connect(m_field, &QLineEdit::editingFinished, this, [this] {
        if (m_field->isModified()) {
            commit(m_field->text());
        }
    });
    show(0, 1);
    showProblem(QString());
}

void PositionSlider::show(std::int64_t value, std::int64_t last) {
    m_last = std::max<std::int64_t>(last, 0);
    m_value = std::clamp<std::int64_t>(value, 0, m_last);
    m_setting = true;
    m_slider->setRange(0, static_cast<int>(m_last));
    m_slider->setPageStep(static_cast<int>(std::max<std::int64_t>(10, m_last / 20)));
    if (!m_slider->isSliderDown()) {
        m_slider->setValue(static_cast<int>(m_value));
    }
    m_setting = false;
    if (!m_field->isModified()) {
        m_field->setText(groupedText(m_value));
    }
}

void PositionSlider::commit(const QString& typed) {
    try {
        const double value = parse_number(withoutGroups(typed.trimmed()).toStdString());
        if (value != std::floor(value) || value < 0 || value > static_cast<double>(m_last)) {
            throw BadInput(m_name.toStdString() + " is " + typed.trimmed().toStdString() +
                           ", but it must be a whole number from 0 to " + groupedText(m_last).toStdString() + ".");
        }
        showProblem(QString());
        m_field->setModified(false);
        emit finished();  // what was typed is not a part of an earlier drag
        setAndNotify(static_cast<std::int64_t>(value));
        show(m_value, m_last);
        emit finished();
    } catch (const BadInput& error) {
        showProblem(QString::fromStdString(error.what()));
    }
}

void PositionSlider::setAndNotify(std::int64_t value) {
    m_field->setModified(false);
    showProblem(QString());
    if (value == m_value) {
        return;
    }
    show(value, m_last);
    emit changed(value);
}

void PositionSlider::showProblem(const QString& problem) {
    const bool isNew = problem != m_problem;
    m_problem = problem;
    m_field->setToolTip(problem.isEmpty() ? m_tip : problem);
    m_field->setAccessibleDescription(problem);
    setLook(m_field, "wrong", !problem.isEmpty());
    if (isNew) {
        emit problemChanged(problem);
    }
}

PositionBar::PositionBar(QWidget* parent) : QWidget(parent) {
    auto* column = scaledColumn(this, 4);

    auto* first = new QWidget(this);
    auto* row = new FlowLayout(first);
    scaleLayout(row, {0, 0, 0, 0}, 8);
    m_play = makeButton(
        QString(), QString(),
        u"Moves the position m of the query through the context continuously, which animates the rotation of the pairs "
        "(Space or P)."_s);
    m_play->setProperty("chip", true);
    m_play->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    // The button is as wide as the longer of its two texts, so that the layout does not change.
    const auto fit = [this] {
        const bool plays = m_play->text() == u"Pause"_s;
        showPlaying(!plays);
        const int width = m_play->sizeHint().width();
        showPlaying(plays);
        m_play->setMinimumWidth(std::max(width, m_play->sizeHint().width()));
    };
    fit();
    connect(&ThemeManager::instance(), &ThemeManager::changed, m_play, fit);
    connect(m_play, &QToolButton::clicked, this, &PositionBar::playToggled);
    row->addWidget(m_play);
    auto* back = makeButton(u"−1"_s, u"Step back"_s, u"Moves the position m of the query back by one (comma key)."_s);
    auto* forth = makeButton(u"+1"_s, u"Step forward"_s,
                             u"Moves the position m of the query forward by one (period "
                             "key)."_s);
    connect(back, &QToolButton::clicked, this, [this] { emit stepped(-1); });
    connect(forth, &QToolButton::clicked, this, [this] { emit stepped(1); });
    for (QToolButton* button : {back, forth}) {
        button->setProperty("chip", true);
        row->addWidget(button);
    }
    m_speed = new QComboBox(first);
    m_speed->setAccessibleName(u"Playback speed [positions/s]"_s);
    m_speed->setToolTip(u"Sets how many positions per second playback moves the position m of the query."_s);
    for (const int speed : kSpeeds) {
        m_speed->addItem(u"%1 tokens/s"_s.arg(speed), speed);
    }
    m_speed->setCurrentIndex(m_speed->findData(kUsualSpeed));
    row->addWidget(m_speed);
    m_lock = new QCheckBox(u"lock distance m − n"_s, first);
    m_lock->setToolTip(
        u"Moves the position n of the key together with m: q and k rotate in every pair, and the logit does not change "
        "(formula 2 of the guide)."_s);
    row->addWidget(m_lock);
    column->addWidget(first);

    auto* second = scaledRow(nullptr, 16);
    m_query = new PositionSlider(
        u"q at m"_s, u"Position m of the query [tokens]"_s,
        u"Each pair of q is rotated by the angle mωᵢ, counterclockwise (Su et al. 2021; formula 1 of the guide)."_s,
        this);
    m_key = new PositionSlider(
        u"k at n"_s, u"Position n of the key [tokens]"_s,
        u"Each pair of k is rotated by the angle nωᵢ, counterclockwise (Su et al. 2021; formula 1 of the guide)."_s,
        this);
    second->addWidget(m_query, 1);
    second->addWidget(m_key, 1);
    column->addLayout(second);
    m_problem = new FieldNote(this);
    connect(m_query, &PositionSlider::changed, this, &PositionBar::queryMoved);
    connect(m_key, &PositionSlider::changed, this, &PositionBar::keyMoved);
    for (PositionSlider* slider : {m_query, m_key}) {
        connect(slider, &PositionSlider::finished, this, &PositionBar::finished);
        connect(slider, &PositionSlider::problemChanged, this, [this](const QString& sentence) {
            if (m_problem) m_problem->say(sentence);
        });
    }
}

QToolButton* PositionBar::makeButton(const QString& text, const QString& name, const QString& tip) {
    auto* button = new QToolButton(this);
    button->setText(text);
    button->setAccessibleName(name);
    button->setToolTip(tip);
    button->setFocusPolicy(Qt::TabFocus);
    return button;
}

void PositionBar::show(const RotationScene& scene) {
    const RotationState& state = scene.state;
    const std::int64_t last = std::max({scene.setup.context - 1, state.m, state.n});
    m_query->show(state.m, last);
    m_key->show(state.n, last);
}

void PositionBar::showPlaying(bool plays) {
    m_play->setText(plays ? u"Pause"_s : u"Play"_s);
    setIcon(m_play, plays ? outline::kPause : outline::kStart);
    m_play->setAccessibleName(plays ? u"Pause the playback of positions"_s : u"Start the playback of positions"_s);
}

bool PositionBar::locksDistance() const {
    return m_lock->isChecked();
}

double PositionBar::speed() const {
    return m_speed->currentData().toDouble();
}

}  // namespace ropelab::ui

#include "moc_position_bar.cpp"
