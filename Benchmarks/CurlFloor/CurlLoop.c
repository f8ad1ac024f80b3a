#include "CurlFloor.h"
#include "Trust.h"
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void trust_authority_of_environment(CURL *easy) {
    const char *path = getenv("SSL_CERT_FILE");
    if (path) curl_easy_setopt(easy, CURLOPT_CAINFO, path);
}

struct CurlLoop {
    CURL *easy;
    struct CurlLoopOptions options;
    char *url;
    struct curl_slist *headers;
    char *body;
    uint64_t bytes;
    char last;
};

static size_t discard(char *data, size_t size, size_t count, void *context) {
    CurlLoop *loop = context;
    size_t length = size * count;
    if (length > 0) loop->last = data[length - 1];
    loop->bytes += length;
    return length;
}

static size_t take_header(char *line, size_t size, size_t count, void *context) {
    (void)line;
    (void)context;
    return size * count;
}

static bool open_handle(CurlLoop *loop) {
    CURL *easy = loop->easy = curl_easy_init();
    if (!easy) return false;
    curl_easy_setopt(easy, CURLOPT_URL, loop->url);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, discard);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, loop);
    if (loop->headers) curl_easy_setopt(easy, CURLOPT_HTTPHEADER, loop->headers);
    if (loop->options.takes_headers) curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_header);
    if (loop->options.connections == curl_closed_connections) curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L);
    if (loop->options.receive_buffer > 0) {
        curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, (long)loop->options.receive_buffer);
    }
    if (loop->body) {
        curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)loop->options.body_size);
        curl_easy_setopt(easy, CURLOPT_POSTFIELDS, loop->body);
        curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, "PUT");
    }
    trust_authority_of_environment(easy);
    return true;
}

static void add_headers(CurlLoop *loop) {
    for (size_t i = 0; i < loop->options.header_count; i++) {
        char line[64];
        snprintf(line, sizeof line, "X-Field-%zu: the value of field %zu", i, i);
        loop->headers = curl_slist_append(loop->headers, line);
    }
    if (loop->options.connections == curl_closed_connections) {
        loop->headers = curl_slist_append(loop->headers, "Connection: close");
    }
    if (loop->body) {
        loop->headers = curl_slist_append(loop->headers, "Content-Type: application/octet-stream");
        loop->headers = curl_slist_append(loop->headers, "Expect:");
    }
}

CurlLoop *curl_loop_open(const char *url, struct CurlLoopOptions options) {
    CurlLoop *loop = calloc(1, sizeof *loop);
    if (!loop) return NULL;
    loop->options = options;
    loop->url = strdup(url);
    if (options.body_size > 0) loop->body = calloc(1, options.body_size);
    add_headers(loop);
    if (loop->url && (loop->body || options.body_size == 0) && open_handle(loop)) return loop;
    curl_loop_close(loop);
    return NULL;
}

void curl_loop_add_field(CurlLoop *loop, const char *line) {
    loop->headers = curl_slist_append(loop->headers, line);
    curl_easy_setopt(loop->easy, CURLOPT_HTTPHEADER, loop->headers);
}

static int perform(CurlLoop *loop) {
    if (loop->options.connections == curl_connections_of_new_handles) {
        curl_easy_cleanup(loop->easy);
        if (!open_handle(loop)) return CURLE_FAILED_INIT;
    }
    return (int)curl_easy_perform(loop->easy);
}

int curl_loop_run(CurlLoop *loop, uint64_t *nanoseconds, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint64_t start = clock_nanoseconds();
        int code = perform(loop);
        if (code != CURLE_OK) return code;
        if (nanoseconds) nanoseconds[i] = clock_nanoseconds() - start;
    }
    return 0;
}

uint64_t curl_loop_bytes(const CurlLoop *loop) { return loop->bytes; }

char curl_loop_last_byte(const CurlLoop *loop) { return loop->last; }

void curl_loop_close(CurlLoop *loop) {
    if (loop->easy) curl_easy_cleanup(loop->easy);
    curl_slist_free_all(loop->headers);
    free(loop->body);
    free(loop->url);
    free(loop);
}
