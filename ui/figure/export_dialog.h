#pragma once

#include <QDialog>
#include <functional>

#include "ui/figure/export.h"

class QComboBox;
class QCheckBox;
class QDoubleSpinBox;
class QLabel;
class QSpinBox;

namespace ropelab::ui {

/// Non-modal dialog that exports a figure, with fields for format, size, resolution and font size, and a preview. It
/// stores its fields in QSettings, group "export". Show it with show(); it deletes itself when it is closed.
class ExportDialog : public QDialog {
    Q_OBJECT

 public:
    /// `source` returns the current figure; the dialog calls it for every preview and export.
    explicit ExportDialog(std::function<Figure()> source, QWidget* parent = nullptr);

    ExportOptions options() const;
    void setOptions(const ExportOptions& options);

    /// Writes the figure to the path, in the format of its suffix, and shows a message. On failure shows the reason and
    /// returns false.
    bool saveTo(const QString& path);

 public slots:
    /// Copies the figure to the clipboard.
    void copy();
    /// Asks for a file name, then calls saveTo.
    void save();
    void refreshPreview();

 private:
    void remember() const;

    std::function<Figure()> m_source;
    QComboBox* m_format;
    QDoubleSpinBox* m_width;
    QDoubleSpinBox* m_height;
    QSpinBox* m_dpi;
    QDoubleSpinBox* m_font;
    QCheckBox* m_dashes;
    QCheckBox* m_dark;
    QLabel* m_preview;
    QLabel* m_message;
};

}  // namespace ropelab::ui
