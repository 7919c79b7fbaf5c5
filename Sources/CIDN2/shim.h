// libidn2 2.3: names of domains beyond ASCII (IDNA 2008 with the mapping of UTS #46).
#pragma once

#include <idn2.h>

// Swift does not import a combination of constants.
enum { CIDN2_lookup_flags = IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL };
