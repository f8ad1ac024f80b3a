#include "CurlFloor.h"
#include "Trust.h"
#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

struct MultiLoop {
    CURLM *multi;
    CURL **easies;
    size_t width;
    struct curl_slist *fields;
    uint64_t bytes;
};

static size_t discard(char *data, size_t size, size_t count, void *context) {
    (void)data;
    MultiLoop *loop = context;
    loop->bytes += size * count;
    return size * count;
}

MultiLoop *multi_loop_open(const char *url, size_t width) {
    MultiLoop *loop = calloc(1, sizeof *loop);
    if (!loop) return NULL;
    loop->multi = curl_multi_init();
    loop->easies = calloc(width, sizeof *loop->easies);
    if (!loop->multi || !loop->easies) {
        multi_loop_close(loop);
        return NULL;
    }
    for (; loop->width < width; loop->width++) {
        CURL *easy = curl_easy_init();
        if (!easy) {
            multi_loop_close(loop);
            return NULL;
        }
        loop->easies[loop->width] = easy;
        curl_easy_setopt(easy, CURLOPT_URL, url);
        curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, discard);
        curl_easy_setopt(easy, CURLOPT_WRITEDATA, loop);
        // Over TLS this makes it wait for a connection to share; without TLS it would wait for nothing.
        if (strncmp(url, "https:", 6) == 0) curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
        trust_authority_of_environment(easy);
    }
    return loop;
}

void multi_loop_add_field(MultiLoop *loop, const char *line) {
    loop->fields = curl_slist_append(loop->fields, line);
    for (size_t i = 0; i < loop->width; i++) curl_easy_setopt(loop->easies[i], CURLOPT_HTTPHEADER, loop->fields);
}

int multi_loop_run(MultiLoop *loop, uint64_t *nanoseconds, size_t count) {
    uint64_t start = clock_nanoseconds();
    size_t started = 0, finished = 0;
    int failure = 0;
    while (started < loop->width && started < count) curl_multi_add_handle(loop->multi, loop->easies[started++]);
    while (finished < count) {
        int running, left;
        if (curl_multi_perform(loop->multi, &running) != CURLM_OK) return -1;
        CURLMsg *message;
        while ((message = curl_multi_info_read(loop->multi, &left))) {
            if (message->msg != CURLMSG_DONE) continue;
            CURL *easy = message->easy_handle;
            if (message->data.result != CURLE_OK) failure = (int)message->data.result;
            finished++;
            curl_multi_remove_handle(loop->multi, easy);
            if (started < count) {
                started++;
                curl_multi_add_handle(loop->multi, easy);
            }
        }
        if (finished < count) curl_multi_poll(loop->multi, NULL, 0, 1000, NULL);
    }
    // Many are under way at once, so each gets its share of the time.
    uint64_t share = (clock_nanoseconds() - start) / (count ? count : 1);
    for (size_t i = 0; i < count; i++) nanoseconds[i] = share;
    return failure;
}

uint64_t multi_loop_bytes(const MultiLoop *loop) { return loop->bytes; }

void multi_loop_close(MultiLoop *loop) {
    for (size_t i = 0; i < loop->width; i++) curl_easy_cleanup(loop->easies[i]);
    free(loop->easies);
    curl_multi_cleanup(loop->multi);
    curl_slist_free_all(loop->fields);
    free(loop);
}
