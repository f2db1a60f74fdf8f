#include "ui/figure/export/export_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QDoubleSpinBox>
#include <QFileInfo>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QStandardPaths>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "ui/figure/export/export_options.h"
#include "ui/figure/export/figure_page.h"
#include "ui/figure/figure_summary.h"
#include "ui/theme/dialogs.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

std::vector<FigureFormat> exportFormats(bool isPage) {
    std::vector<FigureFormat> formats = {FigureFormat::pdf, FigureFormat::svg, FigureFormat::png};
    if (!isPage) formats.insert(formats.end(), {FigureFormat::csv, FigureFormat::pgfplots});
    return formats;
}

constexpr double kSameMm = 0.05;  // half a step of the fields

QDoubleSpinBox* spinBox(double minimum, double maximum, double step, const QString& unit) {
    auto* box = new QDoubleSpinBox;
    box->setRange(minimum, maximum);
    box->setDecimals(1);
    box->setSingleStep(step);
    box->setSuffix(QLatin1Char(' ') + unit);
    return box;
}

}  // namespace

ExportDialog::ExportDialog(std::function<Figure()> source, QWidget* parent)
    : ExportDialog([source = std::move(source)] { return std::vector<Figure>{source()}; }, parent) {}

ExportDialog::ExportDialog(std::function<std::vector<Figure>()> source, QWidget* parent)
    : QDialog(parent),
      m_source(std::move(source)),
      m_isPage(m_source().size() > 1),
      m_formats(exportFormats(m_isPage)) {
    setWindowTitle(m_isPage ? u"Export page"_s : u"Export figure"_s);
    setAttribute(Qt::WA_DeleteOnClose);
    setModal(false);
    const ThemeManager& theme = ThemeManager::instance();
    QFormLayout* form = makeForm();

    m_preview = new QLabel;
    m_preview->setAccessibleName(u"Preview of the figure"_s);
    QStringList summaries;
    for (const Figure& figure : m_source()) summaries << figureSummary(figure);
    m_preview->setAccessibleDescription(summaries.join(QLatin1Char(' ')));
    m_preview->setAlignment(Qt::AlignCenter);
    m_preview->setFixedSize(theme.pixels(360), theme.pixels(260));
    m_message = new QLabel;
    m_message->setWordWrap(true);
    m_message->setProperty("quiet", true);

    auto* copyButton = new QPushButton(u"&Copy figure"_s);
    auto* saveButton = new QPushButton(u"&Save figure …"_s);
    saveButton->setProperty("primary", true);
    saveButton->setDefault(true);
    auto* closeButton = new QPushButton(u"Close"_s);
    connect(closeButton, &QPushButton::clicked, this, &QDialog::close);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(closeButton);
    buttons->addStretch();
    buttons->addWidget(copyButton);
    buttons->addWidget(saveButton);

    auto* left = new QVBoxLayout;
    left->addLayout(form);
    left->addStretch();
    auto* top = new QHBoxLayout;
    top->setSpacing(theme.pixels(16));
    top->addLayout(left);
    top->addWidget(m_preview);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(theme.pixels(16), theme.pixels(16), theme.pixels(16), theme.pixels(16));
    all->setSpacing(theme.pixels(12));
    all->addLayout(top);
    all->addWidget(m_message);
    all->addLayout(buttons);

    connect(copyButton, &QPushButton::clicked, this, &ExportDialog::copy);
    connect(saveButton, &QPushButton::clicked, this, &ExportDialog::save);
    loadFields();
    connectFields();
    refreshPreview();
}

QFormLayout* ExportDialog::makeForm() {
    m_format = new QComboBox;
    for (const auto format : m_formats) {
        m_format->addItem(format == FigureFormat::pgfplots ? u"PGFPlots (LaTeX)"_s : suffixOf(format).toUpper());
    }
    m_preset = new QComboBox;
    m_preset->addItem(u"Any size"_s, QString());
    for (const FigurePreset& preset : figurePresets()) m_preset->addItem(preset.title, QLatin1String(preset.name));
    m_width = spinBox(20, 1000, 5, u"mm"_s);
    m_height = spinBox(20, 1000, 5, u"mm"_s);
    m_dpi = new QSpinBox;
    m_dpi->setRange(72, 1200);
    m_dpi->setSingleStep(50);
    m_dpi->setSuffix(u" dpi"_s);
    m_font = spinBox(5, 48, 0.5, u"pt"_s);
    m_dashes = new QCheckBox(u"Use dash patterns (for greyscale prints)"_s);
    m_outlines = new QCheckBox(u"Text as outlines (SVG)"_s);
    m_outlines->setToolTip(
        u"Saves the text of an SVG figure as outlines, which look the same on every computer. Real text can be edited "
        "and searched, but looks different where the font is not installed."_s);
    m_dark = new QCheckBox(u"Use dark colours"_s);

    auto* form = new QFormLayout;
    form->setSpacing(ThemeManager::instance().pixels(8));
    form->addRow(u"&Format"_s, m_format);
    form->addRow(u"Si&ze preset"_s, m_preset);
    form->addRow(u"&Width"_s, m_width);
    form->addRow(u"&Height"_s, m_height);
    form->addRow(u"&Resolution"_s, m_dpi);
    form->addRow(u"&Text size"_s, m_font);
    form->addRow(QString(), m_dashes);
    form->addRow(QString(), m_outlines);
    form->addRow(QString(), m_dark);
    return form;
}

