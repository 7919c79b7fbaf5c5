#include "build_information.h"

const char *CBuildInformation_revision(void) { return BUILD_REVISION; }
