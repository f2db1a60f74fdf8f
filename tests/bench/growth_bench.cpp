// Measures what commands and rooms cost for labs of 100, 1,000 and 10,000 runs with 600 steps and 13 evaluations each:
// CPU seconds of all threads, peak memory, and the slope of the logarithm of the cost over that of the number of runs.
// It writes the labs itself, without training. The programs ropelab and ropelab-cli must be beside it. Optional
// arguments are other numbers of runs, and the names of the measurements. --write FOLDER only writes the labs.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QCoreApplication>
#include <QTemporaryDir>
#include <QTextStream>
#include <algorithm>
#include <cmath>

#include "core/experiment/experiment.h"
#include "ui/session/workspace.h"

namespace {

using namespace ropelab;
using namespace ropelab::ui;

constexpr int steps = 600;
constexpr int evaluationInterval = 50;

struct Cost {
    double seconds = 0;
    double megabytes = 0;
    bool succeeded = false;
};

// 5 seeds of 20 × 10 × 10 settings; fewer runs have the first settings.
std::vector<RunSpec> specsOf(int runs) {
    Experiment grid("grid");
    std::vector<std::string> thetas;
    for (int i = 0; i < 20; ++i) thetas.push_back(std::to_string(100 * (i + 1) * (i + 1)));
    grid.set("learning_rate", {"1e-4", "2e-4", "3e-4", "5e-4", "7e-4", "1e-3", "2e-3", "3e-3", "5e-3", "7e-3"});
    grid.set("fraction", {"0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1"});
    grid.set("theta", thetas);
    grid.set("seed", {"1", "2", "3", "4", "5"});
    grid.set("iterations", {std::to_string(steps)});
    std::vector<RunSpec> specs = grid.expand();
    specs.resize(std::min(specs.size(), static_cast<std::size_t>(runs)));
    return specs;
}

QString writeLab(const QString& folder, int runs) {
    const QString path = QStringLiteral("%1/%2.ropelab").arg(folder).arg(runs);
    const auto lab = LabFile::create(path.toStdString());
    const std::int64_t experiment = lab->add_experiment("grid", Experiment("grid").to_json().dump());
    for (const RunSpec& spec : specsOf(runs)) {
        const RunId run =
            lab->add_run(experiment, label_of(spec) + ", seed " + std::to_string(spec.seed), to_json(spec).dump());
        const auto loss = [&](int step) {
            return 2 + std::exp(-step / 200.0) + 0.02 * std::sin(static_cast<double>(run) * 0.7 + step);
        };
        std::vector<Event> events = {event::CohortStarted{{run}, 0, steps, {"float32", "cpu", 2, ""}}};
        for (int i = 0; i <= steps; ++i) {
            if (i > 0) events.emplace_back(event::Step{run, i, loss(i), 0.5 + 0.1 * std::sin(i), 1e-3});
            if (i % evaluationInterval == 0) events.emplace_back(event::Evaluated{run, i, loss(i), 0.1 + loss(i)});
        }
        RunSummary summary;
        summary.iterations = steps;
        summary.best_iteration = steps;
        summary.best_validation_loss = summary.final_validation_loss = 0.1 + loss(steps);
        summary.final_training_loss = loss(steps);
        summary.seconds = 10;
        summary.tokens_per_second = 1e5 + static_cast<double>(run);
        events.emplace_back(event::RunEnded{run, RunState::finished, "", summary});
        lab->record(events);
    }
    return path;
}

Cost costOf(const QStringList& command) {
    const pid_t child = fork();
    if (child == 0) {
        std::vector<QByteArray> words;
        for (const QString& word : command) words.push_back(word.toLocal8Bit());
        std::vector<char*> pointers;
        for (QByteArray& word : words) pointers.push_back(word.data());
        pointers.push_back(nullptr);
        const int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, STDOUT_FILENO);
        execv(pointers.front(), pointers.data());
        _exit(127);
    }
    int status = 0;
    rusage used{};
    wait4(child, &status, 0, &used);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    return {seconds(used.ru_utime) + seconds(used.ru_stime), static_cast<double>(used.ru_maxrss) / 1024, status == 0};
}

