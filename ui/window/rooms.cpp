#include "ui/experiment/train_room.h"
#include "ui/inspect/inspect_room.h"
#include "ui/reproduce/reproduce_room.h"
#include "ui/results/results_room.h"
#include "ui/rotary/cache/cache_room.h"
#include "ui/rotary/context/context_room.h"
#include "ui/rotary/memory/memory_room.h"
#include "ui/rotary/rotation/rotation_room.h"
#include "ui/rotary/spectrum/spectrum_room.h"
#include "ui/window/room.h"

namespace ropelab::ui {

namespace {

template <typename R>
Room* make(Workspace& workspace, QWidget* parent) {
    return new R(workspace, parent);
}

}  // namespace

std::span<const RoomEntry> rooms() {
    static const std::vector<RoomEntry> entries = {
        {"train", QObject::tr("Train"), QObject::tr("Train a sweep of small models and watch them learn."),
         "M4 4 V20 H20 M7 6 C8 13 12 16 20 16", make<TrainRoom>},
        {"rotation", QObject::tr("Rotation"),
         QObject::tr("See every pair of a head turn, and what it adds to the logit."),
         "M12 3 A9 9 0 1 0 21 12 M12 12 L18 6 M12 12 V7", make<RotationRoom>},
        {"spectrum", QObject::tr("Spectrum"),
         QObject::tr("Wavelengths of all pairs, and how a longer context changes them."),
         "M4 20 V4 M4 20 H20 M7 17 L10 14 L13 12 L16 8 L19 5", make<SpectrumRoom>},
        {"cache", QObject::tr("Cache"), QObject::tr("The table of cosines and sines, and what low precision costs."),
         "M4 4 H20 V20 H4 Z M4 12 H20 M12 4 V20", make<CacheRoom>},
        {"context", QObject::tr("Context"), QObject::tr("How far a base reaches: bounds, islands, decay."),
         "M3 12 H21 M3 8 V16 M21 8 V16 M8 10 V14 M13 10 V14", make<ContextRoom>},
        {"memory", QObject::tr("Memory"),
         QObject::tr("Bytes of the RoPE cache, beside the KV cache of the same model."),
         "M4 20 V14 H8 V20 Z M10 20 V9 H14 V20 Z M16 20 V4 H20 V20 Z", make<MemoryRoom>},
        {"results", QObject::tr("Results"),
         QObject::tr("What the runs reached over their seeds, and what of it is significant."),
         "M6 5 V15 M4 5 H8 M4 15 H8 M12 8 V18 M10 8 H14 M10 18 H14 M18 4 V12 M16 4 H20 M16 12 H20", make<ResultsRoom>},
        {"reproduce", QObject::tr("Reproduce"),
         QObject::tr("Published claims, trained again and judged by rules fixed before the runs."),
         "M5 3 H19 V21 H5 Z M8 8 L10 10 L13 6 M15 8 H16 M8 15 L10 17 L13 13 M15 15 H16", make<ReproduceRoom>},
        {"inspect", QObject::tr("Inspect"),
         QObject::tr("What training does to the frequencies: spectra, attention, knock-outs, replay."),
         "M10 4 A6 6 0 1 0 10 16 A6 6 0 1 0 10 4 M14.5 14.5 L20 20 M7 12 V9 M10 12 V7 M13 12 V10", make<InspectRoom>},
    };
    return entries;
}

}  // namespace ropelab::ui
