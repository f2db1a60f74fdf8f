#include "ui/window/frame/status_strip.h"

#include <QAccessible>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>

#include "ui/common/format.h"
#include "ui/common/icons.h"
#include "ui/common/scaled.h"
#include "ui/session/sweep_session.h"
#include "ui/theme/motion.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

// Widths in pixels at a window scale of 100 %.
constexpr int kMachineFrom = 860;    // a narrower strip omits the device
constexpr int kBothFrom = 1240;      // a narrower strip omits the device while it shows what an action did
constexpr int kSpeedFrom = 700;      // a narrower strip omits the speed
constexpr int kIterationFrom = 560;  // a narrower strip omits the step
constexpr int kMinimumWidth = 400;
constexpr int kToldMs = 8000;  // milliseconds for which the text of tell() is shown

}  // namespace

StatusStrip::StatusStrip(SweepSession& session, QWidget* parent)
    : QFrame(parent),
      m_session(session),
      m_bar(new QProgressBar(this)),
      m_iteration(new QLabel(this)),
      m_left(new QLabel(this)),
      m_speed(new QLabel(this)),
      m_told(new QLabel(this)),
      m_machine(new QLabel(this)),
      m_pause(new QPushButton(u"Pause"_s, this)),
      m_stop(new QPushButton(u"Stop"_s, this)) {
    setProperty("panel", true);
    setAccessibleName(u"Status of the sweep"_s);
    auto* layout = scaledRow(this, 16, {12, 4, 12, 4});  // as high as the buttons need
    m_bar->setRange(0, 1000);
    m_bar->setTextVisible(false);
    m_bar->setAccessibleName(u"Progress of the sweep"_s);
    layout->addWidget(m_bar);
    layout->addWidget(m_iteration);
    layout->addWidget(m_left);
    layout->addWidget(m_speed);
    // The text of tell() takes the free space, so that nothing moves when it appears and vanishes.
    m_told->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_told->setTextFormat(Qt::PlainText);
    m_told->setAccessibleName(u"Latest action"_s);
    layout->addWidget(m_told, 1);
    m_toldUntil.setSingleShot(true);
    m_toldUntil.setInterval(kToldMs);
    connect(&m_toldUntil, &QTimer::timeout, this, [this] { tell({}); });
    // A label that has too little space is cut off; the buttons never are.
    for (QLabel* label : {m_iteration, m_left, m_speed, m_machine}) label->setMinimumWidth(1);
    m_iteration->setToolTip(
        u"Trained steps / total steps of the current cohort (runs that train together as one batch)."_s);
    m_left->setToolTip(
        u"Estimated remaining time of the sweep: the remaining operations of the sweep divided by the speed during "
        "the last quarter of the elapsed time (at least four seconds). The range follows from how much this speed "
        "varies and how much it differs from the average."_s);
    m_speed->setToolTip(
        u"Training speed of all runs of the current cohort together: batch size × context × number of runs / seconds "
        "per step."_s);
    m_machine->setProperty("quiet", true);
    layout->addWidget(m_machine);
    for (QPushButton* button : {m_pause, m_stop}) {
        button->setFocusPolicy(Qt::TabFocus);
        button->setProperty("chip", true);
        layout->addWidget(button);
    }
    setIcon(m_stop, outline::kStop);
    m_pause->setToolTip(u"Pauses or resumes the sweep (Ctrl+Shift+P)."_s);
    m_stop->setToolTip(u"Stops the sweep after the current training step (Ctrl+.); its runs can be resumed later."_s);
    connect(m_pause, &QPushButton::clicked, this, &StatusStrip::pauseAsked);
    connect(m_stop, &QPushButton::clicked, this, &StatusStrip::stopAsked);
    connect(&session, &SweepSession::stateChanged, this, &StatusStrip::renew);
    connect(&session, &SweepSession::started, this, [this] {
        m_remaining = {};
        m_isForgotten = false;
        renew();
    });
    connect(&session, &SweepSession::delivered, this, [this] {
        // The time before the first step says nothing about the speed.
        const auto& progress = m_session.progress();
        if (progress && progress->tokens_per_second > 0) m_remaining.add(progress->seconds, progress->done);
        renew();
    });
    connect(&session, &SweepSession::ended, this, [this](RunState how) {
        m_wasStopped = how == RunState::stopped;
        renew();
    });
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, &StatusStrip::fit);
    renew();
    keepWidth(m_pause, {u"Pause"_s, u"Resume"_s});
}

QSize StatusStrip::minimumSizeHint() const {
    return {ThemeManager::instance().pixels(kMinimumWidth), QFrame::minimumSizeHint().height()};
}

