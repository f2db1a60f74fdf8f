// Runs through lectures by keyboard, as lecture_run_test.sh starts them in a real window: every step is shown.
// With ROPELAB_PICTURES, each step's picture is saved in that folder.
#include <gtest/gtest.h>

#include <QDir>
#include <QLabel>
#include <QLineEdit>
#include <QRadioButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSet>
#include <QStyleOptionFrame>
#include <algorithm>
#include <array>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/lecture/answer.h"
#include "core/lecture/quantities/quantity.h"
#include "tests/ui/support/drawn_texts.h"
#include "tests/ui/support/workbench.h"
#include "ui/controls/number_slider.h"
#include "ui/lecture/course/course.h"
#include "ui/lecture/lecture_player.h"
#include "ui/lecture/lecture_text.h"
#include "ui/lecture/presentation/presentation.h"
#include "ui/lecture/presentation/presentation_bands.h"
#include "ui/lecture/questions/question_panel.h"
#include "ui/plot/figure_view.h"
#include "ui/shell/room.h"
#include "ui/window/controllers/class_controller.h"
#include "ui/window/controllers/lecture_controller.h"
#include "ui/window/controllers/window_stage.h"
#include "ui/window/frame/stall_meter.h"
#include "ui/window/main_window.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr int kFewestColors = 12;    // of a picture that shows something
constexpr int kShownSteps = 10;      // slowest steps that are printed
constexpr double kFrame = 16;        // milliseconds
constexpr int kTrainingMs = 60'000;  // longest wait for a training without a recorded lab

/// A lecture with the look of its presentation.
struct ShownRun {
    const char* lecture;
    ThemeManager::Choice theme;
    QSize size;
};

const char* themeName(ThemeManager::Choice theme) {
    return theme == ThemeManager::Choice::dark ? "dark" : "light";
}

