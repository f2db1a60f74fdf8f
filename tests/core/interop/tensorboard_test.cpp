#include "core/interop/tensorboard.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/experiment/experiment.h"
#include "tests/support/expect_message.h"
#include "tests/support/scratch_folder.h"

namespace ropelab {
namespace {

namespace fs = std::filesystem;

std::string content_of(const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

// The decoder below shares no code with the encoder. It computes checksums bit by bit and parses the wire format.

std::uint32_t crc_bit_by_bit(const std::string& bytes) {
    std::uint32_t crc = ~0U;
    for (const char c : bytes) {
        crc ^= static_cast<unsigned char>(c);
        for (int i = 0; i < 8; ++i) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82F63B78U : 0U);
    }
    return ~crc;
}

template <typename Number>
Number number_at(const std::string& bytes, std::size_t at) {
    Number result{};
    if (at + sizeof result > bytes.size()) throw std::out_of_range("the file ends too early");
    std::memcpy(&result, bytes.data() + at, sizeof result);  // the format and this machine are little endian
    return result;
}

std::vector<std::string> records_of(const std::string& file) {
    std::vector<std::string> records;
    for (std::size_t at = 0; at < file.size();) {
        const auto size = number_at<std::uint64_t>(file, at);
        const auto masked = [&](std::size_t where) {
            const std::uint32_t stored = number_at<std::uint32_t>(file, where) - 0xA282EAD8U;
            return (stored << 15) | (stored >> 17);
        };
        EXPECT_EQ(masked(at + 8), crc_bit_by_bit(file.substr(at, 8)));
        records.push_back(file.substr(at + 12, size));
        EXPECT_EQ(masked(at + 12 + size), crc_bit_by_bit(records.back()));
        at += 16 + size;
    }
    return records;
}

struct Field {
    std::uint64_t number = 0;  // a varint, or the bits of a number of fixed size
    std::string bytes;
};
using Message = std::multimap<std::uint64_t, Field>;

Message message_of(const std::string& bytes) {
    Message result;
    std::size_t at = 0;
    const auto varint = [&] {
        std::uint64_t value = 0;
        for (int shift = 0;; shift += 7) {
            const auto byte = static_cast<unsigned char>(bytes.at(at++));
            value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
            if (byte < 0x80) return value;
        }
    };
    while (at < bytes.size()) {
        const std::uint64_t tag = varint();
        Field field;
        switch (tag & 7U) {
            case 0:
                field.number = varint();
                break;
            case 1:
                field.number = number_at<std::uint64_t>(bytes, at);
                at += 8;
                break;
            case 2: {
                const std::uint64_t size = varint();
                field.bytes = bytes.substr(at, size);
                at += size;
                break;
            }
            case 5:
                field.number = number_at<std::uint32_t>(bytes, at);
                at += 4;
                break;
            default:
                throw std::runtime_error("unknown wire type");
        }
        result.emplace(tag >> 3U, std::move(field));
    }
    return result;
}

const Field& only(const Message& message, std::uint64_t number) {
    EXPECT_EQ(message.count(number), 1U) << number;
    return message.find(number)->second;
}

struct Decoded {
    std::map<std::string, std::map<std::uint64_t, float>> scalars;  // values by tag and step
    std::map<std::string, std::string> plugins;                     // plugin of each tag with a tensor
    std::map<std::string, Message> tensors;
    std::map<std::string, std::string> plugin_data;
    std::vector<double> times;
};

double as_double(const Field& field) {
    return number_at<double>(std::string(reinterpret_cast<const char*>(&field.number), 8), 0);
}
float as_float(const Field& field) {
    const auto bits = static_cast<std::uint32_t>(field.number);
    return number_at<float>(std::string(reinterpret_cast<const char*>(&bits), 4), 0);
}

Decoded decoded(const std::string& file) {
    Decoded result;
    const auto records = records_of(file);
    EXPECT_EQ(only(message_of(records.front()), 3).bytes, "brain.Event:2");
    for (std::size_t i = 1; i < records.size(); ++i) {
        const Message event = message_of(records[i]);
        result.times.push_back(as_double(only(event, 1)));
        const std::uint64_t step = only(event, 2).number;
        const Message summary = message_of(only(event, 5).bytes);
        for (const auto& [number, field] : summary) {
            EXPECT_EQ(number, 1U);
            const Message value = message_of(field.bytes);
            const std::string tag = only(value, 1).bytes;
            if (value.contains(2)) {
                result.scalars[tag][step] = as_float(only(value, 2));
            } else {
                result.tensors[tag] = message_of(only(value, 8).bytes);
                const Message data = message_of(only(message_of(only(value, 9).bytes), 1).bytes);
                result.plugins[tag] = only(data, 1).bytes;
                if (data.contains(2)) result.plugin_data[tag] = only(data, 2).bytes;
            }
        }
    }
    return result;
}

class TensorBoard : public testing::Test {
 protected:
    // Adds a run with three steps and two evaluations, and with a summary if `ended` is true.
    RunId add_run(const std::string& name, std::int64_t seed, bool ended = true) {
        RunSpec spec;
        spec.seed = seed;
        spec.fraction = 0.25;
        spec.dropout = 0.0;
        const RunId id = lab_->add_run(experiment_, name, to_json(spec).dump());
        std::vector<Event> events = {event::CohortStarted{{id}, 0, 3, {"float32", "cpu", 2, ""}},
                                     event::Evaluated{id, 0, 4.25, 4.5}};
        for (int i = 1; i <= 3; ++i) events.push_back(event::Step{id, i, 4.0 / i, i == 3 ? std::nan("") : 0.5, 1e-3});
        events.push_back(event::Evaluated{id, 3, 1.25, 1.5});
        RunSummary summary;
        summary.iterations = 3;
        summary.seconds = 6;
        summary.tokens_per_second = 1024;
        summary.whole_validation_loss = 1.75;
        if (ended) events.push_back(event::RunEnded{id, RunState::finished, "", summary});
        lab_->record(events);
        return id;
    }

