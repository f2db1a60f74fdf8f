#include "ui/rooms/train/libtorch_offer.h"

#include <QPushButton>
#include <utility>

#include "ui/common/paths.h"
#include "ui/common/text.h"
#include "ui/controls/fields.h"
#include "ui/theme/dialogs.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

LibTorchOffer::LibTorchOffer(QWidget* parent, const std::vector<PinnedWheel>& wheels)
    : DownloadOffer(u"LibTorch"_s, parent) {
    setObjectName(u"libtorch"_s);
    if (!wheels.empty()) {
        setDownload(QString::fromStdString(libtorch_size()),
                    u"Downloads LibTorch, the library that trains the models, from the Python package index in the "
                    "background and verifies its checksum."_s,
                    [wheels](const FetchOptions& options) { fetch_libtorch(options, wheels); });
    }
    m_folder = makeButton<QPushButton>(
        u"Choose folder …"_s,
        u"Selects a LibTorch installation on this disk: its folder, or the folder torch of a Python installation."_s,
        this);
    addButton(m_folder);
    connect(m_folder, &QPushButton::clicked, this, [this] {
        const QString folder =
            dialogs().folder(this, {.title = u"Folder of LibTorch or of the Python package torch"_s});
        if (!folder.isEmpty()) renew(problemOf([&] { use_libtorch(toPath(folder)); }));
    });
    connect(this, &DownloadOffer::ended, this, &LibTorchOffer::renew);
    renew();
}

void LibTorchOffer::renew(const QString& note) {
    if (isDownloading()) return;
    if (!lacks_libtorch()) {
        const bool isNew = std::exchange(m_isMissing, false);
        show(u"LibTorch is installed; the button Start trains the sweep."_s, false);
        return setVisible(isNew);
    }
    m_isMissing = true;
    const QString sentence = QString::fromStdString(missing_libtorch(false));  // the buttons say how to get it
    show(note.isEmpty() ? sentence : note + u' ' + sentence, true);
}

void LibTorchOffer::insist() {
    renew(u"Nothing has started yet."_s);
    // During a download the only button cancels it.
    if (!m_isMissing || isDownloading()) return;
    (downloadButton().isVisibleTo(this) ? downloadButton() : *m_folder).setFocus(Qt::TabFocusReason);
}

}  // namespace ropelab::ui

#include "moc_libtorch_offer.cpp"
