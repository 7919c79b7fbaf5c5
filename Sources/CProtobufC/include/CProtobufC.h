// Everything of protobuf-c that Swift sees: the library, our arena and guard, the generated structs.
#ifndef CPROTOBUFC_H
#define CPROTOBUFC_H

#include <protobuf-c/protobuf-c.h>

#include "arena.h"
#include "generated.h"
#include "guard.h"
#include "rewrite.h"

#endif
