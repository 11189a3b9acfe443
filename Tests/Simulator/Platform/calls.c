/// The record of calls, and its table.

#include "internal.h"

#include <stdio.h>

void note_call(const char *name, int inode, int64_t a, int64_t b) {
    struct call *call = &world->calls[world->call_count++ % MAX_CALLS];
    *call = (struct call){
        .step = world->steps, .round = world->round, .thread = self, .inode = inode, .name = name,
        .a = a, .b = b};
    snprintf(call->who, sizeof call->who, "%s %d.%d", own_process()->name, sim_process(), self);
    uint64_t hash = world->trace_hash ^ (uint64_t)self << 56 ^ (uint64_t)a << 1 ^ (uint64_t)b << 9;
    for (const char *p = name; *p; p++) hash = hash * 31 + (unsigned char)*p;
    world->trace_hash = next_random(&hash);
}

void note_result(int64_t result) {
    if (self < 0 || world->call_count == 0) return;
    world->calls[(world->call_count - 1) % MAX_CALLS].result = result;
    uint64_t hash = world->trace_hash ^ (uint64_t)result;
    world->trace_hash = next_random(&hash);
}

uint64_t sim_trace_hash(void) { return world->trace_hash; }

static const struct call *call_at(uint64_t index) { return &world->calls[index % MAX_CALLS]; }

static const char *name_of_inode(int inode) {
    for (int i = 0; i < MAX_NAMES; i++)
        if (world->names[i].path[0] && world->names[i].inode == inode)
            return strrchr(world->names[i].path, '/') + 1;
    return "";
}

/// Prints calls of one round, a column for each thread.
static void print_round(uint64_t first, uint64_t end) {
    enum { WIDTH = 36 };
    const char *titles[MAX_THREADS] = {NULL};
    for (uint64_t i = first; i < end; i++) titles[call_at(i)->thread] = call_at(i)->who;
    fprintf(stderr, "%6s ", "call");
    for (int t = 0; t < MAX_THREADS; t++)
        if (titles[t]) fprintf(stderr, "| %-*s", WIDTH, titles[t]);
    fprintf(stderr, "\n");
    for (uint64_t i = first; i < end; i++) {
        const struct call *call = call_at(i);
        fprintf(stderr, "%6u ", call->step);
        for (int t = 0; t < call->thread; t++)
            if (titles[t]) fprintf(stderr, "| %-*s", WIDTH, "");
        fprintf(stderr, "| %s %s", call->name, name_of_inode(call->inode));
        if (call->a || call->b) fprintf(stderr, " %lld", (long long)call->a);
        if (call->b) fprintf(stderr, " %lld", (long long)call->b);
        if (call->result) fprintf(stderr, " = %lld", (long long)call->result);
        fprintf(stderr, "\n");
    }
    fprintf(stderr, "\n");
}

void sim_print_calls(size_t count) {
    uint64_t end = world->call_count, kept = end < MAX_CALLS ? end : MAX_CALLS;
    uint64_t first = end - (count < kept ? count : kept);
    while (first < end) {
        uint64_t next = first;
        while (next < end && call_at(next)->round == call_at(first)->round) next++;
        print_round(first, next);
        first = next;
    }
}
