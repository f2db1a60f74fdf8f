#pragma once

#include <QFont>
#include <QFrame>
#include <QStringList>
#include <QTimer>
#include <tuple>

#include "ui/lecture/lecture_formulas.h"
#include "ui/lecture/stage.h"

class QLabel;
class QScrollArea;

namespace ropelab::ui {

class LectureText;

/// Title of the scene, the question that stays in the corner, and where the runs come from.
class PresentationHead : public QFrame {
    Q_OBJECT

 public:
    explicit PresentationHead(QWidget* parent);

    void setFormulas(const LectureFormulas& formulas);
    void setTextSize(int pixels);
    void showScene(const QString& title, const QString& question);
    /// The mark "live" or "recorded", or none for the user's own runs; "computing …" without runs.
    void showRuns(LectureStage::Runs runs, const QString& progress);
    /// Typed text of a jump; "" for nothing.
    void showTyped(const QString& typed);
    /// In place of the title for some seconds.
    void say(const QString& sentence);

    QString title() const;
    QString question() const;
    QString mark() const;
    QString typed() const;
    QString said() const;

 private:
    QLabel* m_title;
    LectureText* m_question;
    QLabel* m_mark;
    QLabel* m_typed;
    QLabel* m_notice;
    QTimer m_noticeEnd;
};

class PresentationFoot : public QFrame {
    Q_OBJECT

 public:
    explicit PresentationFoot(QWidget* parent);

    void setFormulas(const LectureFormulas& formulas);
    void setTextSize(int pixels);
    void showSentence(const QString& markdown);
    QString sentence() const;
    /// Height of the highest of these sentences, so that the picture keeps its size during a scene.
    int heightFor(const QStringList& sentences, int width) const;

 private:
    LectureText* m_text;
    mutable std::tuple<QStringList, int, QFont> m_measured;  // sentences, width and font of the last height
    mutable int m_height = 0;
};

/// Text in large type over the picture: the title page, scenes without a room, and the text of a scene.
class PresentationPage : public QFrame {
    Q_OBJECT

 public:
    explicit PresentationPage(QWidget* parent);

    void setFormulas(const LectureFormulas& formulas);
    /// A text that has space for it is larger if it `grows`.
    void setTextSize(int pixels, bool grows);
    void showText(const QString& title, const QString& markdown);
    QString title() const;
    QString words() const;
    void scroll(double pages);
    /// Call after a change of text or size. A short text stands in the middle; a long one scrolls.
    void fit();
    bool eventFilter(QObject* watched, QEvent* event) override;

 private:
    QLabel* m_title;
    LectureText* m_text;
    QScrollArea* m_area;
    int m_pixels = 0;
    bool m_grows = false;
    std::tuple<QString, QSize, int, bool> m_fitted;  // text and size for which fit() was called
};

}  // namespace ropelab::ui
