#include "tests/support/source_file.h"

namespace ropelab {

std::string source_file(const std::string& name) {
    return ROPELAB_SOURCE_DIR "/" + name;
}

}  // namespace ropelab
