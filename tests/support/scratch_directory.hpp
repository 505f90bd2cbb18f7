// The scratch directory that the tests of io have, for all other rooms.
#pragma once

#include "../io/scratch_directory.hpp"

namespace sillar::testing {

using io::testing::ScratchDirectory;

}  // namespace sillar::testing
