#include "CurlFloor.h"
#include "Trust.h"
#include <curl/curl.h>
#include <stdlib.h>

void trust_authority_of_environment(CURL *easy) {
    const char *path = getenv("SSL_CERT_FILE");
    if (path) curl_easy_setopt(easy, CURLOPT_CAINFO, path);
}

struct CurlLoop {
    CURL *easy;
    uint64_t bytes;
};

static size_t discard(char *data, size_t size, size_t count, void *context) {
    (void)data;
    CurlLoop *loop = context;
    loop->bytes += size * count;
    return size * count;
}

CurlLoop *curl_loop_open(const char *url) {
    CurlLoop *loop = calloc(1, sizeof *loop);
    if (!loop) return NULL;
    loop->easy = curl_easy_init();
    if (!loop->easy) {
        free(loop);
        return NULL;
    }
    curl_easy_setopt(loop->easy, CURLOPT_URL, url);
    curl_easy_setopt(loop->easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(loop->easy, CURLOPT_WRITEFUNCTION, discard);
    curl_easy_setopt(loop->easy, CURLOPT_WRITEDATA, loop);
    trust_authority_of_environment(loop->easy);
    return loop;
}

int curl_loop_run(CurlLoop *loop, uint64_t *nanoseconds, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint64_t start = clock_nanoseconds();
        CURLcode result = curl_easy_perform(loop->easy);
        if (result != CURLE_OK) return (int)result;
        nanoseconds[i] = clock_nanoseconds() - start;
    }
    return 0;
}

uint64_t curl_loop_bytes(const CurlLoop *loop) { return loop->bytes; }

void curl_loop_close(CurlLoop *loop) {
    curl_easy_cleanup(loop->easy);
    free(loop);
}
