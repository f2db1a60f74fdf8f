#include "ui/models/model_map.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QScreen>
#include <QSettings>
#include <QSplitter>
#include <QStandardPaths>
#include <QTableView>
#include <QTextBrowser>
#include <QUndoStack>
#include <QUrl>
#include <QVBoxLayout>
#include <algorithm>
#include <vector>

#include "core/base/error.h"
#include "ui/common/scaled.h"
#include "ui/models/model_entry.h"
#include "ui/models/model_views.h"
#include "ui/session/rotary_model.h"
#include "ui/shell/findables.h"
#include "ui/shell/notices/banners.h"
#include "ui/theme/dialogs.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

/// "" if not exactly one local file is dragged.
QString fileOf(const QMimeData* data) {
    const QList<QUrl> urls = data->urls();
    return urls.size() == 1 && urls.first().isLocalFile() ? urls.first().toLocalFile() : QString();
}

}  // namespace

ModelMap::ModelMap(RotaryModel& model, QWidget* parent)
    : QDialog(parent),
      m_model(model),
      m_list(new ModelList(this)),
      m_sorted(new SortedModels(this)),
      m_banners(new BannerArea(this)),
      m_scatter(new ModelScatter(this)) {
    setObjectName(u"models"_s);
    setWindowTitle(u"Models"_s);
    setModal(false);
    setAcceptDrops(true);
    m_sorted->setSourceModel(m_list);
    connect(m_scatter, &ModelScatter::picked, this,
            [this](int point) { pickRow(m_sorted->mapToSource(m_sorted->index(point, 0)).row()); });

    // The table has the whole width, so that all its columns fit.
    auto* halves = new QSplitter(Qt::Vertical, this);
    halves->setChildrenCollapsible(false);
    halves->addWidget(makeList());
    auto* beneath = new QSplitter(Qt::Horizontal, this);
    beneath->setChildrenCollapsible(false);
    beneath->addWidget(makeDetails());
    beneath->addWidget(m_scatter);
    beneath->setSizes({500, 500});
    halves->addWidget(beneath);
    halves->setStretchFactor(0, 2);
    halves->setStretchFactor(1, 3);
    halves->setSizes({400, 500});
    auto* column = scaledColumn(this, 8, {12, 12, 12, 12});
    column->addWidget(halves, 1);
    column->addWidget(makeButtons());
    m_banners->overlay(halves);

    connect(&m_model.undoStack(), &QUndoStack::indexChanged, this, &ModelMap::renewLoaded);
    connect(&m_model, &RotaryModel::changed, this, [this] {
        m_loaded.clear();
        if (isVisible()) {
            renewMap();
        }
    });
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, &ModelMap::restyle);
    restyle();
    m_sorted->sort(-1);  // unsorted until the user clicks a column
    m_table->setCurrentIndex(m_sorted->index(0, 0));
    const QList<QWidget*> order = {m_search,         m_table, m_layerTypes, m_details, m_scatter->quantityField(),
                                   m_scatter->view()};
    for (qsizetype i = 1; i < order.size(); ++i) {
        setTabOrder(order[i - 1], order[i]);
    }
    m_search->setFocus();
    const ThemeManager& theme = ThemeManager::instance();
    resize(QSize(theme.pixels(1280), theme.pixels(760)).boundedTo(screen()->availableSize() * 0.95));
}

