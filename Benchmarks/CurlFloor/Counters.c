#define _GNU_SOURCE
#include "CurlFloor.h"
#include <dlfcn.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

static uint64_t nanoseconds_of(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t clock_nanoseconds(void) { return nanoseconds_of(CLOCK_MONOTONIC); }
uint64_t cpu_nanoseconds(void) { return nanoseconds_of(CLOCK_PROCESS_CPUTIME_ID); }

// A line of a status in Linux's /proc that tells kilobytes, as `VmHWM: %lu` reads it.
static uint64_t bytes_of_status(const char *path, const char *format) {
    FILE *status = fopen(path, "r");
    if (!status) return 0;
    unsigned long kilobytes = 0;
    for (char line[256]; fgets(line, sizeof line, status);) {
        if (sscanf(line, format, &kilobytes) == 1) break;
    }
    fclose(status);
    return (uint64_t)kilobytes * 1024;
}

uint64_t peak_of_status(const char *path) { return bytes_of_status(path, "VmHWM: %lu"); }

uint64_t resident_bytes(void) { return bytes_of_status("/proc/self/status", "VmRSS: %lu"); }

uint64_t raise_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? (uint64_t)limit.rlim_cur : 0;
}

uint64_t peak_resident_bytes(void) {
#ifdef __linux__
    // Not getrusage: its figure survives exec, so a child would report its parent's.
    return peak_of_status("/proc/self/status");
#else
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_maxrss : 0;
#endif
}

int64_t allocations_so_far(void) {
    int64_t (*count)(void) = (int64_t(*)(void))dlsym(RTLD_DEFAULT, "straightline_allocation_count");
    return count ? count() : -1;
}
