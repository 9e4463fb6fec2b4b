import { expect, test } from 'vitest'
import type { Exchange, RequestLine } from '../../../shared/contract/requests.ts'
import type { CacheMiss } from '../../../shared/contract/cache.ts'
import { missSentence, needsWords, requestSentences } from './request-line.ts'

const line = (uuid: string, more: Partial<RequestLine> = {}) =>
  ({
    uuid,
    model: 'm',
    ts_wall: '2026-05-01T10:00:00Z',
    retry_of: null,
    status: 200,
    cut_by: null,
    ...more,
  }) as RequestLine
const exchange = (more: Partial<RequestLine>, error: string | null = null) =>
  ({ ...line('a', more), response: { error } }) as Exchange
const wordsOf = (one: Exchange, others: readonly RequestLine[] = []) =>
  requestSentences(one, [line('a'), ...others])
    .map(({ text }) => text)
    .join(' ')

test.for<[failed: Exchange, others: readonly RequestLine[], words: string]>([
  [
    exchange({ status: 529 }, 'Overloaded'),
    [
      line('b', { retry_of: 'a', status: 529 }),
      line('c', { retry_of: 'b', ts_wall: '2026-05-01T10:00:04Z' }),
      line('d', { retry_of: 'x' }),
    ],
    'The API answered 529: Overloaded. The client sent it again 2 times, and 4 s later it was answered.',
  ],
  [
    exchange({ status: 429 }, 'Please try again later.'),
    [line('b', { retry_of: 'a', status: 429 })],
    'The API answered 429: Please try again later. The client sent it again, and it was never answered.',
  ],
  [
    exchange({ status: 500 }),
    [line('b', { retry_of: 'a', status: null })],
    'The API answered 500. The client sent it again and waits for the answer.',
  ],
  [
    exchange({ status: 0 }, 'connect ECONNREFUSED'),
    [],
    'No answer came: connect ECONNREFUSED. The client did not send it again.',
  ],
  [
    exchange({ status: 402 }, "Aspy's guard stopped this request: over the cap."),
    [],
    "Aspy's guard stopped this request: over the cap. The client did not send it again.",
  ],
  [exchange({ cut_by: 'client' }), [], 'The answer was cut off by the client.'],
  [
    exchange({}, 'Overloaded'),
    [line('b', { retry_of: 'a', ts_wall: '2026-05-01T10:00:02Z' })],
    'The answer failed: Overloaded. The client sent it again, and 2 s later it was answered.',
  ],
])('says why a request failed and what became of it: %#', ([failed, others, words]) => {
  expect([needsWords(failed), wordsOf(failed, others)]).toEqual([true, words])
})

test('says nothing of repeats if the request is not among those that were read', () => {
  expect(requestSentences(exchange({ status: 529 }), [line('z')])).toEqual([{ text: 'The API answered 529.' }])
})

test('says that the first token was late, compared with the same model in the session', () => {
  const others = [1000, 1200, 1100].map((ttft_ms, at) => line(`o${at}`, { ttft_ms }))
  const late = exchange({ ttft_ms: 4400 })
  expect([needsWords(late), wordsOf(late, others)]).toEqual([
    true,
    'Its first token came after 4.4 s, 4 times your usual 1.1 s in 3 requests of this session.',
  ])
  expect([needsWords(exchange({ ttft_ms: 900 })), wordsOf(late, others.slice(1))]).toEqual([false, ''])
})

test.for<[cause: CacheMiss['cause'], waste: number | null, words: string]>([
  [
    { kind: 'resumed', where: 'messages[0].content[0]', detail: 'resume: blocks → string' },
    0.12,
    'It missed the prompt cache: 20k tokens were not read, which cost $0.12 more. After a resume the client sends the first prompt in another form; the API counts that as a change. See what changed.',
  ],
  [
    { kind: 'messages_changed', where: 'messages[2].content[0]', detail: 'string → blocks' },
    null,
    'It missed the prompt cache: 20k tokens were not read. The client sends a message that it had sent before in another form; the API counts that as a change. See what changed.',
  ],
  [
    { kind: 'ttl_expired', where: null, detail: null },
    1,
    'It missed the prompt cache: 20k tokens were not read, which cost $1.00 more. Expired. See what changed.',
  ],
])('a request that missed the cache says why and what it cost: %o', ([cause, waste_usd, words]) => {
  const sentence = missSentence('a', { missed_tokens: 20_000, waste_usd, cause } as CacheMiss)
  expect(sentence.text).toBe(words)
  expect(sentence.links?.[0]?.[1]).toMatchObject({ params: { uuid: 'a' }, search: { part: 'changes' } })
})
