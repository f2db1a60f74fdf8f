#pragma once

#include <QFrame>

#include "core/machine/libtorch_fetch.h"
#include "ui/common/latest_job.h"

class QLabel;
class QProgressBar;
class QPushButton;

namespace ropelab::ui {

/// Shown while the engine lacks LibTorch; offers how to get it: a download in the background, or a folder. Nothing is
/// downloaded without a click.
class LibTorchOffer : public QFrame {
    Q_OBJECT

 public:
    explicit LibTorchOffer(QWidget* parent = nullptr, const std::vector<PinnedWheel>& wheels = pinned_wheels());

    /// `note` is what happened before. The offer is hidden if LibTorch is there.
    void renew(const QString& note = {});
    /// "" while the offer is hidden.
    QString text() const;
    QPushButton& downloadButton() const { return *m_download; }
    QPushButton& folderButton() const { return *m_folder; }
    QPushButton& cancelButton() const { return *m_cancel; }

 private:
    void download();
    /// The sentence of the offer, and which of its buttons apply.
    void show(const QString& sentence, bool offers, bool downloads);

    const std::vector<PinnedWheel> m_wheels;  // what a download fetches
    bool m_isMissing = false;
    QLabel* m_text;
    QProgressBar* m_bar;
    QPushButton* m_download;
    QPushButton* m_folder;
    QPushButton* m_cancel;
    LatestJob m_job;  // destroyed first; it reports its progress to this widget
};

}  // namespace ropelab::ui
