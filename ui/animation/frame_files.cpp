#include "ui/animation/frame_files.h"

#include <QDir>
#include <QFileInfo>
#include <QIODevice>
#include <QObject>
#include <QRegularExpression>
#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>
#include <span>
#include <vector>

#include "core/base/error.h"
#include "core/store/output_file.h"
#include "ui/animation/animated_gif.h"
#include "ui/figure/export/export.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr double kAspectRatio = 0.56;  // height divided by width
constexpr double kFrameWidthMm = 200;
constexpr double kMmPerInch = 25.4;
constexpr int kSamples = 12;  // number of frames from which the palette is computed

/// Qt's devices report errors without exceptions, so the exception is stored.
class OutputDevice : public QIODevice {
 public:
    explicit OutputDevice(const QString& path) : m_output(std::filesystem::path(path.toStdU16String())) {
        open(WriteOnly | Unbuffered);
    }
    void commit() { m_output.commit(); }
    void check() const {
        if (m_failure) std::rethrow_exception(m_failure);
    }

 protected:
    qint64 readData(char*, qint64) override { return -1; }
    qint64 writeData(const char* bytes, qint64 count) override {
        try {
            check();
            m_output.write(std::as_bytes(std::span(bytes, static_cast<std::size_t>(count))));
            return count;
        } catch (const std::exception& error) {
            m_failure = std::current_exception();
            setErrorString(QString::fromUtf8(error.what()));
            return -1;
        }
    }

 private:
    OutputFile m_output;
    std::exception_ptr m_failure;
};

bool isAnimation(const QString& output) {
    return is_standard_output(std::filesystem::path(output.toStdU16String())) ||
           QFileInfo(output).suffix().toLower() == "gif"_L1;
}

/// The resolution is one at which text is readable.
ExportOptions frameOptions(const FrameFiles& files) {
    ExportOptions options;
    options.format = QFileInfo(files.output).suffix().toLower() == "svg"_L1 ? FigureFormat::svg : FigureFormat::png;
    options.dpi = std::max(72, static_cast<int>(std::lround(files.width * kMmPerInch / kFrameWidthMm)));
    options.widthMm = files.width * kMmPerInch / options.dpi;
    options.heightMm = files.height() * kMmPerInch / options.dpi;
    options.appearance = files.appearance;
    options.dashes = false;
    return options;
}

int forEachFrame(int count, const std::function<void(int done, int all)>& progress,
                 const std::function<bool()>& cancelled, const std::function<void(int frame)>& write) {
    for (int frame = 0; frame < count; ++frame) {
        if (cancelled()) return frame;
        write(frame);
        progress(frame + 1, count);
    }
    return count;
}

}  // namespace

bool FrameFiles::isAnimated() const {
    return isAnimation(output);
}

int FrameFiles::height() const {
    return static_cast<int>(std::lround(kAspectRatio * width));
}

double FrameFiles::seconds(bool isLast) const {
    return isLast ? std::max(2.0, 1 / framesPerSecond) : 1 / framesPerSecond;
}

QString framePath(const QString& output, int frame) {
    const QString suffix = QFileInfo(output).suffix();
    return u"%1-%2.%3"_s.arg(output.chopped(suffix.size() + 1)).arg(frame, 4, 10, QLatin1Char('0')).arg(suffix);
}

QString whyFramesExist(const QString& output) {
    const QFileInfo file(output);
    if (isAnimation(output)) return {};
    const QRegularExpression frame(
        QRegularExpression::anchoredPattern(QRegularExpression::escape(file.completeBaseName()) + u"-\\d{4,}\\."_s +
                                            QRegularExpression::escape(file.suffix())));
    const QStringList found = file.dir().entryList(QDir::Files).filter(frame);
    if (found.isEmpty()) return {};
    return u"Image files of frames with this name already exist, such as %1; choose another name, or remove these "
           "files."_s.arg(file.dir().filePath(found.first()));
}

void checkFrameSuffix(const QString& output, const char* what) {
    if (isAnimation(output)) return;
    const QString suffix = QFileInfo(output).suffix().toLower();
    if (suffix == "png"_L1 || suffix == "svg"_L1) return;
    throw BadInput("The output of " + std::string(what) +
                   " must end with .gif, .png or .svg, or be - for an animation on standard output, but it is \"" +
                   output.toStdString() + "\".");
}

int writeFrames(const FrameFiles& files, int count, const std::function<Figure(int frame)>& figureOf,
                const std::function<void(int done, int all)>& progress, const std::function<bool()>& cancelled) {
    if (const QString why = whyFramesExist(files.output); !why.isEmpty()) throw BadInput(why.toStdString());
    const ExportOptions options = frameOptions(files);
    if (!files.isAnimated()) {
        return forEachFrame(count, progress, cancelled, [&](int frame) {
            exportFigure(figureOf(frame), options, framePath(files.output, frame + 1));
        });
    }
    OutputDevice file(files.output);
    const auto imageOf = [&](int frame) { return figureImage(figureOf(frame), options); };
    std::vector<QImage> samples;
    const int samplesCount = std::min(count, kSamples);
    for (int i = 0; i < samplesCount && !cancelled(); ++i) {
        samples.push_back(imageOf(samplesCount > 1 ? i * (count - 1) / (samplesCount - 1) : 0));
    }
    if (samples.empty() || cancelled()) return 0;
    const Theme theme = Theme::of(files.appearance);
    Palette palette(samples, AnimatedGif::kMaxColors, {theme.paper, theme.text});
    try {
        AnimatedGif animation(file, samples.front().size(), std::move(palette));
        samples.clear();
        const int written = forEachFrame(count, progress, cancelled, [&](int frame) {
            animation.add(imageOf(frame), files.seconds(frame + 1 == count));
        });
        if (written < count) return 0;  // an existing file with this name is not changed
        animation.finish();
    } catch (const WriteError&) {
        file.check();  // the device knows the name of the output
        throw;
    }
    file.commit();
    return count;
}

}  // namespace ropelab::ui