QWidget* ModelMap::makeList() {
    m_search = new QLineEdit(this);
    m_search->setPlaceholderText(u"Search by name, scaling or number …"_s);
    m_search->setAccessibleName(u"Search models"_s);
    m_search->setClearButtonEnabled(true);
    m_search->setAcceptDrops(false);  // so that the dialog receives a dropped file
    m_search->installEventFilter(this);
    connect(m_search, &QLineEdit::textChanged, this, [this](const QString& words) {
        m_sorted->search(words);
        if (pickedRow() < 0) {
            m_table->setCurrentIndex(m_sorted->index(0, 0));
        }
        renewMap();
    });

    m_table = new QTableView(this);
    m_table->setModel(m_sorted);
    m_table->setAccessibleName(u"Models"_s);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_table->setTabKeyNavigation(false);
    m_table->setShowGrid(false);
    m_table->setWordWrap(false);
    m_table->setSortingEnabled(true);
    m_table->verticalHeader()->hide();
    m_table->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setStretchLastSection(true);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &ModelMap::showPicked);
    connect(m_table, &QTableView::doubleClicked, this, &ModelMap::load);

    auto* list = new QWidget(this);
    auto* column = scaledColumn(list, 8, {0, 0, 0, 8});
    column->addWidget(m_search);
    column->addWidget(m_table, 1);
    return list;
}

QWidget* ModelMap::makeDetails() {
    m_layerTypes = new QComboBox(this);
    m_layerTypes->setAccessibleName(u"Layers whose RoPE is loaded"_s);
    m_layerTypes->setToolTip(
        u"The layers of this model have different RoPE settings. Select the layers whose RoPE settings are loaded."_s);
    connect(m_layerTypes, &QComboBox::activated, this, [this] {
        renewDetails();
        renewMap();
    });
    m_layerLabel = new QLabel(u"Load RoPE of layers"_s, this);
    m_layerLabel->setBuddy(m_layerTypes);
    keepSpace(m_layerTypes);
    m_details = new QTextBrowser(this);
    m_details->setAccessibleName(u"Details of the selected model"_s);
    m_details->setOpenLinks(false);
    m_details->setTabChangesFocus(true);
    m_details->setFrameShape(QFrame::NoFrame);

    auto* box = new QWidget(this);
    auto* column = scaledColumn(box, 8, {0, 8, 8, 0});
    auto* layers = scaledRow(nullptr, 8);
    layers->addWidget(m_layerLabel);
    layers->addWidget(m_layerTypes);
    layers->addStretch(1);
    column->addLayout(layers);
    column->addWidget(m_details, 1);
    return box;
}

QWidget* ModelMap::makeButtons() {
    auto* open = new QPushButton(u"&Open config.json …"_s, this);
    open->setAutoDefault(false);
    open->setToolTip(
        u"Opens a Hugging Face configuration file (config.json). You can also drop such a file on this window."_s);
    connect(open, &QPushButton::clicked, this, &ModelMap::openFile);
    m_current = new QLabel(this);
    m_current->setProperty("quiet", true);
    m_current->setTextFormat(Qt::PlainText);
    m_load = new QPushButton(u"&Use its rotary settings"_s, this);
    m_load->setProperty("primary", true);
    m_load->setDefault(true);
    m_load->setToolTip(
        u"Rotation, Spectrum, Cos/sin, Context and Memory then show the RoPE settings of the selected model (Enter). "
        u"Its "
        "weights are not loaded; File > Open model … does."_s);
    connect(m_load, &QPushButton::clicked, this, &ModelMap::load);
    m_undo = new QPushButton(u"&Undo loading"_s, this);
    m_undo->setAutoDefault(false);
    m_undo->setEnabled(false);
    m_undo->setToolTip(u"Restores the rotary setup from before the model was loaded."_s);
    connect(m_undo, &QPushButton::clicked, this, [this] { m_model.undoStack().undo(); });
    m_close = new QPushButton(u"&Close"_s, this);
    m_close->setAutoDefault(false);
    m_close->setToolTip(u"Closes the window of models and keeps the current rotary setup (Escape)."_s);
    connect(m_close, &QPushButton::clicked, this, &QDialog::close);
    m_compare = new QPushButton(u"&Compare with this model"_s, this);
    m_compare->setAutoDefault(false);
    m_compare->setToolTip(
        u"Shows the selected model as a second rotary setup (B) beside the current one (A) on all pages about RoPE."_s);
    connect(m_compare, &QPushButton::clicked, this, &ModelMap::compare);

    auto* buttons = new QWidget(this);
    auto* row = scaledRow(buttons, 12);
    row->addWidget(open);
    row->addStretch(1);
    row->addWidget(m_current);
    row->addWidget(m_undo);
    row->addWidget(m_compare);
    row->addWidget(m_load);
    row->addWidget(m_close);
    return buttons;
}

