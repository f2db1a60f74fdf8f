#pragma once

#include <string>
#include <vector>

#include "ui/shell/notices/download_offer.h"

namespace ropelab::ui {

/// Offers to download known data sets that are missing; hidden while there are none.
class DataOffer : public DownloadOffer {
    Q_OBJECT

 public:
    explicit DataOffer(QWidget* parent = nullptr);

    /// `sentence` has the place %1 for the titles of the sets.
    void offer(const std::vector<std::string>& names, const QString& sentence);

 private:
    QString m_problem;  // of the last download
};

}  // namespace ropelab::ui
