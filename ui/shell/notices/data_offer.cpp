#include "ui/shell/notices/data_offer.h"

#include <QStringList>

#include "core/data/known_sets.h"
#include "ui/common/format.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

/// The progress counts the bytes of all sets together.
void fetchAll(const std::vector<std::string>& names, std::int64_t bytes, const FetchOptions& options) {
    std::int64_t before = 0;  // bytes of the sets that are complete
    FetchOptions each = options;
    each.progress = [&](const FetchProgress& own) {
        const bool isDownload = own.step == FetchStep::downloading;
        options.progress(isDownload ? FetchProgress{own.step, before + own.done, bytes} : own);
    };
    for (const std::string& name : names) {
        if (!fetch(known_set(name), each)) return;
        before += known_set(name).download_bytes;
    }
}

}  // namespace

DataOffer::DataOffer(QWidget* parent) : DownloadOffer({}, parent) {
    connect(this, &DownloadOffer::ended, this, [this](const QString& problem) { m_problem = problem; });
    hide();
}

void DataOffer::offer(const std::vector<std::string>& names, const QString& sentence) {
    if (isDownloading()) return;
    if (names.empty()) {
        m_problem.clear();
        return hide();
    }
    QStringList titles;
    std::int64_t bytes = 0;
    for (const std::string& name : names) {
        titles << QString::fromStdString(known_set(name).title);
        bytes += known_set(name).download_bytes;
    }
    setName(listedText(titles));
    setDownload(bytesText(bytes),
                u"Downloads the data into the cache in the background and verifies their checksums."_s,
                [names, bytes](const FetchOptions& options) { fetchAll(names, bytes, options); });
    const QString words = sentence.arg(listedText(titles));
    show(m_problem.isEmpty() ? words : m_problem + QLatin1Char(' ') + words, true);
}

}  // namespace ropelab::ui

#include "moc_data_offer.cpp"
