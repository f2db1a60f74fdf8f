#include "ui/animation/animated_gif.h"

#include <gif_lib.h>
#include <gtest/gtest.h>

#include <QBuffer>
#include <QImageReader>
#include <QPainter>
#include <memory>

#include "core/base/error.h"
#include "tests/support/expect_message.h"

namespace ropelab::ui {
namespace {

/// Returns a frame of a square that moves over a grey background.
QImage frame(int at, const QColor& color = QColor(0, 0x72, 0xB2)) {
    QImage image(60, 40, QImage::Format_RGB32);
    image.fill(QColor(240, 240, 240));
    QPainter painter(&image);
    painter.fillRect(at, 10, 8, 8, color);
    return image;
}

QByteArray written(const std::vector<QImage>& frames, double seconds) {
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    AnimatedGif gif(buffer, frames.front().size(), Palette(frames, AnimatedGif::kMaxColors));
    for (const QImage& each : frames) gif.add(each, seconds);
    gif.finish();
    return buffer.data();
}

/// Reads a GIF with giflib.
struct ReadBack {
    explicit ReadBack(const QByteArray& bytes) : source(bytes) {
        const auto read = [](GifFileType* reader, GifByteType* target, int count) {
            auto& rest = *static_cast<QByteArray*>(reader->UserData);
            const auto taken = std::min<qsizetype>(count, rest.size());
            std::copy_n(rest.constData(), taken, target);
            rest.remove(0, taken);
            return static_cast<int>(taken);
        };
        file = DGifOpen(&source, read, nullptr);
        whole = file && DGifSlurp(file) == GIF_OK;
    }
    ~ReadBack() { DGifCloseFile(file, nullptr); }
    ReadBack(const ReadBack&) = delete;
    ReadBack& operator=(const ReadBack&) = delete;

    int delay(int image) const {
        GraphicsControlBlock control;
        return DGifSavedExtensionToGCB(file, image, &control) == GIF_OK ? control.DelayTime : -1;
    }

    QByteArray source;
    GifFileType* file = nullptr;
    bool whole = false;
};

TEST(AnimatedGifTest, FramesSurviveARoundTrip) {
    const std::vector<QImage> frames = {frame(0), frame(20), frame(20), frame(50, QColor(0xD5, 0x5E, 0))};
    QByteArray bytes = written(frames, 0.25);
    QBuffer buffer(&bytes);
    QImageReader reader(&buffer, "gif");
    EXPECT_EQ(reader.imageCount(), 4);
    EXPECT_EQ(reader.size(), QSize(60, 40));
    for (const QImage& each : frames) {
        const QImage read = reader.read();
        ASSERT_FALSE(read.isNull()) << reader.errorString().toStdString();
        EXPECT_EQ(read.convertToFormat(QImage::Format_RGB32), each);
        EXPECT_EQ(reader.nextImageDelay(), 250);
    }
    EXPECT_EQ(reader.loopCount(), -1);  // loops forever
}

TEST(AnimatedGifTest, LaterFramesContainOnlyChangedPixels) {
    const ReadBack gif(written({frame(0), frame(20), frame(20)}, 0.1));
    ASSERT_TRUE(gif.whole);
    ASSERT_EQ(gif.file->ImageCount, 3);
    const GifImageDesc& first = gif.file->SavedImages[0].ImageDesc;
    EXPECT_EQ(QRect(first.Left, first.Top, first.Width, first.Height), QRect(0, 0, 60, 40));
    const GifImageDesc& second = gif.file->SavedImages[1].ImageDesc;
    EXPECT_EQ(QRect(second.Left, second.Top, second.Width, second.Height), QRect(0, 10, 28, 8));
    const GifImageDesc& same = gif.file->SavedImages[2].ImageDesc;
    EXPECT_EQ(same.Width * same.Height, 1);
}

TEST(AnimatedGifTest, DelaysAddUpToTheRequestedDuration) {
    const std::vector<QImage> frames(9, frame(0));
    const ReadBack gif(written(frames, 1.0 / 8));
    ASSERT_TRUE(gif.whole);
    int total = 0;
    for (int i = 0; i < 8; ++i) {
        EXPECT_TRUE(gif.delay(i) == 12 || gif.delay(i) == 13) << gif.delay(i);
        total += gif.delay(i);
    }
    EXPECT_EQ(total, 100);
}

TEST(AnimatedGifTest, AThousandColoursAreApproximated) {
    QImage gradient(256, 64, QImage::Format_RGB32);
    for (int y = 0; y < 64; ++y) {
        for (int x = 0; x < 256; ++x) gradient.setPixel(x, y, qRgb(x, 255 - x, 4 * y));
    }
    QByteArray bytes = written({gradient, gradient.mirrored(true, false)}, 0.5);
    QBuffer buffer(&bytes);
    QImageReader reader(&buffer, "gif");
    for (const QImage& each : {gradient, gradient.mirrored(true, false)}) {
        const QImage read = reader.read();
        double apart = 0;
        for (int y = 0; y < 64; ++y) {
            for (int x = 0; x < 256; ++x) {
                const QRgb a = read.pixel(x, y);
                const QRgb b = each.pixel(x, y);
                apart += std::abs(qRed(a) - qRed(b)) + std::abs(qGreen(a) - qGreen(b)) + std::abs(qBlue(a) - qBlue(b));
            }
        }
        EXPECT_LT(apart / (64 * 256 * 3), 8);
    }
}

/// Device that fails after a number of bytes.
class FullDisk : public QIODevice {
 public:
    explicit FullDisk(qint64 room) : m_room(room) { open(QIODevice::WriteOnly | QIODevice::Unbuffered); }

 protected:
    qint64 readData(char*, qint64) override { return -1; }
    qint64 writeData(const char*, qint64 count) override {
        if (count > m_room) {
            setErrorString(QStringLiteral("No space left on device"));
            return -1;
        }
        m_room -= count;
        return count;
    }

 private:
    qint64 m_room;
};

TEST(AnimatedGifTest, ReportsAFullDevice) {
    const std::vector<QImage> frames = {frame(0), frame(20)};
    const auto size = written(frames, 0.25).size();
    // The device fails at the start, in the palette, in a frame and at the end.
    for (const qint64 room : {qint64{0}, qint64{20}, size / 2, size - 1}) {
        FullDisk disk(room);
        const auto write = [&] {
            AnimatedGif gif(disk, frames.front().size(), Palette(frames, AnimatedGif::kMaxColors));
            for (const QImage& each : frames) gif.add(each, 0.25);
            gif.finish();
        };
        EXPECT_MESSAGE((write(), 0), WriteError, "The GIF file cannot be written: No space left on device.");
    }
}

}  // namespace
}  // namespace ropelab::ui
