# What `cmake --install` copies: bin/, lib/ropelab/ (what the programs open by name) and share/. The programs find both
# relative to their own folder, so a prefix can be moved. Known models, published tables and fonts are compiled into the
# programs. `cpack -G DEB` makes a Debian package of the same files; packaging/package.sh also makes an archive.
set(ROPELAB_URL "" CACHE STRING "Web address of a published copy of these sources, without the last /, for its pictures")

set(id org.ropelab.RopeLab)  # of the desktop file, the metainfo, the icon and the MIME type
set(desktop ${CMAKE_SOURCE_DIR}/resources/desktop)
set(made ${CMAKE_BINARY_DIR}/desktop)

install(TARGETS ropelab ropelab-cli RUNTIME DESTINATION bin)
if(ROPELAB_ENGINE)
    install(TARGETS ropelab_engine ropelab_kernels LIBRARY DESTINATION lib/ropelab)
    foreach(level x86-64-v3 x86-64-v4)
        if(TARGET ropelab_kernels_${level})
            install(TARGETS ropelab_kernels_${level} LIBRARY DESTINATION lib/ropelab/glibc-hwcaps/${level})
        endif()
    endforeach()
    if(TARGET ropelab_cuda_graph)
        install(TARGETS ropelab_cuda_graph LIBRARY DESTINATION lib/ropelab)
    endif()
endif()

install(DIRECTORY resources/lectures DESTINATION share/ropelab
        FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.json" PATTERN "*.ropelab")
install(DIRECTORY docs DESTINATION share/doc/ropelab FILES_MATCHING PATTERN "*.md" PATTERN "*.png" PATTERN "*.gif")
install(FILES README.md CHANGELOG.md CITATION.cff LICENSE packaging/copyright DESTINATION share/doc/ropelab)
install(FILES resources/fonts/OFL.txt DESTINATION share/doc/ropelab RENAME Inter-OFL.txt)

file(READ ${desktop}/${id}.metainfo.xml.in metainfo)
if(NOT ROPELAB_URL)  # AppStream accepts no picture without a web address
    string(REGEX REPLACE "  <url.*</screenshots>\n" "" metainfo "${metainfo}")
endif()
file(CONFIGURE OUTPUT ${made}/${id}.metainfo.xml CONTENT "${metainfo}" @ONLY)
install(FILES ${made}/${id}.metainfo.xml DESTINATION share/metainfo)
install(FILES ${desktop}/${id}.desktop DESTINATION share/applications)
install(FILES ${desktop}/${id}.xml DESTINATION share/mime/packages)
install(FILES ${desktop}/${id}.svg DESTINATION share/icons/hicolor/scalable/apps)

# Pictures of the icon and the manual pages are made when they are installed, so that no build waits for them.
find_program(ROPELAB_RSVG rsvg-convert)
find_program(ROPELAB_HELP2MAN help2man)
if(ROPELAB_RSVG)
    foreach(size 16 22 24 32 48 64 128 256 512)
        set(folder icons/hicolor/${size}x${size}/apps)
        install(CODE "file(MAKE_DIRECTORY ${made}/${folder})
            execute_process(COMMAND ${ROPELAB_RSVG} -w ${size} -h ${size} ${desktop}/${id}.svg -o ${made}/${folder}/${id}.png
                            COMMAND_ERROR_IS_FATAL ANY)")
    endforeach()
    install(DIRECTORY ${made}/icons DESTINATION share)
else()
    message(STATUS "Icon: installed as SVG only, because rsvg-convert was not found")
endif()
if(ROPELAB_HELP2MAN)
    set(name_of_ropelab "window for experiments with rotary position embeddings")
    set(name_of_ropelab-cli "terminal program for experiments with rotary position embeddings")
    foreach(program ropelab ropelab-cli)
        install(CODE "execute_process(
            COMMAND ${ROPELAB_HELP2MAN} --no-info \"--name=${name_of_${program}}\" --output=${made}/${program}.1
                    $<TARGET_FILE:${program}>
            COMMAND_ERROR_IS_FATAL ANY)")
        install(FILES ${made}/${program}.1 DESTINATION share/man/man1)
    endforeach()
else()
    message(STATUS "Manual pages: not installed, because help2man was not found")
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME ropelab)
set(CPACK_PACKAGE_CONTACT "The RoPE Lab authors")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_OUTPUT_FILE_PREFIX ${CMAKE_BINARY_DIR}/packages)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
    "A window and a terminal program that show how rotary position embeddings (RoPE)
 work, and train small language models that differ only in such settings.
 .
 Training requires LibTorch ${LibTorch_VERSION}, which Debian does not have; install.md in
 /usr/share/doc/ropelab/docs says how to get it.")
# The libraries' packages are found by dpkg-shlibdeps. It cannot know Qt's plugins for X11 and Wayland, which Qt opens by
# name, and finds no package of LibTorch.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY} ${LibTorch_LIBRARY_DIRS})
set(CPACK_DEBIAN_PACKAGE_DEPENDS "qt6-qpa-plugins, ca-certificates")
cmake_host_system_information(RESULT distribution QUERY DISTRIB_VERSION_ID)
if(distribution VERSION_GREATER_EQUAL 13)  # Debian 12 has the plugin that reads icons in the library
    string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS ", qt6-svg-plugins")
endif()
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "qt6-wayland")
include(CPack)
