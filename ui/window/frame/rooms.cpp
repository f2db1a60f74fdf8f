#include "ui/window/frame/rooms.h"

#include <QStackedWidget>

#include "core/base/aliases.h"
#include "core/base/error.h"
#include "ui/common/text.h"
#include "ui/rooms/anatomy/anatomy_room.h"
#include "ui/rooms/cache/cache_room.h"
#include "ui/rooms/context/context_room.h"
#include "ui/rooms/inspect/inspect_room.h"
#include "ui/rooms/memory/memory_room.h"
#include "ui/rooms/reproduce/reproduce_room.h"
#include "ui/rooms/results/results_room.h"
#include "ui/rooms/rotation/rotation_room.h"
#include "ui/rooms/spectrum/spectrum_room.h"
#include "ui/rooms/train/train_room.h"
#include "ui/session/workspace.h"
#include "ui/shell/scroll_page.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

Room* makeTrain(Workspace& workspace, QWidget* parent) {
    return new TrainRoom(workspace, workspace.runAccess(), workspace.experiment(), workspace.settings(), parent);
}

Room* makeInspect(Workspace& workspace, QWidget* parent) {
    return new InspectRoom(workspace, workspace.runAccess(), workspace.rotary(), workspace.settings(), parent);
}

Room* makeAnatomy(Workspace& workspace, QWidget* parent) {
    return new AnatomyRoom(workspace, workspace.runAccess(), workspace.experiment(), parent);
}

template <typename R>
Room* makeOfRuns(Workspace& workspace, QWidget* parent) {
    return new R(workspace, workspace.runAccess(), workspace.settings(), parent);
}

template <typename R>
Room* makeRotary(Workspace& workspace, QWidget* parent) {
    return new R(workspace.rotary(), parent);
}

Room* makeContext(Workspace& workspace, QWidget* parent) {
    return new ContextRoom(workspace.rotary(), workspace.runAccess(), parent);
}

Room* makeSpectrum(Workspace& workspace, QWidget* parent) {
    return new SpectrumRoom(workspace.rotary(), workspace.runAccess(), &workspace.experiment(), parent);
}

Room* makeMemory(Workspace& workspace, QWidget* parent) {
    return new MemoryRoom(workspace.rotary(), workspace.runAccess(), &workspace.experiment(), parent);
}

Room* makeRotation(Workspace& workspace, QWidget* parent) {
    return new RotationRoom(workspace.rotary(), workspace.runAccess(), parent);
}

template <typename R>
void addActionsOf(ActionRegistry& registry, RoomStack& stack, int index) {
    R::addActions(registry, stack.handle<R>(index));
}

}  // namespace

std::span<const RoomEntry> rooms() {
    static const std::vector<RoomEntry> entries = {
        {"train", u"Train"_s, u"Train a sweep of small models and compare their losses."_s, "train.md",
         "M4 4 V20 H20 M7 6 C8 13 12 16 20 16", makeTrain, addActionsOf<TrainRoom>},
        {"rotation", u"Rotation"_s,
         u"See how RoPE rotates each pair of a head and what each pair contributes to the logit."_s,
         "rotary-rooms.md#rotation", "M12 3 A9 9 0 1 0 21 12 M12 12 L18 6 M12 12 V7", makeRotation,
         addActionsOf<RotationRoom>},
        {"spectrum",
         u"Spectrum"_s,
         u"Compare the wavelengths of all rotary pairs and the methods that extend the context."_s,
         "rotary-rooms.md#spectrum",
         "M4 20 V4 M4 20 H20 M7 17 L10 14 L13 12 L16 8 L19 5",
         makeSpectrum,
         {}},
        {"table",
         u"Cos/sin table"_s,
         u"Examine the table of cosines and sines and its rounding errors in low precision."_s,
         "rotary-rooms.md#cossin-table",
         "M4 4 H20 V20 H4 Z M4 12 H20 M12 4 V20",
         makeRotary<CacheRoom>,
         {},
         u"Cos/sin"_s},
        {"context",
         u"Context"_s,
         u"See which context length a RoPE base θ supports, which bases support a context, and how the attention "
         "logit decays with distance."_s,
         "rotary-rooms.md#context",
         "M3 12 H21 M3 8 V16 M21 8 V16 M8 10 V14 M13 10 V14",
         makeContext,
         {}},
        {"memory",
         u"Memory"_s,
         u"Compare the size of the cos/sin table with that of the KV cache of the same model."_s,
         "rotary-rooms.md#memory",
         "M4 20 V14 H8 V20 Z M10 20 V9 H14 V20 Z M16 20 V4 H20 V20 Z",
         makeMemory,
         {}},
        {"results", u"Results"_s,
         u"Compare the runs by their mean over seeds and test the differences for significance."_s, "results.md",
         "M6 5 V15 M4 5 H8 M4 15 H8 M12 8 V18 M10 8 H14 M10 18 H14 M18 4 V12 M16 4 H20 M16 12 H20",
         makeOfRuns<ResultsRoom>, addActionsOf<ResultsRoom>},
        {"reproduce", u"Reproduce"_s, u"Repeat published experiments and test their claims with preregistered rules."_s,
         "reproduce.md", "M5 3 H19 V21 H5 Z M8 8 L10 10 L13 6 M15 8 H16 M8 15 L10 17 L13 13 M15 15 H16",
         makeOfRuns<ReproduceRoom>, addActionsOf<ReproduceRoom>},
        {"inspect", u"Inspect"_s,
         u"Examine which rotary frequencies a trained model uses: spectra, attention weights, ablations, animations of "
         "the training."_s,
         "inspect.md", "M10 4 A6 6 0 1 0 10 16 A6 6 0 1 0 10 4 M14.5 14.5 L20 20 M7 12 V9 M10 12 V7 M13 12 V10",
         makeInspect, addActionsOf<InspectRoom>},
        {"anatomy", u"Anatomy"_s,
         u"List the steps of a model's computation from tokens to logits: shapes, parameters, operations and cache "
         "sizes."_s,
         "anatomy.md", "M5 3 V21 M5 6 H9 M9 4 H19 V8 H9 Z M5 13 H9 M9 11 H19 V15 H9 Z M5 20 H9 M9 18 H19 V22 H9 Z",
         makeAnatomy, addActionsOf<AnatomyRoom>},
    };
    return entries;
}

