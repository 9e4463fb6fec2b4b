import { readFileSync } from 'node:fs'
import { Readable, type Transform } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import zlib from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startAspy, type RunningCommand } from '../../support/app/aspy-command.ts'
import { runs } from '../../support/runner/heavy.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'
import { send } from '../../support/upstream/byte-client.ts'
import { createByteUpstream, type ByteUpstream } from '../../support/upstream/byte-upstream.ts'

const MB = 1024 * 1024
/** What each bomb unpacks to. */
const UNPACKED = runs(300, 10_000) * MB
/** The most that the app may ever have resident. Only Linux says what that was. */
const MOST_RESIDENT_MB = 600

const PACKERS: { readonly [encoding: string]: () => Transform } = {
  gzip: () => zlib.createGzip({ level: 1 }),
  deflate: () => zlib.createDeflate({ level: 1 }),
  br: () => zlib.createBrotliCompress({ params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 3 } }),
  zstd: () => zlib.createZstdCompress(),
}

/** Repeats `line` until it has the bombs' size, and packs it by each encoding in turn. */
function bombOf(line: string, encodings: readonly string[]): Promise<Buffer> {
  const block = Buffer.from(line.repeat(Math.ceil(MB / line.length))).subarray(0, MB)
  const blocks = function* () {
    for (let sent = 0; sent < UNPACKED; sent += block.length) yield block
  }
  return buffer(
    encodings.reduce<Readable>(
      (source, encoding) => source.pipe(PACKERS[encoding]?.() ?? zlib.createGzip()),
      Readable.from(blocks()),
    ),
  )
}

const FILLINGS = {
  zeros: { line: '\0', type: 'application/json' },
  'an unending JSON string': { line: '{"type":"message","content":[{"text":"', type: 'application/json' },
  'an unending line of a stream': { line: 'data: ', type: 'text/event-stream' },
} as const

describe.skipIf(process.platform !== 'linux')(`bodies that unpack to ${UNPACKED / MB} MB`, () => {
  let folder: TempFolder
  let upstream: ByteUpstream
  let app: RunningCommand
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
  }, 60_000)
  afterAll(async () => {
    app.child.kill('SIGKILL')
    await app.finished
    await upstream.close()
    folder.remove()
  })

  const peakMb = () =>
    Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${app.child.pid}/status`, 'utf8'))?.[1]) / 1024

  /** Waits until everything sent is recorded or given up. */
  const settled = () =>
    until(
      'nothing waits to be recorded',
      async () => {
        const headers = {
          Authorization: `Bearer ${readFileSync(`${folder.path}/token`, 'utf8').trim()}`,
          'Content-Type': 'application/json',
        }
        const response = await fetch(`${ports.app}/api/health.get`, { method: 'POST', headers, body: '{}' })
        const health = (await response.json()) as { readonly recorder_lag_ms: number }
        return health.recorder_lag_ms === 0
      },
      120_000,
    )

  const exchange = (body: Buffer | string, headers: Readonly<Record<string, string>>) =>
    send(
      Number(new URL(ports.proxy).port),
      { method: 'POST', path: '/v1/messages', headers: { 'content-type': 'application/json', ...headers } },
      body,
    )

  const CASES = Object.keys(FILLINGS).flatMap((filling) =>
    ['gzip', 'deflate', 'br', 'zstd', 'gzip, br', 'zstd, zstd', 'br, gzip'].map((encoding) => ({ filling, encoding })),
  )

  test.each(CASES)(
    '$filling in $encoding, asked and answered: the client has its bytes, the app stays small',
    { timeout: 600_000 },
    async ({ filling, encoding }) => {
      const { line, type } = FILLINGS[filling as keyof typeof FILLINGS]
      const body = await bombOf(line, encoding.split(', '))
      answer = { body, encoding, type }
      const seen = await exchange('{"model":"claude-sonnet-5-5","messages":[]}', {})
      expect(seen.failure).toBeNull()
      expect(seen.body.equals(body)).toBe(true)

      answer = { body: Buffer.from('{}'), encoding: 'identity', type: 'application/json' }
      expect((await exchange(body, { 'content-encoding': encoding })).body.toString()).toBe('{}')
      await settled()
      expect(peakMb()).toBeLessThan(MOST_RESIDENT_MB)
      expect(app.child.exitCode).toBeNull()
    },
  )

  test('and its recorder never had to be restarted', async () => {
    const { status } = (await (await fetch(`${ports.app}/healthz`)).json()) as { readonly status: string }
    expect(status).toBe('ok')
  })
})
