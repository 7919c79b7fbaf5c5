// zlib, and its macros as functions Swift can call.
#pragma once

#include <zlib.h>
