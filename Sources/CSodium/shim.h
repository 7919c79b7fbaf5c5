// libsodium 1.0.18: Argon2id, and nothing else of it is used.
#pragma once

#include <sodium.h>
