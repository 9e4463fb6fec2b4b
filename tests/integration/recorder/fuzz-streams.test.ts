import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runs, SEED } from '../../support/runner/heavy.ts'
import { NONE } from '../../support/runner/none.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { seeded } from '../../support/store/history.ts'
import { until } from '../../support/runner/until.ts'

const STREAMS = runs(160, 100_000)
const AT_ONCE = 6
/** A fraction of what may wait before whole exchanges are dropped. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024

const event = (data: { readonly type: string; readonly [field: string]: unknown }): string =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
const block = (index: number, words: readonly string[]): string[] => [
  event({ type: 'content_block_start', index, content_block: { type: 'text', text: '' } }),
  ...words.map((text) => event({ type: 'content_block_delta', index, delta: { type: 'text_delta', text } })),
  event({ type: 'content_block_stop', index }),
]

interface Damage {
  readonly name: string
  readonly bytes: Buffer
  /** The data after the bad part is received, too. */
  readonly hasEnd: boolean
}

const isDigit = (byte = 0): boolean => byte >= 0x30 && byte <= 0x39

/** The events of a middle block, damaged; each way ends where an event ends, so that what follows is whole. */
function damaged(random: () => number): Damage {
  const upTo = (most: number) => Math.floor(random() * most)
  const middle = block(1, ['some ', 'words ', 'amid ', 'it all'])
  const at = upTo(middle.length)
  const noise = Buffer.from(Array.from({ length: 1 + upTo(200) }, () => upTo(256)))
  const whole = (name: string, parts: readonly (string | Buffer)[]): Damage => ({
    name,
    bytes: Buffer.concat([...parts.map((part) => Buffer.from(part)), Buffer.from('\n\n')]),
    hasEnd: true,
  })
  const big = random() < 0.004
  switch (upTo(big ? 9 : 8)) {
    case 0: {
      const text = middle.join('')
      return { name: 'cut', bytes: Buffer.from(text.slice(0, upTo(text.length))), hasEnd: false }
    }
    case 1:
      return whole(
        'repeated',
        middle.flatMap((part) => (random() < 0.5 ? [part, part] : [part])),
      )
    case 2:
      return whole(
        'reordered',
        middle.toSorted(() => random() - 0.5),
      )
    case 3:
      return whole('garbage between', middle.toSpliced(at, 0, `data: ${noise.toString('base64')}\n\n`))
    case 4:
      return whole('garbage bytes', [...middle.slice(0, at), noise, '\n\n', ...middle.slice(at)])
    case 5:
      return whole('a lost event', middle.toSpliced(at, 1))
    case 6: {
      const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
      return whole(
        'deep JSON',
        middle.toSpliced(at, 0, `event: odd\ndata: {"type":"odd","index":1,"deep":${deep}}\n\n`),
      )
    }
    case 7: {
      const text = Buffer.from(middle.join(''))
      for (let n = 0; n <= upTo(5); n += 1) {
        const place = upTo(text.length)
        // A block's number may not change: text that moves to another block is damage that nobody could detect.
        if (!isDigit(text[place])) text[place] = 128 + upTo(128)
      }
      return whole('flipped bytes', [text])
    }
    default:
      return whole('a line of 7 MB', middle.toSpliced(at, 0, `data: {"type":"odd","x":"${'y'.repeat(7_000_000)}"}\n\n`))
  }
}

/** Answers the n-th request with a whole block, a damaged one and, where it is not cut, a whole one again. */
async function startDamagedUpstream(answer: (n: number) => Damage) {
  const seen: number[] = []
  const server: Server = createServer(async (request, response) => {
    const n = Number(request.headers['x-n'])
    seen.push(n)
    for await (const _ of request) {
      // Read to its end, as an API does.
    }
    const { bytes, hasEnd } = answer(n)
    const usage = { input_tokens: 10, output_tokens: 1 }
    const message = { id: `msg_${n}`, type: 'message', role: 'assistant', model: 'claude-opus-5-5', content: [], usage }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(event({ type: 'message_start', message }) + block(0, [`before-${n}`]).join(''))
    // Cut when the bytes so far are on their way.
    if (!hasEnd) return void response.write(bytes, () => response.destroy())
    response.write(bytes)
    const ending = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } }
    response.end(block(2, [`after-${n}`]).join('') + event(ending) + event({ type: 'message_stop' }))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, close }
}

