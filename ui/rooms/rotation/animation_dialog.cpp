#include "ui/rooms/rotation/animation_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "ui/common/format.h"
#include "ui/common/scaled.h"
#include "ui/controls/fields.h"
#include "ui/controls/frame_fields.h"
#include "ui/rooms/rotation/figures/scene_figures.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr double kFirstTheta = 100;
constexpr double kLastTheta = 1e6;
constexpr double kMostTheta = 1e15;
constexpr int kPositionFrames = 60;
constexpr int kMostFrames = 2000;

}  // namespace

AnimationDialog::AnimationDialog(AnimationJob job, QWidget* parent)
    : QDialog(parent),
      m_job(std::move(job)),
      m_process(u"animation"_s),
      m_over(makeChoice(u"Changing value"_s, this, 24)),
      m_first(new QDoubleSpinBox(this)),
      m_last(new QDoubleSpinBox(this)),
      m_frames(new QSpinBox(this)),
      m_frameRate(new QDoubleSpinBox(this)),
      m_format(makeChoice(u"Format"_s, this, 24)),
      m_width(makeChoice(u"Width"_s, this)),
      m_dark(new QCheckBox(u"Dark colours"_s, this)),
      m_words(new QLabel(this)),
      m_save(new QPushButton(this)) {
    setObjectName(u"animation"_s);
    setWindowTitle(u"Export animation"_s);
    setAttribute(Qt::WA_DeleteOnClose);
    setModal(false);
    makeFields();
    connectProcess();
    resetRange();
    endExport({});
}

void AnimationDialog::makeFields() {
    using Over = AnimationJob::Over;
    QGridLayout* grid = makeFieldGrid();
    const bool hasPositions = changesWithPosition(m_job.figure);
    if (hasPositions) m_over->addItem(u"position m of the query"_s, static_cast<int>(Over::positions));
    m_over->addItem(u"base θ"_s, static_cast<int>(Over::theta));
    if (hasPositions) m_over->addItem(u"enlarged pair"_s, static_cast<int>(Over::pairs));
    addField(grid, u"change"_s, m_over,
             u"The selected quantity changes from frame to frame; all other quantities keep their values on the page "
             "Rotation."_s);
    m_first->setAccessibleName(u"First value"_s);
    m_last->setAccessibleName(u"Last value"_s);
    addField(grid, u"from"_s, m_first, u"Value of the changed quantity in the first frame."_s);
    addField(grid, u"to"_s, m_last,
             u"Value of the changed quantity in the last frame. From frame to frame, θ changes by a constant factor; "
             "the other quantities change by a constant difference, rounded to whole numbers."_s);
    m_frames->setRange(2, kMostFrames);
    m_frames->setAccessibleName(u"Frames"_s);
    addField(grid, u"frames"_s, m_frames, u"Number of frames of the animation."_s);
    addFrameRate(grid, m_frameRate);
    addFrameFormat(grid, m_format);
    addFrameWidth(grid, m_width);
    m_width->setCurrentIndex(m_width->findData(m_job.width));
    grid->addWidget(m_dark, grid->rowCount(), 1);
    m_words->setProperty("quiet", true);
    m_words->setWordWrap(true);
    m_words->setTextFormat(Qt::PlainText);
    keepLines(m_words, 3);
    m_save->setProperty("primary", true);
    m_save->setDefault(true);
    auto* column = scaledColumn(this, 12, {16, 16, 16, 16});
    column->addLayout(grid);
    column->addWidget(m_words);
    column->addWidget(m_save, 0, Qt::AlignRight);
    connect(m_over, &QComboBox::currentIndexChanged, this, &AnimationDialog::resetRange);
    for (QComboBox* choice : {m_format, m_width}) {
        connect(choice, &QComboBox::currentIndexChanged, this, &AnimationDialog::renewWords);
    }
    connect(m_frames, &QSpinBox::valueChanged, this, &AnimationDialog::renewWords);
    connect(m_frameRate, &QDoubleSpinBox::valueChanged, this, &AnimationDialog::renewWords);
    connect(m_save, &QPushButton::clicked, this, &AnimationDialog::save);
}

