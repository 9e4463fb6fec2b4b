import { readFileSync } from 'node:fs'
import { Readable, type Transform } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import zlib from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findRunningNote } from '../../../src/main/base/running-note.ts'
import { startAspy, type RunningCommand } from '../../support/app/aspy-command.ts'
import { few, runs } from '../../support/runner/heavy.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'
import { send } from '../../support/upstream/byte-client.ts'
import { createByteUpstream, type ByteUpstream } from '../../support/upstream/byte-upstream.ts'

const MB = 1024 * 1024
/** Unpacked content of each bomb. */
const UNPACKED = runs(100, 10_000) * MB
/** The most that the app may ever have resident. Only Linux says what that was. */
const MAX_RESIDENT_MB = 600

const PACKERS: { readonly [encoding: string]: () => Transform } = {
  gzip: () => zlib.createGzip({ level: 6 }),
  deflate: () => zlib.createDeflate({ level: 6 }),
  br: () => zlib.createBrotliCompress({ params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 3 } }),
  zstd: () => zlib.createZstdCompress(),
}

/** Repeats `line` after `head` until it has the bombs' size, and packs it by each encoding in turn. */
function bombOf({ head = '', line }: Filling, encodings: readonly string[]): Promise<Buffer> {
  const block = Buffer.from(line.repeat(Math.ceil(MB / line.length)))
  const blocks = function* () {
    yield Buffer.from(head)
    for (let sent = 0; sent < UNPACKED; sent += block.length) yield block
  }
  return buffer(
    encodings.reduce<Readable>(
      (source, encoding) => source.pipe(PACKERS[encoding]?.() ?? zlib.createGzip()),
      Readable.from(blocks()),
    ),
  )
}

interface Filling {
  readonly head?: string
  readonly line: string
  readonly type: 'application/json' | 'text/event-stream'
}

