#include "ui/rooms/rotation/animation_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "core/spec/error.h"
#include "ui/common/fields.h"
#include "ui/common/format.h"
#include "ui/common/scaled.h"
#include "ui/rooms/rotation/rotation_figures.h"

namespace ropelab::ui {
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
      m_process(tr("animation")),
      m_over(makeChoice(tr("Changing value"), this, 24)),
      m_first(new QDoubleSpinBox(this)),
      m_last(new QDoubleSpinBox(this)),
      m_frames(new QSpinBox(this)),
      m_frameRate(new QDoubleSpinBox(this)),
      m_format(makeChoice(tr("Format"), this, 24)),
      m_width(makeChoice(tr("Width"), this)),
      m_dark(new QCheckBox(tr("Dark colours"), this)),
      m_words(new QLabel(this)),
      m_save(new QPushButton(this)) {
    setObjectName(QStringLiteral("animation"));
    setWindowTitle(tr("Export animation"));
    setAttribute(Qt::WA_DeleteOnClose);
    setModal(false);
    askPath = [this](const QString& suggestion) {
        const QString suffix = m_format->currentData().toString();
        QFileDialog dialog(this, tr("Export animation as"), {}, tr("Images (*.%1)").arg(suffix));
        dialog.setAcceptMode(QFileDialog::AcceptSave);
        dialog.setFileMode(QFileDialog::AnyFile);
        dialog.setDefaultSuffix(suffix);
        dialog.selectFile(suggestion);
        // Frames get numbered names, so a file with exactly this name is not overwritten.
        dialog.setOption(QFileDialog::DontConfirmOverwrite, suffix != QLatin1String("gif"));
        return dialog.exec() == QDialog::Accepted ? dialog.selectedFiles().value(0) : QString();
    };
    makeFields();
    connectProcess();
    resetRange();
    endExport({});
}

void AnimationDialog::makeFields() {
    using Over = AnimationJob::Over;
    QGridLayout* grid = makeFieldGrid();
    const bool hasPositions = changesWithPosition(m_job.figure);
    if (hasPositions) m_over->addItem(tr("position m of the query"), static_cast<int>(Over::positions));
    m_over->addItem(tr("base θ"), static_cast<int>(Over::theta));
    if (hasPositions) m_over->addItem(tr("enlarged pair"), static_cast<int>(Over::pairs));
    addField(grid, tr("change"), m_over, tr("This value changes from frame to frame; the others stay as in the room."));
    m_first->setAccessibleName(tr("First value"));
    m_last->setAccessibleName(tr("Last value"));
    addField(grid, tr("from"), m_first, tr("The first frame has this value."));
    addField(grid, tr("to"), m_last,
             tr("The last frame has this value. θ changes by the same factor from frame to frame, the other values by "
                "the same difference, rounded to whole numbers."));
    m_frames->setRange(2, kMostFrames);
    m_frames->setAccessibleName(tr("Frames"));
    addField(grid, tr("frames"), m_frames, tr("The animation has this number of frames."));
    m_frameRate->setRange(0.1, 50);
    m_frameRate->setDecimals(1);
    m_frameRate->setSuffix(tr(" frames per second"));
    m_frameRate->setAccessibleName(tr("Frames per second"));
    addField(grid, tr("frame rate"), m_frameRate,
             tr("An animated GIF is played at this frame rate; its last frame is shown for at least 2 s."));
    m_format->addItem(tr("animated GIF"), QStringLiteral("gif"));
    m_format->addItem(tr("one PNG per frame"), QStringLiteral("png"));
    m_format->addItem(tr("one SVG per frame"), QStringLiteral("svg"));
    addField(grid, tr("format"), m_format, tr("An animated GIF is limited to 255 colours; PNG and SVG are not."));
    for (const int width : {640, 960, 1280, 1920}) m_width->addItem(tr("%1 pixels").arg(width), width);
    m_width->setCurrentIndex(m_width->findData(m_job.width));
    addField(grid, tr("width"), m_width, tr("The height is proportional to the width, and text is scaled with it."));
    grid->addWidget(m_dark, grid->rowCount(), 1);
    m_words->setProperty("quiet", true);
    m_words->setWordWrap(true);
    m_words->setTextFormat(Qt::PlainText);
    keepLines(m_words, 3);
    m_save->setProperty("primary", true);
    m_save->setDefault(true);
    auto* column = new QVBoxLayout(this);
    scaleLayout(column, {16, 16, 16, 16}, 12);
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
            [this](int done, int all) { m_words->setText(tr("frame %1 of %2").arg(done).arg(all)); });
    connect(&m_process, &ExportProcess::finished, this, [this](int frames) {
        endExport(tr("%1 exported to %2").arg(countText(frames, tr("frame")), QFileInfo(m_job.output).fileName()));
    });
    connect(&m_process, &ExportProcess::stopped, this, [this](int frames) {
        endExport(frames > 0 ? tr("export stopped; %1 saved").arg(countText(frames, tr("frame")))
                             : tr("export stopped"));
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
    const QString suffix = m_format->currentData().toString();
    job.output = QFileInfo(path).suffix().toLower() == suffix ? path : path + QLatin1Char('.') + suffix;
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
    const bool animated = m_format->currentData() == QStringLiteral("gif");
    m_frameRate->setEnabled(animated);
    if (m_process.isRunning()) return;
    const AnimationJob now = job(QStringLiteral("animation"));
    QString words = tr("%1 of %2 × %3 pixels").arg(countText(now.frames, tr("frame"))).arg(now.width).arg(now.height());
    if (animated) {
        words += tr(", %1 long")
                     .arg(durationText((now.frames - 1) * frameSeconds(now.framesPerSecond, false) +
                                       frameSeconds(now.framesPerSecond, true)));
    }
    m_words->setText(words);
}

void AnimationDialog::save() {
    if (m_process.isRunning()) {
        m_save->setEnabled(false);
        return m_process.stop();
    }
    const QString path = askPath(m_job.figure + QLatin1Char('.') + m_format->currentData().toString());
    if (path.isEmpty()) return;
    const AnimationJob job = this->job(path);
    QString why = whyFramesExist(job.output);
    if (job.output != path && QFileInfo::exists(job.output)) {
        // The file dialog asked about overwriting only for the name as it was typed.
        why = tr("The file %1 already exists; choose another name, or type the name with its suffix.").arg(job.output);
    }
    const std::string text = animationJobText(job);
    try {
        parseAnimationJob(text);
    } catch (const BadInput& error) {
        why = QString::fromUtf8(error.what());
    }
    if (!why.isEmpty()) return m_words->setText(why);
    m_job.output = job.output;
    m_save->setText(tr("&Stop export"));
    m_words->setText(tr("starting export …"));
    m_process.start({QStringLiteral("--animate"), QString::fromStdString(text)}, job.files().isAnimated());
}

void AnimationDialog::endExport(const QString& words) {
    m_save->setText(tr("&Save animation …"));
    m_save->setEnabled(true);
    if (words.isEmpty()) {
        renewWords();
    } else {
        m_words->setText(words);
    }
}

}  // namespace ropelab::ui
