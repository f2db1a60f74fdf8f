#pragma once

#include "core/machine/libtorch_fetch.h"
#include "ui/shell/notices/download_offer.h"

namespace ropelab::ui {

/// Shown while the engine lacks LibTorch; offers how to get it: a download, or a folder.
class LibTorchOffer : public DownloadOffer {
    Q_OBJECT

 public:
    explicit LibTorchOffer(QWidget* parent = nullptr, const std::vector<PinnedWheel>& wheels = pinned_wheels());

    /// `note` is what happened before. The offer is hidden if LibTorch is there.
    void renew(const QString& note = {});
    /// Says that nothing has started, and gives the focus to what gets LibTorch.
    void insist();
    QPushButton& folderButton() const { return *m_folder; }

 private:
    bool m_isMissing = false;
    QPushButton* m_folder;
};

}  // namespace ropelab::ui
