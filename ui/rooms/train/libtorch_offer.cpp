#include "ui/rooms/train/libtorch_offer.h"

#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>
#include <utility>

#include "ui/common/paths.h"
#include "ui/common/scaled.h"
#include "ui/common/text.h"
#include "ui/controls/fields.h"
#include "ui/controls/flow_layout.h"
#include "ui/theme/dialogs.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

QString textOf(const FetchProgress& progress) {
    const QString step = QString::fromUtf8(word_of(progress.step));
    return u"%1 LibTorch: %2 of %3 MB"_s.arg(step.left(1).toUpper() + step.mid(1))
        .arg(progress.done / 1000000)
        .arg(progress.total / 1000000);
}

}  // namespace

LibTorchOffer::LibTorchOffer(QWidget* parent, const std::vector<PinnedWheel>& wheels)
    : QFrame(parent), m_wheels(wheels), m_text(makeText(u"LibTorch"_s, this)), m_bar(new QProgressBar(this)) {
    setObjectName(u"libtorch"_s);
    setProperty("banner", u"info"_s);
    m_bar->setRange(0, 1000);
    m_bar->setTextVisible(false);
    m_bar->setAccessibleName(u"Download of LibTorch"_s);
    m_download = makeButton<QPushButton>(
        u"Download %1"_s.arg(QString::fromStdString(libtorch_size())),
        u"Downloads LibTorch, the library that trains the models, from the Python package index in the background "
        "and verifies its checksum."_s,
        this);
    m_folder = makeButton<QPushButton>(
        u"Choose folder …"_s,
        u"Selects a LibTorch installation on this disk: its folder, or the folder torch of a Python installation."_s,
        this);
    m_cancel =
        makeButton<QPushButton>(u"Cancel"_s, u"Stops the download of LibTorch; the next download resumes it."_s, this);
    auto* column = scaledColumn(this, 4, {12, 8, 8, 8});
    column->addWidget(m_text);
    column->addWidget(m_bar);
    auto* buttons = new QWidget(this);
    auto* flow = new FlowLayout(buttons);  // wraps in a narrow window
    scaleLayout(flow, {0, 4, 0, 0}, 8);
    for (QPushButton* each : {m_download, m_folder, m_cancel}) flow->addWidget(each);
    column->addWidget(buttons);
    connect(m_download, &QPushButton::clicked, this, &LibTorchOffer::download);
    connect(m_folder, &QPushButton::clicked, this, [this] {
        const QString folder =
            dialogs().folder(this, {.title = u"Folder of LibTorch or of the Python package torch"_s});
        if (!folder.isEmpty()) renew(problemOf([&] { use_libtorch(toPath(folder)); }));
    });
    connect(m_cancel, &QPushButton::clicked, this, [this] {
        m_job.cancel();
        renew(u"The download of LibTorch was cancelled; the next download resumes it."_s);
    });
    renew();
}

QString LibTorchOffer::text() const {
    return isHidden() ? QString() : m_text->text();
}

void LibTorchOffer::renew(const QString& note) {
    if (m_job.isRunning()) return;
    if (!lacks_libtorch()) {
        const bool isNew = std::exchange(m_isMissing, false);
        show(u"LibTorch is installed; the button Start trains the sweep."_s, false, false);
        return setVisible(isNew);
    }
    m_isMissing = true;
    const QString sentence = QString::fromStdString(missing_libtorch());
    show(note.isEmpty() ? sentence : note + u' ' + sentence, true, false);
}

void LibTorchOffer::download() {
    show(u"Downloading LibTorch"_s, false, true);
    m_bar->setValue(0);
    m_job.start([this](const Cancelled& cancelled) -> std::function<void()> {
        FetchOptions options;
        options.cancelled = cancelled;
        options.progress = [this, &cancelled, shown = QString()](const FetchProgress& progress) mutable {
            const QString sentence = textOf(progress);
            if (cancelled() || std::exchange(shown, sentence) == sentence) return;
            const int part = progress.total > 0 ? static_cast<int>(1000 * progress.done / progress.total) : 0;
            QMetaObject::invokeMethod(this, [this, sentence, part] {
                if (!m_job.isRunning()) return;  // cancelled in the meantime
                m_text->setText(sentence);
                m_bar->setValue(part);
            });
        };
        const QString failure = problemOf([&] { fetch_libtorch(options, m_wheels); });
        return [this, failure] { renew(failure); };
    });
}

void LibTorchOffer::show(const QString& sentence, bool offers, bool downloads) {
    m_text->setText(sentence);
    m_download->setVisible(offers && !m_wheels.empty());
    m_folder->setVisible(offers);
    m_bar->setVisible(downloads);
    m_cancel->setVisible(downloads);
    setVisible(true);
}

}  // namespace ropelab::ui
