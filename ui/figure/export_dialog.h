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

/// A small non-modal window that exports a plot: format, mm, dpi, font size, and what it will look like. It remembers
/// its fields (QSettings, group "export"). Show it with show(); it deletes itself when closed.
class ExportDialog : public QDialog {
    Q_OBJECT

 public:
    /// `source` gives the figure as it stands whenever it is needed.
    explicit ExportDialog(std::function<Figure()> source, QWidget* parent = nullptr);

    ExportOptions options() const;
    void setOptions(const ExportOptions& options);

    /// Writes to the path (the format follows its ending) and says so; on failure shows the reason and returns false.
    bool saveTo(const QString& path);

 public slots:
    void copy();
    /// Asks for a file name, then saveTo.
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
