#include "ui/session/run_store.h"

#include <QUndoStack>
#include <map>
#include <set>

#include "tests/ui/support/workbench.h"
#include "ui/theme/theme.h"

namespace ropelab::ui {
namespace {

class SettingColorsTest : public Workbench {
 protected:
    static std::vector<std::string> keys(int from, int to) {
        std::vector<std::string> result;
        for (int i = from; i < to; ++i) {
            RunSpec spec;
            spec.theta = 100.0 * (i + 1);
            result.push_back(settingKey(spec));
        }
        return result;
    }
    static void assign(SettingColors& colors, const std::vector<std::string>& settings) {
        SettingPlaces present;
        for (const std::string& setting : settings) present.try_emplace(setting);
        colors.assign(settings, present);
    }
};

TEST_F(SettingColorsTest, EveryIndexHasItsOwnColourAndDashPattern) {
    for (const bool isUnique : {false, true}) {
        std::set<std::pair<QString, QList<double>>> looks;
        for (int i = 0; i < SettingColors::kCount; ++i) {
            looks.emplace(Theme::light().dataColor(i).name(), Theme::dashes(i, isUnique));
        }
        EXPECT_EQ(std::ssize(looks), SettingColors::kCount);
    }
}

TEST_F(SettingColorsTest, SeedsAreShadesOfTheColour) {
    RunSpec first;
    RunSpec second = first;
    second.seed = first.seed + 1;
    EXPECT_EQ(settingKey(first), settingKey(second));
    SettingColors colors;
    assign(colors, {settingKey(first)});
    const Ink a = colors.inkOf(settingKey(first), first.seed);
    const Ink b = colors.inkOf(settingKey(second), second.seed);
    EXPECT_EQ(a, Ink::data(0));
    EXPECT_EQ(b.index, 0);
    for (const Theme* theme : {&Theme::light(), &Theme::dark()}) {
        for (int index = 0; index < 7; ++index) {
            std::set<QRgb> shades;
            for (int shade = 0; shade < Theme::kShades; ++shade) shades.insert(theme->dataColor(index, shade).rgb());
            EXPECT_EQ(std::ssize(shades), Theme::kShades) << index;
        }
    }
    EXPECT_NE(b.shade, a.shade);
}

TEST_F(SettingColorsTest, RunsOfALabWithoutStoredColoursHaveColours) {
    const auto lab = LabFile::create(file("plain.ropelab").toStdString());
    RunSpec first;
    RunSpec second;
    second.theta = 500;
    const std::int64_t id = lab->add_experiment("plain", "{}");
    for (const RunSpec& spec : {first, second}) lab->add_run(id, "run", to_json(spec).dump());
    const SettingColors colors = SettingColors::of(*lab);
    EXPECT_EQ(colors.inkOf(settingKey(first), first.seed), Ink::data(0));
    EXPECT_EQ(colors.inkOf(settingKey(second), second.seed), Ink::data(1));
    EXPECT_EQ(colors.unstored().size(), 2U);
}

TEST_F(SettingColorsTest, ColoursOfRemovedSettingsAreUsedAgainOnlyWhenAllAreInUse) {
    SettingColors colors;
    const auto all = keys(0, SettingColors::kCount);
    assign(colors, keys(0, 2));
    assign(colors, keys(2, 3));
    EXPECT_EQ(colors.lookOf(keys(2, 3).front()).color, 2) << "the first two may return";
    assign(colors, all);  // without the first two, the others would begin at 0
    std::set<int> used;
    for (const std::string& key : all) used.insert(colors.lookOf(key).color);
    EXPECT_EQ(std::ssize(used), SettingColors::kCount);
    // Setting 3 has no runs any more, so the next setting gets its colour.
    auto shown = all;
    shown.erase(shown.begin() + 3);
    shown.push_back(keys(100, 101).front());
    assign(colors, shown);
    EXPECT_EQ(colors.lookOf(shown.back()).color, colors.lookOf(all[3]).color);
}

TEST_F(SettingColorsTest, ColoursOfManySettingsAreSharedEvenly) {
    SettingColors colors;
    const auto all = keys(0, 3 * SettingColors::kCount + 1);
    assign(colors, all);
    std::map<int, int> uses;
    for (const std::string& key : all) ++uses[colors.lookOf(key).color];
    EXPECT_EQ(std::ssize(uses), SettingColors::kCount);
    for (const auto& [color, count] : uses) EXPECT_EQ(count, color == 0 ? 4 : 3) << color;
}

TEST_F(SettingColorsTest, AColourOfAPinnedSettingIsNeverGivenToAnother) {
    const auto lab = LabFile::create(file("pinned.ropelab").toStdString());
    std::vector<SettingLook> looks;
    const auto all = keys(0, SettingColors::kCount);
    for (int i = 0; i < SettingColors::kCount; ++i) looks.push_back({all[static_cast<std::size_t>(i)], i, i != 20});
    lab->set_setting_looks(looks);
    SettingColors colors;
    colors.load(lab.get(), false);
    const auto added = keys(100, 102);
    assign(colors, added);
    for (const std::string& key : added) EXPECT_EQ(colors.lookOf(key).color, 20);
}

TEST_F(SettingColorsTest, EarlierSpellingsOfASettingHaveItsColour) {
    const auto lab = LabFile::create(file("earlier.ropelab").toStdString());
    lab->set_setting_looks(std::vector<SettingLook>{{R"({"theta": 500})", 4, false}});
    SettingColors colors;
    colors.load(lab.get(), false);
    RunSpec spec;
    spec.theta = 500;
    EXPECT_EQ(colors.lookOf(settingKey(spec)).color, 4) << "settings that are not named have their defaults";
}

TEST_F(SettingColorsTest, ChangesAreUndoableAndStored) {
    Workspace workspace(options());
    workspace.lab().addSweep(smallSweep());
    const std::string setting = workspace.runs().find(2)->setting;
    SettingLook look = workspace.runs().colors().lookOf(setting);
    ASSERT_EQ(look.color, 1);
    EXPECT_EQ(workspace.runs().colors().freeColor(setting, 5), 5) << "no setting has its solid line";
    look.color = workspace.runs().colors().freeColor(setting, 0);
    EXPECT_EQ(look.color, 7) << "the first setting has the solid line of this colour";
    workspace.changeLook("change colour", look);
    EXPECT_EQ(workspace.runs().find(2)->ink.index, 7);
    look.pinned = true;
    workspace.changeLook("pin", look);
    EXPECT_TRUE(workspace.runs().find(2)->pinned);
    workspace.undo().undo();
    EXPECT_FALSE(workspace.runs().find(2)->pinned);
    EXPECT_EQ(workspace.runs().find(2)->ink.index, 7);
    const QString path = workspace.lab().path();
    workspace.newLab();
    workspace.openLab(path);
    EXPECT_EQ(workspace.runs().find(2)->ink.index, 7);
}

}  // namespace
}  // namespace ropelab::ui
