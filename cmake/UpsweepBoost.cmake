# upsweep_choose_boost(): sets Boost_USE_STATIC_LIBS for the find_package(Boost) that follows. Where there is a static
# Boost.Context it is taken, so that a shared upsweep does not ask its users for Boost; conda-forge has the shared one alone.
macro(upsweep_choose_boost)
  set(Boost_USE_STATIC_LIBS ON)
  find_package(Boost 1.71 QUIET COMPONENTS context)
  if(NOT Boost_FOUND)
    set(Boost_USE_STATIC_LIBS OFF)
  endif()
endmacro()
