#include "CurlFloor.h"
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

struct start {
    void (*body)(void *context);
    void *context;
};

static void *run(void *argument) {
    struct start start = *(struct start *)argument;
    free(argument);
    start.body(start.context);
    return NULL;
}

int thread_start(void (*body)(void *context), void *context) {
    struct start *start = malloc(sizeof *start);
    if (!start) return -1;
    *start = (struct start){body, context};
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, start) != 0) {
        free(start);
        return -1;
    }
    pthread_detach(thread);
    return 0;
}

struct Bell {
    pthread_mutex_t mutex;
    pthread_cond_t condition;
    bool rung;
};

Bell *bell_create(void) {
    Bell *bell = calloc(1, sizeof *bell);
    if (!bell) return NULL;
    pthread_mutex_init(&bell->mutex, NULL);
    pthread_cond_init(&bell->condition, NULL);
    return bell;
}

void bell_ring(Bell *bell) {
    pthread_mutex_lock(&bell->mutex);
    bell->rung = true;
    pthread_cond_signal(&bell->condition);
    pthread_mutex_unlock(&bell->mutex);
}

void bell_wait(Bell *bell) {
    pthread_mutex_lock(&bell->mutex);
    while (!bell->rung) pthread_cond_wait(&bell->condition, &bell->mutex);
    bell->rung = false;
    pthread_mutex_unlock(&bell->mutex);
}

void bell_destroy(Bell *bell) {
    pthread_cond_destroy(&bell->condition);
    pthread_mutex_destroy(&bell->mutex);
    free(bell);
}

size_t thread_count(void) {
#ifdef __linux__
    FILE *status = fopen("/proc/self/status", "r");
    if (!status) return 0;
    size_t count = 0;
    for (char line[256]; fgets(line, sizeof line, status);) {
        if (sscanf(line, "Threads: %zu", &count) == 1) break;
    }
    fclose(status);
    return count;
#else
    return 0;
#endif
}
