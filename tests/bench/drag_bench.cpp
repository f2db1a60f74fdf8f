// Measures the CPU time of the window's thread for each step of dragging theta, in every room about RoPE. Theta moves
// from 100 to 10 million at d = 128 and L = 8,192; a step consists of one event handler and the painting that follows.
// For comparison, a frame lasts 16 ms. Optional arguments name the rooms to measure, or parts of them, such as
// rotation/helices; --json selects the output format that `ropelab-cli bench --part window` reads.
#include <QApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTextStream>
#include <algorithm>
#include <cmath>
#include <ctime>
#include <string_view>
#include <vector>

#include "ui/shell/room.h"
#include "ui/theme/theme_manager.h"
#include "ui/window/frame/rooms.h"
#include "ui/window/main_window.h"

namespace {

using namespace ropelab;
using namespace ropelab::ui;

double busyMilliseconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

struct Drag {
    std::vector<double> frames;

    double quantile(double probability) const {
        std::vector<double> sorted = frames;
        std::sort(sorted.begin(), sorted.end());
        return sorted[static_cast<std::size_t>(probability * static_cast<double>(sorted.size() - 1))];
    }
};

Drag dragTheta(MainWindow& window, int steps) {
    RotaryModel& model = window.workspace().rotary();
    Drag drag;
    for (int i = 0; i < steps; ++i) {
        RotarySetup setup = model.setup();
        setup.theta = std::pow(10.0, 2 + 5.0 * i / steps);
        const double before = busyMilliseconds();
        model.change(QStringLiteral("change theta"), setup);
        window.room().refreshNow();
        QApplication::processEvents();
        drag.frames.push_back(busyMilliseconds() - before);
    }
    model.endDrag();
    return drag;
}

}  // namespace

int main(int argc, char** argv) {
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    ThemeManager::instance().apply();
    const QTemporaryDir folder;
    MainWindow window({.settingsFile = folder.filePath(QStringLiteral("settings.ini")),
                       .labsFolder = folder.filePath(QStringLiteral("labs")),
                       .dataDir = {},
                       .engine = {}});
    window.resize(1280, 800);
    window.show();
    RotarySetup setup;
    setup.head_dim = 128;
    setup.context = 8192;
    window.workspace().rotary().change(QStringLiteral("start"), setup);
    QTextStream out(stdout);
    constexpr int steps = 200;
    QStringList requested = QApplication::arguments().mid(1);
    const bool asJson = requested.removeAll(QStringLiteral("--json")) > 0;
    QJsonArray measured;
    if (!asJson)
        out << "room             median ms  95 % ms  longest ms   (a theta drag of 200 steps, d = 128, L = 8,192)\n";
    QStringList places = requested;
    for (const RoomEntry& entry : rooms()) {
        if (requested.isEmpty() && entry.id != std::string_view("train")) places << QString::fromLatin1(entry.id);
    }
    for (const QString& id : places) {
        window.showRoom(id.section(QLatin1Char('/'), 0, 0));
        if (const QString part = id.section(QLatin1Char('/'), 1); !part.isEmpty()) window.room().showPart(part);
        QApplication::processEvents();
        dragTheta(window, 20);  // warms up caches and fonts, as in a real drag
        const Drag drag = dragTheta(window, steps);
        measured.append(QJsonObject{{QStringLiteral("room"), id},
                                    {QStringLiteral("median_milliseconds"), drag.quantile(0.5)},
                                    {QStringLiteral("milliseconds_95_percent"), drag.quantile(0.95)},
                                    {QStringLiteral("longest_milliseconds"), drag.quantile(1)}});
        if (asJson) continue;
        out << QStringLiteral("%1 %2 %3 %4\n")
                   .arg(id, -16)
                   .arg(drag.quantile(0.5), 9, 'f', 2)
                   .arg(drag.quantile(0.95), 8, 'f', 2)
                   .arg(drag.quantile(1), 11, 'f', 2);
    }
    if (asJson) {
        const QJsonObject report{{QStringLiteral("steps"), steps}, {QStringLiteral("rooms"), measured}};
        out << QString::fromUtf8(QJsonDocument(report).toJson());
    }
    return 0;
}