const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`
const MESSAGE = { type: 'message', id: 'msg_bomb', role: 'assistant', model: 'claude-sonnet-5-5', content: [] }
const BEGUN =
  event({ type: 'message_start', message: { ...MESSAGE, usage: { input_tokens: 3, output_tokens: 1 } } }) +
  event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } })
const deltaOf = (text: string) => event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })

/** Bodies that are not JSON or not a stream, and such that are. */
const FILLINGS: { readonly [name: string]: Filling } = {
  zeros: { line: '\0', type: 'application/json' },
  'an unending JSON string': { line: '{"type":"message","content":[{"text":"', type: 'application/json' },
  'an unending list of messages': {
    head: '{"type":"message","content":[],"messages":[{}',
    line: ',{}',
    type: 'application/json',
  },
  'an unending line of a stream': { line: 'data: ', type: 'text/event-stream' },
  'valid deltas': { head: BEGUN, line: deltaOf('word and '), type: 'text/event-stream' },
  'valid deltas of 15 KB': { head: BEGUN, line: deltaOf('word and more! '.repeat(1000)), type: 'text/event-stream' },
  'unknown events': { head: BEGUN, line: event({ type: 'odd' }), type: 'text/event-stream' },
  'events that are not JSON': { head: BEGUN, line: 'data: x\n\n', type: 'text/event-stream' },
  'error events': { head: BEGUN, line: event({ type: 'error', error: { type: 'x' } }), type: 'text/event-stream' },
}

describe.skipIf(process.platform !== 'linux')(`bodies that unpack to ${UNPACKED / MB} MB`, () => {
  let folder: TempFolder
  let upstream: ByteUpstream
  let app: RunningCommand
  let appPid: number
  let ports: { readonly proxy: string; readonly app: string }
  let answer: { readonly body: Buffer; readonly encoding: string; readonly type: string }

  beforeAll(async () => {
    folder = makeTempFolder()
    upstream = await createByteUpstream(async (exchange) => {
      await exchange.readRest()
      const { body, encoding, type } = answer
      await exchange.write(
        `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nContent-Encoding: ${encoding}\r\nContent-Length: ${body.length}\r\n\r\n`,
      )
      await exchange.write(body)
    })
    const flags = ['--port', '0', '--proxy-port', '0', '--upstream', upstream.url.href, '--data', folder.path]
    app = startAspy(['serve', '--json', ...flags])
    ports = JSON.parse(await app.firstLine) as typeof ports
    appPid = findRunningNote(folder.path)?.pid ?? 0
  }, 60_000)
  afterAll(async () => {
    app.signal('SIGKILL')
    await app.finished
    await upstream.close()
    folder.remove()
  })

  let most = 0
  const peakMb = () => Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${appPid}/status`, 'utf8'))?.[1]) / 1024

  const ask = async <Answer>(operation: string, input: object): Promise<Answer> => {
    const headers = {
      Authorization: `Bearer ${readFileSync(`${folder.path}/token`, 'utf8').trim()}`,
      'Content-Type': 'application/json',
    }
    const response = await fetch(`${ports.app}/api/${operation}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(input),
    })
    return (await response.json()) as Answer
  }
  interface Health {
    readonly exchanges_recorded: number
    readonly recorder_restarts: number
    readonly dropped: { readonly [reason: string]: number }
  }
  let sent = 0

  /** Waits until everything sent is recorded. A bomb that is too large as it was packed is dropped as a whole. */
  const settled = () =>
    until(
      'nothing waits to be recorded',
      async () => {
        const { exchanges_recorded: recorded, dropped } = await ask<Health>('health.get', {})
        return recorded + (dropped['queue_full'] ?? 0) === sent
      },
      120_000,
    )

  const exchange = (body: Buffer | string, headers: Readonly<Record<string, string>>) => {
    sent += 1
    return send(
      Number(new URL(ports.proxy).port),
      { method: 'POST', path: '/v1/messages', headers: { 'content-type': 'application/json', ...headers } },
      body,
    )
  }

  const ENCODINGS = ['gzip', 'deflate', 'br', 'zstd', 'gzip, br', 'zstd, zstd', 'br, gzip']
  const CASES = few(
    [
      ...Object.keys(FILLINGS).map((filling, at) => ({ filling, encoding: ENCODINGS[at % 4] ?? 'gzip' })),
      ...ENCODINGS.map((encoding) => ({ filling: 'valid deltas', encoding })),
    ],
    6,
  )

  test.each(CASES)(
    '$filling in $encoding, asked and answered: the client has its bytes, the app stays small',
    { timeout: 600_000 },
    async ({ filling, encoding }) => {
      const bomb = FILLINGS[filling] ?? { line: '\0', type: 'application/json' }
      const { type } = bomb
      const body = await bombOf(bomb, encoding.split(', '))
      answer = { body, encoding, type }
      const seen = await exchange('{"model":"claude-sonnet-5-5","messages":[]}', {})
      expect(seen.failure).toBeNull()
      expect(seen.body.equals(body)).toBe(true)

      answer = { body: Buffer.from('{}'), encoding: 'identity', type: 'application/json' }
      expect((await exchange(body, { 'content-encoding': encoding })).body.toString()).toBe('{}')
      await settled()
      most = Math.max(most, peakMb())
      expect(peakMb()).toBeLessThan(MAX_RESIDENT_MB)
      expect(findRunningNote(folder.path)?.pid).toBe(appPid)
    },
  )

  test('each is counted, says so in its session, and no recorder had to be restarted', async () => {
    const countOf = async (reason: string) => (await ask<Health>('health.get', {})).dropped[reason] ?? 0
    const tooLarge = async () => (await countOf('request_too_large')) + (await countOf('response_too_large'))
    const unpacked = 2 * CASES.length - (await countOf('queue_full'))
    await until('each is counted', async () => (await tooLarge()) === unpacked)
    const health = await ask<Health>('health.get', {})
    expect(Object.keys(health.dropped).sort()).toEqual(
      expect.arrayContaining(['request_too_large', 'response_too_large']),
    )
    expect(health.recorder_restarts).toBe(0)
    const { items } = await ask<{ readonly items: readonly { readonly content: string }[] }>('errors.list', {
      limit: 200,
    })
    const marks = items.filter(({ content }) => content.includes('part of this exchange could not be decoded'))
    expect(marks).toHaveLength(unpacked)
    console.info(`the app's largest resident size: ${Math.round(most)} MB`)
  })
})
