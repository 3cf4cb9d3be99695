# What the program loads at run time lies beside it: build/<preset>/share/hpclab in the build tree,
# <prefix>/share/hpclab after installation.
include(GNUInstallDirs)
install(TARGETS hpclab RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY configs DESTINATION ${CMAKE_INSTALL_DATADIR}/hpclab)
install(DIRECTORY scripts/plotting DESTINATION ${CMAKE_INSTALL_DATADIR}/hpclab)

set(share ${PROJECT_BINARY_DIR}/share/hpclab)
file(MAKE_DIRECTORY ${share})
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/configs ${share}/configs SYMBOLIC)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/scripts/plotting ${share}/plotting SYMBOLIC)