    ScratchFolder folder_;
    std::unique_ptr<LabFile> lab_ = LabFile::create(folder_ / "a.ropelab");
    std::int64_t experiment_ = lab_->add_experiment("small", "{}");
};

TEST_F(TensorBoard, ChecksumsAgreeWithTheStandard) {
    EXPECT_EQ(crc32c("123456789"), 0xE3069283U);
    EXPECT_EQ(crc32c(""), 0U);
    EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAU);  // RFC 3720, B.4
    EXPECT_EQ(crc32c(std::string(32, '\xFF')), 0x62A8AB43U);
    EXPECT_EQ(crc32c("RoPE"), crc_bit_by_bit("RoPE"));
}

TEST_F(TensorBoard, EventFileContainsTheCurvesInOrder) {
    const RunId id = add_run("θ 10k, 25 %", 7);
    const RunClock clock = clock_of(lab_->run(id), lab_->experiments().front());
    EXPECT_TRUE(clock.measured);
    EXPECT_DOUBLE_EQ(clock.seconds_per_step, 2.0);
    const Decoded file = decoded(event_file(lab_->run(id), lab_->metrics(id), clock));

    using Points = std::map<std::uint64_t, float>;
    EXPECT_EQ(file.scalars.at("loss/train"), (Points{{1, 4.0F}, {2, 2.0F}, {3, static_cast<float>(4.0 / 3)}}));
    EXPECT_EQ(file.scalars.at("loss/validation"), (Points{{0, 4.5F}, {3, 1.5F}}));
    EXPECT_EQ(file.scalars.at("loss/train_evaluated"), (Points{{0, 4.25F}, {3, 1.25F}}));
    EXPECT_EQ(file.scalars.at("learning_rate").at(2), 1e-3F);
    EXPECT_EQ(file.scalars.at("gradient_norm").at(2), 0.5F);
    EXPECT_TRUE(std::isnan(file.scalars.at("gradient_norm").at(3)));
    EXPECT_EQ(file.scalars.at("tokens_per_second"), (Points{{3, 1024.0F}}));
    EXPECT_EQ(file.scalars.at("loss/validation_whole"), (Points{{3, 1.75F}}));

    EXPECT_TRUE(std::is_sorted(file.times.begin(), file.times.end()));
    EXPECT_DOUBLE_EQ(file.times.front(), clock.start);
    EXPECT_DOUBLE_EQ(file.times.back(), clock.start + 6);
}

TEST_F(TensorBoard, EventFileContainsSettingsAsTableAndHyperparameters) {
    const RunId id = add_run("a | b", 7);
    const Decoded file = decoded(event_file(lab_->run(id), lab_->metrics(id), {1e9, 1, true}));
    EXPECT_EQ(file.plugins.at("settings"), "text");
    const std::string table = only(file.tensors.at("settings"), 8).bytes;
    EXPECT_EQ(only(file.tensors.at("settings"), 1).number, 7U);  // DT_STRING
    for (const auto& [name, tensor] : file.tensors) {            // each has one element
        const Message shape = message_of(only(tensor, 2).bytes);
        EXPECT_EQ(only(message_of(only(shape, 2).bytes), 1).number, 1U) << name;
    }
    EXPECT_THAT(table, testing::HasSubstr("| run | a \\| b |\n"));
    EXPECT_THAT(table, testing::HasSubstr("| theta | 10000 |\n"));
    EXPECT_THAT(table, testing::HasSubstr("| chosen_precision | float32 |\n"));

    const std::string tag = "_hparams_/session_start_info";
    EXPECT_EQ(file.plugins.at(tag), "hparams");
    const Message session = message_of(only(message_of(file.plugin_data.at(tag)), 3).bytes);
    std::map<std::string, Message> values;
    for (auto [entry, end] = session.equal_range(1); entry != end; ++entry) {
        const Message pair = message_of(entry->second.bytes);
        values[only(pair, 1).bytes] = message_of(only(pair, 2).bytes);
    }
    EXPECT_EQ(as_double(only(values.at("fraction"), 2)), 0.25);
    EXPECT_EQ(only(values.at("data"), 3).bytes, "synthetic");
    EXPECT_EQ(only(values.at("tied_head"), 4).number, 1U);
    EXPECT_EQ(only(values.at("bias"), 4).number, 0U);
    EXPECT_EQ(as_double(only(session, 5)), 1e9);
}

TEST_F(TensorBoard, RunThatHasNotEndedHasNominalTimes) {
    const RunId id = add_run("going on", 7, false);
    const RunClock clock = clock_of(lab_->run(id), lab_->experiments().front());
    EXPECT_FALSE(clock.measured);
    const Decoded file = decoded(event_file(lab_->run(id), lab_->metrics(id), clock));
    EXPECT_EQ(file.scalars.at("loss/train").size(), 3U);
    EXPECT_FALSE(file.scalars.contains("tokens_per_second"));
    EXPECT_GT(file.times.back(), file.times.front());

    EXPECT_DOUBLE_EQ(clock_of({}, {1, "e", "{}", "2001-09-09T01:46:40Z"}).start, 1e9);
    EXPECT_MESSAGE(clock_of({}, {1, "e", "{}", "yesterday"}), BadInput, "2025-03-14T15:09:26Z");
}

TEST_F(TensorBoard, EventsHaveTheTimesOfTheLab) {
    const RunId id = add_run("resumed", 7, false);  // its three steps have no times
    const RunClock clock = clock_of(lab_->run(id), lab_->experiments().front());
    const double now = clock.start + 1000;
    lab_->record(std::vector<Event>{event::Step{id, 4, 1, 0.5, 1e-3, now}, event::Step{id, 5, 1, 0.5, 1e-3, now + 60},
                                    event::Evaluated{id, 5, 1, 1.25, now + 61.5},
                                    event::Step{id, 6, 1, 0.5, 1e-3, now + 30}});  // the system clock was set back
    const Decoded file = decoded(event_file(lab_->run(id), lab_->metrics(id), clock));
    ASSERT_GE(file.times.size(), 4U);
    const std::vector<double> last(file.times.end() - 4, file.times.end());
    EXPECT_EQ(last, (std::vector<double>{now, now + 60, now + 61.5, now + 61.5}));
    EXPECT_TRUE(std::is_sorted(file.times.begin(), file.times.end()));
    EXPECT_FALSE(write_event_files(*lab_, lab_->runs(), folder_ / "events", false).front().times_stored);
    lab_->discard_after(id, 0);
    lab_->record(std::vector<Event>{event::Evaluated{id, 0, 1, 1, now}, event::Step{id, 1, 1, 0.5, 1e-3, now + 1}});
    EXPECT_TRUE(write_event_files(*lab_, lab_->runs(), folder_ / "again", false).front().times_stored);
}

TEST_F(TensorBoard, FolderNamesContainTheSeedOnce) {
    add_run("θ 10k, seed 7", 7);
    add_run("θ 10k, seed 71", 7);
    add_run("reseed7", 7);
    add_run("seed7", 7);
    add_run("aseed7", 7);
    const auto files = write_event_files(*lab_, lab_->runs(), folder_ / "events", false);
    const auto folder = [&](std::size_t i) { return files.at(i).path.parent_path().filename(); };
    EXPECT_EQ(folder(0), "theta_10k_seed_7");
    EXPECT_EQ(folder(1), "theta_10k_seed_71_seed7");
    EXPECT_EQ(folder(2), "reseed7_seed7");
    EXPECT_EQ(folder(3), "seed7");
    EXPECT_EQ(folder(4), "aseed7_seed7");
}

TEST_F(TensorBoard, FoldersHaveSafeNames) {
    EXPECT_EQ(folder_name("θ 10k, 25 %"), "theta_10k_25percent");
    EXPECT_EQ(folder_name("../../etc/passwd"), "etc_passwd");
    EXPECT_EQ(folder_name(".hidden"), "hidden");
    EXPECT_EQ(folder_name("learned + θ 1.5k, 2 ch"), "learned_+_theta_1.5k_2_ch");
    EXPECT_EQ(folder_name("…"), "run");
    EXPECT_EQ(folder_name(""), "run");
    EXPECT_EQ(folder_name(std::string(500, 'x')).size(), 100U);
}

TEST_F(TensorBoard, EachRunHasItsOwnFolder) {
    add_run("A", 7);
    add_run("a", 7);  // equals the first name on systems that ignore case
    add_run("A", 8);
    const fs::path out = folder_ / "events";
    const auto files = write_event_files(*lab_, lab_->runs(), out, false);
    ASSERT_EQ(files.size(), 3U);
    EXPECT_EQ(files[0].path.parent_path(), out / "A_seed7");
    EXPECT_EQ(files[1].path.parent_path(), out / "a_seed7_run2");
    EXPECT_EQ(files[2].path.parent_path(), out / "A_seed8");
    EXPECT_THAT(files[0].path.filename().string(), testing::MatchesRegex("events\\.out\\.tfevents\\.[0-9]+\\.ropelab"));
    EXPECT_EQ(files[0].steps, 3);
    EXPECT_EQ(files[0].evaluations, 2);
    EXPECT_EQ(decoded(content_of(files[2].path)).scalars.at("loss/train").size(), 3U);
}

TEST_F(TensorBoard, FoldersNameTheSeedOnce) {
    add_run("θ 500, seed 1", 1);
    add_run("θ 500, seed 11", 1);  // ends with another seed
    const fs::path out = folder_ / "events";
    const auto files = write_event_files(*lab_, lab_->runs(), out, false);
    ASSERT_EQ(files.size(), 2U);
    EXPECT_EQ(files[0].path.parent_path(), out / "theta_500_seed_1");
    EXPECT_EQ(files[1].path.parent_path(), out / "theta_500_seed_11_seed1");
}

TEST_F(TensorBoard, EarlierExportIsReplacedOnlyWithReplace) {
    add_run("A", 7);
    const fs::path out = folder_ / "events";
    const fs::path file = write_event_files(*lab_, lab_->runs(), out, false).front().path;
    const fs::path earlier = file.parent_path() / "events.out.tfevents.1000000000.ropelab";
    const fs::path others = file.parent_path() / "events.out.tfevents.1000000000.elsewhere";
    std::ofstream(earlier) << "old";
    std::ofstream(others) << "not ours";
    EXPECT_MESSAGE(write_event_files(*lab_, lab_->runs(), out, false), BadInput, "--force");
    write_event_files(*lab_, lab_->runs(), out, true);
    EXPECT_TRUE(fs::exists(file));
    EXPECT_FALSE(fs::exists(earlier));
    EXPECT_TRUE(fs::exists(others));
    EXPECT_MESSAGE(write_event_files(*lab_, lab_->runs(), folder_ / "a.ropelab", true), BadInput, "not a folder");
    EXPECT_MESSAGE(write_event_files(*lab_, lab_->runs(), folder_ / "a.ropelab" / "b", false), BadInput, "created");
}

// Needs a Python with TensorBoard (pip install tensorboard), whose reader opens the folder.
TEST_F(TensorBoard, TensorBoardReaderReadsTheFile) {
    const char* python = std::getenv("ROPELAB_TENSORBOARD_PYTHON");
    if (python == nullptr || *python == '\0') {
        GTEST_SKIP()
            << "ROPELAB_TENSORBOARD_PYTHON names no Python with TensorBoard, so the file is not read by TensorBoard.";
    }
    add_run("θ 10k, 25 %", 7);
    const auto files = write_event_files(*lab_, lab_->runs(), folder_ / "events", false);
    const fs::path script = folder_.write("read.py", R"(
import json, sys
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.plugins.hparams import plugin_data_pb2
reader = EventAccumulator(sys.argv[1], size_guidance={"scalars": 0, "tensors": 0})
reader.Reload()
hparams = plugin_data_pb2.HParamsPluginData.FromString(
    reader.SummaryMetadata("_hparams_/session_start_info").plugin_data.content)
json.dump({
    "scalars": {tag: [[e.wall_time, e.step, repr(e.value)] for e in reader.Scalars(tag)]
                for tag in reader.Tags()["scalars"]},
    "text": reader.Tensors("settings")[0].tensor_proto.string_val[0].decode(),
    "theta": hparams.session_start_info.hparams["theta"].number_value,
}, open(sys.argv[2], "w"))
)");
    const auto quoted = [](const fs::path& path) { return "'" + path.string() + "'"; };
    const std::string command = quoted(python) + " " + quoted(script) + " " + quoted(files[0].path.parent_path()) +
                                " " + quoted(folder_ / "read.json") + " 2>" + quoted(folder_ / "err");
    ASSERT_EQ(std::system(command.c_str()), 0) << content_of(folder_ / "err");
    const auto read = nlohmann::json::parse(content_of(folder_ / "read.json"));
    EXPECT_EQ(read["scalars"].size(), 7U);
    ASSERT_EQ(read["scalars"]["loss/train"].size(), 3U);
    EXPECT_EQ(read["scalars"]["loss/train"][1][2], "2.0");
    EXPECT_EQ(read["scalars"]["loss/validation"][1][1], 3);
    EXPECT_EQ(read["scalars"]["gradient_norm"][2][2], "nan");
    EXPECT_THAT(read["text"].get<std::string>(), testing::HasSubstr("| theta | 10000 |"));
    EXPECT_EQ(read["theta"], 10000);
}

}  // namespace
}  // namespace ropelab
