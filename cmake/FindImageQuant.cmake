# Finds libimagequant, which computes the palettes of GIFs, and defines the target ImageQuant::imagequant.
find_path(ImageQuant_INCLUDE_DIR libimagequant.h)
find_library(ImageQuant_LIBRARY imagequant)
mark_as_advanced(ImageQuant_INCLUDE_DIR ImageQuant_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ImageQuant REQUIRED_VARS ImageQuant_LIBRARY ImageQuant_INCLUDE_DIR
                                  REASON_FAILURE_MESSAGE "Run packaging/setup.sh, or install libimagequant-dev.")

if(ImageQuant_FOUND AND NOT TARGET ImageQuant::imagequant)
    add_library(ImageQuant::imagequant UNKNOWN IMPORTED)
    set_target_properties(ImageQuant::imagequant PROPERTIES
        IMPORTED_LOCATION "${ImageQuant_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${ImageQuant_INCLUDE_DIR}")
endif()
