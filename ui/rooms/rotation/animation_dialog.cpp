#include "ui/rooms/rotation/animation_dialog.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFileInfo>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "ui/common/format.h"
#include "ui/common/scaled.h"
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
      m_form(this),
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
    QList<ChoiceRow::Entry> changes = {{u"base θ"_s, static_cast<int>(Over::theta)}};
    if (changesWithPosition(m_job.figure)) {
        changes.prepend({u"position m of the query"_s, static_cast<int>(Over::positions)});
        changes.append({u"enlarged pair"_s, static_cast<int>(Over::pairs)});
    }
    auto* column = scaledColumn(this, 12, {16, 16, 16, 16});
    m_form.add(
        column,
        {{"over", u"change"_s, u"Changing value"_s,
          u"The selected quantity changes from frame to frame; all other quantities keep their values on the "
          "page Rotation."_s,
          ChoiceRow{.entries = changes, .letters = 24}},
         {"from", u"from"_s, u"First value"_s, u"Value of the changed quantity in the first frame."_s, NumberRow()},
         {"to", u"to"_s, u"Last value"_s,
          u"Value of the changed quantity in the last frame. From frame to frame, θ changes by a constant "
          "factor; the other quantities change by a constant difference, rounded to whole numbers."_s,
          NumberRow()},
         {"frames", u"frames"_s, u"Frames"_s, u"Number of frames of the animation."_s, WholeRow{2, kMostFrames}},
         frameRateRow(),
         frameFormatRow(),
         frameWidthRow(),
         darkFramesRow()});
    m_form.setValue("width", m_job.width);
    m_words->setProperty("quiet", true);
    m_words->setWordWrap(true);
    m_words->setTextFormat(Qt::PlainText);
    keepLines(m_words, 3);
    m_save->setProperty("primary", true);
    m_save->setDefault(true);
    column->addWidget(m_words);
    column->addWidget(m_save, 0, Qt::AlignRight);
    connect(m_form.field<QComboBox>("over"), &QComboBox::currentIndexChanged, this, &AnimationDialog::resetRange);
    connect(&m_form, &Form::changed, this, &AnimationDialog::renewWords);
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
    const auto over = static_cast<Over>(m_form.value("over").toInt());
    const bool isTheta = over == Over::theta;
    const auto pairs = static_cast<double>(standardScene(m_job.setup).pairs.size());
    const double most = isTheta                   ? kMostTheta
                        : over == Over::positions ? static_cast<double>(m_job.setup.context - 1)
                                                  : std::max(0.0, pairs - 1);
    for (const char* end : {"from", "to"}) {
        m_form.field<QDoubleSpinBox>(end)->setDecimals(isTheta ? 2 : 0);
        m_form.field<QDoubleSpinBox>(end)->setRange(isTheta ? 1.01 : 0, most);
    }
    m_form.setValue("from", isTheta ? kFirstTheta : 0);
    m_form.setValue("to", isTheta ? kLastTheta : over == Over::positions ? std::min(most, 200.0) : most);
    m_form.setValue(
        "frames", over == Over::pairs ? static_cast<int>(std::clamp<double>(pairs, 2, kMostFrames)) : kPositionFrames);
    m_form.setValue("rate", over == Over::pairs ? 4 : 20);
    renewWords();
}

AnimationJob AnimationDialog::job(const QString& path) const {
    AnimationJob job = m_job;
    readFrames(m_form, path, job);
    job.over = static_cast<AnimationJob::Over>(m_form.value("over").toInt());
    job.first = m_form.value("from").toDouble();
    job.last = m_form.value("to").toDouble();
    job.frames = m_form.value("frames").toInt();
    return job;
}

void AnimationDialog::renewWords() {
    const AnimationJob now = job(u"animation"_s);
    m_form.setEnabled("rate", now.isAnimated());
    if (!m_process.isRunning()) m_words->setText(frameWords(now, now.frames));
}

void AnimationDialog::save() {
    if (m_process.isRunning()) {
        m_save->setEnabled(false);
        return m_process.stop();
    }
    const QString path =
        dialogs().save(this, framesQuestion(u"Export animation as"_s, m_job.figure, m_form.value("format").toString()));
    if (path.isEmpty()) return;
    const AnimationJob job = this->job(path);
    QString why = whyFramesExist(job.output);
    if (const QString replaced = whyReplacedUnasked(job.output, path); !replaced.isEmpty()) why = replaced;
    const std::string text = jobText(job);
    try {
        parseAnimationJob(text);
    } catch (const BadInput& error) {
        why = QString::fromUtf8(error.what());
    }
    if (!why.isEmpty()) return m_words->setText(why);
    m_job.output = job.output;
    m_save->setText(u"&Stop export"_s);
    m_words->setText(u"starting export …"_s);
    m_process.start({u"--animate"_s, QString::fromStdString(text)}, job.isAnimated());
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

#include "moc_animation_dialog.cpp"