void ExportDialog::loadFields() {
    const QSettings settings;
    ExportOptions options;
    const QString suffix = settings.value(u"export/format"_s).toString();
    for (const auto format : m_formats) {
        if (suffixOf(format) == suffix) options.format = format;
    }
    options.widthMm = settings.value(u"export/widthMm"_s, options.widthMm).toDouble();
    options.heightMm = m_usualHeight = settings.value(u"export/heightMm"_s, options.heightMm).toDouble();
    options.dpi = settings.value(u"export/dpi"_s, options.dpi).toInt();
    options.fontPt = settings.value(u"export/fontPt"_s, options.fontPt).toDouble();
    options.heightMm = fittedHeight(options);
    options.dashes = settings.value(u"export/dashes"_s, options.dashes).toBool();
    options.outlines = settings.value(u"export/outlines"_s, options.outlines).toBool();
    setOptions(options);
}

void ExportDialog::connectFields() {
    connect(m_preset, &QComboBox::activated, this, [this] { choosePreset(m_preset->currentData().toString()); });
    connect(m_format, &QComboBox::currentIndexChanged, this, &ExportDialog::refreshPreview);
    for (QDoubleSpinBox* box : {m_width, m_height, m_font}) {
        connect(box, &QDoubleSpinBox::valueChanged, this, &ExportDialog::refreshPreview);
    }
    connect(m_dpi, &QSpinBox::valueChanged, this, &ExportDialog::refreshPreview);
    for (QCheckBox* box : {m_dashes, m_outlines, m_dark}) {
        connect(box, &QCheckBox::toggled, this, &ExportDialog::refreshPreview);
    }
}

double ExportDialog::fittedHeight(const ExportOptions& options) const {
    try {
        return fittedHeightMm(m_source(), options);
    } catch (const BadInput&) {
        return options.heightMm;  // the preview says that the page is too narrow
    }
}

void ExportDialog::choosePreset(const QString& name) {
    if (name.isEmpty()) return;
    const FigurePreset& chosen = figurePreset(name);
    ExportOptions now = options();
    now.widthMm = chosen.widthMm;
    now.fontPt = chosen.fontPt;
    now.heightMm = m_usualHeight = chosen.heightMm;
    if (!chosen.isWholePage) now.heightMm = fittedHeight(now);
    setOptions(now);
    refreshPreview();
}

QString ExportDialog::preset() const {
    const auto isSame = [](double a, double b) { return std::abs(a - b) <= kSameMm; };
    for (const FigurePreset& each : figurePresets()) {
        if (!isSame(each.widthMm, m_width->value()) || !isSame(each.fontPt, m_font->value())) continue;
        ExportOptions usual = options();
        usual.heightMm = each.heightMm;
        const double height = each.isWholePage ? each.heightMm : fittedHeight(usual);
        if (isSame(height, m_height->value())) return QLatin1String(each.name);
    }
    return {};
}

ExportOptions ExportDialog::options() const {
    ExportOptions options;
    options.format = m_formats[static_cast<std::size_t>(std::max(0, m_format->currentIndex()))];
    options.widthMm = m_width->value();
    options.heightMm = m_height->value();
    options.dpi = m_dpi->value();
    options.fontPt = m_font->value();
    options.appearance = m_dark->isChecked() ? Appearance::dark : Appearance::light;
    options.dashes = m_dashes->isChecked();
    options.outlines = m_outlines->isChecked();
    return options;
}