async function ask(proxy: string, n: number): Promise<void> {
  const headers = { 'content-type': 'application/json', 'x-api-key': 'sk-ant-x', 'x-n': String(n) }
  const session = { 'x-claude-code-session-id': `session-${n % 50}` }
  const body = {
    model: 'claude-opus-5-5',
    max_tokens: 100,
    stream: true,
    tools: [{ name: 'Bash' }],
    messages: [{ role: 'user', content: `Question ${n}` }],
  }
  try {
    const response = await fetch(`${proxy}/v1/messages`, {
      method: 'POST',
      headers: { ...headers, ...session },
      body: JSON.stringify(body),
    })
    await response.arrayBuffer()
  } catch (error) {
    // A stream that upstream cuts is cut for the client, too: that is what it is about.
    if (!(error instanceof TypeError)) throw error
  }
}

/** `caughtUp` is waited for now and then, by all: where the machine is slow, the recorder is to keep up. */
async function askAll(proxy: string, count: number, caughtUp = () => Promise.resolve()): Promise<void> {
  let next = 0
  let pause = Promise.resolve()
  const worker = async () => {
    for (let n = next++; n < count; n = next++) {
      if (n % 100 === 99) pause = caughtUp()
      await pause
      await ask(proxy, n)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

const sumOf = (counts: { readonly [reason: string]: number }): number =>
  Object.values(counts).reduce((sum, n) => sum + n, 0)

interface Counts {
  readonly exchanges_seen: number
  readonly exchanges_recorded: number
  readonly in_flight: number
  readonly dropped: { readonly [reason: string]: number }
}

describe(`damaged streams through proxy, recorder and store (seed ${SEED})`, () => {
  /** Generated on each call: all of them at once would fill the memory of a heavy run. */
  const damageOf = (n: number): Damage => damaged(seeded(SEED + 7919 * n))
  let upstream: Awaited<ReturnType<typeof startDamagedUpstream>>
  let app: TestApp | undefined
  beforeEach(async () => {
    upstream = await startDamagedUpstream(damageOf)
  })
  afterEach(async () => {
    await app?.close()
    upstream.close()
  })
  /** Each exchange that upstream saw is recorded, dropped or in flight; the recorder says how far it is once a second. */
  const settled = async (): Promise<Counts> => {
    let counts: Counts | undefined
    await until(
      'all are accounted for',
      async () => {
        counts = await app?.call<Counts>('health.get')
        return counts?.in_flight === 0 && counts.exchanges_recorded + sumOf(counts.dropped) === upstream.seen.length
      },
      300_000,
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}: ${JSON.stringify(counts)}`)
    })
    if (!counts) throw new Error('no health')
    return counts
  }

  test(
    `${STREAMS} streams: nothing around the bad part is lost, and all are accounted for`,
    { timeout: 3_600_000 },
    async () => {
      app = await startApp({ upstream: upstream.url })
      await askAll(app.proxy, STREAMS, () =>
        until(
          'the recorder has caught up',
          async () => {
            const health = await app?.call<{ queue_bytes: number }>('health.get')
            return health !== undefined && health.queue_bytes < MAX_WAITING_BYTES
          },
          600_000,
        ),
      )
      const counts = await settled()
      expect(upstream.seen).toHaveLength(STREAMS)
      expect(counts).toMatchObject({
        exchanges_seen: STREAMS,
        exchanges_recorded: STREAMS,
        in_flight: 0,
        dropped: NONE,
      })

      const db = new Database(join(app.data, 'lifestats.db'), { readonly: true })
      const texts = new Set(db.prepare('SELECT content FROM assistant_responses').pluck().all())
      const ofKind = db.prepare<[string], number>('SELECT count(*) FROM events WHERE kind = ?').pluck()
      const kinds = ['model_request', 'model_response', 'user_prompt', 'api_usage'].map((kind) => ofKind.get(kind))
      db.close()
      const lost = Array.from({ length: STREAMS }, (_, n) => {
        const { name, hasEnd } = damageOf(n)
        const before = texts.has(`before-${n}`) ? [] : [`before ${name} (${n})`]
        return !hasEnd || texts.has(`after-${n}`) ? before : [...before, `after ${name} (${n})`]
      }).flat()
      expect(lost).toEqual([])
      expect(kinds).toEqual([STREAMS, STREAMS, STREAMS, STREAMS])
    },
  )

  test('what a full queue drops is counted, whole exchanges at a time', async () => {
    app = await startApp({ upstream: upstream.url, settings: { 'proxy.max_queue_bytes': 20_000 } })
    const count = 120
    await askAll(app.proxy, count)
    const { exchanges_seen: seen, exchanges_recorded: recorded, dropped, in_flight: open } = await settled()
    expect(upstream.seen).toHaveLength(count)
    expect(seen).toBe(count)
    expect(sumOf(dropped)).toBeGreaterThan(0)
    expect(recorded + sumOf(dropped) + open).toBe(seen)
  })
})
