// The command `lecture answers`: the answers of classes to questions, as a table.
#include <memory>

#include "app/terminal/output.h"
#include "app/terminal/verbs.h"
#include "core/lecture/answer_table.h"
#include "core/spec/error.h"
#include "core/store/output_file.h"

namespace ropelab::terminal {

namespace {

struct AnswerFlags {
    std::string lab;
    std::string lecture;
    std::string format = "txt";
    std::string output = "-";
    bool json = false;
};

void run_answers(const AnswerFlags& flags) {
    if (flags.format != "txt" && flags.format != "csv") {
        throw BadInput("\"" + flags.format + "\" is not a format of answers; it must be txt or csv.");
    }
    const auto lab = LabFile::open(flags.lab, LabFile::Mode::read);
    std::vector<AnsweredQuestion> questions = answered_questions(lab->answers());
    if (!flags.lecture.empty()) {
        std::erase_if(questions, [&](const AnsweredQuestion& question) { return question.lecture != flags.lecture; });
        if (questions.empty()) {
            throw BadInput("The lab " + flags.lab + " has no answers to questions of the lecture \"" + flags.lecture +
                           "\".");
        }
    }
    if (flags.json && is_standard_output(flags.output)) return print_json(answers_json(questions));
    const std::string text = flags.json              ? answers_json(questions).dump(2) + "\n"
                             : flags.format == "csv" ? answers_csv(questions)
                                                     : answers_text(questions);
    if (is_standard_output(flags.output)) return print_text(text);
    write_output(flags.output, text);
}

}  // namespace

void add_lecture_answers(CLI::App& lecture) {
    auto flags = std::make_shared<AnswerFlags>();
    CLI::App* verb =
        lecture.add_subcommand("answers", "Print the answers to questions of lectures that a lab stores, by group");
    verb->add_option("--lab", flags->lab, "Lab file")->required();
    verb->add_option("--lecture", flags->lecture, "Title of the lecture (default: all)");
    verb->add_option("--format", flags->format, "txt: shares by question and group; csv: one line per answer");
    verb->add_option("--output", flags->output, "File for the table (default: standard output)");
    verb->add_flag("--json", flags->json, "Print all answers as JSON");
    verb->callback([flags] { run_answers(*flags); });
}

}  // namespace ropelab::terminal