void ModelMap::restyle() {
    const ThemeManager& theme = ThemeManager::instance();
    m_table->verticalHeader()->setDefaultSectionSize(QFontMetrics(theme.font()).height() + theme.pixels(6));
    m_table->setStyleSheet(
        u"QTableView::item { border: none; padding: 0 %1px; }"
        "QTableView::item:selected { background: %2; color: %3; }"_s.arg(theme.pixels(8))
            .arg(theme.theme().accent.name(), theme.theme().accentText.name()));
    m_table->resizeColumnsToContents();
    m_details->document()->setDefaultFont(theme.font());
    showPicked();
}

void ModelMap::showEvent(QShowEvent* event) {
    QDialog::showEvent(event);
    renewMap();
}

int ModelMap::pickedRow() const {
    const QModelIndex index = m_sorted->mapToSource(m_table->currentIndex());
    return index.isValid() ? index.row() : -1;
}

QString ModelMap::picked() const {
    return pickedRow() < 0 ? QString() : m_list->entry(pickedRow()).name;
}

QString ModelMap::details() const {
    return m_details->toPlainText();
}

QString ModelMap::problem() const {
    return m_banners->texts().value(0);
}

int ModelMap::layerType() const {
    return std::max(0, m_layerTypes->currentIndex());
}

bool ModelMap::pick(const QString& name) {
    for (int row = 0; row < m_list->rowCount(); ++row) {
        if (m_list->entry(row).name.compare(name, Qt::CaseInsensitive) == 0) {
            pickRow(row);
            return true;
        }
    }
    return false;
}

void ModelMap::lightPicked() {
    m_table->setFocus(Qt::OtherFocusReason);
    lightUp(m_details);
}

void ModelMap::pickRow(int row) {
    QModelIndex index = m_sorted->mapFromSource(m_list->index(row, 0));
    if (!index.isValid()) {
        m_search->clear();  // the search hides this row
        index = m_sorted->mapFromSource(m_list->index(row, 0));
    }
    m_table->setCurrentIndex(index);
    m_table->scrollTo(index);
}

void ModelMap::showPicked() {
    const int row = pickedRow();
    m_load->setEnabled(row >= 0);
    m_compare->setEnabled(row >= 0);
    m_layerTypes->clear();
    if (row >= 0) {
        for (const HfRotary& rotary : m_list->entry(row).model.rotary) {
            m_layerTypes->addItem(layerTypeText(rotary));
        }
    }
    m_layerTypes->setVisible(m_layerTypes->count() > 1);
    m_layerLabel->setVisible(m_layerTypes->count() > 1);
    renewDetails();
    renewMap();
}

void ModelMap::renewDetails() {
    const int row = pickedRow();
    m_details->setHtml(row < 0 ? u"No model matches the search."_s : modelDetails(m_list->entry(row), layerType()));
}

void ModelMap::renewMap() {
    const int row = pickedRow();
    renewLoaded();
    std::vector<MapPoint> points;
    for (int i = 0; i < m_sorted->rowCount(); ++i) {
        const int source = m_sorted->mapToSource(m_sorted->index(i, 0)).row();
        const ModelEntry& entry = m_list->entry(source);
        const int type = source == row ? layerType() : 0;
        points.push_back({entry.nameWithLayerType(type), entry.rotary(type).setup});
    }
    m_scatter->show(std::move(points), m_model.setup(), m_table->currentIndex().row());
}

