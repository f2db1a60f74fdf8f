#include "ui/inspect/replay_dialog.h"

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

#include "ui/window/fields.h"
#include "ui/window/format.h"
#include "ui/window/scaled.h"
#include "ui/window/settings.h"

namespace ropelab::ui {

ReplayDialog::ReplayDialog(Settings& settings, ReplayJob job, int snapshots, QWidget* parent)
    : QDialog(parent), m_settings(settings), m_job(std::move(job)) {
    setWindowTitle(tr("Export the replay"));
    setAttribute(Qt::WA_DeleteOnClose);
    setModal(false);
    askPath = [this](const QString& suggestion) {
        const QString suffix = m_format->currentData().toString();
        QFileDialog dialog(this, tr("Write the replay as"), {}, tr("Pictures (*.%1)").arg(suffix));
        dialog.setAcceptMode(QFileDialog::AcceptSave);
        dialog.setFileMode(QFileDialog::AnyFile);
        dialog.setDefaultSuffix(suffix);
        dialog.selectFile(suggestion);
        // Of frames, the file of that very name is not written.
        dialog.setOption(QFileDialog::DontConfirmOverwrite, suffix != QLatin1String("gif"));
        return dialog.exec() == QDialog::Accepted ? dialog.selectedFiles().value(0) : QString();
    };

    QGridLayout* grid = makeFieldGrid();
    m_format = makeChoice(tr("Format"), this, 24);
    m_format->addItem(tr("one animated picture (GIF)"), QStringLiteral("gif"));
    m_format->addItem(tr("a PNG a frame"), QStringLiteral("png"));
    m_format->addItem(tr("an SVG a frame"), QStringLiteral("svg"));
    addField(grid, tr("format"), m_format, tr("An animated picture has 255 colours; PNG and SVG have all."));
    m_width = makeChoice(tr("Width"), this);
    for (const int width : {640, 960, 1280, 1920}) m_width->addItem(tr("%1 pixels").arg(width), width);
    addField(grid, tr("width"), m_width, tr("The height goes with it; text keeps its share of the picture."));
    m_rate = new QDoubleSpinBox(this);
    m_rate->setRange(0.1, 50);
    m_rate->setDecimals(1);
    m_rate->setSuffix(tr(" frames a second"));
    m_rate->setAccessibleName(tr("Frames a second"));
    m_rate->setValue(m_job.framesPerSecond);
    addField(grid, tr("pace"), m_rate, tr("How fast an animated picture plays; it stays 2 s on its last frame."));
    m_frames = new QSpinBox(this);
    m_frames->setRange(std::min(2, snapshots), snapshots);
    m_frames->setValue(std::min(snapshots, m_job.most));
    m_frames->setAccessibleName(tr("Frames"));
    addField(grid, tr("frames"), m_frames,
             tr("Fewer than the run's snapshots: evenly thinned out, the first and last among them."));
    m_dark = new QCheckBox(tr("Dark colours"), this);
    grid->addWidget(m_dark, grid->rowCount(), 1);

    m_words = new QLabel(this);
    m_words->setProperty("quiet", true);
    m_words->setWordWrap(true);
    m_save = new QPushButton(tr("&Save …"), this);
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
    connect(m_rate, &QDoubleSpinBox::valueChanged, this, &ReplayDialog::renewWords);
    connect(m_frames, &QSpinBox::valueChanged, this, &ReplayDialog::renewWords);
    connect(m_save, &QPushButton::clicked, this, &ReplayDialog::save);
    renewWords();
}

ReplayJob ReplayDialog::job(const QString& path) const {
    ReplayJob job = m_job;
    const QString suffix = m_format->currentData().toString();
    job.output = QFileInfo(path).suffix().toLower() == suffix ? path : path + QLatin1Char('.') + suffix;
    job.width = m_width->currentData().toInt();
    job.framesPerSecond = m_rate->value();
    job.most = m_frames->value() < m_frames->maximum() ? m_frames->value() : 0;
    job.appearance = m_dark->isChecked() ? Appearance::dark : Appearance::light;
    return job;
}

void ReplayDialog::renewWords() {
    const bool animated = m_format->currentData() == QStringLiteral("gif");
    m_rate->setEnabled(animated);
    const ReplayJob now = job(QStringLiteral("replay"));
    QString words =
        tr("%1 of %2 × %3 pixels").arg(countText(m_frames->value(), tr("frame"))).arg(now.width).arg(now.height());
    if (animated)
        words +=
            tr(", %1 long").arg(durationText((m_frames->value() - 1) * now.secondsOf(false) + now.secondsOf(true)));
    m_words->setText(words);
}

QString ReplayDialog::whyNotTo(const QString& path) const {
    const QString output = job(path).output;
    // The person was asked about the name as it was typed.
    if (output != path && QFileInfo::exists(output)) {
        return tr("There is a file %1 already; choose another name, or name it with its ending.").arg(output);
    }
    return whyNoRoomForFrames(output);
}

void ReplayDialog::save() {
    const QString path = askPath(QStringLiteral("replay.") + m_format->currentData().toString());
    if (path.isEmpty()) return;
    if (const QString why = whyNotTo(path); !why.isEmpty()) return m_words->setText(why);
    m_settings.setValue("replay/format", m_format->currentData());
    m_settings.setValue("replay/width", m_width->currentData());
    emit wanted(job(path));
    close();
}

}  // namespace ropelab::ui
