#pragma once

#include <QDialog>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QTableView;
class QTextBrowser;

namespace ropelab::ui {

class BannerArea;
class ModelList;
class ModelScatter;
class RotaryModel;
class SortedModels;
class Workspace;

/// The known models as a table and as a map of context against base. One of them, or any Hugging Face config.json,
/// goes into the rotary setup as one undoable step. Not modal; show it with show().
class ModelMap : public QDialog {
    Q_OBJECT

 public:
    ModelMap(Workspace& workspace, QWidget* parent = nullptr);

    /// Reads a config.json, puts it on top of the table for this session, picks it and loads it. What is wrong with
    /// the file is said in this window, and nothing changes; returns whether it was loaded.
    bool importConfig(const QString& path);

    /// Picks a model by its name, as a click on its row does. Returns whether there is one.
    bool pick(const QString& name);
    /// The picked model's name, or "".
    QString picked() const;
    /// Puts the picked model into the setup, with the layer type that is chosen.
    bool load();

    QTableView* table() const { return m_table; }
    QLineEdit* search() const { return m_search; }
    /// Layer types of the picked model; hidden where it has one.
    QComboBox* layerTypes() const { return m_layerTypes; }
    ModelScatter* map() const { return m_scatter; }
    /// The details as plain text.
    QString details() const;
    /// What went wrong last, or "".
    QString problem() const;

 protected:
    void showEvent(QShowEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

 private:
    QWidget* makeLeft();
    QWidget* makeButtons();
    void openFile();
    void restyle();
    void showPicked();
    void renewDetails();
    void renewMap();
    void showProblem(const QString& sentence);
    int pickedRow() const;  // of the list; −1 for none
    int layerType() const;
    void pickRow(int row);

    RotaryModel& m_model;
    ModelList* m_list;
    SortedModels* m_sorted;
    BannerArea* m_banners;
    ModelScatter* m_scatter;
    QLineEdit* m_search = nullptr;
    QTableView* m_table = nullptr;
    QTextBrowser* m_details = nullptr;
    QComboBox* m_layerTypes = nullptr;
    QLabel* m_layerLabel = nullptr;
    QPushButton* m_load = nullptr;
    QLabel* m_present = nullptr;
};

}  // namespace ropelab::ui
