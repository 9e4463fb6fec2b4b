import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { plantedSecrets } from '../../src/main/redaction/planted-secrets.ts'
import { findSecrets, secretsIn } from '../support/byte-scan.ts'
import { findClaude, runClaude, type ClaudeRun } from '../support/claude-client.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../support/messages-upstream.ts'
import { startApp, type TestApp } from '../support/start-app.ts'
import { makeTempFolder, type TempFolder } from '../support/temp-folder.ts'
import { until } from '../support/until.ts'

// A Telegram token is known by the number before it.
const inPlace = (text: string) => (text.startsWith(':AA') ? `123456789${text}` : text)
const planted = (where: string) => plantedSecrets(where).map(({ text }) => inPlace(text))
const oneLine = (texts: readonly string[]) => texts.filter((text) => !text.includes('\n'))

const IN_PROMPT = oneLine(planted('prompt'))
const IN_THINKING = planted('thinking')
const IN_CALL = oneLine(planted('call'))
const IN_FILE = planted('file')
const IN_ENV = Array.from({ length: 12 }, (_, index) => `plainlooking${index}value${index * 7}word`)
const IN_ANSWER = planted('answer')
const ALL = [IN_PROMPT, IN_THINKING, IN_CALL, IN_FILE, IN_ENV, IN_ANSWER].flat()

const spread = (texts: readonly string[]) => texts.map((text, index) => `Number ${index} is ${text} here.`).join('\n')

describe.skipIf(findClaude() === null)('secrets that pass through the real client', () => {
  let home: TempFolder
  let data: TempFolder
  let upstream: MessagesUpstream
  let app: TestApp
  let run: ClaudeRun
  const feed: Buffer[] = []
  const leaving = new AbortController()

  beforeAll(async () => {
    home = makeTempFolder('aspy-client-')
    data = makeTempFolder('aspy-data-')
    writeFileSync(join(home.path, 'notes.txt'), spread(IN_FILE))
    writeFileSync(join(home.path, '.env'), IN_ENV.map((value, index) => `NAME_${index}=${value}`).join('\n'))
    const read = (name: string) => ({ tool: 'Read', input: { file_path: join(home.path, name) } })
    upstream = await startMessagesUpstream((_request, n) => {
      if (n === 0)
        return {
          steps: [
            { thinking: spread(IN_THINKING) },
            { tool: 'Bash', input: { command: `echo '${IN_CALL.join(' ')}'` } },
            read('notes.txt'),
            read('.env'),
          ],
          deltaLength: 5,
          writeBytes: 11,
        }
      // Cut over deltas of seven characters.
      return { steps: [{ text: 'So:' }, { text: spread(IN_ANSWER) }], deltaLength: 7, encoding: 'gzip' }
    })
    app = await startApp({ upstream: upstream.url, dataDir: data.path })
    void (async () => {
      for await (const bytes of app.running.dispatch.stream('live.subscribe', {}, { access: 'all' }, leaving.signal))
        feed.push(Buffer.from(bytes))
    })()
    run = await runClaude({ baseUrl: app.proxy, prompt: spread(IN_PROMPT), home: home.path })
    await until('both responses are recorded', async () => {
      const { items } = await app.call<{ items: object[] }>('events.list', { kind: 'model_response' })
      return items.length === 2
    })
    leaving.abort()
  })
  afterAll(async () => {
    leaving.abort()
    await app?.close()
    await upstream?.close()
    home?.remove()
    data?.remove()
  })

  test('all of them did pass, untouched', () => {
    expect(run.exitCode).toBe(0)
    expect(ALL.length).toBeGreaterThan(200)
    const sent = upstream.requests.map(({ bytes }) => ({ where: 'request', text: bytes.toString('latin1') }))
    const passed = new Set(findSecrets(sent, [...IN_PROMPT, ...IN_THINKING, ...IN_CALL, ...IN_FILE, ...IN_ENV]))
    expect(passed.size).toBe(IN_PROMPT.length + IN_THINKING.length + IN_CALL.length + IN_FILE.length + IN_ENV.length)
    expect(run.result?.result).toContain(IN_ANSWER.at(-1))
  })

  test('none is in any byte under the data folder', () => {
    expect(secretsIn(data.path, ALL)).toEqual([])
  })

  test('none is in the feed', () => {
    const text = Buffer.concat(feed).toString('latin1')
    expect(text).toContain('thinking')
    expect(findSecrets([{ where: 'feed', text }], ALL)).toEqual([])
    // Nor where deltas are put together again.
    const batches = feed.map((bytes) => JSON.parse(bytes.toString()) as { deltas?: { text: string; block: string }[] })
    const deltas = batches.flatMap((batch) => batch.deltas ?? [])
    expect(deltas.length).toBeGreaterThan(0)
    const joined = ['thinking', 'text', 'tool_input'].map((block) => ({
      where: `${block} deltas`,
      text: deltas
        .filter((delta) => delta.block === block)
        .map((delta) => delta.text)
        .join(''),
    }))
    expect(findSecrets(joined, ALL)).toEqual([])
  })

  test('Health counts them by rule', async () => {
    const counted = async () => (await app.call<{ redacted: Record<string, number> }>('health.get')).redacted
    await expect.poll(async () => Object.keys(await counted()).length, { timeout: 10_000 }).toBeGreaterThan(40)
  })

  test('the search finds what is there: one secret behind its back, in four forms', () => {
    const secret = IN_PROMPT[0] ?? ''
    for (const form of [
      secret,
      Buffer.from(`x${secret}`).toString('base64'),
      encodeURIComponent(`<${secret}>`),
      secret.toLowerCase(),
    ]) {
      const path = join(data.path, 'behind.log')
      writeFileSync(path, form)
      expect(secretsIn(data.path, ALL)).toEqual([`behind.log: ${secret}`])
      writeFileSync(path, '')
    }
  })
})
