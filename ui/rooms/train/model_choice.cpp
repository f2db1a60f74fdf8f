#include "ui/rooms/train/model_choice.h"

#include <array>

#include "core/experiment/experiment.h"
#include "ui/session/experiment_model.h"

namespace ropelab::ui {

namespace {

struct Size {
    const char* layers;
    const char* heads;
    const char* width;
    const char* context;
};

constexpr std::array<Size, 5> kSizes = {{
    {"1", "1", "32", "64"},
    {"2", "2", "64", "128"},
    {"4", "4", "128", "64"},
    {"4", "4", "128", "256"},
    {"6", "6", "384", "256"},
}};

QString title(const QString& layers, const QString& width, const QString& context) {
    return QObject::tr("%1×%2, context %3").arg(layers, width, context);
}

QString joined(const Experiment& experiment, const char* key) {
    QStringList values;
    for (const std::string& value : experiment.values(key)) values << QString::fromStdString(value);
    return values.join(QStringLiteral(", "));
}

}  // namespace

ModelChoice::ModelChoice(ExperimentModel& model, QWidget* parent) : QComboBox(parent), m_model(model) {
    setAccessibleName(tr("Model"));
    setToolTip(tr("Number of layers × width of the residual stream, and the context length in tokens."));
    setFocusPolicy(Qt::StrongFocus);
    setMinimumContentsLength(8);
    setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    for (const Size& size : kSizes) {
        addItem(title(QLatin1String(size.layers), QLatin1String(size.width), QLatin1String(size.context)));
    }
    connect(this, &QComboBox::activated, this, &ModelChoice::pick);
    connect(&model, &ExperimentModel::changed, this, &ModelChoice::renew);
    renew();
}

void ModelChoice::renew() {
    const int known = static_cast<int>(kSizes.size());
    while (count() > known) removeItem(count() - 1);
    const Experiment& experiment = m_model.value();
    for (int i = 0; i < known; ++i) {
        const Size& size = kSizes[static_cast<std::size_t>(i)];
        if (joined(experiment, "layers") == QLatin1String(size.layers) &&
            joined(experiment, "heads") == QLatin1String(size.heads) &&
            joined(experiment, "width") == QLatin1String(size.width) &&
            joined(experiment, "context") == QLatin1String(size.context)) {
            setCurrentIndex(i);
            return;
        }
    }
    addItem(title(joined(experiment, "layers"), joined(experiment, "width"), joined(experiment, "context")));
    setCurrentIndex(known);
}

void ModelChoice::pick(int index) {
    if (index < static_cast<int>(kSizes.size())) {
        const Size& size = kSizes[static_cast<std::size_t>(index)];
        m_model.edit(tr("change model"), [&size](Experiment& experiment) {
            experiment.set("layers", {size.layers});
            experiment.set("heads", {size.heads});
            experiment.set("width", {size.width});
            experiment.set("context", {size.context});
        });
    }
    renew();
}

}  // namespace ropelab::ui
