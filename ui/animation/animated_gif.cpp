#include "ui/animation/animated_gif.h"

#include <gif_lib.h>

#include <QIODevice>
#include <QRect>
#include <algorithm>
#include <bit>
#include <cmath>

#include "core/base/error.h"
#include "ui/figure/export/export.h"

namespace ropelab::ui {
namespace {

/// One pixel if nothing changed.
QRect changeOf(const std::vector<std::uint8_t>& before, const std::vector<std::uint8_t>& now, const QSize& size) {
    const auto width = static_cast<std::size_t>(size.width());
    int top = size.height();
    int bottom = -1;
    int left = size.width();
    int right = -1;
    for (int y = 0; y < size.height(); ++y) {
        const auto row = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(y) * width);
        const auto first = now.begin() + row;
        const auto last = first + static_cast<std::ptrdiff_t>(width);
        const auto differs = std::mismatch(first, last, before.begin() + row);
        if (differs.first == last) continue;
        top = std::min(top, y);
        bottom = y;
        left = std::min(left, static_cast<int>(differs.first - first));
        for (int x = size.width() - 1; x > right; --x) {
            if (first[x] != before[static_cast<std::size_t>(row + x)]) right = x;
        }
    }
    return bottom < 0 ? QRect(0, 0, 1, 1) : QRect(QPoint(left, top), QPoint(right, bottom));
}

}  // namespace

struct AnimatedGif::Encoder {
    QIODevice& device;
    GifFileType* file = nullptr;
    bool failed = false;  // stored here because giflib does not report every write error

    explicit Encoder(QIODevice& target) : device(target) {}
    ~Encoder() {
        if (file) EGifCloseFile(file, nullptr);
    }
    Encoder(const Encoder&) = delete;
    Encoder& operator=(const Encoder&) = delete;

    static int write(GifFileType* file, const GifByteType* bytes, int count) {
        auto* self = static_cast<Encoder*>(file->UserData);
        if (!self->failed) self->failed = self->device.write(reinterpret_cast<const char*>(bytes), count) != count;
        return self->failed ? 0 : count;
    }
};

AnimatedGif::AnimatedGif(QIODevice& device, QSize size, Palette palette)
    : m_size(size), m_palette(std::move(palette)), m_encoder(std::make_unique<Encoder>(device)) {
    m_encoder->file = EGifOpen(m_encoder.get(), Encoder::write, nullptr);
    check(m_encoder->file ? GIF_OK : GIF_ERROR);
    GifFileType* file = m_encoder->file;
    EGifSetGifVersion(file, true);
    const auto count = m_palette.colors().size() + 1;
    const std::unique_ptr<ColorMapObject, decltype(&GifFreeMapObject)> map(
        GifMakeMapObject(static_cast<int>(std::bit_ceil(std::max<std::size_t>(count, 2))), nullptr), GifFreeMapObject);
    check(map ? GIF_OK : GIF_ERROR);
    for (std::size_t i = 0; i + 1 < count; ++i) {
        const QRgb color = m_palette.colors()[i];
        map->Colors[i] = {static_cast<GifByteType>(qRed(color)), static_cast<GifByteType>(qGreen(color)),
                          static_cast<GifByteType>(qBlue(color))};
    }
    check(EGifPutScreenDesc(file, size.width(), size.height(), 8, 0, map.get()));
    const unsigned char loopForever[] = {1, 0, 0};
    check(EGifPutExtensionLeader(file, APPLICATION_EXT_FUNC_CODE));
    check(EGifPutExtensionBlock(file, 11, "NETSCAPE2.0"));
    check(EGifPutExtensionBlock(file, 3, loopForever));
    check(EGifPutExtensionTrailer(file));
}

AnimatedGif::~AnimatedGif() = default;

void AnimatedGif::check(int result) const {
    if (result == GIF_OK && !m_encoder->failed) return;
    throw WriteError("The GIF file cannot be written: " + writeErrorText(m_encoder->device).toStdString() + ".");
}

void AnimatedGif::add(const QImage& frame, double seconds) {
    const std::vector<std::uint8_t> now = m_palette.indicesOf(frame);
    const auto unchanged = static_cast<GifPixelType>(m_palette.colors().size());
    const bool first = m_before.empty();
    const QRect change = first ? QRect(QPoint(0, 0), m_size) : changeOf(m_before, now, m_size);
    m_due += 100 * seconds;
    const std::int64_t delay = std::clamp<std::int64_t>(std::llround(m_due) - m_written, 0, 65535);
    m_written += delay;

    GifFileType* file = m_encoder->file;
    const GraphicsControlBlock control{DISPOSE_DO_NOT, false, static_cast<int>(delay),
                                       first ? NO_TRANSPARENT_COLOR : unchanged};
    GifByteType bytes[4];
    const auto size = static_cast<int>(EGifGCBToExtension(&control, bytes));
    check(EGifPutExtension(file, GRAPHICS_EXT_FUNC_CODE, size, bytes));
    check(EGifPutImageDesc(file, change.left(), change.top(), change.width(), change.height(), false, nullptr));
    std::vector<GifPixelType> line(static_cast<std::size_t>(change.width()));
    for (int y = change.top(); y <= change.bottom(); ++y) {
        for (int x = change.left(); x <= change.right(); ++x) {
            const auto place =
                static_cast<std::size_t>(y) * static_cast<std::size_t>(m_size.width()) + static_cast<std::size_t>(x);
            const bool same = !first && now[place] == m_before[place];
            line[static_cast<std::size_t>(x - change.left())] = same ? unchanged : now[place];
        }
        check(EGifPutLine(file, line.data(), change.width()));
    }
    m_before = now;
}

void AnimatedGif::finish() {
    check(EGifCloseFile(std::exchange(m_encoder->file, nullptr), nullptr));
}

}  // namespace ropelab::ui
