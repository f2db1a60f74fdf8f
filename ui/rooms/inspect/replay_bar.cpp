#include "ui/rooms/inspect/replay_bar.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <QToolButton>
#include <cmath>

#include "ui/common/format.h"
#include "ui/common/icons.h"
#include "ui/common/scaled.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {
namespace {

constexpr int kMinWidthForExport = 540;  // pixels at 100 % scale

}  // namespace

ReplayBar::ReplayBar(QWidget* parent) : QWidget(parent) {
    auto* row = new QHBoxLayout(this);
    scaleLayout(row, {0, 0, 0, 0}, 8);
    m_play = new QToolButton(this);
    m_play->setText(tr("Play"));
    m_play->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_play->setToolTip(tr("Replays the run snapshot by snapshot (Space or P)."));
    setIcon(m_play, outline::kStart);
    connect(m_play, &QToolButton::clicked, this, [this] { setPlaying(!isPlaying()); });
    m_pace = new QComboBox(this);
    m_pace->setAccessibleName(tr("Speed of the replay"));
    m_pace->setToolTip(tr("The replay shows this number of snapshots per second."));
    for (const int pace : {1, 2, 4, 8, 16}) m_pace->addItem(tr("%1/s").arg(pace), pace);
    m_pace->setCurrentIndex(2);
    m_slider = new QSlider(Qt::Horizontal, this);
    m_slider->setAccessibleName(tr("Snapshot"));
    m_slider->setToolTip(tr("Selects the snapshot to show; the arrow keys move by one snapshot."));
    m_words = new QLabel(this);
    m_words->setProperty("quiet", true);
    m_words->setMinimumWidth(QFontMetrics(m_words->font()).horizontalAdvance(QStringLiteral("step 000,000")));
    m_export = new QToolButton(this);
    connect(m_export, &QToolButton::clicked, this, &ReplayBar::exportRequested);
    m_pace->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    row->addWidget(m_play);
    row->addWidget(m_pace);
    row->addWidget(m_slider, 1);
    row->addWidget(m_words);
    row->addWidget(m_export);
    renewExport();
    keepWidth(m_play, {tr("Play"), tr("Pause")});
    keepWidth(m_export, {tr("Export replay …"), tr("Stop export")});

    connect(m_slider, &QSlider::valueChanged, this, [this] {
        renewWords();
        emit moved(iteration());
    });
    const auto setPace = [this] { m_timer.setInterval(1000 / m_pace->currentData().toInt()); };
    connect(m_pace, &QComboBox::currentIndexChanged, this, setPace);
    setPace();
    connect(&m_timer, &QTimer::timeout, this, [this] {
        if (m_slider->value() >= m_slider->maximum()) {
            setPlaying(false);
        } else {
            step(1);
        }
    });
    setIterations({});
}

void ReplayBar::setIterations(const std::vector<std::int64_t>& iterations) {
    if (iterations == m_iterations && !iterations.empty()) return;
    const std::int64_t before = iteration();
    const bool follows = !isPlaying() && (m_iterations.empty() || isAtNewest());
    m_iterations = iterations;
    {
        const QSignalBlocker quiet(m_slider);
        m_slider->setRange(0, std::max(0, static_cast<int>(iterations.size()) - 1));
        m_slider->setPageStep(std::max(1, m_slider->maximum() / 10));
        if (follows) {
            m_slider->setValue(m_slider->maximum());
        } else {
            moveTo(static_cast<double>(before));
        }
    }
    for (QWidget* widget : std::initializer_list<QWidget*>{m_play, m_slider}) {
        widget->setEnabled(iterations.size() > 1);
    }
    renewExport();
    renewWords();
}

std::int64_t ReplayBar::iteration() const {
    const auto place = static_cast<std::size_t>(m_slider->value());
    return place < m_iterations.size() ? m_iterations[place] : 0;
}

bool ReplayBar::isAtNewest() const {
    return m_slider->value() == m_slider->maximum();
}

void ReplayBar::moveTo(double iteration) {
    std::size_t nearest = 0;
    for (std::size_t i = 1; i < m_iterations.size(); ++i) {
        const auto distance = [&](std::size_t at) {
            return std::abs(static_cast<double>(m_iterations[at]) - iteration);
        };
        if (distance(i) < distance(nearest)) nearest = i;
    }
    m_slider->setValue(static_cast<int>(nearest));
}

void ReplayBar::step(int by) {
    m_slider->setValue(m_slider->value() + by);
}

void ReplayBar::setPlaying(bool playing) {
    if (playing == isPlaying() || (playing && m_iterations.size() < 2)) return;
    if (playing) {
        if (m_slider->value() >= m_slider->maximum()) m_slider->setValue(0);
        m_timer.start();
    } else {
        m_timer.stop();
    }
    m_play->setText(playing ? tr("Pause") : tr("Play"));
    setIcon(m_play, playing ? outline::kPause : outline::kStart);
}

void ReplayBar::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    renewExport();
}

void ReplayBar::showExport(const QString& words) {
    m_exporting = true;
    m_words->setText(words);
    renewExport();
}

void ReplayBar::showStopping() {
    m_stopping = true;
    showExport(tr("stopping export …"));
}

void ReplayBar::endExport(const QString& words) {
    m_exporting = false;
    m_stopping = false;
    renewWords();
    if (!words.isEmpty()) m_words->setText(words);
    renewExport();
}

void ReplayBar::renewExport() {
    m_export->setText(m_exporting ? tr("Stop export") : tr("Export replay …"));
    m_export->setToolTip(m_exporting ? tr("Stops the export of the replay.")
                                     : tr("Exports the replay as an animated GIF, or as numbered PNG or SVG files."));
    m_export->setEnabled(!m_stopping && (m_exporting || m_iterations.size() > 1));
    // The button is hidden if the slider would become too short; the menu offers the export too.
    m_export->setVisible(m_exporting || width() >= ThemeManager::instance().pixels(kMinWidthForExport));
}

void ReplayBar::renewWords() {
    if (m_exporting) return;
    m_words->setText(m_iterations.empty() ? tr("no snapshots") : tr("step %1").arg(groupedText(iteration())));
}

}  // namespace ropelab::ui
