#include "ui/rooms/results/results_panel.h"

#include <gtest/gtest.h>

#include <QTemporaryDir>

#include "ui/session/settings.h"

namespace ropelab::ui {
namespace {

TEST(ResultsMemory, StoresChoicesPerLab) {
    const QTemporaryDir folder;
    {
        Settings settings(folder.filePath("settings.ini"));
        saveLabChoices(settings, "/a.ropelab", {{"experiment", 3}, {"order", "θ"}});
        saveLabChoices(settings, "/b.ropelab", {{"experiment", 4}});
        saveLabChoices(settings, "/a.ropelab", {{"experiment", 5}});
        saveLabChoices(settings, "", {{"experiment", 6}});
    }
    const Settings settings(folder.filePath("settings.ini"));
    EXPECT_EQ(labChoices(settings, "/a.ropelab").value("experiment").toInt(), 5);
    EXPECT_FALSE(labChoices(settings, "/a.ropelab").contains("order"));
    EXPECT_EQ(labChoices(settings, "/b.ropelab").value("experiment").toInt(), 4);
    EXPECT_TRUE(labChoices(settings, "/c.ropelab").isEmpty());
    EXPECT_TRUE(labChoices(settings, "").isEmpty());
}

TEST(ResultsMemory, DropsTheLeastRecentLab) {
    const QTemporaryDir folder;
    Settings settings(folder.filePath("settings.ini"));
    for (int i = 0; i < 21; ++i) saveLabChoices(settings, QString::number(i), {{"experiment", i + 1}});
    EXPECT_TRUE(labChoices(settings, "0").isEmpty());
    EXPECT_EQ(labChoices(settings, "1").value("experiment").toInt(), 2);
    EXPECT_EQ(labChoices(settings, "20").value("experiment").toInt(), 21);
}

}  // namespace
}  // namespace ropelab::ui
