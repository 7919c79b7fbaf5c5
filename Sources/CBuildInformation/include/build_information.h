// What the build knows and the sources cannot. In C, because Package.swift can hand text to a C target
// and to no other; a new revision recompiles one file this way.
#pragma once

// The value of BUILD_REVISION when the package was built, for example a commit; "unknown" without one.
// Never NULL.
const char *CBuildInformation_revision(void);
