#pragma once

#include <functional>
#include <span>

#include "ui/figures/figure_entry.h"
#include "ui/session/rotary_model.h"

namespace ropelab::ui {

/// A figure of a rotary setup, without a lab.
struct RotaryFigure {
    const char* name;
    Figure (*make)(const RotarySetup& setup, const ModelShape& shape);
    /// Null if the figure of two setups follows from the figures of each.
    Figure (*compare)(const ShapedSetup& a, const ShapedSetup& b) = nullptr;
    const char* part = "";                             // of the room
    std::vector<const FigureOption*> options = {};     // beside the setup
    Figure (*chosen)(const FigureRequest&) = nullptr;  // if one of the options, or a lab, is given
    FigureEntry::Lab lab = FigureEntry::Lab::none;
    void (*check)(const FigureRequest&) = nullptr;  // as FigureEntry::check

    Figure ofBoth(const ShapedSetup& a, const ShapedSetup& b) const;
};

/// `room` is the id of the room that shows the figures, or "".
FigureEntries rotaryEntries(const char* room, std::span<const RotaryFigure> figures);

/// The figure of the setup, or of both compared setups, of the request.
Figure ofSetups(const FigureRequest& request, const std::function<Figure(const RotarySetup&)>& make);

/// The flags that compute a figure of a setup again, from its settings; empty for a figure without a setup.
QJsonObject rotaryFlags(std::span<const RotaryFigure> figures, const Figure& figure);

}  // namespace ropelab::ui
