#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "core/interop/config/hf_config.h"
#include "core/plan/anatomy.h"
#include "ui/session/rotary_model.h"

namespace ropelab::ui {

struct ModelEntry {
    QString name;
    QString source;  // source of the configuration; the file's path for an imported model
    bool isImported = false;
    HfModel model;
    AnatomyTotals totals = {};  // parameters as far as the configuration defines them

    /// "8.03B", "671B (37.6B active)"; "–" if unknown.
    QString parametersText() const;

    /// `layerType` is an index into model.rotary; out of range gives the first.
    const HfRotary& rotary(int layerType) const;
    QString nameWithLayerType(int layerType) const;
};

/// Published models. Each configuration is parsed once.
const std::vector<ModelEntry>& knownModels();
/// One of them, by its name in any case; the configurations of the others are not parsed. nullopt if there is none.
std::optional<ModelEntry> knownModel(const QString& name);

/// A config.json, which is named after its folder or Hugging Face model, or another file, which is named after itself,
/// such as a GGUF file; or the config of a folder with weights. Throws BadInput, also for a model without RoPE.
ModelEntry importedModel(const QString& path);

/// The table's precision is kept from `current`; so are the number of heads and the attention window if the model does
/// not specify them.
RotarySetup setupOf(const ModelEntry& entry, int layerType, const RotarySetup& current);
/// If the model does not specify the KV cache, the shape is kept from `current` and the name says that it is unknown.
ModelShape shapeOf(const ModelEntry& entry, int layerType, const ModelShape& current);

/// The base at which a fully rotated head has this setup's frequencies in its fastest pairs: theta for truncate and
/// theta^(d/d_r) for slice (F5, solved for b); NaN if no channel rotates.
double effectiveBase(const RotarySetup& setup);

/// Layer types whose RoPE differs: "full, sliding", or "same in all layers".
QString layerTypesText(const HfModel& model);
QString layerTypeText(const HfRotary& rotary);
/// "Llama 3 ×8", or "–" without scaling.
QString scalingText(const RotarySetup& setup);
/// At most one decimal: "25 %", "33.3 %".
QString fractionText(const RotarySetup& setup);
/// "10k", "1.5M", "10¹⁶".
QString baseText(double base);

/// HTML in the theme's colours: values with origin, source, remarks, missing or unknown values. Texts are escaped.
QString modelDetails(const ModelEntry& entry, int layerType);

}  // namespace ropelab::ui
