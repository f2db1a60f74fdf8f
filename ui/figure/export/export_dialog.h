#pragma once

#include <QDialog>
#include <functional>
#include <vector>

#include "ui/figure/export/export.h"

class QComboBox;
class QCheckBox;
class QDoubleSpinBox;
class QFormLayout;
class QLabel;
class QSpinBox;

namespace ropelab::ui {

/// Not modal; stores its fields in QSettings, group "export". Show it with show(); it deletes itself when it is closed.
class ExportDialog : public QDialog {
    Q_OBJECT

 public:
    /// The dialog calls `source` for every preview and export.
    explicit ExportDialog(std::function<Figure()> source, QWidget* parent = nullptr);
    /// `source` returns at least one figure; several figures are panels of one page.
    explicit ExportDialog(std::function<std::vector<Figure>()> source, QWidget* parent = nullptr);

    ExportOptions options() const;
    void setOptions(const ExportOptions& options);
    /// Sizes of figure_preset.h. A figure that needs more height, and a page of several panels, have the height that
    /// they need.
    void choosePreset(const QString& name);
    /// The preset whose sizes the fields have; "" if there is none.
    QString preset() const;

    /// The suffix chooses the format. On failure shows the reason and returns false.
    bool saveTo(const QString& path);

 public slots:
    void copy();
    void save();
    void refreshPreview();

 private:
    QFormLayout* makeForm();
    void loadFields();
    void connectFields();
    void remember() const;
    /// Height that the figures need, beginning with that of the options.
    double fittedHeight(const ExportOptions& options) const;
    QString fileName() const;

    std::function<std::vector<Figure>()> m_source;
    bool m_isPage;             // several figures
    double m_usualHeight = 0;  // in mm, before the figures' needs
    std::vector<FigureFormat> m_formats;
    QComboBox* m_format;
    QComboBox* m_preset;
    QDoubleSpinBox* m_width;
    QDoubleSpinBox* m_height;
    QSpinBox* m_dpi;
    QDoubleSpinBox* m_font;
    QCheckBox* m_dashes;
    QCheckBox* m_outlines;
    QCheckBox* m_dark;
    QLabel* m_preview;
    QLabel* m_message;
};

}  // namespace ropelab::ui
