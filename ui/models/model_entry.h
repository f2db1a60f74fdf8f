#pragma once

#include <QString>
#include <vector>

#include "core/plan/anatomy.h"
#include "core/interop/hf_config.h"
#include "ui/session/rotary_model.h"

namespace ropelab::ui {

/// A model in the table and on the map: a published model or an imported one.
struct ModelEntry {
    QString name;
    QString source;  // source of the configuration; the file's path for an imported model
    bool isImported = false;
    HfModel model;
    AnatomyTotals totals = {};  // parameters as far as the configuration defines them

    /// Returns the numbers of parameters as short text: "8.03B", "671B (37.6B active)"; "–" if they are unknown.
    QString parametersText() const;

    /// Returns the rotary embedding of a layer type, an index into model.rotary. An index out of range gives the first.
    const HfRotary& rotary(int layerType) const;
    /// Returns the name, followed by the layer type if the model has several.
    QString nameWithLayerType(int layerType) const;
};

/// Returns the published models. Each configuration is parsed once, by the importer.
const std::vector<ModelEntry>& knownModels();

/// Reads a Hugging Face configuration file. A config.json is named after its folder, or after the model if it is in the
/// Hugging Face cache; any other file is named after itself. Throws BadInput if the file is not a valid configuration.
ModelEntry importedModel(const QString& path);

/// Returns the rotary setup of a model's layer type. The table's precision is kept from `current`; so are the number of
/// heads and the attention window if the model does not specify them.
RotarySetup setupOf(const ModelEntry& entry, int layerType, const RotarySetup& current);
/// Returns the shape of a model's KV cache. If the model does not specify it, the shape is kept from `current` and the
/// name says that it is unknown.
ModelShape shapeOf(const ModelEntry& entry, int layerType, const ModelShape& current);

/// Returns the effective base b_eff: the base at which a fully rotated head has this setup's frequencies in its fastest
/// pairs. It is theta for truncate and theta^(d/d_r) for slice (F5, solved for b); NaN if no channel rotates.
double effectiveBase(const RotarySetup& setup);

/// Names of the layer types whose RoPE differs: "full, sliding", or "same in all layers" if there is only one type.
QString layerTypesText(const HfModel& model);
/// Name of a layer type without underscores: "sliding attention".
QString layerTypeText(const HfRotary& rotary);
/// Scaling method and factor: "Llama 3 ×8", or "–" without scaling.
QString scalingText(const RotarySetup& setup);
/// Rotated fraction with at most one decimal: "25 %", "33.3 %".
QString fractionText(const RotarySetup& setup);
/// A base as short text: "10k", "1.5M", "10¹⁶".
QString baseText(double base);

}  // namespace ropelab::ui
