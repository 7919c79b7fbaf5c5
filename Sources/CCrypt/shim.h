// libxcrypt 4.4: the hashes of crypt(5), for passwords that come from other systems.
#pragma once

#include <crypt.h>

// Swift cannot say how large a struct is that has arrays of so many members.
enum { CCrypt_data_byte_count = sizeof(struct crypt_data) };
