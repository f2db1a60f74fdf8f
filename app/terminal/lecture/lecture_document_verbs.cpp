// The commands `lecture handout` and `lecture slides`, whose work the window program does.
#include <memory>
#include <string>

#include "app/terminal/verbs.h"
#include "app/terminal/window/window_job.h"

namespace ropelab::terminal {

namespace {

struct DocumentFlags {
    std::string lecture;
    std::string output;
    bool without_answers = false;
    JobFlags fields;
};

CLI::App* add_document(CLI::App& lecture, const char* name, const char* description, const char* output_help,
                       const std::shared_ptr<DocumentFlags>& flags) {
    CLI::App* verb = lecture.add_subcommand(name, description);
    verb->add_option("file", flags->lecture, "Lecture (.md), or the name of a lecture of the program")->required();
    verb->add_option("--output", flags->output, output_help)->required();
    return verb;
}

}  // namespace

void add_lecture_documents(CLI::App& lecture) {
    auto handout = std::make_shared<DocumentFlags>();
    CLI::App* handout_verb = add_document(
        lecture, "handout",
        "Write a PDF with text, picture, questions and answers of each scene; no display is needed and nothing trains",
        "Output file (.pdf; - for standard output)", handout);
    handout_verb->add_flag("--without-answers", handout->without_answers, "Leave out the answers to the questions");
    handout->fields.add_text(*handout_verb, "paper", "--paper", "Paper: a4 (default) or letter");
    handout->fields.add_json(*handout_verb);
    handout_verb->callback([handout] {
        handout->fields.run("Handouts", "--document",
                            {{"kind", "handout"},
                             {"lecture", handout->lecture},
                             {"output", handout->output},
                             {"answers", !handout->without_answers}});
    });

    auto slides = std::make_shared<DocumentFlags>();
    CLI::App* slides_verb = add_document(
        lecture, "slides", "Write one slide per step of a lecture; no display is needed and nothing trains",
        "A file (.pdf or .html; - for standard output), or a folder for one PNG or SVG file per slide", slides);
    slides->fields.add_text(*slides_verb, "format", "--format",
                            "Format: pdf, html, png or svg (default: the suffix of --output; png for a folder)");
    slides->fields.add_text(*slides_verb, "theme", "--theme", "Colour theme: light (default) or dark");
    slides->fields.add_number(*slides_verb, "width", "--width-px",
                              "Width of PNG slides in pixels, 320 to 7680 (default: 1920)");
    slides_verb->add_flag("--without-answers", slides->without_answers,
                          "Leave out the answers to the questions, and what follows the first question of a scene "
                          "except other questions");
    slides->fields.add_json(*slides_verb);
    slides_verb->callback([slides] {
        slides->fields.run("Slides", "--document",
                           {{"kind", "slides"},
                            {"lecture", slides->lecture},
                            {"output", slides->output},
                            {"answers", !slides->without_answers}});
    });
}

}  // namespace ropelab::terminal