void ModelMap::renewLoaded() {
    const auto nameOf = [](const ModelShape& shape) { return shape.name.isEmpty() ? u"custom"_s : shape.name; };
    const QString current =
        !m_loaded.isEmpty() ? u"In use: %1"_s.arg(m_loaded) : u"Current setup: %1"_s.arg(nameOf(m_model.shape()));
    const auto& other = m_model.other();
    m_current->setText(other ? u"%1, compared with: %2"_s.arg(current, nameOf(other->shape)) : current);
    m_undo->setEnabled(!m_loaded.isEmpty() && m_model.undoStack().index() == m_loadedIndex);
}

bool ModelMap::usePicked(const std::function<void(const QString& name, const ShapedSetup& setup)>& use) {
    const int row = pickedRow();
    if (row < 0) {
        return false;
    }
    const ModelEntry& entry = m_list->entry(row);
    try {
        m_model.endDrag();
        use(entry.nameWithLayerType(layerType()),
            {setupOf(entry, layerType(), m_model.setup()), shapeOf(entry, layerType(), m_model.shape())});
        m_model.endDrag();
    } catch (const BadInput& error) {
        showProblem(u"%1 cannot be loaded: %2"_s.arg(entry.name, QString::fromStdString(error.what())));
        return false;
    }
    showProblem(QString());
    renewMap();
    return true;
}

bool ModelMap::load() {
    const int before = m_model.undoStack().index();
    QString loaded;
    const bool isLoaded = usePicked([this, &loaded](const QString& name, const ShapedSetup& setup) {
        m_model.change(u"load %1"_s.arg(name), setup.setup, setup.shape);
        loaded = name;
    });
    if (!isLoaded) return false;
    const int after = m_model.undoStack().index();
    m_loaded = loaded;
    m_loadedIndex = after > before ? after : -1;  // loading the current setup again is no undo step
    renewLoaded();
    return true;
}

bool ModelMap::compare() {
    return usePicked([this](const QString& name, const ShapedSetup& setup) {
        m_model.compareWith(u"compare with %1"_s.arg(name), setup);
    });
}

bool ModelMap::importConfig(const QString& path) {
    try {
        m_list->import(importedModel(path));
    } catch (const BadInput& error) {
        showProblem(QString::fromStdString(error.what()));
        return false;
    }
    pickRow(0);
    m_table->resizeColumnToContents(ModelList::Name);
    return load();
}

void ModelMap::offer(const QString& path) {
    const QString before = picked();
    if (problemOf([&] { m_list->import(importedModel(path)); }).isEmpty()) pick(before);
}

void ModelMap::showProblem(const QString& sentence) {
    const QString id = u"problem"_s;
    if (sentence.isEmpty()) {
        m_banners->dismiss(id);
    } else {
        m_banners->show(id, BannerArea::Kind::error, sentence);
    }
}

void ModelMap::openFile() {
    QSettings settings;
    const QString key = u"models/folder"_s;
    const QString folder =
        settings.value(key, QStandardPaths::writableLocation(QStandardPaths::HomeLocation)).toString();
    const QString path = dialogs().open(this, {.title = u"Open model configuration"_s,
                                               .path = folder,
                                               .filters = u"Configurations (*.json);;All files (*)"_s});
    if (!path.isEmpty()) {
        settings.setValue(key, QFileInfo(path).absolutePath());
        importConfig(path);
    }
}

void ModelMap::dragEnterEvent(QDragEnterEvent* event) {
    if (!fileOf(event->mimeData()).isEmpty()) {
        event->acceptProposedAction();
    }
}

void ModelMap::dropEvent(QDropEvent* event) {
    const QString path = fileOf(event->mimeData());
    if (!path.isEmpty()) {
        event->acceptProposedAction();
        importConfig(path);
    }
}

bool ModelMap::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_search && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Up || key == Qt::Key_Down || key == Qt::Key_PageUp || key == Qt::Key_PageDown) {
            QCoreApplication::sendEvent(m_table, event);
            return true;
        }
    }
    return QDialog::eventFilter(watched, event);
}

}  // namespace ropelab::ui

#include "moc_model_map.cpp"
