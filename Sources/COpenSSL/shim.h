// OpenSSL 3.0, and its macros as functions Swift can call.
#pragma once

#include <openssl/err.h>
#include <openssl/ssl.h>
