#include "ui/shell/notices/download_offer.h"

#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>
#include <utility>

#include "ui/common/format.h"
#include "ui/common/scaled.h"
#include "ui/common/text.h"
#include "ui/controls/fields.h"
#include "ui/controls/flow_layout.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

DownloadOffer::DownloadOffer(const QString& name, QWidget* parent)
    : QFrame(parent), m_name(name), m_text(makeText(name, this)), m_bar(new QProgressBar(this)) {
    setProperty("banner", u"info"_s);
    m_bar->setRange(0, 1000);
    m_bar->setTextVisible(false);
    m_download = makeButton<QPushButton>({}, {}, this);
    m_cancel = makeButton<QPushButton>(u"Cancel"_s, u"Stops the download; the next download resumes it."_s, this);
    auto* column = scaledColumn(this, 4, {12, 8, 8, 8});
    column->addWidget(m_text);
    column->addWidget(m_bar);
    auto* buttons = new QWidget(this);
    m_buttons = new FlowLayout(buttons);  // wraps in a narrow window
    scaleLayout(m_buttons, {0, 4, 0, 0}, 8);
    for (QPushButton* each : {m_download, m_cancel}) m_buttons->addWidget(each);
    column->addWidget(buttons);
    setName(name);
    connect(m_download, &QPushButton::clicked, this, &DownloadOffer::download);
    connect(m_cancel, &QPushButton::clicked, this, [this] {
        m_job.cancel();
        emit ended(u"The download of %1 was cancelled; the next download resumes it."_s.arg(m_name));
    });
}

void DownloadOffer::setName(const QString& name) {
    if (isDownloading()) return;
    m_name = name;
    m_bar->setAccessibleName(u"Download of %1"_s.arg(name));
}

void DownloadOffer::setDownload(const QString& size, const QString& why, Fetch fetch) {
    if (isDownloading()) return;
    m_download->setText(u"Download %1"_s.arg(size));
    m_download->setToolTip(why);
    m_fetch = std::move(fetch);
}

void DownloadOffer::addButton(QPushButton* button) {
    m_other = button;
    m_buttons->addWidget(button);
}

QString DownloadOffer::text() const {
    return isHidden() ? QString() : m_text->text();
}

void DownloadOffer::show(const QString& sentence, bool offers) {
    if (isDownloading()) return;
    m_text->setText(sentence);
    renewButtons(offers);
}

void DownloadOffer::renewButtons(bool offers) {
    m_download->setVisible(offers && m_fetch);
    if (m_other) m_other->setVisible(offers);
    m_bar->setVisible(isDownloading());
    m_cancel->setVisible(isDownloading());
    setVisible(true);
}

void DownloadOffer::download() {
    m_text->setText(u"Downloading %1"_s.arg(m_name));
    m_bar->setValue(0);
    m_job.start([this, name = m_name, fetch = m_fetch](const Cancelled& cancelled) -> std::function<void()> {
        FetchOptions options;
        options.cancelled = cancelled;
        options.progress = [this, &name, &cancelled, shown = QString()](const FetchProgress& progress) mutable {
            const QString step = QString::fromUtf8(word_of(progress.step));
            const QString sentence = u"%1 %2: %3 of %4"_s.arg(step.left(1).toUpper() + step.mid(1), name,
                                                              bytesText(progress.done), bytesText(progress.total));
            if (cancelled() || std::exchange(shown, sentence) == sentence) return;
            const int part = progress.total > 0 ? static_cast<int>(1000 * progress.done / progress.total) : 0;
            QMetaObject::invokeMethod(this, [this, sentence, part] {
                if (!m_job.isRunning()) return;  // cancelled in the meantime
                m_text->setText(sentence);
                m_bar->setValue(part);
            });
        };
        const QString problem = problemOf([&] { fetch(options); });
        return [this, problem] { emit ended(problem); };
    });
    renewButtons(false);
}

}  // namespace ropelab::ui

#include "moc_download_offer.cpp"
