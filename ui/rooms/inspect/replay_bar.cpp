#include "ui/rooms/inspect/replay_bar.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>
#include <cmath>

#include "ui/common/format.h"
#include "ui/common/icons.h"
#include "ui/common/scaled.h"
#include "ui/controls/frame_fields.h"
#include "ui/session/settings.h"
#include "ui/theme/dialogs.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kMinWidthForExport = 540;  // pixels at 100 % scale

}  // namespace

ReplayBar::ReplayBar(QWidget* parent) : QWidget(parent) {
    auto* row = scaledRow(this, 8);
    m_play = new QToolButton(this);
    m_play->setText(u"Play"_s);
    m_play->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    setIcon(m_play, outline::kStart);
    connect(m_play, &QToolButton::clicked, this, [this] { setPlaying(!isPlaying()); });
    m_pace = new QComboBox(this);
    m_pace->setAccessibleName(u"Playback speed [snapshots/s]"_s);
    m_pace->setToolTip(u"Number of snapshots per second that the playback shows."_s);
    for (const int pace : {1, 2, 4, 8, 16}) m_pace->addItem(u"%1/s"_s.arg(pace), pace);
    m_pace->setCurrentIndex(2);
    m_slider = new QSlider(Qt::Horizontal, this);
    m_slider->setAccessibleName(u"Snapshot"_s);
    m_slider->setToolTip(u"Selects the snapshot to show; the arrow keys move by one snapshot."_s);
    m_words = new QLabel(this);
    m_words->setProperty("quiet", true);
    m_words->setMinimumWidth(QFontMetrics(m_words->font()).horizontalAdvance(u"step 000,000"_s));
    m_export = new QToolButton(this);
    connect(m_export, &QToolButton::clicked, this, &ReplayBar::exportRequested);
    m_pace->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    row->addWidget(m_play);
    row->addWidget(m_pace);
    row->addWidget(m_slider, 1);
    row->addWidget(m_words);
    row->addWidget(m_export);
    renewExport();
    keepWidth(m_play, {u"Play"_s, u"Pause"_s});
    keepWidth(m_export, {u"Export replay …"_s, u"Stop export"_s});

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

void ReplayBar::setIterations(const std::vector<std::int64_t>& iterations, const QString& otherwise) {
    if (iterations == m_iterations && !iterations.empty()) return;
    m_otherwise = otherwise;
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
    const bool isPlayable = iterations.size() > 1;
    if (!isPlayable) setPlaying(false);
    for (QWidget* widget : std::initializer_list<QWidget*>{m_play, m_pace, m_slider}) widget->setEnabled(isPlayable);
    m_play->setToolTip(isPlayable || iterations.empty()
                           ? u"Plays back the training of the run, snapshot by snapshot (Space or P)."_s
                           : u"The run has one snapshot, so there is nothing to play back."_s);
    renewExport();
    renewWords();
}

std::int64_t ReplayBar::iteration() const {
    const auto place = static_cast<std::size_t>(m_slider->value());
    return place < m_iterations.size() ? m_iterations[place] : 0;
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

void ReplayBar::setPlaying(bool playing) {
    if (playing == isPlaying() || (playing && m_iterations.size() < 2)) return;
    if (playing) {
        if (m_slider->value() >= m_slider->maximum()) m_slider->setValue(0);
        m_timer.start();
    } else {
        m_timer.stop();
    }
    m_play->setText(playing ? u"Pause"_s : u"Play"_s);
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
    showExport(u"stopping export …"_s);
}

void ReplayBar::endExport(const QString& words) {
    m_exporting = false;
    m_stopping = false;
    renewWords();
    if (!words.isEmpty()) m_words->setText(words);
    renewExport();
}

void ReplayBar::renewExport() {
    m_export->setText(m_exporting ? u"Stop export"_s : u"Export replay …"_s);
    m_export->setToolTip(m_exporting ? u"Stops the export of the animation."_s
                                     : u"Exports an animation of the run's training, with one frame per snapshot, as "
                                       "an animated GIF or as numbered PNG or SVG files."_s);
    m_export->setEnabled(!m_stopping && (m_exporting || m_iterations.size() > 1));
    // The button is hidden in a presentation and if the slider would become too short; the menu offers the export too.
    const ThemeManager& theme = ThemeManager::instance();
    const bool hasSpace = theme.leastText() == 0 && width() >= theme.pixels(kMinWidthForExport);
    m_export->setVisible(m_exporting || hasSpace);
}

void ReplayBar::renewWords() {
    if (m_exporting) return;
    m_words->setText(m_iterations.empty() ? m_otherwise : u"step %1"_s.arg(groupedText(iteration())));
}

ReplayDialog::ReplayDialog(Settings& settings, ReplayJob job, int snapshots, QWidget* parent)
    : QDialog(parent), m_settings(settings), m_job(std::move(job)), m_form(this) {
    setWindowTitle(u"Export replay"_s);
    setAttribute(Qt::WA_DeleteOnClose);
    setModal(false);

    auto* column = scaledColumn(this, 12, {16, 16, 16, 16});
    m_form.add(column,
               {frameFormatRow(),
                frameWidthRow(),
                frameRateRow(),
                {"frames", u"frames"_s, u"Frames"_s,
                 u"Number of frames of the animation. If there are more snapshots than frames, evenly spaced snapshots "
                 "are exported, including the first and the last."_s,
                 WholeRow{std::min(2, snapshots), snapshots}},
                darkFramesRow()});
    m_form.setValue("rate", m_job.framesPerSecond);
    m_form.setValue("frames", std::min(snapshots, m_job.most));

    m_words = new QLabel(this);
    m_words->setProperty("quiet", true);
    m_words->setWordWrap(true);
    keepLines(m_words, 3);
    m_save = new QPushButton(u"&Save replay …"_s, this);
    m_save->setProperty("primary", true);
    m_save->setDefault(true);
    column->addWidget(m_words);
    column->addWidget(m_save, 0, Qt::AlignRight);

    m_form.setValue("format", m_settings.value("replay/format"));
    m_form.setValue("width", m_settings.value("replay/width"));
    connect(&m_form, &Form::changed, this, &ReplayDialog::renewWords);
    connect(m_save, &QPushButton::clicked, this, &ReplayDialog::save);
    renewWords();
}

ReplayJob ReplayDialog::job(const QString& path) const {
    ReplayJob job = m_job;
    readFrames(m_form, path, job);
    const auto* frames = m_form.field<QSpinBox>("frames");
    job.most = frames->value() < frames->maximum() ? frames->value() : 0;
    return job;
}

void ReplayDialog::renewWords() {
    const ReplayJob now = job(u"replay"_s);
    m_form.setEnabled("rate", now.isAnimated());
    m_words->setText(frameWords(now, m_form.value("frames").toInt()));
}

QString ReplayDialog::whyNotWritable(const QString& path) const {
    const QString output = job(path).output;
    const QString why = whyReplacedUnasked(output, path);
    return why.isEmpty() ? whyFramesExist(output) : why;
}

void ReplayDialog::save() {
    const QString path = dialogs().save(
        this, framesQuestion(u"Export replay of the training as"_s, u"replay"_s, m_form.value("format").toString()));
    if (path.isEmpty()) return;
    if (const QString why = whyNotWritable(path); !why.isEmpty()) return m_words->setText(why);
    m_settings.setValue("replay/format", m_form.value("format"));
    m_settings.setValue("replay/width", m_form.value("width"));
    emit exportConfirmed(job(path));
    close();
}

}  // namespace ropelab::ui

#include "moc_replay_bar.cpp"
