#include "ui/results/results_memory.h"

#include <gtest/gtest.h>

#include <QTemporaryDir>

#include "ui/window/settings.h"

namespace ropelab::ui {
namespace {

TEST(ResultsMemory, EachLabHasItsOwn) {
    const QTemporaryDir folder;
    {
        Settings settings(folder.filePath("settings.ini"));
        keepLabChoices(settings, "/a.ropelab", {{"experiment", 3}, {"order", "θ"}});
        keepLabChoices(settings, "/b.ropelab", {{"experiment", 4}});
        keepLabChoices(settings, "/a.ropelab", {{"experiment", 5}});
        keepLabChoices(settings, "", {{"experiment", 6}});
    }
    const Settings settings(folder.filePath("settings.ini"));
    EXPECT_EQ(labChoices(settings, "/a.ropelab").value("experiment").toInt(), 5);
    EXPECT_FALSE(labChoices(settings, "/a.ropelab").contains("order"));
    EXPECT_EQ(labChoices(settings, "/b.ropelab").value("experiment").toInt(), 4);
    EXPECT_TRUE(labChoices(settings, "/c.ropelab").isEmpty());
    EXPECT_TRUE(labChoices(settings, "").isEmpty());
}

TEST(ResultsMemory, ForgetsTheLabThatWasOpenLongestAgo) {
    const QTemporaryDir folder;
    Settings settings(folder.filePath("settings.ini"));
    for (int i = 0; i < 21; ++i) keepLabChoices(settings, QString::number(i), {{"experiment", i + 1}});
    EXPECT_TRUE(labChoices(settings, "0").isEmpty());
    EXPECT_EQ(labChoices(settings, "1").value("experiment").toInt(), 2);
    EXPECT_EQ(labChoices(settings, "20").value("experiment").toInt(), 21);
}

}  // namespace
}  // namespace ropelab::ui
