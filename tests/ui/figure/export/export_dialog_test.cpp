#include "ui/figure/export/export_dialog.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QLabel>
#include <QSettings>
#include <QTemporaryDir>
#include <memory>
#include <vector>

#include "tests/ui/figure/sample_figure.h"
#include "ui/figure/export/export_options.h"
#include "ui/figure/export/figure_record.h"

namespace ropelab::ui {
namespace {

TEST(ExportDialog, SavesBySuffixAndStoresFields) {
    QSettings().clear();
    QTemporaryDir folder;
    {
        const auto dialog = std::make_unique<ExportDialog>(sampleFigure);
        EXPECT_FALSE(dialog->isModal());
        ExportOptions options;
        options.format = FigureFormat::svg;
        options.widthMm = 85;
        options.heightMm = 60;
        options.fontPt = 8;
        options.appearance = Appearance::dark;
        dialog->setOptions(options);
        const QString path = folder.filePath("figure.svg");
        EXPECT_TRUE(dialog->saveTo(path));
        QFile file(path);
        ASSERT_TRUE(file.open(QIODevice::ReadOnly));
        EXPECT_EQ(file.readAll(), figureBytes(sampleFigure(), options));
    }
    const auto dialog = std::make_unique<ExportDialog>(sampleFigure);
    EXPECT_EQ(dialog->options().format, FigureFormat::svg);
    EXPECT_DOUBLE_EQ(dialog->options().widthMm, 85);
    EXPECT_DOUBLE_EQ(dialog->options().fontPt, 8);
    EXPECT_EQ(dialog->options().appearance, Appearance::light);
}

TEST(ExportDialog, FigureWithManyRowsHasTheHeightThatItNeeds) {
    QSettings().clear();
    QTemporaryDir folder;
    {
        const auto dialog = std::make_unique<ExportDialog>([] {
            Figure figure = sampleFigure();
            figure.heightMm = 230;
            return figure;
        });
        EXPECT_DOUBLE_EQ(dialog->options().heightMm, 230);
        EXPECT_TRUE(dialog->saveTo(folder.filePath("figure.csv")));
    }
    // The next figure has the usual height.
    EXPECT_DOUBLE_EQ(std::make_unique<ExportDialog>(sampleFigure)->options().heightMm, ExportOptions().heightMm);
}

TEST(ExportDialog, ShowsWhySavingFailed) {
    const auto dialog = std::make_unique<ExportDialog>(sampleFigure);
    EXPECT_FALSE(dialog->saveTo("/nowhere at all/figure.pdf"));
    bool isReasonShown = false;
    for (const QLabel* label : dialog->findChildren<QLabel*>()) {
        isReasonShown = isReasonShown || label->text().contains("/nowhere at all/figure.pdf");
    }
    EXPECT_TRUE(isReasonShown);
}

TEST(ExportDialog, ShowsAPreview) {
    const auto dialog = std::make_unique<ExportDialog>(sampleFigure);
    bool hasPreview = false;
    for (const QLabel* label : dialog->findChildren<QLabel*>()) {
        hasPreview = hasPreview || !label->pixmap(Qt::ReturnByValue).isNull();
    }
    EXPECT_TRUE(hasPreview);
}

TEST(ExportDialog, PresetsSetWidthHeightAndFont) {
    QSettings().clear();
    const auto dialog = std::make_unique<ExportDialog>(sampleFigure);
    EXPECT_EQ(dialog->preset(), QString());
    for (const FigurePreset& preset : figurePresets()) {
        dialog->choosePreset(QLatin1String(preset.name));
        EXPECT_EQ(dialog->preset(), QLatin1String(preset.name));
        EXPECT_DOUBLE_EQ(dialog->options().widthMm, preset.widthMm);
        EXPECT_DOUBLE_EQ(dialog->options().heightMm, preset.heightMm);
        EXPECT_DOUBLE_EQ(dialog->options().fontPt, preset.fontPt);
    }
    ExportOptions other = dialog->options();
    other.widthMm += 7;
    dialog->setOptions(other);
    EXPECT_EQ(dialog->preset(), QString());
}

TEST(ExportDialog, StoresWhetherTextIsOutlined) {
    QSettings().clear();
    QTemporaryDir folder;
    {
        const auto dialog = std::make_unique<ExportDialog>(sampleFigure);
        EXPECT_FALSE(dialog->options().outlines);
        ExportOptions options = dialog->options();
        options.outlines = true;
        dialog->setOptions(options);
        ASSERT_TRUE(dialog->saveTo(folder.filePath("figure.svg")));
    }
    EXPECT_TRUE(std::make_unique<ExportDialog>(sampleFigure)->options().outlines);
}

TEST(ExportDialog, ExportsSeveralFiguresAsAPage) {
    QSettings().clear();
    QTemporaryDir folder;
    const auto dialog = std::make_unique<ExportDialog>([] {
        return std::vector<Figure>{sampleFigure(), sampleFigure()};
    });
    dialog->choosePreset("nature-page");
    const QString path = folder.filePath("page.svg");
    ASSERT_TRUE(dialog->saveTo(path));
    EXPECT_EQ(readFigureFile(path).size(), 2U);
    EXPECT_FALSE(dialog->saveTo(folder.filePath("page.csv"))) << "a page has no single table";
}

}  // namespace
}  // namespace ropelab::ui