void AnimationDialog::connectProcess() {
    connect(&m_process, &ExportProcess::progressed, this,
            [this](int done, int all) { m_words->setText(u"frame %1 of %2"_s.arg(done).arg(all)); });
    connect(&m_process, &ExportProcess::finished, this, [this](int frames) {
        endExport(u"%1 exported to %2"_s.arg(countText(frames, u"frame"_s), QFileInfo(m_job.output).fileName()));
    });
    connect(&m_process, &ExportProcess::stopped, this, [this](int frames) {
        endExport(frames > 0 ? u"export stopped; %1 saved"_s.arg(countText(frames, u"frame"_s)) : u"export stopped"_s);
    });
    connect(&m_process, &ExportProcess::failed, this, &AnimationDialog::endExport);
}

void AnimationDialog::resetRange() {
    using Over = AnimationJob::Over;
    const auto over = static_cast<Over>(m_over->currentData().toInt());
    const bool isTheta = over == Over::theta;
    const auto pairs = static_cast<double>(standardScene(m_job.setup).pairs.size());
    const double most = isTheta                   ? kMostTheta
                        : over == Over::positions ? static_cast<double>(m_job.setup.context - 1)
                                                  : std::max(0.0, pairs - 1);
    for (QDoubleSpinBox* field : {m_first, m_last}) {
        field->setDecimals(isTheta ? 2 : 0);
        field->setRange(isTheta ? 1.01 : 0, most);
    }
    m_first->setValue(isTheta ? kFirstTheta : 0);
    m_last->setValue(isTheta ? kLastTheta : over == Over::positions ? std::min(most, 200.0) : most);
    m_frames->setValue(over == Over::pairs ? static_cast<int>(std::clamp<double>(pairs, 2, kMostFrames))
                                           : kPositionFrames);
    m_frameRate->setValue(over == Over::pairs ? 4 : 20);
    renewWords();
}

AnimationJob AnimationDialog::job(const QString& path) const {
    AnimationJob job = m_job;
    job.output = withFrameSuffix(path, m_format->currentData().toString());
    job.over = static_cast<AnimationJob::Over>(m_over->currentData().toInt());
    job.first = m_first->value();
    job.last = m_last->value();
    job.frames = m_frames->value();
    job.framesPerSecond = m_frameRate->value();
    job.width = m_width->currentData().toInt();
    job.appearance = m_dark->isChecked() ? Appearance::dark : Appearance::light;
    return job;
}

void AnimationDialog::renewWords() {
    const bool animated = m_format->currentData() == u"gif"_s;
    m_frameRate->setEnabled(animated);
    if (m_process.isRunning()) return;
    const AnimationJob now = job(u"animation"_s);
    QString words = u"%1 of %2 × %3 pixels"_s.arg(countText(now.frames, u"frame"_s)).arg(now.width).arg(now.height());
    if (animated) {
        words += u", %1 long"_s.arg(durationText((now.frames - 1) * frameSeconds(now.framesPerSecond, false) +
                                                 frameSeconds(now.framesPerSecond, true)));
    }
    m_words->setText(words);
}

void AnimationDialog::save() {
    if (m_process.isRunning()) {
        m_save->setEnabled(false);
        return m_process.stop();
    }
    const QString path = dialogs().save(
        this, framesQuestion(u"Export animation as"_s, m_job.figure, m_format->currentData().toString()));
    if (path.isEmpty()) return;
    const AnimationJob job = this->job(path);
    QString why = whyFramesExist(job.output);
    if (const QString replaced = whyReplacedUnasked(job.output, path); !replaced.isEmpty()) why = replaced;
    const std::string text = animationJobText(job);
    try {
        parseAnimationJob(text);
    } catch (const BadInput& error) {
        why = QString::fromUtf8(error.what());
    }
    if (!why.isEmpty()) return m_words->setText(why);
    m_job.output = job.output;
    m_save->setText(u"&Stop export"_s);
    m_words->setText(u"starting export …"_s);
    m_process.start({u"--animate"_s, QString::fromStdString(text)}, job.files().isAnimated());
}

void AnimationDialog::endExport(const QString& words) {
    m_save->setText(u"&Save animation …"_s);
    m_save->setEnabled(true);
    if (words.isEmpty()) {
        renewWords();
    } else {
        m_words->setText(words);
    }
}

}  // namespace ropelab::ui
