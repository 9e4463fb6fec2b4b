import type { DemoStory } from './stories.ts'

/** Conversations that find the cause of a bug. */
export const STORIES_OF_BUGS: readonly DemoStory[] = [
  {
    folder: '/home/dev/paper-trail',
    branch: 'fix/upload-retries',
    turns: [
      {
        prompt: 'The upload test is flaky: it fails about once in twenty runs in CI. Can you find out why?',
        calls: [
          {
            tool: 'Bash',
            input: { command: 'npx vitest run src/sync/upload.test.ts --repeat 40', description: 'Repeat the test' },
            output:
              'FAIL src/sync/upload.test.ts > retries after a timeout\nAssertionError: expected 3 to be 2\n2 failed, 38 passed',
            fails: true,
          },
          {
            thinking:
              'It counted three attempts instead of two. So a retry started while the first attempt was still running: a race between the timer and the response.',
            tool: 'Read',
            input: { file_path: '/home/dev/paper-trail/src/sync/upload.ts', offset: 40, limit: 12 },
            output:
              '    40\t  const timer = setTimeout(() => retry(attempt + 1), TIMEOUT_MS)\n    41\t  const response = await fetch(url, { method: "PUT", body })\n    42\t  clearTimeout(timer)',
          },
        ],
        thinking:
          'If the response arrives in the same tick as the timeout, the timer callback is already queued and clearTimeout comes too late. The retry must check whether the attempt is settled.',
        answer:
          'It is a **race condition** between the timeout and the response. If both come in the same tick, the retry is already queued when `clearTimeout` runs, so the file is uploaded twice.\n\nThe retry now checks `attempt.isSettled`, and the test uses fake timers instead of waiting 50 ms. 400 repetitions pass.',
      },
      {
        prompt: 'Good. Could the double upload have damaged documents of users?',
        calls: [],
        thinking:
          'Both uploads carry the same revision, and the server answers 409 to the second. So no data was lost.',
        answer:
          'No. Both uploads carry the same revision number, and the server refuses the second with 409. Users saw a needless "conflict" notice at worst; 31 of them are in the logs of last month.',
      },
    ],
  },
  {
    folder: '/home/dev/tide-tables',
    branch: 'fix/timezone-drift',
    turns: [
      {
        prompt: 'High water at Husum is off by one hour since last Sunday. Every other station looks right.',
        calls: [
          {
            thinking:
              'Last Sunday the clocks changed in Europe. Why only one station? It may be stored with a fixed offset.',
            tool: 'Grep',
            input: { pattern: 'husum', path: 'tides/stations', output_mode: 'content' },
            output: 'tides/stations/north_sea.py:88:    Station("husum", tz="+02:00", datum="SKN"),',
          },
        ],
        thinking: 'A fixed offset of +02:00 is summer time. It was right until the clocks went back.',
        answer:
          'The station was entered with the fixed offset `+02:00`, which is summer time. Since the clocks went back, it is an hour ahead. I changed it to `Europe/Berlin` and added a check that refuses fixed offsets: 4 more stations had one, all in places without daylight saving time, where it did no harm.',
      },
    ],
  },
  {
    folder: '/home/dev/orchard-api',
    branch: 'fix/n-plus-one',
    turns: [
      {
        prompt: 'GET /orders takes eleven seconds for our largest tenant. What is slow?',
        calls: [
          {
            tool: 'Bash',
            input: {
              command: 'psql -c "SELECT query, calls FROM pg_stat_statements ORDER BY calls DESC LIMIT 2"',
              description: 'Most frequent queries',
            },
            output:
              'query                                        | calls\nSELECT * FROM refunds WHERE order_id = $1    | 48211\nSELECT * FROM orders WHERE tenant_id = $1    |    12',
          },
        ],
        thinking: 'One query for the orders, then one per order for its refunds: the classic N+1.',
        answer:
          'It is an **N+1 query**: after loading the orders, the handler asks for the refunds of each order, about 4,000 times per request. One query with `WHERE order_id = ANY($1)` replaces them. The request takes 180 ms now. I also added the missing index on `refunds(order_id)`.',
      },
      {
        prompt: 'Why did the staging environment never show this?',
        calls: [],
        thinking: 'Staging has 60 orders. 60 queries take 40 ms there.',
        answer:
          'Staging has 60 orders in its largest tenant, so 60 extra queries took 40 ms. I added a test that counts the queries of the handler: more than five fail it, however few orders there are.',
      },
    ],
  },
  {
    folder: '/home/dev/ferry',
    branch: 'release/0.9',
    turns: [
      {
        prompt: 'After the migration to segment format 2, one customer cannot roll back to 0.8. What went wrong?',
        calls: [
          {
            tool: 'Grep',
            input: { pattern: 'FORMAT_VERSION', path: 'crates/broker/src', output_mode: 'content' },
            output:
              'crates/broker/src/segment.rs:12:pub const FORMAT_VERSION: u8 = 2;\ncrates/broker/src/open.rs:31:    header.version = FORMAT_VERSION; // also for old segments',
          },
        ],
        thinking:
          'Opening an old segment rewrites its header to version 2 without converting the body. 0.8 refuses the header. The data itself is still format 1.',
        answer:
          'Opening a segment stamped version 2 into the header of **old** segments too, although their body was still format 1. Version 0.8 refuses such a header, so a rollback fails. No data is lost: `ferry repair --stamp 1` restores the headers. 0.9.1 leaves old segments alone and writes version 2 only to new ones.',
      },
    ],
  },
  {
    folder: '/home/dev/kestrel-ui',
    branch: 'a11y/contrast',
    turns: [
      {
        prompt: 'A screen reader user reports that the combobox announces nothing when the list opens. Can you look?',
        calls: [
          {
            tool: 'Grep',
            input: { pattern: 'aria-', path: 'src/components/combobox.tsx', output_mode: 'content' },
            output:
              'src/components/combobox.tsx:41:  aria-expanded={open}\nsrc/components/combobox.tsx:42:  aria-controls={open ? listId : undefined}',
          },
        ],
        thinking:
          'aria-activedescendant is missing: focus stays in the input, so without it the reader does not know which option is active.',
        answer:
          'Focus stays in the input, and `aria-activedescendant` was missing, so the screen reader could not know which option is active. I set it to the id of the active option and gave the listbox a label. NVDA and VoiceOver announce "Apple, 1 of 12" now. The Playwright test checks the attribute after each arrow key.',
      },
    ],
  },
]
