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

// Keys of P-256 of the old kind: to make one ready takes less than for the new kind, and a signature of
// a passkey is checked with a key that is seen once. Swift would warn of the functions.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
static inline EC_KEY *COpenSSL_EC_KEY_new_P256(void) {
    return EC_KEY_new_by_curve_name(NID_X9_62_prime256v1);
}
static inline int COpenSSL_EC_KEY_oct2key(EC_KEY *key, const unsigned char *point, size_t count) {
    return EC_KEY_oct2key(key, point, count, NULL);
}
static inline void COpenSSL_EC_KEY_free(EC_KEY *key) { EC_KEY_free(key); }
static inline int COpenSSL_ECDSA_verify(
    const unsigned char *digest, int digest_count, const unsigned char *signature,
    int signature_count, EC_KEY *key) {
    return ECDSA_verify(0, digest, digest_count, signature, signature_count, key);
}
#pragma clang diagnostic pop

// The builder keeps the pointer to a name, which in Swift is gone when the call returns.
static inline int COpenSSL_OSSL_PARAM_BLD_push_RSA_N(OSSL_PARAM_BLD *builder, const BIGNUM *n) {
    return OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, n);
}
static inline int COpenSSL_OSSL_PARAM_BLD_push_RSA_E(OSSL_PARAM_BLD *builder, const BIGNUM *e) {
    return OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, e);
}

// The selection is built by nested macros, which the importer skips.
static const int COpenSSL_EVP_PKEY_PUBLIC_KEY = EVP_PKEY_PUBLIC_KEY;

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