void StatusStrip::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    fit();
}

void StatusStrip::fit() {
    const ThemeManager& theme = ThemeManager::instance();
    m_bar->setFixedWidth(theme.pixels(width() < theme.pixels(kMachineFrom) ? 64 : 160));
    const int machineFrom = m_told->text().isEmpty() ? kMachineFrom : kBothFrom;
    m_machine->setVisible(!m_machine->text().isEmpty() && width() >= theme.pixels(machineFrom));
    m_speed->setVisible(!m_speed->text().isEmpty() && width() >= theme.pixels(kSpeedFrom));
    m_iteration->setVisible(!m_iteration->text().isEmpty() && width() >= theme.pixels(kIterationFrom));
}

void StatusStrip::forgetSweep() {
    m_isForgotten = true;
    renew();
}

void StatusStrip::setNotice(const QString& text) {
    m_notice = text;
    renew();
}

void StatusStrip::tell(const QString& text) {
    m_told->setText(text);
    m_told->setToolTip(text);  // a narrow strip cuts the text
    fit();
    if (text.isEmpty()) return m_toldUntil.stop();
    m_toldUntil.start();
    QAccessibleEvent alert(m_told, QAccessible::Alert);
    QAccessible::updateAccessibility(&alert);
}

QString StatusStrip::told() const {
    return m_told->text();
}

QString StatusStrip::summary() const {
    QStringList parts;
    for (const QLabel* label : {m_iteration, m_left, m_speed, m_machine}) {
        if (!label->text().isEmpty()) parts << label->text();
    }
    return parts.join(u" · "_s);
}

void StatusStrip::renew() {
    using State = SweepSession::State;
    const State state = m_session.state();
    const auto progress = m_isForgotten ? std::nullopt : m_session.progress();
    const bool active = m_session.isActive();

    QString iteration, left, speed, machine;
    if (progress) {
        iteration = u"step %1 / %2"_s.arg(groupedText(progress->iteration), groupedText(progress->iterations));
        if (progress->cohorts > 1) iteration += u"  (cohort %1 of %2)"_s.arg(progress->cohort).arg(progress->cohorts);
        if (progress->tokens_per_second > 0) speed = u"%1 tokens/s"_s.arg(roundText(progress->tokens_per_second));
    }
    switch (state) {
        case State::idle:
            left = !progress ? u"no sweep is active"_s
                             : (m_wasStopped ? u"sweep stopped %1 after its last start"_s
                                             : u"sweep ended %1 after its last start"_s)
                                   .arg(durationText(progress->seconds));
            break;
        case State::running:
            left = u"starting …"_s;
            if (progress && progress->tokens_per_second > 0) left = u"estimating …"_s;
            if (const auto range = m_remaining.left(1)) {
                left = u"this sweep: about %1 left"_s.arg(
                    QString::fromStdString(duration_range_text(range->low, range->high)));
            }
            if (progress && !progress->phase.empty()) left = QString::fromStdString(progress->phase) + u" …"_s;
            break;
        case State::paused:
            left = u"paused"_s;
            break;
        case State::stopping:
            left = u"stopping …"_s;
            break;
    }
    if (!active) speed.clear();
    if (const auto& with = m_session.conditions()) {
        machine = u"%1, %2, %3"_s.arg(QString::fromStdString(with->device), countText(with->threads, u"thread"_s),
                                      QString::fromStdString(with->precision));
        m_machine->setToolTip(QString::fromStdString(with->reason));
    }
    if (!m_notice.isEmpty()) left = m_notice;

    // A busy bar moves before the first step.
    const bool starts =
        state == State::running && (!progress || progress->tokens_per_second <= 0 || !progress->phase.empty());
    m_bar->setRange(0, starts && !isMotionReduced() ? 0 : 1000);
    m_bar->setVisible(starts || progress.has_value());
    m_bar->setValue(progress ? static_cast<int>(progress->done * 1000) : 0);
    m_iteration->setText(iteration);
    m_left->setText(left);
    m_speed->setText(speed);
    m_machine->setText(machine);
    fit();
    // Without a sweep the buttons are disabled and not hidden, so that they keep their place.
    m_pause->setEnabled(state == State::running || state == State::paused);
    m_stop->setEnabled(m_pause->isEnabled());
    m_pause->setText(state == State::paused ? u"Resume"_s : u"Pause"_s);
    setIcon(m_pause, state == State::paused ? outline::kStart : outline::kPause);
    setAccessibleDescription(summary());
}

}  // namespace ropelab::ui

#include "moc_status_strip.cpp"