void ExportDialog::setOptions(const ExportOptions& options) {
    const auto format = std::find(m_formats.begin(), m_formats.end(), options.format);
    m_format->setCurrentIndex(format == m_formats.end() ? 0 : static_cast<int>(format - m_formats.begin()));
    m_width->setValue(options.widthMm);
    m_height->setValue(options.heightMm);
    m_dpi->setValue(options.dpi);
    m_font->setValue(options.fontPt);
    m_dashes->setChecked(options.dashes);
    m_outlines->setChecked(options.outlines);
    m_dark->setChecked(options.appearance == Appearance::dark);
}

void ExportDialog::remember() const {
    const ExportOptions now = options();
    QSettings settings;
    settings.setValue(u"export/format"_s, suffixOf(now.format));
    settings.setValue(u"export/widthMm"_s, now.widthMm);
    // The height that a figure or a page needs for itself says nothing about the next figure.
    ExportOptions usual = now;
    usual.heightMm = m_usualHeight;
    const bool isFitted = std::abs(fittedHeight(usual) - now.heightMm) <= kSameMm;
    settings.setValue(u"export/heightMm"_s, isFitted ? m_usualHeight : now.heightMm);
    settings.setValue(u"export/dpi"_s, now.dpi);
    settings.setValue(u"export/fontPt"_s, now.fontPt);
    settings.setValue(u"export/dashes"_s, now.dashes);
    settings.setValue(u"export/outlines"_s, now.outlines);
    // Dark colours are not stored: figures are light by default.
}

bool ExportDialog::saveTo(const QString& path) {
    try {
        ExportOptions now = options();
        now.format = formatOf(path);
        exportPage(m_source(), now, path);
    } catch (const std::exception& problem) {
        m_message->setText(QString::fromUtf8(problem.what()));
        return false;
    }
    remember();
    m_message->setText(u"The figure was saved as %1."_s.arg(QDir::toNativeSeparators(path)));
    return true;
}

void ExportDialog::copy() {
    try {
        ExportOptions now = options();
        now.format = FigureFormat::pdf;  // the clipboard has several formats
        copyPage(m_source(), now);
    } catch (const BadInput& problem) {
        m_message->setText(QString::fromUtf8(problem.what()));
        return;
    }
    remember();
    m_message->setText(m_isPage ? u"The page of figures was copied to the clipboard as PNG, SVG and PDF."_s
                                : u"The figure was copied to the clipboard as PNG, SVG, PDF and CSV."_s);
}

QString ExportDialog::fileName() const {
    if (m_isPage) return u"page"_s;
    const QString name = m_source().front().name;
    return name.isEmpty() ? u"figure"_s : name;
}

void ExportDialog::save() {
    const QString suffix = suffixOf(options().format);
    QSettings settings;
    const QString folder =
        settings.value(u"export/folder"_s, QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation))
            .toString();
    const QString proposal = QDir(folder).filePath(fileName() + QLatin1Char('.') + suffix);
    const QString path = dialogs().save(
        this, {.title = u"Export figure"_s, .path = proposal, .filters = u"%1 (*.%2)"_s.arg(suffix.toUpper(), suffix)});
    if (!path.isEmpty() && saveTo(path)) {
        settings.setValue(u"export/folder"_s, QFileInfo(path).absolutePath());
    }
}

void ExportDialog::refreshPreview() {
    ExportOptions shown = options();
    m_dpi->setEnabled(shown.format == FigureFormat::png);
    m_outlines->setEnabled(shown.format == FigureFormat::svg);
    m_preset->setCurrentIndex(std::max(0, m_preset->findData(preset())));
    shown.format = FigureFormat::png;
    // The resolution at which the image fills the preview.
    const QSizeF mm(shown.widthMm, shown.heightMm);
    const double ratio = devicePixelRatioF();
    const double fit = std::min(m_preview->width() / mm.width(), m_preview->height() / mm.height()) * 25.4 * ratio;
    shown.dpi = std::clamp(static_cast<int>(fit), 72, 1200);
    try {
        QPixmap pixmap;
        pixmap.loadFromData(pageBytes(m_source(), shown), "PNG");
        const QSize space = m_preview->size() * ratio;
        if (pixmap.width() > space.width() || pixmap.height() > space.height()) {
            pixmap = pixmap.scaled(space, Qt::KeepAspectRatio, Qt::SmoothTransformation);
        }
        pixmap.setDevicePixelRatio(ratio);
        m_preview->setPixmap(pixmap);
        m_message->setText(m_preset->currentIndex() > 0 ? higherThanPage(m_source(), shown) : QString());
    } catch (const BadInput& problem) {
        m_message->setText(QString::fromUtf8(problem.what()));
    }
}

}  // namespace ropelab::ui

#include "moc_export_dialog.cpp"