// Of a straight line through the logarithms.
double slopeOf(const std::vector<int>& runs, const std::vector<Cost>& costs) {
    double meanX = 0, meanY = 0, across = 0, along = 0;
    const auto count = static_cast<double>(runs.size());
    for (std::size_t i = 0; i < runs.size(); ++i) {
        meanX += std::log(runs[i]) / count;
        meanY += std::log(costs[i].seconds) / count;
    }
    for (std::size_t i = 0; i < runs.size(); ++i) {
        across += (std::log(runs[i]) - meanX) * (std::log(costs[i].seconds) - meanY);
        along += (std::log(runs[i]) - meanX) * (std::log(runs[i]) - meanX);
    }
    return across / along;
}

}  // namespace

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QCoreApplication application(argc, argv);
    const QTemporaryDir folder;
    QStringList arguments = QCoreApplication::arguments().mid(1);
    if (arguments.value(0) == QStringLiteral("--open")) {  // what every room needs of a lab
        Workspace workspace({.settingsFile = folder.filePath(QStringLiteral("settings.ini")),
                             .labsFolder = folder.filePath(QStringLiteral("labs")),
                             .dataDir = {},
                             .engine = {}});
        workspace.openLab(arguments.value(1));
        return workspace.runs().runs().empty() ? 1 : 0;
    }
    std::vector<int> sizes;
    for (const QString& argument : arguments) {
        if (argument.toInt() > 0) sizes.push_back(argument.toInt());
    }
    arguments.removeIf([](const QString& argument) { return argument.toInt() > 0; });
    if (sizes.empty()) sizes = {100, 1000, 10000};
    if (arguments.value(0) == QStringLiteral("--write")) {
        for (const int runs : sizes) writeLab(arguments.value(1), runs);
        return 0;
    }
    const QString programs = QCoreApplication::applicationDirPath();
    const QString window = programs + QStringLiteral("/ropelab");
    const QString terminal = programs + QStringLiteral("/ropelab-cli");
    const auto output = [&](const char* name) { return folder.filePath(QLatin1String(name)); };
    std::vector<std::pair<QString, QStringList>> commands = {
        {QStringLiteral("open"),
         {QCoreApplication::applicationFilePath(), QStringLiteral("--open"), QStringLiteral("LAB")}},
        {QStringLiteral("results"),
         {terminal, QStringLiteral("results"), QStringLiteral("--lab"), QStringLiteral("LAB")}},
        {QStringLiteral("export"),
         {terminal, QStringLiteral("export"), QStringLiteral("--format"), QStringLiteral("csv"),
          QStringLiteral("--force"), QStringLiteral("--output"), output("all.csv"), QStringLiteral("--lab"),
          QStringLiteral("LAB")}},
        {QStringLiteral("report"),
         {terminal, QStringLiteral("report"), QStringLiteral("--force"), QStringLiteral("--output"), output("report"),
          QStringLiteral("--lab"), QStringLiteral("LAB")}}};
    for (const char* room : {"train", "results"}) {
        commands.emplace_back(
            QStringLiteral("room-") + QLatin1String(room),
            QStringList{window, QStringLiteral("--screenshot"), output("room.png"), QStringLiteral("--room"),
                        QLatin1String(room), QStringLiteral("--lab"), QStringLiteral("LAB")});
    }
    for (const char* figure : {"validation-loss", "training-loss", "group-means", "improvement", "paired-differences",
                               "loss-by-theta", "loss-by-fraction", "loss-fit", "learning-curves", "spikes",
                               "loss-by-speed", "loss-by-memory", "loss-by-cache", "parallel-coordinates"}) {
        commands.emplace_back(
            QLatin1String(figure),
            QStringList{window, QStringLiteral("--figure"), QLatin1String(figure), QStringLiteral("--output"),
                        output("figure.pdf"), QStringLiteral("--lab"), QStringLiteral("LAB")});
    }
    QTextStream out(stdout);
    std::vector<QString> labs;
    for (const int runs : sizes) labs.push_back(writeLab(folder.path(), runs));
    out << "runs                ";
    for (const int runs : sizes) out << QStringLiteral("%1 s     MB ").arg(runs, 8);
    out << "slope\n";
    for (const auto& [name, command] : commands) {
        if (!arguments.isEmpty() && !arguments.contains(name)) continue;
        std::vector<Cost> costs;
        out << QStringLiteral("%1").arg(name, -20);
        for (const QString& lab : labs) {
            QStringList words = command;
            words.replaceInStrings(QStringLiteral("LAB"), lab);
            costs.push_back(costOf(words));
            out << QStringLiteral("%1 %2 ")
                       .arg(costs.back().seconds, 10, 'f', 2)
                       .arg(costs.back().megabytes, 6, 'f', 0);
            if (!costs.back().succeeded) out << "failed ";
            out.flush();
        }
        out << QStringLiteral("%1\n").arg(slopeOf(sizes, costs), 5, 'f', 2);
        out.flush();
    }
    return 0;
}
