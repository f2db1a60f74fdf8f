#pragma once

#include <memory>

#include "tests/ui/support/workbench.h"
#include "ui/window/main_window.h"

namespace ropelab::ui {

/// Fixture that shows the main window of a Workbench and resets theme and scale after the test.
class WindowFixture : public Workbench {
 protected:
    void SetUp() override {
        Workbench::SetUp();
        window = std::make_unique<MainWindow>(options());
        window->resize(1280, 800);
        window->show();
        ASSERT_TRUE(QTest::qWaitForWindowActive(window.get()));
    }
    void TearDown() override {
        window.reset();
        ThemeManager::instance().setChoice(ThemeManager::Choice::system);
        ThemeManager::instance().setScale(100);
    }

    std::unique_ptr<MainWindow> window;
};

}  // namespace ropelab::ui
