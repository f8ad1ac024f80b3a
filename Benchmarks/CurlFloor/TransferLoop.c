#include "CurlFloor.h"
#include <curl/curl.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct TransferLoop {
    CURL *easy;
    struct curl_slist *headers;
    enum TransferKind kind;
    char path[PATH_MAX];
    char temporary[PATH_MAX + 8];
    int fd;
    uint64_t bytes;
};

static size_t take(char *data, size_t size, size_t count, void *context) {
    TransferLoop *loop = context;
    size_t length = size * count;
    // What the server has to say of an upload is not what is moved.
    if (loop->kind == transfer_from_file) return length;
    loop->bytes += length;
    if (loop->kind == transfer_discard) return length;
    for (size_t done = 0; done < length;) {
        ssize_t written = write(loop->fd, data + done, length - done);
        if (written < 0) return 0;
        done += (size_t)written;
    }
    return length;
}

static size_t give(char *room, size_t size, size_t count, void *context) {
    TransferLoop *loop = context;
    ssize_t length = read(loop->fd, room, size * count);
    if (length < 0) return CURL_READFUNC_ABORT;
    loop->bytes += (uint64_t)length;
    return (size_t)length;
}

TransferLoop *transfer_loop_open(enum TransferKind kind, const char *url, const char *path) {
    TransferLoop *loop = calloc(1, sizeof *loop);
    if (!loop) return NULL;
    loop->kind = kind;
    snprintf(loop->path, sizeof loop->path, "%s", path);
    snprintf(loop->temporary, sizeof loop->temporary, "%s.new", path);
    loop->easy = curl_easy_init();
    if (!loop->easy) {
        free(loop);
        return NULL;
    }
    curl_easy_setopt(loop->easy, CURLOPT_URL, url);
    curl_easy_setopt(loop->easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(loop->easy, CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(loop->easy, CURLOPT_WRITEDATA, loop);
    // As large as ours: what is compared is not the choice of a number.
    curl_easy_setopt(loop->easy, CURLOPT_BUFFERSIZE, 64L << 10);
    if (kind == transfer_from_file) {
        loop->headers = curl_slist_append(NULL, "Expect:");
        curl_easy_setopt(loop->easy, CURLOPT_UPLOAD, 1L);
        curl_easy_setopt(loop->easy, CURLOPT_HTTPHEADER, loop->headers);
        curl_easy_setopt(loop->easy, CURLOPT_READFUNCTION, give);
        curl_easy_setopt(loop->easy, CURLOPT_READDATA, loop);
        curl_easy_setopt(loop->easy, CURLOPT_UPLOAD_BUFFERSIZE, 512L << 10);
    }
    return loop;
}

static int sync_directory(const char *path) {
    char copy[PATH_MAX];
    snprintf(copy, sizeof copy, "%s", path);
    int fd = open(dirname(copy), O_RDONLY);
    if (fd < 0) return -1;
    int result = fsync(fd);
    close(fd);
    return result;
}

static int perform(TransferLoop *loop) {
    CURLcode result = curl_easy_perform(loop->easy);
    if (result != CURLE_OK) return (int)result;
    long status = 0;
    curl_easy_getinfo(loop->easy, CURLINFO_RESPONSE_CODE, &status);
    return status / 100 == 2 ? 0 : (int)status;
}

static int fetch_to_file(TransferLoop *loop) {
    loop->fd = open(loop->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (loop->fd < 0) return -1;
    int code = perform(loop);
    if (code == 0 && fsync(loop->fd) != 0) code = -1;
    close(loop->fd);
    if (code == 0 && rename(loop->temporary, loop->path) != 0) code = -1;
    return code == 0 ? sync_directory(loop->path) : code;
}

static int send_from_file(TransferLoop *loop) {
    loop->fd = open(loop->path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (loop->fd < 0 || fstat(loop->fd, &status) != 0) return -1;
    curl_easy_setopt(loop->easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)status.st_size);
    int code = perform(loop);
    close(loop->fd);
    return code;
}

static int run_once(TransferLoop *loop) {
    switch (loop->kind) {
    case transfer_to_file: return fetch_to_file(loop);
    case transfer_from_file: return send_from_file(loop);
    default: return perform(loop);
    }
}

int transfer_loop_run(TransferLoop *loop, uint64_t *nanoseconds, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint64_t start = clock_nanoseconds();
        int code = run_once(loop);
        if (code != 0) return code;
        nanoseconds[i] = clock_nanoseconds() - start;
    }
    return 0;
}

uint64_t transfer_loop_bytes(const TransferLoop *loop) { return loop->bytes; }

void transfer_loop_close(TransferLoop *loop) {
    curl_easy_cleanup(loop->easy);
    curl_slist_free_all(loop->headers);
    free(loop);
}
