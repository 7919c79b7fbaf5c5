// OpenSSL 3.0, and its macros as functions Swift can call.
#pragma once

#include <openssl/bio.h>
#include <openssl/cms.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

// Options are built by a function-like macro, which the importer skips.
static const uint64_t COpenSSL_OP_NO_RENEGOTIATION = SSL_OP_NO_RENEGOTIATION;
static const uint64_t COpenSSL_OP_NO_COMPRESSION = SSL_OP_NO_COMPRESSION;
static const uint64_t COpenSSL_OP_NO_TICKET = SSL_OP_NO_TICKET;
static const uint64_t COpenSSL_OP_CIPHER_SERVER_PREFERENCE = SSL_OP_CIPHER_SERVER_PREFERENCE;

static inline int COpenSSL_SSL_CTX_set_min_proto_version(SSL_CTX *context, int version) {
    return (int)SSL_CTX_set_min_proto_version(context, version);
}
static inline int COpenSSL_SSL_CTX_set_max_proto_version(SSL_CTX *context, int version) {
    return (int)SSL_CTX_set_max_proto_version(context, version);
}
static inline void COpenSSL_SSL_CTX_set_mode(SSL_CTX *context, long mode) {
    SSL_CTX_set_mode(context, mode);
}
static inline void COpenSSL_SSL_CTX_set_session_cache_mode(SSL_CTX *context, long mode) {
    SSL_CTX_set_session_cache_mode(context, mode);
}
static inline int COpenSSL_SSL_CTX_set1_groups_list(SSL_CTX *context, const char *groups) {
    return (int)SSL_CTX_set1_groups_list(context, groups);
}
static inline int COpenSSL_SSL_CTX_add1_chain_cert(SSL_CTX *context, X509 *certificate) {
    return (int)SSL_CTX_add1_chain_cert(context, certificate);
}
static inline int COpenSSL_SSL_set_tlsext_host_name(SSL *ssl, const char *name) {
    return (int)SSL_set_tlsext_host_name(ssl, name);
}

// Puts the reason on the error queue that OpenSSL itself gives when ALPN names do not match.
static inline void COpenSSL_raise_no_application_protocol(void) {
    ERR_raise(ERR_LIB_SSL, SSL_R_NO_APPLICATION_PROTOCOL);
}

static inline void COpenSSL_BIO_set_retry_read(BIO *bio) { BIO_set_retry_read(bio); }
static inline void COpenSSL_BIO_clear_retry_flags(BIO *bio) { BIO_clear_retry_flags(bio); }

static inline int COpenSSL_sk_GENERAL_NAME_num(const GENERAL_NAMES *names) {
    return sk_GENERAL_NAME_num(names);
}
static inline const GENERAL_NAME *COpenSSL_sk_GENERAL_NAME_value(
    const GENERAL_NAMES *names, int index) {
    return sk_GENERAL_NAME_value(names, index);
}
// The text of a name of type GEN_DNS or GEN_URI; NULL for every other type.
static inline const ASN1_STRING *COpenSSL_GENERAL_NAME_text(const GENERAL_NAME *name) {
    return name->type == GEN_DNS || name->type == GEN_URI ? name->d.ia5 : NULL;
}
static inline int COpenSSL_GENERAL_NAME_type(const GENERAL_NAME *name) { return name->type; }
