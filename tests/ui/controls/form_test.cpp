#include "ui/controls/form.h"

#include <gtest/gtest.h>

#include <QCheckBox>
#include <QComboBox>
#include <QFrame>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QTest>
#include <QVBoxLayout>
#include <map>
#include <string>
#include <vector>

namespace ropelab::ui {
namespace {

using namespace Qt::StringLiterals;

/// Has the functions of Settings that a form uses.
struct StoredValues {
    QVariant value(const char* key) const { return values.at(key); }
    void setValue(const char* key, const QVariant& value) { values[key] = value; }
    std::map<std::string, QVariant> values;
};

/// A panel with a field of each kind.
class FormTest : public ::testing::Test {
 protected:
    void SetUp() override {
        column = new QVBoxLayout(&panel);
        form.add(column, {{"layer", u"layer"_s, u"Layer"_s, u"The layer to show."_s,
                           ChoiceRow{{{u"all"_s, -1}, {u"0"_s, 0, u"The lowest one."_s}}, 0}, "inspect/layer"},
                          {"difference", u"Show difference"_s, {}, {}, CheckRow()},
                          {"steps", u"steps"_s, {}, {}, WholeRow{1, 100, u" steps"_s}},
                          {"text", {}, u"Text"_s, u"Any text."_s, TextRow{u"none"_s}, "inspect/text"},
                          {"rate", u"rate"_s, {}, {}, NumberRow{0.1, 50, 1}},
                          {"mean", u"mean"_s, {}, {}, SliderRow{.minimum = -2, .maximum = 2}}});
        QObject::connect(&form, &Form::changed, &form, [this](std::string_view id) { changes.emplace_back(id); });
        QObject::connect(&form, &Form::finished, &form, [this](std::string_view id) { ends.emplace_back(id); });
    }
    QFrame panel;
    QVBoxLayout* column = nullptr;
    Form form{&panel, 56};
    std::vector<std::string> changes;
    std::vector<std::string> ends;
};

TEST_F(FormTest, RowsAreFieldsWithLabelsNamesAndTooltips) {
    auto* layer = form.field<QComboBox>("layer");
    EXPECT_EQ(layer->accessibleName(), "Layer");
    EXPECT_EQ(layer->toolTip(), "The layer to show.");
    EXPECT_EQ(layer->itemData(1, Qt::ToolTipRole), "The lowest one.");
    EXPECT_EQ(form.value("layer"), 0) << "the standard value, not the first entry";
    EXPECT_EQ(form.label("layer")->text(), "layer");
    EXPECT_EQ(form.label("layer")->toolTip(), "The layer to show.");
    EXPECT_EQ(form.field<QSpinBox>("steps")->accessibleName(), "steps") << "the label, if the row has no name";
    EXPECT_EQ(form.field<QSpinBox>("steps")->text(), "1 steps");
    EXPECT_EQ(form.field<QCheckBox>("difference")->text(), "Show difference");
    EXPECT_EQ(form.label("text"), nullptr) << "a wide field has no label";
    // Rows with labels share a grid until a wide row ends it.
    auto* grid = qobject_cast<QGridLayout*>(column->itemAt(0)->layout());
    ASSERT_TRUE(grid);
    EXPECT_GE(grid->indexOf(form.field<QWidget>("difference")), 0);
    EXPECT_GE(grid->indexOf(form.field<QWidget>("steps")), 0);
    EXPECT_EQ(column->itemAt(1)->widget(), form.field<QWidget>("text"));
    EXPECT_TRUE(qobject_cast<QGridLayout*>(column->itemAt(2)->layout()));
}

TEST_F(FormTest, ValuesOfAllKindsAreSetAndReportedById) {
    form.setValue("layer", -1);
    form.setValue("difference", true);
    form.setValue("steps", 7);
    form.setValue("text", u"abc"_s);
    form.setValue("rate", 2.5);
    EXPECT_EQ(changes, (std::vector<std::string>{"layer", "difference", "steps", "text", "rate"}));
    EXPECT_EQ(form.value("layer"), -1);
    EXPECT_EQ(form.value("difference"), true);
    EXPECT_EQ(form.value("steps"), 7);
    EXPECT_EQ(form.value("text"), "abc");
    EXPECT_EQ(form.value("rate"), 2.5);
    form.showValue("layer", 0);
    form.showValue("mean", 0.5);
    EXPECT_EQ(form.value("mean"), 0.5);
    EXPECT_EQ(changes.size(), 5U) << "showValue() emits nothing";
    form.field<NumberSlider>("mean")->commit(u"1"_s);
    EXPECT_EQ(changes.back(), "mean");
    EXPECT_EQ(ends, std::vector<std::string>{"mean"});
    QTest::keyClicks(form.field<QLineEdit>("text"), u"d"_s);
    QTest::keyClick(form.field<QLineEdit>("text"), Qt::Key_Return);
    EXPECT_EQ(ends.back(), "text");
}

TEST_F(FormTest, LabelsAreDimmedAndHiddenWithTheirFields) {
    form.setEnabled("layer", false);
    EXPECT_FALSE(form.label("layer")->isEnabled());
    form.setShown("layer", false);
    EXPECT_TRUE(form.label("layer")->isHidden());
    EXPECT_TRUE(form.field<QWidget>("layer")->isHidden());
}

TEST_F(FormTest, RowsWithASettingAreStoredAndRestored) {
    StoredValues stored{{{"inspect/layer", -1}, {"inspect/text", u"the fox"_s}}};
    form.restore(stored);
    EXPECT_EQ(form.value("layer"), -1);
    EXPECT_EQ(form.value("text"), "the fox");
    form.setValue("text", u"a dog"_s);
    form.save(stored, "text");
    form.save(stored, "steps");
    EXPECT_EQ(stored.values.at("inspect/text"), "a dog");
    EXPECT_EQ(stored.values.size(), 2U) << "a row without a setting is not stored";
}

}  // namespace
}  // namespace ropelab::ui
