#pragma once

#include <QObject>
#include <QString>

#include "core/store/lab_file.h"

namespace ropelab {
struct RotarySetup;
}

namespace ropelab::ui {

class ActionRegistry;
class BannerArea;
class Guide;
class ModelMap;
class RoomStack;
class StatementCards;
class Workspace;

/// The rotary setup outside the rooms: it is copied, pasted, compared with that of a run and animated; the windows of
/// known models, statements and formulas, which are made when first needed.
class RotaryController : public QObject {
    Q_OBJECT

 public:
    RotaryController(Workspace& workspace, BannerArea& banners, ActionRegistry& actions, RoomStack& rooms,
                     QWidget* window);
    /// The windows are deleted before the workspace, to which their fields may commit a value.
    ~RotaryController() override;

    void addActions();
    ModelMap& models();
    StatementCards& statements();
    Guide& guide();
    void showModels();
    /// Selects the model in the window.
    void showModel(const QString& name);
    /// Loads the rotary settings of a model by its name, without the window. Returns false if there is none.
    bool useModel(const QString& name);
    /// A file that was dropped; the window says what is wrong with it.
    void importConfig(const QString& path);
    void showStatements();
    /// `page` as in Guide::showPage().
    void showGuide(const QString& page);
    /// The page of formulas, at formula `number` if it is above 0.
    void showFormulas(int number = 0);
    void exportAnimation(const QString& figure, const RotarySetup& setup);
    /// Shows the spectrum room. A banner says why if the setup of the run cannot be shown.
    void compareWithRun(RunId run);

 private:
    Workspace& m_workspace;
    BannerArea& m_banners;
    ActionRegistry& m_actions;
    RoomStack& m_rooms;
    QWidget* m_window;
    ModelMap* m_models = nullptr;
    StatementCards* m_statements = nullptr;
    Guide* m_guide = nullptr;
};

}  // namespace ropelab::ui
