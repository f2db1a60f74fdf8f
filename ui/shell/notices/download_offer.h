#pragma once

#include <QFrame>
#include <functional>

#include "core/data/download.h"
#include "ui/common/latest_job.h"

class QBoxLayout;
class QLabel;
class QLayout;
class QProgressBar;
class QPushButton;

namespace ropelab::ui {

/// A sentence with a button that downloads something in the background. Nothing is downloaded without a click.
class DownloadOffer : public QFrame {
    Q_OBJECT

 public:
    /// Downloads on a background thread; what it throws is shown. A cancelled download is resumed by the next one.
    using Fetch = std::function<void(const FetchOptions& options)>;

    /// `name` stands in sentences: "Downloading LibTorch: 12 of 543 MB".
    DownloadOffer(const QString& name, QWidget* parent = nullptr);

    void setName(const QString& name);
    /// `size` as in "543 MB"; `why` is the button's tooltip. Ignored while a download runs, as show() is.
    void setDownload(const QString& size, const QString& why, Fetch fetch);
    /// Without `offers`, only the sentence is shown.
    void show(const QString& sentence, bool offers);
    bool isDownloading() const { return m_job.isRunning(); }
    /// "" while the offer is hidden.
    QString text() const;
    QPushButton& downloadButton() const { return *m_download; }
    QPushButton& cancelButton() const { return *m_cancel; }

 signals:
    /// The sentence says what went wrong; "" after a complete download.
    void ended(const QString& problem);

 protected:
    /// Shown beside the button of the download.
    void addButton(QPushButton* button);

 private:
    void download();
    void renewButtons(bool offers);

    QString m_name;
    Fetch m_fetch;
    QLabel* m_text;
    QProgressBar* m_bar;
    QPushButton* m_download;
    QPushButton* m_cancel;
    QPushButton* m_other = nullptr;
    QLayout* m_buttons;
    LatestJob m_job;  // destroyed first; it reports its progress to this widget
};

}  // namespace ropelab::ui
