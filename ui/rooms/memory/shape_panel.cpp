#include "ui/rooms/memory/shape_panel.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QSpinBox>
#include <QVBoxLayout>
#include <array>

#include "ui/common/fields.h"
#include "ui/common/format.h"
#include "ui/common/scaled.h"
#include "ui/common/text.h"

namespace ropelab::ui {

namespace {

constexpr std::array<NumberFormat, 3> kFormats = {NumberFormat::float32, NumberFormat::float16, NumberFormat::bfloat16};

using F = CacheShape;

struct ShapeField {
    const char* id;
    const char* label;
    std::int64_t F::*member;
    int least;
    int most;
    const char* why;
};
constexpr std::array<ShapeField, 7> kFields = {{
    {"layers", QT_TRANSLATE_NOOP("ropelab::ui::ShapePanel", "layers"), &F::layers, 1, 1000,
     QT_TRANSLATE_NOOP("ropelab::ui::ShapePanel", "n_layer is the number of layers with a KV cache.")},
    {"heads", QT_TRANSLATE_NOOP("ropelab::ui::ShapePanel", "heads"), &F::heads, 1, 1024,
     QT_TRANSLATE_NOOP("ropelab::ui::ShapePanel",
                       "This is the number of query heads. MHA caches a key and a value for each.")},
    {"kv_heads", QT_TRANSLATE_NOOP("ropelab::ui::ShapePanel", "KV heads"), &F::kv_heads, 1, 1024,
     QT_TRANSLATE_NOOP("ropelab::ui::ShapePanel",
                       "n_kv is the number of KV heads of GQA and sliding-window attention.")},
    {"latent_dim", QT_TRANSLATE_NOOP("ropelab::ui::ShapePanel", "MLA latent channels"), &F::latent_dim, 1, 65536,
     QT_TRANSLATE_NOOP("ropelab::ui::ShapePanel",
                       "d_latent is the size of a token's compressed keys and values in MLA.")},
    {"latent_rope_dim", QT_TRANSLATE_NOOP("ropelab::ui::ShapePanel", "MLA rotary channels"), &F::latent_rope_dim, 0,
     4096,
     QT_TRANSLATE_NOOP("ropelab::ui::ShapePanel",
                       "d_rope is the size of the rotated key that all heads share in MLA.")},
    {"window", QT_TRANSLATE_NOOP("ropelab::ui::ShapePanel", "sliding window (tokens)"), &F::window, 1, 1 << 24,
     QT_TRANSLATE_NOOP("ropelab::ui::ShapePanel", "W is the number of tokens that a sliding-window layer caches.")},
    {"global_layers", QT_TRANSLATE_NOOP("ropelab::ui::ShapePanel", "global layers"), &F::global_layers, 0, 1000,
     QT_TRANSLATE_NOOP("ropelab::ui::ShapePanel",
                       "Global layers attend to the whole context; the other layers have a sliding window.")},
}};

}  // namespace

ShapePanel::ShapePanel(RotaryModel& model, QWidget* parent)
    : QWidget(parent),
      m_model(model),
      m_kind(new QComboBox(this)),
      m_kvFormat(new QComboBox(this)),
      m_keys(makeNote(this)) {
    setAccessibleName(tr("Shape of the model's KV cache"));
    auto* column = scaledColumn(this, 8);
    column->addWidget(makeHeading(tr("KV cache of the model"), this));
    auto* grid = new QGridLayout;
    scaleLayout(grid, {0, 0, 0, 0}, 4);
    grid->setColumnStretch(0, 1);
    const auto addRow = [&](const QString& name, const QString& why, QWidget* field) {
        auto* label = new QLabel(name, this);
        label->setBuddy(field);
        label->setToolTip(why);
        field->setToolTip(why);
        field->setAccessibleName(name);
        scaleWidth(field, 120);
        const int row = grid->rowCount();
        grid->addWidget(label, row, 0);
        grid->addWidget(field, row, 1);
    };
    for (const KvCache kind : kKinds) {
        m_kind->addItem(kindText(kind), static_cast<int>(kind));
    }
    addRow(tr("attention type"), tr("The attention type determines what the model caches per token. Formula 32"),
           m_kind);
    for (const NumberFormat format : kFormats) {
        m_kvFormat->addItem(text(word_of(format)), static_cast<int>(format));
    }
    m_kvFormat->setCurrentIndex(static_cast<int>(kFormats.size()) - 1);
    addRow(tr("precision"), tr("The KV cache is stored in this number format, with B bytes per number."), m_kvFormat);
    for (const ShapeField& entry : kFields) {
        auto* field = new QSpinBox(this);
        field->setRange(entry.least, entry.most);
        field->setGroupSeparatorShown(true);
        field->setLocale(QLocale(QLocale::English));
        field->setKeyboardTracking(false);
        field->setStepType(entry.most > 4096 ? QAbstractSpinBox::AdaptiveDecimalStepType
                                             : QAbstractSpinBox::DefaultStepType);
        addRow(tr(entry.label), tr(entry.why), field);
        m_fields.push_back(field);
        connect(field, &QSpinBox::valueChanged, this, [this, &entry](int value) {
            ModelShape shape = m_model.shape();
            shape.cache.*entry.member = value;
            change(tr("change %1").arg(tr(entry.label)), shape);
        });
        connect(field, &QSpinBox::editingFinished, this, [this] { m_model.endDrag(); });
    }
    column->addLayout(grid);
    column->addWidget(m_keys);
    connect(m_kind, &QComboBox::activated, this, [this](int index) {
        ModelShape shape = m_model.shape();
        shape.kind = kKinds.at(static_cast<std::size_t>(index));
        m_model.endDrag();
        change(tr("change attention type"), shape);
        m_model.endDrag();
    });
    connect(m_kvFormat, &QComboBox::activated, this, &ShapePanel::formatChanged);
    renew();
}

void ShapePanel::change(const QString& what, const ModelShape& shape) {
    if (m_isUpdating) {
        return;
    }
    ModelShape next = shape;
    next.name.clear();  // the shape is no longer that of the model
    m_model.changeShape(what, next);
}

void ShapePanel::renew() {
    m_isUpdating = true;
    const ModelShape& shape = m_model.shape();
    m_kind->setCurrentIndex(m_kind->findData(static_cast<int>(shape.kind)));
    m_kind->setToolTip(kindWhy(shape.kind, cacheShape(m_model.setup(), shape)));
    for (std::size_t i = 0; i < m_fields.size(); ++i) {
        m_fields[i]->setValue(static_cast<int>(shape.cache.*kFields.at(i).member));
    }
    m_keys->setText(tr("The sizes are for one sequence (batch size 1) and %1 channels per head.")
                        .arg(groupedText(cacheShape(m_model.setup(), shape).head_dim)));
    m_isUpdating = false;
}

QSpinBox* ShapePanel::field(const QString& name) const {
    for (std::size_t i = 0; i < m_fields.size(); ++i) {
        if (name == QLatin1String(kFields.at(i).id)) {
            return m_fields[i];
        }
    }
    return nullptr;
}

NumberFormat ShapePanel::format() const {
    return static_cast<NumberFormat>(m_kvFormat->currentData().toInt());
}

}  // namespace ropelab::ui