std::string runName(const ::testing::TestParamInfo<ShownRun>& info) {
    std::string name = std::string(info.param.lecture) + "_" + themeName(info.param.theme) + "_" +
                       std::to_string(info.param.size.width());
    if (info.param.size.height() % 90 != 0) name += "x" + std::to_string(info.param.size.height());
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

/// Work of the window's thread on the way to a step.
struct StepWork {
    std::pair<int, int> place;  // scene and step, from 0
    double milliseconds = 0;
};

class LectureRun : public Workbench, public ::testing::WithParamInterface<ShownRun> {
 protected:
    void SetUp() override {
        Workbench::SetUp();
        window = std::make_unique<MainWindow>(options());
        window->show();
        ASSERT_TRUE(QTest::qWaitForWindowExposed(window.get()));
        QApplication::setActiveWindow(window.get());  // the X server has no window manager that would do this
    }
    void TearDown() override {
        window.reset();
        ThemeManager::instance().setChoice(ThemeManager::Choice::system);
        ThemeManager::instance().setScale(100);
    }
    void press(Qt::Key key) {
        QWidget* focused = QApplication::focusWidget();
        QTest::keyClick(focused ? focused : window.get(), key);
        QApplication::processEvents();
    }
    std::pair<int, int> place() const {
        return {window->lectures().player().scene(), window->lectures().player().step()};
    }
    /// Returns the number of colours of every eighth pixel, and saves the picture if a folder is named.
    qsizetype colorsOfPicture(const QString& name) {
        const QImage picture = window->grab().toImage();
        if (const char* pictures = std::getenv("ROPELAB_PICTURES")) {
            EXPECT_TRUE(picture.save(QDir(QString::fromLocal8Bit(pictures)).filePath(name + QStringLiteral(".png"))));
        }
        QSet<QRgb> colors;
        for (int y = 0; y < picture.height(); y += 8) {
            for (int x = 0; x < picture.width(); x += 8) colors.insert(picture.pixel(x, y));
        }
        return colors.size();
    }

    /// Notes the texts that are shown now. Once the scene asks its question, none of them may contain the answer.
    void keepSecret(const LecturePlayer& player, const QuestionPanel& question, const std::vector<QWidget*>& windows) {
        if (player.step() <= 0) m_shown.clear();
        const LectureStep* step = player.currentStep();
        QStringList now;
        for (const QWidget* each : windows) now += ropelab::testing::shownTexts(*each);
        m_shown.emplace_back(player.step(), now);
        if (!step || !step->ask || question.isRevealed()) return;
        nlohmann::json truth;
        WindowStage& stage = window->windowStage();
        if (!step->ask->quantity.empty()) truth = evaluate_quantity(step->ask->quantity, {stage.setups(), stage.lab()});
        const SecretAnswer secret = secret_of(*step->ask, truth);
        for (const auto& [shown, texts] : m_shown) {
            for (const QString& text : texts) {
                const bool isChoice = std::find(step->ask->choices.begin(), step->ask->choices.end(),
                                                text.toStdString()) != step->ask->choices.end();
                if (isChoice) continue;
                EXPECT_EQ(given_away(secret, text.toStdString()), "")
                    << "scene " << player.scene() + 1 << ", step " << shown + 1 << " shows \"" << text.toStdString()
                    << "\" before the question \"" << step->ask->text << "\"";
            }
        }
    }

    /// What a page of a lecture may never be, whatever its scene shows.
    void checkPage(const std::string& where) {
        WindowStage& stage = window->windowStage();
        const Presentation& show = window->lectures().presentation();
        const QuestionPanel& question = *show.question();
        const QWidget& canvas = *stage.canvas();
        const QWidget& room = window->room();
        const auto place = [&](const QWidget& widget) {
            return QRect(widget.mapTo(&canvas, QPoint(0, 0)), widget.size());
        };
        const bool hasRoom = !show.isPageShown() && !show.isPictureCovered();
        if (question.isVisible() && hasRoom) {
            const bool isPage = place(question).width() == canvas.width();
            EXPECT_EQ(place(question).intersects(place(room)), isPage)
                << where << ": the question lies over a part of the picture";
            EXPECT_TRUE(isPage || !question.question()->hides) << where << ": the question hides the picture";
        } else if (hasRoom) {
            EXPECT_EQ(place(room).width(), canvas.width()) << where << ": the picture is as wide as the page";
        }
        const LecturePlayer& player = window->lectures().player();
        const bool isEnd = show.isPageShown() && show.page()->words().startsWith("The lecture ends here."_L1);
        if (show.isPageShown() && !isEnd && player.currentStep() && !player.currentStep()->say.empty()) {
            EXPECT_EQ(place(*show.page()).intersects(place(*show.foot())), !player.currentScene()->room.empty())
                << where << ": a text covers the sentence only where it closes a scene";
        }
        for (const QString& name : {u"theta"_s, u"fraction"_s, u"context"_s, u"head_dim"_s}) {
            const auto* slider = qobject_cast<NumberSlider*>(window->room().controlWidget(name));
            if (!slider || !slider->isVisible() || window->lectures().player().isGliding()) continue;
            EXPECT_NEAR(slider->value(), stage.control(name), 1e-6 * slider->value())
                << where << ": the field " << name.toStdString() << " does not show the setup of the scene";
        }
        for (const QScrollBar* bar : canvas.findChildren<QScrollBar*>()) {
            const auto* area = qobject_cast<const QScrollArea*>(bar->parentWidget()->parentWidget());
            const bool isOfRoom = area && area->widget() == &room;
            EXPECT_FALSE(isOfRoom && hasRoom && bar->isVisible()) << where << ": the picture is cut";
        }
        for (const QScrollBar* bar : canvas.findChildren<QScrollBar*>()) {
            EXPECT_TRUE(!bar->isVisible() || bar->maximum() > 0) << where << ": a scroll bar of a page that fits";
        }
        if (question.isVisible()) {
            for (const QWidget* text : question.findChildren<QWidget*>()) {
                if (!text->isVisible() || !text->hasHeightForWidth()) continue;
                EXPECT_GE(text->height(), text->heightForWidth(text->width()))
                    << where << ": a text of the question is cut";
            }
        }
        for (const LectureText* text : canvas.findChildren<LectureText*>()) {
            if (!text->isVisible()) continue;
            EXPECT_GE(24 * text->textFont().pixelSize(), canvas.height())
                << where << ": " << text->plainText().toStdString();
            if (question.isVisible() && question.isAncestorOf(text) && place(question).width() == canvas.width() &&
                !question.isRevealed() && !question.coversPicture()) {
                EXPECT_GE(18 * text->textFont().pixelSize(), canvas.height())
                    << where << ": a question on its own page";
            }
        }
        for (const QWidget* text : canvas.findChildren<QWidget*>()) {
            const bool shows = qobject_cast<const QLabel*>(text) || qobject_cast<const QLineEdit*>(text) ||
                               qobject_cast<const QAbstractButton*>(text);
            if (!shows || !text->isVisible() || text->visibleRegion().isEmpty()) continue;
            EXPECT_GE(30 * QFontInfo(text->font()).pixelSize(), canvas.height() - 30)
                << where << ": type of " << text->metaObject()->className() << " "
                << text->accessibleName().toStdString();
        }
        if (question.isVisible() && !question.coversPicture()) {
            std::vector<QRect> places = {place(*question.field())};
            for (const auto* choice : question.findChildren<QRadioButton*>()) places.push_back(place(*choice));
            EXPECT_TRUE(!question.isRevealed() || places == m_places) << where << ": the answer moves the question";
            m_places = places;
        }
        for (const PlotWidget* plot : canvas.findChildren<PlotWidget*>()) {
            if (!plot->isVisible()) continue;
            EXPECT_GE(30 * plot->style().units(plot->style().tickPt) + 1, canvas.height())
                << where << ": type of a figure";
        }
        for (const QLineEdit* field : canvas.findChildren<QLineEdit*>()) {
            if (!field->isVisible() || field->text().isEmpty() || !field->text().front().isDigit()) continue;
            QStyleOptionFrame option;
            option.initFrom(field);
            option.rect = field->rect();
            option.lineWidth = field->style()->pixelMetric(QStyle::PM_DefaultFrameWidth, &option, field);
            const QRect inside = field->style()->subElementRect(QStyle::SE_LineEditContents, &option, field);
            const QMargins margins = field->textMargins() + QMargins(1, 0, 1, 0);
            EXPECT_LE(field->fontMetrics().horizontalAdvance(field->text()),
                      inside.width() - margins.left() - margins.right())
                << where << ": the number " << field->text().toStdString() << " is cut";
        }
    }
    /// The axes stay as they are while values glide.
    void checkGlide(const std::string& where) {
        LecturePlayer& player = window->lectures().player();
        if (!player.isGliding()) return;
        const auto axes = [this] {
            window->room().refreshNow();
            std::map<const FigureView*, std::array<double, 4>> result;
            for (const FigureView* view : window->room().findChildren<FigureView*>()) {
                const Figure& figure = view->figure();
                if (!view->isVisible() || figure.curves.empty() || figure.map || figure.drawing) continue;
                const Range x = xRange(figure);
                const Range y = yRange(figure);
                result[view] = {x.minimum, x.maximum, y.minimum, y.maximum};
            }
            return result;
        };
        const auto before = axes();
        for (const double seconds : {0.7, 2.1, 4.9}) {
            player.glideTo(seconds);
            EXPECT_EQ(axes(), before) << where << " after " << seconds << " s";
        }
    }

    /// Shows the recorded lab of each scene that has one, so that nothing trains there.
    void showRecordings() {
        Lecture recorded = window->lectures().player().lecture();
        for (LectureScene& scene : recorded.scenes) {
            if (!scene.lab.empty()) scene.live.reset();
        }
        window->lectures().player().setLecture(std::move(recorded));
    }
    /// Waits for the training of a scene without a recorded lab.
    void waitForTraining() {
        EXPECT_TRUE(waitUntil([this] { return !window->workspace().session().isActive(); }, kTrainingMs));
    }
    /// Prints the longest work of the window's thread and the steps that take longer than a frame: those that begin a
    /// scene, which load its room, and the others.
    static void print(std::vector<StepWork> works) {
        std::sort(works.begin(), works.end(),
                  [](const StepWork& a, const StepWork& b) { return a.milliseconds > b.milliseconds; });
        std::cout << "longest work of the window's thread: " << (works.empty() ? 0 : works.front().milliseconds)
                  << " ms\n";
        for (const bool begins : {true, false}) {
            int slow = 0;
            for (const StepWork& work : works) {
                if ((work.place.second < 0) != begins || work.milliseconds <= kFrame) continue;
                if (++slow > kShownSteps) continue;
                std::cout << "  scene " << work.place.first + 1 << ", step " << work.place.second + 1 << ": "
                          << work.milliseconds << " ms\n";
            }
            std::cout << slow << (begins ? " beginnings of scenes" : " other steps") << " above " << kFrame << " ms\n";
        }
    }

    std::unique_ptr<MainWindow> window;

 private:
    std::vector<std::pair<int, QStringList>> m_shown;  // step and texts of the scene so far
    std::vector<QRect> m_places;                       // of the choices of the last question
};

TEST_P(LectureRun, EveryStepIsShownByKeyboard) {
    const ShownRun& run = GetParam();
    ThemeManager::instance().setChoice(run.theme);
    window->windowStage().setUsesFullScreen(false);
    window->setMinimumSize(1, 1);
    window->resize(run.size);
    window->lectures().open(QString::fromLatin1(run.lecture));
    showRecordings();
    press(Qt::Key_F5);
    ASSERT_TRUE(window->lectures().presentation().isActive());
    press(Qt::Key_Home);

    const LecturePlayer& player = window->lectures().player();
    std::vector<std::pair<int, int>> expected = {{-1, -1}};
    for (int scene = 0; scene < static_cast<int>(player.lecture().scenes.size()); ++scene) {
        const auto steps = static_cast<int>(player.lecture().scenes[static_cast<std::size_t>(scene)].steps.size());
        for (int step = steps == 0 ? -1 : 0; step < steps; ++step) expected.emplace_back(scene, step);
    }
    StallMeter meter;
    std::vector<StepWork> works;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_EQ(place(), expected[i]);
        const std::string where =
            "scene " + std::to_string(place().first + 1) + ", step " + std::to_string(place().second + 1);
        checkGlide(where);
        window->lectures().player().finishGlides();
        waitForTraining();
        window->room().refreshNow();
        QTest::qWait(std::getenv("ROPELAB_PICTURES") ? 400 : 20);  // for what a class sees
        const QString name = QStringLiteral("%1-%2-%3")
                                 .arg(QLatin1String(run.lecture), QLatin1String(themeName(run.theme)))
                                 .arg(static_cast<int>(i), 3, 10, QLatin1Char('0'));
        EXPECT_GE(colorsOfPicture(name), kFewestColors) << name.toStdString();
        checkPage(where);
        keepSecret(player, *window->lectures().presentation().question(), {window.get()});
        meter.restart();
        press(Qt::Key_PageDown);
        // The first key at a question reveals the answer, once the figure that shows it is computed.
        const int most = i + 1 < expected.size() ? 100 : 3;
        for (int more = 0; more < most && place() == expected[i]; ++more) {
            QTest::qWait(more == 0 ? 0 : 50);
            // A key that is pressed while the answer is computed is kept for afterwards.
            const auto* question = window->lectures().presentation().question();
            ASSERT_TRUE(QTest::qWaitFor([question] { return !question->isWaiting(); }, 120000)) << where;
            QTest::qWait(std::getenv("ROPELAB_PICTURES") ? 400 : 0);
            checkPage(where + ", after the answer");
            colorsOfPicture(name + QStringLiteral("-%1").arg(more));
            press(Qt::Key_PageDown);
        }
        QTest::qWait(20);
        meter.stop();
        works.push_back({place(), meter.longestWork()});
    }
    EXPECT_EQ(place(), expected.back()) << "the lecture ends at its last step";
    std::cout << run.lecture << ", " << themeName(run.theme) << ", " << run.size.width() << " x " << run.size.height()
              << ": " << expected.size() << " places\n";
    print(std::move(works));
    press(Qt::Key_Escape);
    EXPECT_FALSE(window->lectures().presentation().isActive());
}

