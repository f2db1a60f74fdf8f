#include "ui/rooms/inspect/replay_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

#include "ui/common/fields.h"
#include "ui/common/format.h"
#include "ui/common/frame_fields.h"
#include "ui/common/scaled.h"
#include "ui/session/settings.h"

namespace ropelab::ui {

ReplayDialog::ReplayDialog(Settings& settings, ReplayJob job, int snapshots, QWidget* parent)
    : QDialog(parent), m_settings(settings), m_job(std::move(job)) {
    setWindowTitle(tr("Export replay"));
    setAttribute(Qt::WA_DeleteOnClose);
    setModal(false);

    QGridLayout* grid = makeFieldGrid();
    m_format = makeChoice(tr("Format"), this, 24);
    addFrameFormat(grid, m_format);
    m_width = makeChoice(tr("Width"), this);
    addFrameWidth(grid, m_width);
    m_frameRate = new QDoubleSpinBox(this);
    addFrameRate(grid, m_frameRate);
    m_frameRate->setValue(m_job.framesPerSecond);
    m_frames = new QSpinBox(this);
    m_frames->setRange(std::min(2, snapshots), snapshots);
    m_frames->setValue(std::min(snapshots, m_job.most));
    m_frames->setAccessibleName(tr("Frames"));
    addField(grid, tr("frames"), m_frames,
             tr("The replay has this number of frames. If it is smaller than the number of snapshots, evenly spaced "
                "snapshots are exported, including the first and the last."));
    m_dark = new QCheckBox(tr("Dark colours"), this);
    grid->addWidget(m_dark, grid->rowCount(), 1);

    m_words = new QLabel(this);
    m_words->setProperty("quiet", true);
    m_words->setWordWrap(true);
    keepLines(m_words, 3);
    m_save = new QPushButton(tr("&Save replay …"), this);
    m_save->setProperty("primary", true);
    m_save->setDefault(true);
    auto* column = new QVBoxLayout(this);
    scaleLayout(column, {16, 16, 16, 16}, 12);
    column->addLayout(grid);
    column->addWidget(m_words);
    column->addWidget(m_save, 0, Qt::AlignRight);

    chooseData(m_format, m_settings.value("replay/format"));
    m_width->setCurrentIndex(std::max(0, m_width->findData(m_settings.value("replay/width"))));
    connect(m_format, &QComboBox::currentIndexChanged, this, &ReplayDialog::renewWords);
    connect(m_width, &QComboBox::currentIndexChanged, this, &ReplayDialog::renewWords);
    connect(m_frameRate, &QDoubleSpinBox::valueChanged, this, &ReplayDialog::renewWords);
    connect(m_frames, &QSpinBox::valueChanged, this, &ReplayDialog::renewWords);
    connect(m_save, &QPushButton::clicked, this, &ReplayDialog::save);
    renewWords();
}

ReplayJob ReplayDialog::job(const QString& path) const {
    ReplayJob job = m_job;
    job.output = withFrameSuffix(path, m_format->currentData().toString());
    job.width = m_width->currentData().toInt();
    job.framesPerSecond = m_frameRate->value();
    job.most = m_frames->value() < m_frames->maximum() ? m_frames->value() : 0;
    job.appearance = m_dark->isChecked() ? Appearance::dark : Appearance::light;
    return job;
}

void ReplayDialog::renewWords() {
    const bool animated = m_format->currentData() == QStringLiteral("gif");
    m_frameRate->setEnabled(animated);
    const ReplayJob now = job(QStringLiteral("replay"));
    QString words =
        tr("%1 of %2 × %3 pixels").arg(countText(m_frames->value(), tr("frame"))).arg(now.width).arg(now.height());
    if (animated)
        words +=
            tr(", %1 long").arg(durationText((m_frames->value() - 1) * now.secondsOf(false) + now.secondsOf(true)));
    m_words->setText(words);
}

QString ReplayDialog::whyNotWritable(const QString& path) const {
    const QString output = job(path).output;
    const QString why = whyReplacedUnasked(output, path);
    return why.isEmpty() ? whyFramesExist(output) : why;
}

void ReplayDialog::save() {
    const QString path = dialogs().save(
        this, framesQuestion(tr("Export replay as"), QStringLiteral("replay"), m_format->currentData().toString()));
    if (path.isEmpty()) return;
    if (const QString why = whyNotWritable(path); !why.isEmpty()) return m_words->setText(why);
    m_settings.setValue("replay/format", m_format->currentData());
    m_settings.setValue("replay/width", m_width->currentData());
    emit exportConfirmed(job(path));
    close();
}

}  // namespace ropelab::ui
