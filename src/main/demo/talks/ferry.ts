import { talk, type Talk } from './talk.ts'

/** Talks about a message broker. */
export const FERRY: readonly Talk[] = [
  talk(
    'crates/broker/src/lease.rs',
    'renew_lease',
    [
      'Two consumers received the same message in production yesterday. Find out how that can happen.',
      'The lease is renewed when the heartbeat is sent, not when it is acknowledged. If the network stalls longer than the lease, the broker gives the partition away while the consumer still believes it has it. A fencing token solves this.',
      'A consumer believed in its lease when the heartbeat was **sent**. During a stall of 12 s the broker had given the partition away. The lease now counts from the acknowledgement, and each lease has a **fencing token**: writes with an old token are refused.',
    ],
    [
      'Why a token, if the lease is right now?',
      'A paused process cannot know that time has passed: GC, VM pause.',
      'Because a process that was paused does not know it. After it wakes, its next write carries the old token and is refused. The clock alone can never promise that.',
    ],
  ),
  talk(
    'crates/wire/src/frame.rs',
    'decode_frame',
    [
      'cargo fuzz found a crash in decode_frame with a length of 0xFFFFFFFF. Fix it and keep the input.',
      'The decoder reserves capacity by the declared length before it has the bytes. Vec::with_capacity(4 GiB) aborts. Bound the length by the negotiated maximum first.',
      'It reserved memory for the **declared** length. Frames above the negotiated maximum (16 MiB by default) are refused before anything is reserved, with an error that names both figures. The input is in the corpus.',
    ],
    [
      'What does a client see?',
      'An error frame FRAME_TOO_LARGE and a closed connection.',
      'An error frame `FRAME_TOO_LARGE` with its size and the limit; then the connection is closed, because what follows cannot be trusted to start at a frame.',
    ],
  ),
  talk(
    'crates/broker/src/journal.rs',
    'append_batch',
    [
      'Throughput fell by half since we call fsync for each batch. What are the options?',
      'Group commit: collect batches for up to 2 ms or 1 MiB and sync once. Latency at low load grows by 2 ms unless the queue is empty, then sync at once.',
      '**Group commit**: sync once for all batches that wait. If nothing else waits, a batch is synced at once, so a quiet broker is as fast as before. Under load one sync serves about 40 batches, and throughput is back at 96%.',
    ],
    [
      'Could we just sync every 100 ms?',
      'Then acknowledged messages could be lost: not acceptable by our promise.',
      'Then up to 100 ms of acknowledged messages would be gone after a power cut. Our promise is that an acknowledged message is on disk. Decided: no timer.',
    ],
  ),
  talk(
    'crates/broker/src/replica.rs',
    'elect_leader',
    [
      'After the rolling restart partition 7 had no leader for four minutes. The logs are in /tmp/p7.log.',
      'Both remaining replicas voted for themselves in the same tick, over and over: election timeouts were equal because the seed of the random generator was the version string.',
      'The random election timeout was seeded with the **version**, so after the restart all replicas had the same. Both candidates split the vote 41 times. The seed is the node’s id and the clock now; the test starts three nodes in the same millisecond.',
    ],
    [
      'Add an alert for that.',
      'A partition without a leader for more than 10 s.',
      'Done: `partition_without_leader_seconds` above 10 pages, above 3 warns. In the last month it would have fired once: yesterday.',
    ],
  ),
  talk(
    'crates/cli/src/tail.rs',
    'follow_topic',
    [
      'ferry tail --follow eats 100% CPU when the topic is idle.',
      'poll returns an empty batch at once, and the loop has no wait. The broker supports long polling since 0.7; the CLI never asked for it.',
      'It asked for the next batch in a loop without waiting. It now asks the broker to hold the request for up to 20 seconds (`max_wait_ms`), which is supported since 0.7. With an older broker it pauses for 200 ms.',
    ],
    [
      'And Ctrl-C while it waits?',
      'The request is dropped with the future. Test with a signal.',
      'Ends at once: the request is dropped, and the offset of the last printed message is written. There is a test that sends the signal.',
    ],
  ),
  talk(
    'crates/wire/src/compress.rs',
    'choose_codec',
    [
      'Should we compress batches with zstd or lz4? I need a recommendation with numbers.',
      'Measure on recorded traffic: JSON events about 900 bytes. zstd level 1 with dictionary vs. lz4.',
      'On a day of our traffic (JSON, 900 bytes each, batches of 200):\n\n| codec | size | compress | decompress |\n|---|---|---|---|\n| lz4 | 31% | 620 MB/s | 2,900 MB/s |\n| zstd 1 | 19% | 410 MB/s | 1,300 MB/s |\n| zstd 1, dictionary | 14% | 380 MB/s | 1,250 MB/s |\n\nI would take **zstd 1 without a dictionary**: the network is the limit, and a dictionary must be distributed.',
    ],
    [
      'Agreed. Who decides, the producer or the broker?',
      'The producer compresses; the broker passes through. Recompression on the broker costs CPU where it is scarce.',
      'The producer compresses, the broker passes the batch on as it is. A topic may forbid codecs for old consumers; then the producer learns that when it connects.',
    ],
  ),
  talk(
    'benches/latency.rs',
    'record_latency',
    [
      'Our latency benchmark shows a p99 of 1 ms, users see 80. Are we measuring the wrong thing?',
      'Coordinated omission: the bench sends the next message after the previous answer. A stall delays one sample only. Send on a schedule and measure from the intended time.',
      'Yes: the benchmark waits for each answer before it sends the next message, so a stall of 80 ms is one sample out of thousands. That is *coordinated omission*. Sent on a fixed schedule and measured from the **intended** time, p99 is 74 ms.',
    ],
    [
      'What causes the stalls?',
      'perf: 70 ms pauses at segment roll: fsync of the directory and index rebuild on the hot thread.',
      'Rolling to a new segment: the index of the old one was written on the thread that serves requests. It is prepared ahead on another thread now, and p99 is 6 ms.',
    ],
  ),
  talk(
    'crates/broker/src/quota.rs',
    'charge_quota',
    [
      'One tenant can starve all others on a shared broker. Add quotas, but keep it simple.',
      'Token bucket by tenant in bytes per second. On exceeding: delay the answer rather than refuse; clients have backpressure.',
      'A token bucket for each tenant, in bytes a second, with a burst of two seconds. Above it the broker **delays** its answers instead of refusing: clients slow down by themselves and lose nothing. Fifty lines, and no quota by default.',
    ],
    [
      'Why not refuse?',
      'Refusals make clients retry: more load.',
      'A refused client tries again, which is more load at the worst time. A delayed one simply sends less.',
    ],
  ),
]
