#pragma once

#include <QStringList>
#include <QWidget>
#include <utility>
#include <vector>

#include "ui/lecture/stage.h"
#include "ui/shell/room.h"

namespace ropelab::ui {

/// Room without content for tests of questions.
class EmptyRoom : public Room {
 public:
    QWidget* panel(QWidget* /*parent*/ = nullptr) override { return nullptr; }
    Figure figure() override { return {}; }
    bool isBusy() const override { return busy; }
    void refreshNow() override {}

    bool busy = false;
};

/// Stage for tests: it stores what a lecture sets and shows the figures that the test puts on it.
class QuestionStage : public LectureStage {
 public:
    void showRoom(const QString& name, const QString& part) override { shown << name + QLatin1Char('/') + part; }
    Room& room() override { return emptyRoom; }
    ComparedSetups setups() override { return current; }
    void setSetups(const ComparedSetups& setups) override { current = setups; }
    double control(const QString&) override { return 0; }
    void setControl(const QString& key, const QString& value) override { controls << key + QLatin1Char('=') + value; }
    void showLab(const QString& path) override { lab_path = path; }
    void startTraining(const LectureTraining&) override {}
    void showControls(const QStringList& names, bool all) override {
        visible = names;
        showsAll = all;
    }
    void pointAt(const QString& what) override { pointed = what; }
    std::vector<Figure> figures() override { return shownFigures; }
    std::vector<Figure> figuresSoFar() override { return unfinishedFigures; }
    void setPresenting(bool, bool) override {}
    QWidget* canvas() override { return &window; }

    QWidget window;
    EmptyRoom emptyRoom;
    ComparedSetups current;
    QStringList shown;
    QStringList controls;
    QStringList visible;
    bool showsAll = true;
    QString pointed;
    QString lab_path;
    std::vector<Figure> shownFigures;
    std::vector<Figure> unfinishedFigures;
};

}  // namespace ropelab::ui
