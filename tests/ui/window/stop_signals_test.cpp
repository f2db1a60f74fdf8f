#include "ui/window/stop_signals.h"

#include <gtest/gtest.h>

#include <QTest>
#include <csignal>

namespace ropelab::ui {
namespace {

TEST(StopSignals, TheFirstOneIsHandledAndTheNextOneEndsTheProgram) {
    QObject context;
    int calls = 0;
    onStopSignal(&context, [&calls] { ++calls; });
    QCoreApplication::processEvents();
    EXPECT_EQ(calls, 0);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        std::raise(signal);
        const auto handler = std::signal(signal, SIG_DFL);
        EXPECT_EQ(handler, SIG_DFL) << "the next one is not handled";
    }
    EXPECT_TRUE(QTest::qWaitFor([&calls] { return calls > 0; }));
    QCoreApplication::processEvents();
    EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace ropelab::ui
