#include "CCurl.h"

#include <dlfcn.h>
#include <stdio.h>

// What is called, each function with the type that libcurl's header gives it.
#define FUNCTIONS(EACH) \
    EACH(global_init)   \
    EACH(easy_init)     \
    EACH(easy_setopt)   \
    EACH(easy_getinfo)  \
    EACH(easy_perform)  \
    EACH(easy_cleanup)  \
    EACH(easy_strerror) \
    EACH(slist_append)  \
    EACH(slist_free_all)

// The header makes macros of those that are variadic.
#undef curl_easy_setopt
#undef curl_easy_getinfo

#define POINTER(name) __typeof__(curl_##name) *name;
static struct {
    FUNCTIONS(POINTER)
} library;

static char load_error[256];

static bool find(void *handle, const char *name, void *function, size_t size) {
    void *found = dlsym(handle, name);
    if (found == NULL) return false;
    // ISO C has no conversion to a pointer to a function; POSIX has the representations equal (dlsym(3)).
    __builtin_memcpy(function, &found, size);
    return true;
}

static bool load(void) {
    // By the name of the interface that the header is of, in all of its versions.
    void *handle = dlopen("libcurl.so.4", RTLD_LAZY | RTLD_LOCAL);
    if (handle == NULL) return false;
#define FIND(name) \
    if (!find(handle, "curl_" #name, &library.name, sizeof library.name)) return false;
    FUNCTIONS(FIND)
    return true;
}

bool CCurl_load(void) {
    if (!load()) {
        const char *reason = dlerror();
        snprintf(load_error, sizeof load_error, "%s", reason ? reason : "it lacks a function");
        return false;
    }
    if (library.global_init(CURL_GLOBAL_ALL) == CURLE_OK) return true;
    snprintf(load_error, sizeof load_error, "it cannot be initialised");
    return false;
}

const char *CCurl_load_error(void) { return load_error; }

CURL *CCurl_easy_init(void) { return library.easy_init(); }

void CCurl_easy_cleanup(CURL *handle) { library.easy_cleanup(handle); }

CURLcode CCurl_easy_perform(CURL *handle) { return library.easy_perform(handle); }

const char *CCurl_easy_strerror(CURLcode code) { return library.easy_strerror(code); }

struct curl_slist *CCurl_slist_append(struct curl_slist *list, const char *line) {
    return library.slist_append(list, line);
}

void CCurl_slist_free_all(struct curl_slist *list) { library.slist_free_all(list); }

CURLcode CCurl_set_number(CURL *handle, CURLoption option, long value) {
    return library.easy_setopt(handle, option, value);
}

CURLcode CCurl_set_size(CURL *handle, CURLoption option, curl_off_t value) {
    return library.easy_setopt(handle, option, value);
}

CURLcode CCurl_set_text(CURL *handle, CURLoption option, const char *value) {
    return library.easy_setopt(handle, option, value);
}

CURLcode CCurl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return library.easy_setopt(handle, option, value);
}

CURLcode CCurl_set_list(CURL *handle, CURLoption option, struct curl_slist *list) {
    return library.easy_setopt(handle, option, list);
}

CURLcode CCurl_set_bytes_callback(CURL *handle, CURLoption option, CCurl_bytes_callback callback) {
    return library.easy_setopt(handle, option, callback);
}

CURLcode CCurl_set_progress_callback(CURL *handle, CCurl_progress_callback callback) {
    return library.easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, callback);
}

CURLcode CCurl_set_socket_callback(CURL *handle, CCurl_socket_callback callback) {
    return library.easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, callback);
}

CURLcode CCurl_get_number(CURL *handle, CURLINFO information, long *value) {
    return library.easy_getinfo(handle, information, value);
}
