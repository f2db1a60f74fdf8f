// The mode --document: handouts and slides of lectures, whose pictures come from the rooms of a window without a
// display.
#include <QCoreApplication>
#include <QDir>
#include <QEventLoop>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTextStream>
#include <QTimer>
#include <csignal>

#include "core/base/error.h"
#include "core/lecture/lecture.h"
#include "core/store/output_file.h"
#include "ui/common/format.h"
#include "ui/common/paths.h"
#include "ui/lecture/documents/shown_lecture.h"
#include "ui/lecture/documents/slides.h"
#include "ui/shell/room.h"
#include "ui/window/batch/batch_modes.h"
#include "ui/window/batch/standard_output.h"
#include "ui/window/controllers/window_stage.h"
#include "ui/window/main_window.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr QSize kDocumentWindow{1600, 1000};
constexpr int kDocumentDrawnMs = 60;  // a room begins to draw its figures within this time

volatile std::sig_atomic_t documentStopped = 0;

void settleRoom(MainWindow& window) {
    QEventLoop loop;
    QTimer::singleShot(kDocumentDrawnMs, &loop, &QEventLoop::quit);
    loop.exec();
    waitUntilDone(window.room());
    window.room().refreshNow();
    QCoreApplication::processEvents();
    waitUntilDone(window.room());
}

/// For the window, which starts this program to export a document.
bool printStep(QTextStream& err, int done, int all) {
    err << "step " << done << " of " << all << '\n';
    err.flush();
    return documentStopped == 0 && err.status() == QTextStream::Ok;
}

std::string_view viewOf(const QByteArray& bytes) {
    return {bytes.constData(), static_cast<std::size_t>(bytes.size())};
}

struct WrittenDocument {
    QStringList files;
    int pages = 0;
};

WrittenDocument writeSlideFiles(const LectureDocumentJob& job, const ShownLecture& shown,
                                const std::vector<LectureSlide>& slides) {
    WrittenDocument written;
    const QString suffix = job.format == LectureDocumentJob::Format::svg ? u"svg"_s : u"png"_s;
    for (std::size_t i = 0; i < slides.size(); ++i) {
        const QString name = u"slide-%1.%2"_s.arg(i + 1, 3, 10, QLatin1Char('0')).arg(suffix);
        written.files << QDir(job.output).filePath(name);
        write_output(toPath(written.files.last()),
                     viewOf(slideBytes(slides[i], shown, job.format, job.appearance(), job.width)));
    }
    written.pages = static_cast<int>(slides.size());
    return written;
}

WrittenDocument writeDocument(const LectureDocumentJob& job, const ShownLecture& shown) {
    PagedPdf document;
    if (job.kind == LectureDocumentJob::Kind::handout) {
        document = handoutPdf(shown, job.paper, job.hasAnswers);
    } else {
        std::vector<LectureSlide> slides = slidesOf(shown, job.hasAnswers);
        if (job.format != LectureDocumentJob::Format::html) slides = withAnswerSlides(slides);
        if (job.isFolder()) return writeSlideFiles(job, shown, slides);
        if (job.format == LectureDocumentJob::Format::html) {
            document = {slidesHtml(slides, shown, job.colors), static_cast<int>(slides.size())};
        } else {
            document = slidesPdf(slides, shown, job.appearance());
        }
    }
    write_output(toPath(job.output), viewOf(document.bytes));
    return {{job.output}, document.pages};
}

/// As JSON, or as messages; returns the exit status.
int reportCheck(const LaunchOptions& options, const ShownLecture& shown) {
    if (options.asJson) {
        QJsonArray curves;
        for (const DrawnQuestion& question : shown.drawn) {
            curves.append(
                QJsonObject{{"scene", question.scene}, {"line", question.line}, {"problem", question.problem}});
        }
        print(QString::fromUtf8(QJsonDocument(QJsonObject{{"curves", curves}}).toJson()));
        return 0;
    }
    int status = 0;
    for (const DrawnQuestion& question : shown.drawn) {
        if (question.problem.isEmpty()) continue;
        QTextStream(stderr) << "ropelab: " << options.document.lecture << ", line " << question.line << ": "
                            << question.problem << '\n';
        status = 1;
    }
    return status;
}

void makeFolder(const LectureDocumentJob& job) {
    if (!job.isFolder() || QDir().mkpath(job.output)) return;
    throw BadInput("The folder " + job.output.toStdString() + " cannot be created" +
                   (QFileInfo(job.output).isFile() ? ", because a file has this name." : "."));
}

void reportDocument(const LaunchOptions& options, const ShownLecture& shown, const WrittenDocument& written) {
    if (options.asJson) {
        const QJsonObject result{{"lecture", QString::fromStdString(shown.lecture.title)},
                                 {"scenes", static_cast<qint64>(shown.scenes.size())},
                                 {"pages", written.pages},
                                 {"files", QJsonArray::fromStringList(written.files)},
                                 {"problems", QJsonArray::fromStringList(shown.problems)}};
        return print(QString::fromUtf8(QJsonDocument(result).toJson()));
    }
    if (is_standard_output(toPath(options.document.output))) return;
    const QString files = written.files.size() < 2 ? written.files.value(0)
                                                   : u"%1 to %2"_s.arg(written.files.first(), written.files.last());
    print(u"Written: %1 (%2)\n"_s.arg(files, countText(written.pages, u"page"_s)));
}

}  // namespace

int writeLectureDocument(const LaunchOptions& options, Runner::EngineSource engine) {
    const LectureDocumentJob& job = options.document;
    const bool isCheck = job.kind == LectureDocumentJob::Kind::check;
    Lecture lecture = load_lecture(toPath(job.lecture));
    if (isCheck) std::erase_if(lecture.scenes, [](const LectureScene& scene) { return !asks_for_curve(scene); });
    makeFolder(job);
    documentStopped = 0;
    for (const int signal : {SIGINT, SIGTERM}) {
        std::signal(signal, [](int received) {
            documentStopped = 1;
            std::signal(received, SIG_DFL);  // a second one ends the program
        });
    }
    QTextStream err(stderr);
    const QTemporaryDir folder;
    MainWindow window(temporaryOptions(folder, options, std::move(engine)));
    window.resize(kDocumentWindow);
    window.show();
    QStringList problems;
    QObject::connect(&window.windowStage(), &WindowStage::problem, &window,
                     [&problems](const QString& sentence) { problems << sentence; });
    auto shown = showLecture(
        window.windowStage(), lecture, [&window] { settleRoom(window); },
        [&err](int done, int all) { return printStep(err, done, all); });
    if (!shown) {
        err << "ropelab: the export of the lecture was stopped.\n";
        return 1;
    }
    if (isCheck) return reportCheck(options, *shown);
    shown->problems += problems;
    reportDocument(options, *shown, writeDocument(job, *shown));
    for (const QString& note : std::as_const(shown->notes)) err << "ropelab: " << note << '\n';
    for (const QString& problem : std::as_const(shown->problems)) err << "ropelab: " << problem << '\n';
    return shown->problems.isEmpty() ? 0 : 1;
}

}  // namespace ropelab::ui