QKeySequence roomShortcut(int number) {
    if (number >= 1 && number <= 9) return QKeySequence(Qt::Key_0 + number);
    if (number == 10) return QKeySequence(Qt::Key_0);
    if (number >= 11 && number <= 19) return QKeySequence(Qt::ALT | static_cast<Qt::Key>(Qt::Key_0 + number - 10));
    return {};
}

RoomStack::RoomStack(Workspace& workspace, QWidget* parent)
    : QObject(parent),
      m_workspace(workspace),
      m_pages(new QStackedWidget(parent)),
      m_panels(new QStackedWidget(parent)),
      m_made(rooms().size()) {}

int RoomStack::indexOf(const QString& id) {
    const QString current = text(current_name(Alias::Kind::room, id.toLower().toStdString()));
    QStringList known;
    for (const RoomEntry& entry : rooms()) {
        known << QString::fromLatin1(entry.id);
        if (current == known.last()) return static_cast<int>(known.size()) - 1;
    }
    throw BadInput("There is no page (room) \"" + id.toStdString() +
                   "\"; the pages are: " + known.join(u", "_s).toStdString() + ".");
}

RoomStack::Made& RoomStack::makeRoom(int index) {
    Made& made = m_made[static_cast<std::size_t>(index)];
    if (made.room) return made;
    // Without scrolling, the minimum height of the window would be that of the highest room.
    auto* page = new ScrollPage(m_pages);
    made.room = rooms()[static_cast<std::size_t>(index)].make(m_workspace, page->viewport());
    page->setContent(made.room);
    made.room->setObjectName(idOf(index));
    made.page = page;
    m_pages->addWidget(page);
    return made;
}

RoomStack::Made& RoomStack::make(int index) {
    Made& made = makeRoom(index);
    if (made.panel) return made;
    QWidget* panel = made.room->panel(m_panels);
    made.panel = panel ? panel : new QWidget;
    m_panels->addWidget(made.panel);
    emit roomMade(*made.room);
    return made;
}

bool RoomStack::makePart(int index) {
    const Made before = m_made[static_cast<std::size_t>(index)];
    before.room ? make(index) : makeRoom(index);
    return !before.panel;
}

Room& RoomStack::room(int index) {
    return *make(index).room;
}

QWidget& RoomStack::panel(int index) {
    return *make(index).panel;
}

std::vector<Room*> RoomStack::made() const {
    std::vector<Room*> result;
    for (const Made& each : m_made) {
        if (each.room) result.push_back(each.room);
    }
    return result;
}

void RoomStack::show(int index) {
    const Made& shown = make(index);
    m_current = index;
    m_pages->setCurrentWidget(shown.page);
    m_panels->setCurrentWidget(shown.panel);
    emit currentChanged();
}

void RoomStack::show(const QString& id, const QString& part) {
    show(indexOf(id));
    if (!part.isEmpty()) room().showPart(part);
}

}  // namespace ropelab::ui

#include "moc_rooms.cpp"
