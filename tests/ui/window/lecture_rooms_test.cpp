// The table of rooms and parts that lectures can name agrees with the rooms of the window.
#include "core/lecture/lecture_rooms.h"

#include <QAbstractButton>
#include <QAbstractSpinBox>
#include <QButtonGroup>
#include <QComboBox>
#include <QPointer>
#include <QSet>
#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "tests/ui/support/workbench.h"
#include "ui/common/text.h"
#include "ui/controls/fields.h"
#include "ui/controls/number_slider.h"
#include "ui/plot/figure_view.h"
#include "ui/rooms/memory/memory_room.h"
#include "ui/session/settings.h"
#include "ui/session/workspace.h"
#include "ui/shell/room.h"
#include "ui/window/controllers/window_stage.h"
#include "ui/window/frame/rooms.h"
#include "ui/window/main_window.h"

namespace ropelab::ui {
namespace {

class LectureRoomsTest : public Workbench {};

/// Returns the parts that a room lists when a part does not exist.
QStringList partsOf(Room& room) {
    try {
        room.showPart(QStringLiteral("no such part"));
    } catch (const BadInput& error) {
        const QString message = QString::fromUtf8(error.what());
        for (const QString& before : {QStringLiteral("its parts are "), QStringLiteral("its only part is ")}) {
            const auto found = message.indexOf(before);
            if (found >= 0) return message.mid(found + before.size()).chopped(1).split(QStringLiteral(", "));
        }
    }
    return {};
}

TEST_F(LectureRoomsTest, NameTheRoomsOfTheWindow) {
    ASSERT_EQ(lecture_rooms().size(), rooms().size());
    for (std::size_t i = 0; i < rooms().size(); ++i) EXPECT_EQ(lecture_rooms()[i].name, rooms()[i].id);
}

TEST_F(LectureRoomsTest, EveryPartCanBeShown) {
    MainWindow window(options());
    window.resize(1280, 800);
    window.show();
    for (const LectureRoom& room : lecture_rooms()) {
        window.showRoom(QString::fromUtf8(room.name.data(), static_cast<qsizetype>(room.name.size())));
        QStringList known;
        for (const std::string_view part : room.parts) {
            known << QString::fromUtf8(part.data(), static_cast<qsizetype>(part.size()));
            EXPECT_NO_THROW(window.room().showPart(known.last())) << room.name << "/" << part;
        }
        for (const QString& part : partsOf(window.room())) {
            EXPECT_TRUE(known.contains(part)) << room.name << "/" << part.toStdString() << " is missing";
        }
    }
}

// The controls of Inspect depend on the runs of a lab; control_check.cpp knows their values.
TEST_F(LectureRoomsTest, ControlsHaveTheValuesOfTheTable) {
    MainWindow window(options());
    window.show();
    for (const LectureRoom& room : lecture_rooms()) {
        if (room.name == "inspect") continue;
        window.showRoom(text(room.name));
        for (const RoomControl& control : window.room().controls()) {
            EXPECT_TRUE(std::any_of(room.controls.begin(), room.controls.end(),
                                    [&](const auto& each) { return text(each.name) == control.name; }))
                << room.name << ": a lecture cannot name " << control.name.toStdString();
        }
        for (const auto& [name, words, range] : room.controls) {
            const auto set = [&window, control = text(name)](const QString& value) {
                window.room().setControl(control, value);
            };
            for (const std::string_view word : words) {
                EXPECT_NO_THROW(set(text(word))) << room.name << " " << name << " " << word;
            }
            if (words.empty() && !range) continue;
            EXPECT_THROW(set("no such word"), BadInput) << room.name << " " << name;
            if (!range) continue;
            const auto [least, most] = *range;
            for (const double value : {least, most}) {
                EXPECT_NO_THROW(set(QString::number(value, 'f', 0))) << room.name << " " << name << " " << value;
            }
            for (const double value : {least - 1, most + 1}) {
                EXPECT_THROW(set(QString::number(value, 'f', 0)), BadInput) << room.name << " " << name << " " << value;
            }
        }
    }
}

/// Changes what the user could change; false if there is nothing else to choose.
bool change(QWidget* field) {
    const QVariant before = fieldValue(field);
    if (auto* button = qobject_cast<QAbstractButton*>(field)) {
        const bool isCheckedOfGroup = button->group() && button->isChecked();
        if (button->isCheckable() && !isCheckedOfGroup) button->click();
    } else if (auto* choice = qobject_cast<QComboBox*>(field)) {
        choice->setCurrentIndex((choice->currentIndex() + 1) % std::max(1, choice->count()));
        emit choice->activated(choice->currentIndex());
    } else if (auto* number = qobject_cast<QAbstractSpinBox*>(field)) {
        number->stepBy(before == 0 || before == 1 ? 1 : -1);
    } else if (auto* slider = qobject_cast<NumberSlider*>(field)) {
        slider->commit(QString::number(std::floor(slider->value() / 2) + 1));
    }
    return fieldValue(field) != before;
}

bool isIn(const QWidget* field, const QSet<QString>& classes) {
    for (const QWidget* parent = field->parentWidget(); parent; parent = parent->parentWidget()) {
        if (classes.contains(QString::fromLatin1(parent->metaObject()->className()).section("::", -1))) return true;
    }
    return false;
}

// No scene names them, so that a scene shows what its text says only if they are as its author had them.
TEST_F(LectureRoomsTest, SceneBeginsWithTheStandardOfEveryChoice) {
    MainWindow window(options());
    window.resize(1280, 800);
    window.show();
    auto* stage = window.findChild<WindowStage*>();
    // The setup and the sweep belong to the scene; the last ones are parts of other fields.
    const QSet<QString> others = {"SetupPanel", "SweepPanel",     "QMenu",   "NumberSlider",
                                  "QComboBox",  "QDoubleSpinBox", "QSpinBox"};
    // Choices of what a button does next, of a lab, and of a figure that no part has.
    const QSet<QString> ofNoFigure = {"RunVectors",
                                      "TableOutput",
                                      "FineTunePanel",
                                      "Best mean in bold (LaTeX)",
                                      "Experiment",
                                      "Split groups by",
                                      "Include unfinished runs",
                                      "Side figure",
                                      "More settings ▼",
                                      "Playback speed [snapshots/s]"};
    const ComparedSetups setups = stage->setups();
    int changed = 0;
    for (const LectureRoom& room : lecture_rooms()) {
        window.showRoom(text(room.name));
        QSet<QWidget*> seen;
        for (const std::string_view part : room.parts) {
            const auto show = [&] {
                stage->setSetups(setups);
                stage->resetControls();
                window.room().showPart(text(part));
                window.room().refreshNow();
            };
            show();
            QList<QWidget*> all = window.room().findChildren<QWidget*>();
            if (QWidget* panel = window.room().panel()) all += panel->findChildren<QWidget*>();
            std::vector<std::pair<QPointer<QWidget>, QVariant>> before;  // a change may remove a field
            for (QWidget* field : all) {
                const auto* button = qobject_cast<QAbstractButton*>(field);
                const bool isOther =
                    ofNoFigure.contains(field->accessibleName()) || (button && ofNoFigure.contains(button->text()));
                if (isOther || isIn(field, others + ofNoFigure) || !field->isVisible() || seen.contains(field))
                    continue;
                seen.insert(field);
                if (fieldValue(field).isValid()) before.push_back({field, fieldValue(field)});
            }
            for (const auto& [field, value] : before) changed += field && field->isEnabled() && change(field);
            show();
            for (const auto& [field, value] : before) {
                if (!field) continue;
                EXPECT_EQ(fieldValue(field), value)
                    << room.name << "/" << part << ": " << field->metaObject()->className() << " "
                    << field->accessibleName().toStdString() << " " << field->toolTip().left(60).toStdString();
            }
        }
    }
    EXPECT_GT(changed, 80);
}

TEST_F(LectureRoomsTest, SceneBeginsWithTheStandardOfEveryStoredChoice) {
    const std::pair<const char*, QVariant> stored[] = {{"train/quantity", "learning_rate"},
                                                       {"train/unit", "bits"},
                                                       {"train/logarithmic", true},
                                                       {"train/smoothing", 10},
                                                       {"train/bands", "off"},
                                                       {"train/second", "sample"},
                                                       {"train/picked_only", false},
                                                       {"train/fold_curves", true},
                                                       {"train/list_shown", true},
                                                       {"results/measure", "final_training_loss"},
                                                       {"results/test", "student"},
                                                       {"results/target", "1.5"},
                                                       {"results/published", false},
                                                       {"results/decisionLoss", "final_validation_loss"},
                                                       {"results/decisionCost", "cache_bytes"},
                                                       {"inspect/lag", 3},
                                                       {"inspect/modelText", "a"}};
    {
        Settings settings(file("settings.ini"));
        for (const auto& [key, value] : stored) settings.setValue(key, value);
        settings.setValue("reproduce/sheet", "theta-table-2/paper");
    }
    const QStringList pages = {"train", "results", "inspect", "reproduce"};
    for (const bool areMadeBefore : {true, false}) {
        MainWindow window(options());
        auto* stage = window.findChild<WindowStage*>();
        if (areMadeBefore) {
            for (const QString& page : pages) window.showRoom(page);
        }
        stage->begin();
        stage->resetControls();
        for (const QString& page : pages) stage->showRoom(page, {});
        const Settings& shown = window.workspace().settings();
        for (const auto& [key, value] : stored) {
            EXPECT_EQ(shown.value(key), Settings::standard(key)) << key << " " << areMadeBefore;
            EXPECT_EQ(Settings(file("settings.ini")).value(key), value) << key << " is the user's after a crash";
        }
        EXPECT_EQ(shown.value("reproduce/sheet"), "theta-table-2/laptop");
        EXPECT_EQ(Settings(file("settings.ini")).value("reproduce/sheet"), "theta-table-2/paper");
        stage->end();
        for (const auto& [key, value] : stored) EXPECT_EQ(Settings(file("settings.ini")).value(key), value) << key;
        EXPECT_EQ(Settings(file("settings.ini")).value("reproduce/sheet"), "theta-table-2/paper");
    }
}

TEST_F(LectureRoomsTest, SceneBeginsWithoutTheUsersModelWhichIsBackAtItsEnd) {
    RotarySetup other;
    other.theta = 500;
    for (const bool isMadeBefore : {true, false}) {
        MainWindow window(options());
        RotaryModel& rotary = window.workspace().rotary();
        ModelShape shape{.name = "a model", .sizes = {}};
        shape.sizes.layers = 80;
        rotary.change("test", rotary.setup(), shape);
        rotary.compareWith("test", {rotary.setup(), shape});
        if (isMadeBefore) window.showRoom("memory");
        auto* stage = window.findChild<WindowStage*>();
        stage->begin();
        stage->setSetups({RotarySetup(), other});
        stage->resetControls();
        stage->showRoom("memory", {});
        EXPECT_EQ(rotary.shape(), ModelShape());
        EXPECT_EQ(rotary.other()->shape, ModelShape());
        stage->setControl("layers", "12");
        stage->end();
        EXPECT_EQ(rotary.shape(), shape) << isMadeBefore;
        EXPECT_EQ(rotary.other()->shape, shape);
    }
}

TEST_F(LectureRoomsTest, EveryFigureThatIsShownIsInTheTable) {
    MainWindow window(options());
    window.resize(1280, 800);
    window.show();
    std::set<std::string> seen;
    for (const LectureRoom& room : lecture_rooms()) {
        window.showRoom(text(room.name));
        std::vector<std::pair<std::string_view, bool>> pages;
        for (const std::string_view part : room.parts) pages.push_back({part, false});
        auto* memory = dynamic_cast<MemoryRoom*>(&window.room());
        for (const std::string_view part : room.parts) {
            if (memory) pages.push_back({part, true});
        }
        for (const auto& [part, isToScale] : pages) {
            if (memory) memory->toScale()->setChecked(isToScale);
            window.room().showPart(text(part));
            window.room().refreshNow();
            std::vector<std::string> names;
            for (const FigureView* view : window.room().findChildren<FigureView*>()) {
                if (view->isVisible()) names.push_back(view->figure().name.toStdString());
            }
            if (window.room().hasFigure()) names.push_back(window.room().figure().name.toStdString());
            for (const std::string& name : names) {
                if (name.empty()) continue;  // nothing is drawn without runs
                EXPECT_NO_THROW(check_figure_of(room, name)) << room.name << "/" << part << ": " << name;
                seen.insert(std::string(room.name) + "/" + name);
            }
        }
    }
    for (const char* room : {"rotation", "spectrum", "table", "context", "memory"}) {
        for (const std::string_view figure : lecture_room(room).figures) {
            if (figure == "scalings") continue;  // of compared scalings
            EXPECT_TRUE(seen.contains(room + ("/" + std::string(figure)))) << room << " shows no " << figure;
        }
    }
}

}  // namespace
}  // namespace ropelab::ui
