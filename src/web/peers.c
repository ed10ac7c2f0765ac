/* SPDX-License-Identifier: Apache-2.0 */
#include "web/peers.h"

#include "base/clock.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* Less than this is no standing still: a browser that opens several connections at once uses them soon. */
static const int64_t patience_ns = WEIR_NS_PER_S;

void weir_peers_init(struct weir_peers *peers, int limit, int64_t read_timeout_ns, int64_t write_timeout_ns)
{
    memset(peers, 0, sizeof *peers);
    pthread_mutex_init(&peers->lock, NULL);
    peers->limit = limit;
    peers->read_timeout_ns = read_timeout_ns;
    peers->write_timeout_ns = write_timeout_ns;
}

void weir_peers_fini(struct weir_peers *peers)
{
    pthread_mutex_destroy(&peers->lock);
}

/* The lock is held, and remove takes it before the socket is closed: fd is still this peer's. */
static void cut(struct weir_peers *peers, struct weir_peer *peer)
{
    peer->cut = true;
    peers->cuts++;
    (void)shutdown(peer->fd, SHUT_RDWR);
}

static struct weir_peer *stillest(const struct weir_peers *peers, int64_t now_ns)
{
    struct weir_peer *found = NULL;
    for (struct weir_peer *peer = peers->first; peer != NULL; peer = peer->next) {
        if (peer->cut || peer->phase == WEIR_PEER_HANDLED || now_ns - peer->since_ns < patience_ns)
            continue;
        if (found == NULL || peer->since_ns < found->since_ns)
            found = peer;
    }
    return found;
}

static void insert(struct weir_peers *peers, struct weir_peer *peer)
{
    peer->next = peers->first;
    if (peer->next != NULL)
        peer->next->previous = peer;
    peers->first = peer;
    peers->count++;
}

struct weir_peer *weir_peers_add(struct weir_peers *peers, int fd, int64_t now_ns)
{
    struct weir_peer *peer = calloc(1, sizeof *peer);
    if (peer == NULL)
        return NULL;
    peer->fd = fd;
    peer->since_ns = now_ns;
    pthread_mutex_lock(&peers->lock);
    if (peers->count >= peers->limit) {
        struct weir_peer *old = stillest(peers, now_ns);
        if (old != NULL)
            cut(peers, old);
        else
            peer->refused = true;
    }
    insert(peers, peer);
    pthread_mutex_unlock(&peers->lock);
    return peer;
}

void weir_peers_remove(struct weir_peers *peers, struct weir_peer **peer)
{
    struct weir_peer *gone = *peer;
    if (gone == NULL)
        return;
    pthread_mutex_lock(&peers->lock);
    if (gone->previous != NULL)
        gone->previous->next = gone->next;
    else
        peers->first = gone->next;
    if (gone->next != NULL)
        gone->next->previous = gone->previous;
    peers->count--;
    pthread_mutex_unlock(&peers->lock);
    free(gone);
    *peer = NULL;
}

void weir_peers_enter(struct weir_peers *peers, struct weir_peer *peer, enum weir_peer_phase phase,
                      int64_t now_ns)
{
    if (peer == NULL)
        return;
    pthread_mutex_lock(&peers->lock);
    peer->phase = phase;
    peer->since_ns = now_ns;
    pthread_mutex_unlock(&peers->lock);
}

/* In a full house nobody may stand still for longer than patience_ns: those who wait at the door are not even
 * accepted, so that none of them could make somebody leave. */
static bool is_late(const struct weir_peers *peers, const struct weir_peer *peer, int64_t now_ns)
{
    int64_t waited_ns = now_ns - peer->since_ns;
    if (peer->phase == WEIR_PEER_HANDLED)
        return false;
    if (peers->count >= peers->limit && waited_ns > patience_ns)
        return true;
    return waited_ns > (peer->phase == WEIR_PEER_READING ? peers->read_timeout_ns : peers->write_timeout_ns);
}

int weir_peers_sweep(struct weir_peers *peers, int64_t now_ns)
{
    int count = 0;
    pthread_mutex_lock(&peers->lock);
    for (struct weir_peer *peer = peers->first; peer != NULL; peer = peer->next) {
        if (peer->cut || !is_late(peers, peer, now_ns))
            continue;
        cut(peers, peer);
        count++;
    }
    pthread_mutex_unlock(&peers->lock);
    return count;
}
