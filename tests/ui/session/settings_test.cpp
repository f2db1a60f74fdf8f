#include "ui/session/settings.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QSettings>
#include <QTemporaryDir>

namespace ropelab::ui {
namespace {

TEST(Settings, StoresEveryKeyButNoDefaultValues) {
    const QTemporaryDir folder;
    const QString path = folder.filePath("settings.ini");
    for (const auto& entry : Settings::table()) {
        QVariant other;
        switch (entry.standard.typeId()) {
            case QMetaType::Bool:
                other = !entry.standard.toBool();
                break;
            case QMetaType::Int:
                other = entry.standard.toInt() + 7;
                break;
            case QMetaType::Double:
                other = entry.standard.toDouble() + 0.125;
                break;
            case QMetaType::QString:
                other = QStringLiteral("zwölf, 12");
                break;
            case QMetaType::QStringList:
                other = QStringList{"a", "b c"};
                break;
            case QMetaType::QByteArray:
                other = QByteArray("\0\1x", 3);
                break;
            default:
                FAIL() << "this test has no value of the type of " << entry.key;
        }
        {
            Settings settings(path);
            EXPECT_EQ(settings.value(entry.key), entry.standard) << entry.key;
            settings.setValue(entry.key, other);
        }
        {
            Settings settings(path);
            EXPECT_EQ(settings.value(entry.key), other) << entry.key;
            settings.setValue(entry.key, entry.standard);
        }
        EXPECT_FALSE(QSettings(path, QSettings::IniFormat).contains(entry.key)) << entry.key;
    }
}

TEST(Settings, KeepsUnknownKeysAndReplacesInvalidValuesByDefaults) {
    const QTemporaryDir folder;
    const QString path = folder.filePath("settings.ini");
    {
        QSettings raw(path, QSettings::IniFormat);
        raw.setValue("future/key", 3);
        raw.setValue("window/scale", "very large");
    }
    Settings settings(path);
    EXPECT_EQ(settings.value("window/scale").toInt(), 100);
    settings.setValue("window/theme", "dark");
    EXPECT_EQ(QSettings(path, QSettings::IniFormat).value("future/key").toInt(), 3);
}

TEST(Settings, RecentLabsAreUniqueExistAndStartWithTheNewest) {
    const QTemporaryDir folder;
    Settings settings(folder.filePath("settings.ini"));
    for (const char* name : {"a", "b", "a"}) {
        QFile lab(folder.filePath(name));
        ASSERT_TRUE(lab.open(QIODevice::WriteOnly));
        settings.addRecentLab(lab.fileName());
    }
    settings.addRecentLab(folder.filePath("gone"));
    EXPECT_EQ(settings.recentLabs(), (QStringList{folder.filePath("a"), folder.filePath("b")}));
}

}  // namespace
}  // namespace ropelab::ui