class CourseRun : public LectureRun {};

TEST_P(CourseRun, KeepsItsAnswers) {
    const ShownRun& run = GetParam();
    window->resize(run.size);
    window->classes().showCourse();
    Course& course = window->classes().course();
    const LecturePlayer& player = course.player();
    int lecture = -1;
    for (const ShippedLecture& each : shipped_lectures()) {
        ++lecture;
        if (each.name == run.lecture) break;
    }
    course.goTo(lecture, 0);
    int questions = 0;
    for (std::size_t scene = 0; scene < player.lecture().scenes.size(); ++scene) {
        const auto steps = static_cast<int>(player.lecture().scenes[scene].steps.size());
        for (int step = steps == 0 ? -1 : 0; step < steps; ++step) {
            course.goTo(lecture, static_cast<int>(scene), step);
            waitForTraining();
            window->room().refreshNow();
            QTest::qWait(20);
            if (course.questions().hasQuestion()) ++questions;
            if (const char* pictures = std::getenv("ROPELAB_PICTURES")) {
                const QString name =
                    QStringLiteral("course-%1-%2-%3").arg(QLatin1String(run.lecture)).arg(scene).arg(step);
                const QDir pictureFolder(QString::fromLocal8Bit(pictures));
                window->grab().save(pictureFolder.filePath(name + QStringLiteral("-window.png")));
            }
            keepSecret(player, course.questions(), {window.get()});
        }
    }
    EXPECT_GT(questions, 8);
}

