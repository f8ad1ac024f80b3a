// Typed doors to libcurl's variadic functions, which Swift cannot call, and declarations for what is looked up by name
// in the libraries that libcurl brings along. No logic.
#ifndef STRAIGHTLINE_CLIBCURL_SHIM_H
#define STRAIGHTLINE_CLIBCURL_SHIM_H

// Deprecated since 7.85 and still the only spelling that 7.81 has (CURLOPT_PROTOCOLS).
#define CURL_DISABLE_DEPRECATION
#include <curl/curl.h>
#include <dlfcn.h>
#include <stddef.h>

#ifdef __linux__
#include <sys/eventfd.h>

// Swift's module of the C library leaves it out.
static inline int shim_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }
#endif

typedef size_t (*shim_data_callback)(char *, size_t, size_t, void *);
typedef int (*shim_seek_callback)(void *, curl_off_t, int);
typedef int (*shim_trailer_callback)(struct curl_slist **, void *);
typedef int (*shim_prerequest_callback)(void *, char *, char *, int, int);
typedef curl_socket_t (*shim_open_socket_callback)(void *, curlsocktype, struct curl_sockaddr *);
typedef int (*shim_debug_callback)(CURL *, curl_infotype, char *, size_t, void *);
typedef int (*shim_close_socket_callback)(void *, curl_socket_t);
typedef int (*shim_progress_callback)(void *, curl_off_t, curl_off_t, curl_off_t, curl_off_t);
typedef int (*shim_socket_callback)(CURL *, curl_socket_t, int, void *, void *);
typedef CURLcode (*shim_ssl_context_callback)(CURL *, void *, void *);

static inline CURLcode shim_setopt_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode shim_setopt_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode shim_setopt_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode shim_setopt_pointer(CURL *easy, CURLoption option, const void *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode shim_setopt_blob(CURL *easy, CURLoption option, const void *bytes, size_t count) {
    struct curl_blob blob = {(void *)bytes, count, CURL_BLOB_COPY};
    return curl_easy_setopt(easy, option, &blob);
}
static inline CURLcode shim_setopt_data_callback(CURL *easy, CURLoption option, shim_data_callback callback) {
    return curl_easy_setopt(easy, option, callback);
}
static inline CURLcode shim_setopt_seek_callback(CURL *easy, shim_seek_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, callback);
}
static inline CURLcode shim_setopt_trailer_callback(CURL *easy, shim_trailer_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_TRAILERFUNCTION, callback);
}
static inline CURLcode shim_setopt_prerequest_callback(CURL *easy, shim_prerequest_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, callback);
}
static inline CURLcode shim_setopt_open_socket_callback(CURL *easy, shim_open_socket_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, callback);
}
static inline CURLcode shim_setopt_debug_callback(CURL *easy, shim_debug_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, callback);
}
static inline CURLcode shim_setopt_close_socket_callback(CURL *easy, shim_close_socket_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, callback);
}
static inline CURLcode shim_setopt_progress_callback(CURL *easy, shim_progress_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, callback);
}
static inline CURLcode shim_setopt_ssl_context_callback(CURL *easy, shim_ssl_context_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, callback);
}
static inline CURLMcode shim_multi_setopt_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}
static inline CURLMcode shim_multi_setopt_socket_callback(CURLM *multi, shim_socket_callback callback, void *context) {
    CURLMcode code = curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, callback);
    return code == CURLM_OK ? curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context) : code;
}

static inline CURLcode shim_getinfo_long(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode shim_getinfo_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode shim_getinfo_string(CURL *easy, CURLINFO info, const char **value) {
    return curl_easy_getinfo(easy, info, value);
}
// What CURLOPT_PRIVATE was set to.
static inline void *shim_private(CURL *easy) {
    char *value = NULL;
    return curl_easy_getinfo(easy, CURLINFO_PRIVATE, &value) == CURLE_OK ? value : NULL;
}

// OpenSSL's object for the connection that a transfer uses; null where there is none, or another TLS library.
static inline void *shim_tls_connection(CURL *easy) {
    const struct curl_tlssessioninfo *info = NULL;
    if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &info) != CURLE_OK || !info) return NULL;
    return info->backend == CURLSSLBACKEND_OPENSSL ? info->internals : NULL;
}

// The header's own idea of the version is a macro, which Swift does not see.
static inline curl_version_info_data *shim_version_info(void) { return curl_version_info(CURLVERSION_NOW); }

// The result of the message, when it says that a transfer is done; -1 otherwise.
static inline int shim_done_result(const CURLMsg *message) {
    return message->msg == CURLMSG_DONE ? (int)message->data.result : -1;
}

// zlib's z_stream, whose layout is part of its stable interface.
typedef struct {
    const unsigned char *next_in;
    unsigned int avail_in;
    unsigned long total_in;
    unsigned char *next_out;
    unsigned int avail_out;
    unsigned long total_out;
    const char *msg;
    void *state;
    void *zalloc;
    void *zfree;
    void *opaque;
    int data_type;
    unsigned long adler;
    unsigned long reserved;
} shim_z_stream;

// zstd's ZSTD_inBuffer and ZSTD_outBuffer.
typedef struct {
    const void *src;
    size_t size;
    size_t pos;
} shim_zstd_in;
typedef struct {
    void *dst;
    size_t size;
    size_t pos;
} shim_zstd_out;

#endif
