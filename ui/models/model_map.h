#pragma once

#include <QDialog>
#include <functional>

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
struct ShapedSetup;
class SortedModels;

/// Table and map of base over context. Loads known models or any Hugging Face config.json as one undo step. Not modal.
class ModelMap : public QDialog {
    Q_OBJECT

 public:
    explicit ModelMap(RotaryModel& model, QWidget* parent = nullptr);

    /// Inserts a config.json at the top of the table for this session, selects it and loads it. If the file is not
    /// valid, shows the reason in this dialog, changes nothing and returns false.
    bool importConfig(const QString& path);

    /// Lists a model that was opened with its weights, unless it has no RoPE or its files have gone.
    void offer(const QString& path);

    /// Returns false if there is no such model.
    bool pick(const QString& name);
    /// Lights the details for some seconds and gives the table the keyboard focus.
    void lightPicked();
    QString picked() const;
    /// With the selected layer type. Returns false if the model cannot be loaded.
    bool load();
    bool hasLoaded() const { return !m_loaded.isEmpty(); }
    /// With the selected layer type. Returns false if the setup cannot be compared.
    bool compare();

    QTableView* table() const { return m_table; }
    QLineEdit* search() const { return m_search; }
    /// Hidden if the selected model has only one layer type.
    QComboBox* layerTypes() const { return m_layerTypes; }
    QPushButton* compareButton() const { return m_compare; }
    ModelScatter* map() const { return m_scatter; }
    QPushButton* undoButton() const { return m_undo; }
    QPushButton* closeButton() const { return m_close; }
    /// The loaded model, or else the current setup.
    QLabel* loaded() const { return m_current; }
    /// Plain text.
    QString details() const;
    QString problem() const;

 protected:
    void showEvent(QShowEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

 private:
    QWidget* makeList();
    QWidget* makeDetails();
    QWidget* makeButtons();
    /// Calls `use` with the selected model; shows the reason and returns false if it throws BadInput.
    bool usePicked(const std::function<void(const QString& name, const ShapedSetup& setup)>& use);
    void openFile();
    void restyle();
    void showPicked();
    void renewDetails();
    void renewMap();
    void renewLoaded();
    void showProblem(const QString& sentence);
    int pickedRow() const;  // row of m_list; −1 for none
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
    QPushButton* m_undo = nullptr;
    QPushButton* m_close = nullptr;
    QPushButton* m_compare = nullptr;
    QLabel* m_current = nullptr;
    QString m_loaded;        // name of the model that was loaded last, until the setup changes otherwise; "" for none
    int m_loadedIndex = -1;  // index of the undo stack after loading; −1 if loading changed nothing
};

}  // namespace ropelab::ui
