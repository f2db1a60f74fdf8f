#include "ui/shell/notices/empty_page.h"

#include <QFrame>
#include <QImageReader>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>
#include <functional>
#include <utility>

#include "ui/common/latest_job.h"
#include "ui/common/scaled.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

// The part of a picture of the window that shows the page: without menus, list of pages, panel and status bar. Its
// buttons are faded, so that nobody takes them for real ones.
constexpr QRectF kStage(0.103, 0.035, 0.648, 0.92);
constexpr double kFaded = 0.6;

/// A picture of the guide, as large as there is space for it. Only its scaled stage is kept: the whole one takes 16 MB
/// and 50 ms to read.
class ExamplePicture : public QWidget {
 public:
    ExamplePicture(QString name, QWidget* parent) : QWidget(parent), m_name(std::move(name)), m_reading(this) {
        m_reading.setObjectName("picture"_L1);  // a screenshot waits for it
        setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Expanding);
        setAccessibleName(u"Picture of this page with example data"_s);
        setToolTip(u"The picture is an example of what this page shows when there are runs."_s);
    }

 protected:
    void paintEvent(QPaintEvent* /*event*/) override {
        // A lecture would show its class the runs of another lab.
        if (window()->property("lecture").toBool()) return;
        const Theme& theme = ThemeManager::instance().theme();
        const QString suffix = theme.appearance == Appearance::dark ? u"-dark"_s : QString();
        const QString file = u":/docs/images/%1%2.png"_s.arg(m_name, suffix);
        const QSize whole = QImageReader(file).size();  // of its header
        const QRectF part(whole.width() * kStage.x(), whole.height() * kStage.y(), whole.width() * kStage.width(),
                          whole.height() * kStage.height());
        const double most = ThemeManager::instance().px(720);
        QPainter painter(this);
        painter.setRenderHint(QPainter::SmoothPixmapTransform);
        const QString stamp = u"Example"_s;
        QFont font = painter.font();
        font.setWeight(QFont::DemiBold);
        painter.setFont(font);
        const double edge = ThemeManager::instance().px(8);
        const QSizeF badge(painter.fontMetrics().horizontalAdvance(stamp) + 2 * edge,
                           painter.fontMetrics().height() + edge);
        // Below the badge, which would cover the headline in the picture.
        const double highest = height() - badge.height();
        const QSizeF size = part.size().scaled(QSizeF(std::min<double>(width(), most), highest), Qt::KeepAspectRatio);
        const QRectF place(QPointF((width() - size.width()) / 2, badge.height() + (highest - size.height()) / 2), size);
        read(file, part.toRect(), (size * devicePixelRatioF()).toSize());
        painter.setOpacity(kFaded);
        if (!m_picture.isNull()) painter.drawPixmap(place, m_picture, m_picture.rect());
        painter.setOpacity(1);
        const QRectF box(place.topRight() - QPointF(badge.width(), badge.height()), badge);
        painter.fillRect(box, theme.accent);
        painter.setPen(theme.accentText);
        painter.drawText(box, Qt::AlignCenter, stamp);
        painter.setPen(theme.hairline);
        painter.drawRect(place.adjusted(0.5, 0.5, -0.5, -0.5));
    }

 private:
    void read(const QString& file, const QRect& part, const QSize& pixels) {
        if (file == m_file && pixels == m_pixels) return;
        if (file != m_file) m_picture = {};  // of another theme
        m_file = file;
        m_pixels = pixels;
        m_reading.start([this, file, part, pixels](const Cancelled& cancelled) -> std::function<void()> {
            const QImage whole = cancelled() ? QImage() : QImage(file);
            if (cancelled()) return [] {};
            const QImage scaled = whole.copy(part).scaled(pixels, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
            return [this, scaled] {
                m_picture = QPixmap::fromImage(scaled);
                update();
            };
        });
    }

    QString m_name;
    QString m_file;
    QSize m_pixels;     // of the stage, as it was read last
    QPixmap m_picture;  // one of another size is shown until the next is read
    LatestJob m_reading;
};

}  // namespace

EmptyPage makeEmptyPage(const QString& title, const QString& text, const QString& picture, QWidget* parent) {
    auto* page = new QFrame(parent);
    page->setProperty("paper", true);
    auto* column = scaledColumn(page, 16, {48, 24, 48, 24});
    column->addStretch(1);
    column->addWidget(new ExamplePicture(picture, page), 20);
    auto* heading = new QLabel(title, page);
    heading->setProperty("roomTitle", true);
    auto* body = new QLabel(text, page);
    for (QLabel* label : {heading, body}) {
        label->setAlignment(Qt::AlignCenter);
        label->setWordWrap(true);
        column->addWidget(label);
    }
    auto* button = new QPushButton(u"Open page Train"_s, page);
    button->setProperty("primary", true);
    button->setFocusPolicy(Qt::TabFocus);
    scaleWidth(button, 160);
    column->addWidget(button, 0, Qt::AlignCenter);
    column->addStretch(1);
    return {page, body, button};
}

}  // namespace ropelab::ui
