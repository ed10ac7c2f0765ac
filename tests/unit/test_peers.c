/* SPDX-License-Identifier: Apache-2.0 */
#include "web/peers.h"

#include "unit.h"

#include <sys/socket.h>
#include <unistd.h>

#define S 1000000000LL

/* A peer on one end of a socket pair; the other end sees whether it was cut. */
struct end {
    struct weir_peer *peer;
    int pair[2];
};

static void open_end(struct weir_peers *peers, struct end *end, int64_t now_ns)
{
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, end->pair), 0);
    end->peer = weir_peers_add(peers, end->pair[0], now_ns);
    assert_non_null(end->peer);
}

static bool was_cut(const struct end *end)
{
    char byte;
    return recv(end->pair[1], &byte, 1, MSG_DONTWAIT) == 0;
}

static void close_end(struct weir_peers *peers, struct end *end)
{
    weir_peers_remove(peers, &end->peer);
    close(end->pair[0]);
    close(end->pair[1]);
}

static void who_sends_or_takes_too_slowly_is_cut_and_who_waits_for_us_is_not(void **state)
{
    (void)state;
    struct weir_peers peers;
    struct end reader, writer, ours;
    weir_peers_init(&peers, 10, 30 * S, 10 * S);
    open_end(&peers, &reader, 0);
    open_end(&peers, &writer, 0);
    open_end(&peers, &ours, 0);
    weir_peers_enter(&peers, writer.peer, WEIR_PEER_WRITING, 0);
    weir_peers_enter(&peers, ours.peer, WEIR_PEER_HANDLED, 0);
    assert_int_equal(weir_peers_sweep(&peers, 10 * S), 0);
    assert_int_equal(weir_peers_sweep(&peers, 10 * S + 1), 1);
    assert_true(was_cut(&writer));
    assert_false(was_cut(&reader));
    assert_int_equal(weir_peers_sweep(&peers, 30 * S + 1), 1);
    assert_true(was_cut(&reader));
    assert_int_equal(weir_peers_sweep(&peers, 1000 * S), 0);
    assert_false(was_cut(&ours));
    assert_int_equal(peers.cuts, 2);
    close_end(&peers, &reader);
    close_end(&peers, &writer);
    close_end(&peers, &ours);
    assert_int_equal(peers.count, 0);
    weir_peers_fini(&peers);
}

static void a_full_house_makes_room_by_cutting_who_stood_still_longest(void **state)
{
    (void)state;
    struct weir_peers peers;
    struct end old, older, busy, fresh;
    weir_peers_init(&peers, 3, 30 * S, 10 * S);
    open_end(&peers, &busy, 0);
    open_end(&peers, &older, 1 * S);
    open_end(&peers, &old, 2 * S);
    weir_peers_enter(&peers, busy.peer, WEIR_PEER_HANDLED, 0);
    open_end(&peers, &fresh, 3 * S);
    assert_true(was_cut(&older));
    assert_false(was_cut(&old));
    assert_false(was_cut(&busy));
    assert_false(fresh.peer->refused);
    close_end(&peers, &old);
    close_end(&peers, &older);
    close_end(&peers, &busy);
    close_end(&peers, &fresh);
    weir_peers_fini(&peers);
}

static void when_nobody_stands_still_the_newcomer_is_refused(void **state)
{
    (void)state;
    struct weir_peers peers;
    struct end first, second;
    weir_peers_init(&peers, 1, 30 * S, 10 * S);
    open_end(&peers, &first, 0);
    open_end(&peers, &second, S - 1);
    assert_false(was_cut(&first));
    assert_true(second.peer->refused);
    close_end(&peers, &first);
    close_end(&peers, &second);
    weir_peers_fini(&peers);
}

static void in_a_full_house_nobody_stands_still_for_more_than_a_second(void **state)
{
    (void)state;
    struct weir_peers peers;
    struct end still, fresh, ours;
    weir_peers_init(&peers, 3, 30 * S, 10 * S);
    open_end(&peers, &still, 0);
    open_end(&peers, &ours, 0);
    assert_int_equal(weir_peers_sweep(&peers, 2 * S), 0);
    weir_peers_enter(&peers, ours.peer, WEIR_PEER_HANDLED, 0);
    open_end(&peers, &fresh, 2 * S);
    assert_int_equal(weir_peers_sweep(&peers, 2 * S), 1);
    assert_true(was_cut(&still));
    assert_false(was_cut(&fresh));
    assert_false(was_cut(&ours));
    close_end(&peers, &still);
    close_end(&peers, &fresh);
    close_end(&peers, &ours);
    weir_peers_fini(&peers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_sends_or_takes_too_slowly_is_cut_and_who_waits_for_us_is_not),
        cmocka_unit_test(a_full_house_makes_room_by_cutting_who_stood_still_longest),
        cmocka_unit_test(in_a_full_house_nobody_stands_still_for_more_than_a_second),
        cmocka_unit_test(when_nobody_stands_still_the_newcomer_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
