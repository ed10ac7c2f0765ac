/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_WEB_PEERS_H
#define WEIR_WEB_PEERS_H

/* Who is connected to the server, what is expected of each, and since when: so that a client that sends or
 * reads too slowly is cut, and a full house makes room for a newcomer. Cutting is a shutdown(2) of the
 * socket; the HTTP library then sees a closed connection and cleans up in its own thread.
 *
 * Thread-safety: all functions from any thread, except init and fini.
 * Ownership: a peer is the table's from add until remove. */

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum weir_peer_phase {
    WEIR_PEER_READING, /* a request is awaited or arriving */
    WEIR_PEER_HANDLED, /* in our hands: no deadline */
    WEIR_PEER_WRITING, /* the answer is on its way */
};

struct weir_peer {
    struct weir_peer *next, *previous;
    int fd;
    enum weir_peer_phase phase;
    int64_t since_ns; /* when the phase began */
    bool refused;     /* came when no place was left: its request is answered 503 */
    bool cut;
};

struct weir_peers {
    pthread_mutex_t lock;
    struct weir_peer *first;
    int count, limit;
    int64_t read_timeout_ns, write_timeout_ns;
    uint64_t cuts;
};

void weir_peers_init(struct weir_peers *peers, int limit, int64_t read_timeout_ns, int64_t write_timeout_ns);
void weir_peers_fini(struct weir_peers *peers); /* every peer has been removed */

/* NULL when out of memory. Over the limit the peer that stood still longest (at least 1 s) is cut; when there
 * is none the new one is marked refused. */
struct weir_peer *weir_peers_add(struct weir_peers *peers, int fd, int64_t now_ns);
void weir_peers_remove(struct weir_peers *peers, struct weir_peer **peer);
void weir_peers_enter(struct weir_peers *peers, struct weir_peer *peer, enum weir_peer_phase phase,
                      int64_t now_ns);
/* Cuts who is over a deadline, and while every place is taken who stands still for 1 s; returns how many. */
int weir_peers_sweep(struct weir_peers *peers, int64_t now_ns);

#endif
