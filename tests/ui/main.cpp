#include <gtest/gtest.h>

#include <QApplication>
#include <QTemporaryDir>

int main(int argc, char** argv) {
    // gtest_discover_tests lists the tests without the test's environment.
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) {
        qputenv("QT_QPA_PLATFORM", "offscreen");
    }
    testing::InitGoogleTest(&argc, argv);
    // Settings and data of tests stay away from the user's, and from those of the tests that run beside this one.
    const QTemporaryDir home;
    for (const char* folder : {"XDG_CONFIG_HOME", "XDG_DATA_HOME"}) {
        qputenv(folder, home.path().toUtf8());
    }
    QApplication application(argc, argv);
    QApplication::setOrganizationName(QStringLiteral("ropelab-tests"));
    QApplication::setApplicationName(QStringLiteral("ropelab-tests"));
    return RUN_ALL_TESTS();
}