constexpr QSize kSmallProjector{1280, 720};
constexpr QSize kLargeProjector{1920, 1080};
constexpr QSize kBelowTitleBar{1280, 712};  // a window of 1280 x 720 with a title bar

INSTANTIATE_TEST_SUITE_P(Lectures, LectureRun,
                         ::testing::Values(ShownRun{"clocks", ThemeManager::Choice::light, kSmallProjector},
                                           ShownRun{"clocks", ThemeManager::Choice::dark, kSmallProjector},
                                           ShownRun{"clocks", ThemeManager::Choice::light, kLargeProjector},
                                           ShownRun{"theta-and-fraction", ThemeManager::Choice::light, kLargeProjector},
                                           ShownRun{"theta-and-fraction", ThemeManager::Choice::light, kBelowTitleBar},
                                           ShownRun{"two-papers", ThemeManager::Choice::light, kLargeProjector},
                                           ShownRun{"two-papers", ThemeManager::Choice::dark, kSmallProjector},
                                           ShownRun{"model-family", ThemeManager::Choice::light, kLargeProjector},
                                           ShownRun{"model-family", ThemeManager::Choice::light, kSmallProjector}),
                         runName);
// What a course shows of its answers depends on neither size nor colours.
INSTANTIATE_TEST_SUITE_P(Lectures, CourseRun,
                         ::testing::Values(ShownRun{"clocks", ThemeManager::Choice::light, kSmallProjector},
                                           ShownRun{"theta-and-fraction", ThemeManager::Choice::light, kLargeProjector},
                                           ShownRun{"two-papers", ThemeManager::Choice::light, kLargeProjector},
                                           ShownRun{"model-family", ThemeManager::Choice::light, kSmallProjector}),
                         runName);

}  // namespace
}  // namespace ropelab::ui
