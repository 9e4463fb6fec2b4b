import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ConfigInput } from '../../../src/shared/config.ts'
import { secretsIn } from '../../support/store/byte-scan.ts'
import { NONE } from '../../support/runner/none.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { countKinds, pass, rows, startRecorder } from '../../support/recorder/harness.ts'
import type { RecorderUnderTest, SentExchange } from '../../support/recorder/harness.ts'
import { few, heavily } from '../../support/runner/heavy.ts'

let folder: TempFolder
let under: RecorderUnderTest | null = null

beforeEach(() => {
  folder = makeTempFolder()
})
afterEach(async () => {
  await under?.stop()
  under = null
  folder.remove()
})

/** Records exchanges with these settings, and ends; gives what Health said last. */
async function record(config: ConfigInput, ...sent: readonly SentExchange[]) {
  under = await startRecorder(folder.path, { config })
  for (const exchange of sent) await pass(under.tap, exchange)
  await under.settled()
  await under.stop()
  const { health } = under
  return { health: health(), deltas: under.deltas, events: under.events }
}

function writeModule(name: string, code: string): string {
  writeFileSync(join(folder.path, name), code)
  return name
}

const texts = () => rows(folder.path).map((row) => row.payload)
const answered = (text: string): SentExchange => ({ prompt: 'what is it', answer: { steps: [{ text }] } })

describe('own patterns', () => {
  const patterns = [{ name: 'customer', pattern: 'CUSTOMER-[0-9]{10}' }]

  test('matches are neither stored nor shown, and equal matches get equal marks', async () => {
    const { health, deltas, events } = await record({ redaction: { patterns } }, {
      prompt: 'look up CUSTOMER-0123456789 please',
      answer: {
        steps: [
          { text: 'CUSTOMER-0123456789 is Ada, CUSTOMER-9876543210 is Bob' },
          { tool: 'Bash', input: { command: 'grep CUSTOMER-0123456789 -r' } },
        ],
      },
    } as SentExchange)
    expect(
      secretsIn(
        folder.path,
        ['CUSTOMER-0123456789 ', 'CUSTOMER-9876543210 '].map((text) => text.trim().padEnd(11)),
      ),
    ).toEqual([])
    expect(texts().join('')).not.toMatch(/CUSTOMER-\d/)
    expect(JSON.stringify([deltas, events])).not.toMatch(/CUSTOMER-\d/)
    expect(deltas).toEqual([])
    const answer = rows(folder.path).find((row) => row.kind === 'assistant_text')?.payload ?? ''
    const marks = answer.match(/\[redacted:customer:[0-9a-f]{4}\]/g) ?? []
    expect(new Set(marks).size).toBe(2)
    expect(rows(folder.path).find((row) => row.kind === 'user_prompt')?.payload).toContain(marks[0])
    expect(health.redacted['customer']).toBeGreaterThanOrEqual(4)
  })

  test('a match that spans two blocks of an answer is found', async () => {
    await record(
      { redaction: { patterns } },
      { answer: { steps: [{ text: 'it is CUSTOMER-01234' }, { text: '56789, yes' }] } },
    )
    expect(texts().join('')).toContain('[redacted:customer:')
    expect(texts().join('')).not.toMatch(/CUSTOMER-01|56789/)
  })

  test('a pattern that never finishes is stopped: its text is left out and counted, everything else is recorded', async () => {
    const hostile = `${'a'.repeat(40)}!`
    const { health } = await record(
      { redaction: { patterns: [...patterns, { name: 'slow', pattern: '(a+)+$' }], pattern_timeout_ms: 2500 } },
      answered(hostile),
      answered('CUSTOMER-0123456789 is next'),
    )
    expect(secretsIn(folder.path, [hostile])).toEqual([])
    expect(texts().join('')).toContain('left out: your redaction patterns timed out')
    expect(texts().join('')).toContain('[redacted:customer:')
    expect(health.dropped['redaction_timeout']).toBeGreaterThan(0)
    expect(countKinds(folder.path)).toMatchObject({ model_request: 2, model_response: 2, assistant_text: 2 })
    expect(health.restarts).toBe(0)
  })

  heavily(test)(
    'hostile patterns over hostile text, and a line of 10 MB, cost no more than their own texts',
    async () => {
      // Each backtracks without end over a text of its own.
      const hostile = [
        [String.raw`^(\w+\s?)+$`, `${'word '.repeat(30)}!`],
        [String.raw`^(([a-z])+.)+[A-Z]([a-z])+$`, 'a'.repeat(60)],
        [String.raw`(.*a){20}`, 'a'.repeat(19).padEnd(60, 'b')],
        [String.raw`^(a|aa)+$`, `${'a'.repeat(60)}!`],
        [String.raw`(x+x+)+y`, 'x'.repeat(60)],
      ] as const
      const own = hostile.map(([pattern], index) => ({ name: `hostile-${index}`, pattern }))
      const long = `${'a fine line, '.repeat(800_000)}CUSTOMER-0123456789`
      const { health } = await record(
        { redaction: { patterns: [...patterns, ...own], pattern_timeout_ms: 100 } },
        ...hostile.map(([, text]) => answered(text)),
      )
      expect(health.dropped['redaction_timeout']).toBeGreaterThanOrEqual(hostile.length)
      expect(
        secretsIn(
          folder.path,
          hostile.map(([, text]) => text),
        ),
      ).toEqual([])
      expect(countKinds(folder.path)).toMatchObject({ model_response: hostile.length, assistant_text: hostile.length })
      await record({ redaction: { patterns, pattern_timeout_ms: 10_000, text_timeout_ms: 10_000 } }, answered(long))
      expect(secretsIn(folder.path, ['CUSTOMER-0123456789'])).toEqual([])
      expect(under?.health()).toMatchObject({ restarts: 0, dropped: NONE })
    },
  )
})

describe('own processors', () => {
  const processed = (name: string, code: string, more: object = {}): ConfigInput => ({
    processors: { modules: [{ path: writeModule(name, code), ...more }], timeout_ms: 1000 },
  })

  test('they change and drop events, with their own options, and their output is redacted again', async () => {
    const secret = `sk-ant-api03-${'Ab1'.repeat(31)}AA`
    const { health, deltas } = await record(
      processed(
        'tag.mjs',
        `export default { name: 'tag', process(event, context) {
           if (event.kind === 'thinking') return 'drop'
           if (event.kind !== 'assistant_text') return event
           const text = context.config.word + ' ${secret} ' + event.payload.text
           return { ...event, project: '/home/${secret}', payload: { ...event.payload, text, tags: ['seen'] } }
         } }`,
        { options: { word: 'tagged' } },
      ),
      { answer: { steps: [{ thinking: 'hm' }, { text: 'the answer' }] } },
    )
    expect(texts().join('')).toMatch(/tagged \[redacted:anthropic-key:....\] the answer.*"tags":\["seen"\]/)
    expect(secretsIn(folder.path, [secret])).toEqual(['tag.mjs: ' + secret])
    expect(countKinds(folder.path)).not.toHaveProperty('thinking')
    expect(health.dropped).toMatchObject({ processor_dropped: 1 })
    expect(health.processors).toMatchObject([{ name: 'tag', dropped: 1, errors: 0, disabled: null }])
    expect(deltas).toEqual([])
  })

  const misbehaviours: readonly (readonly [string, string])[] = [
    ['throws', `throw new Error('no')`],
    ['hangs in a loop', `for (;;) {}`],
    ['never answers', `return new Promise(() => {})`],
    ['ends its thread', `process.exit(1)`],
    ['gives back nonsense', `return { hello: 1 }`],
    ['changes the event in place', `event.payload.text = 'changed'; return event`],
    ['breaks the shape of a payload', `return { ...event, payload: { ...event.payload, text: 5 } }`],
    ['gives back what cannot travel', `return { ...event, payload: { ...event.payload, more: () => 1 } }`],
    ['floods the log', `for (let i = 0; i < 1e4; i++) context.logger.warn('again'); throw new Error('no')`],
  ]
  test.each(few(misbehaviours, 3))(
    'one that %s costs nothing but its own work, and is counted',
    async (_name, code) => {
      const { health } = await record(
        processed(
          'bad.mjs',
          `export default { process(event, context) { if (event.kind === 'assistant_text') { ${code} }; return event } }`,
        ),
        answered('the answer'),
      )
      expect(texts().join('')).toContain('"the answer"')
      expect(countKinds(folder.path)).toMatchObject({ user_prompt: 1, assistant_text: 1, model_response: 1 })
      expect(health.processors[0]).toMatchObject({ name: 'bad', dropped: 0 })
      expect(health.processors[0]?.errors).toBeGreaterThan(0)
      expect(health).toMatchObject({ dropped: NONE, restarts: 0 })
    },
  )

  test('one that hangs repeatedly is disabled; one that cannot be loaded is reported', async () => {
    under = await startRecorder(folder.path, {
      config: {
        processors: {
          modules: [
            { path: writeModule('hang.mjs', 'export default { process() { for (;;) {} } }') },
            { path: 'gone.mjs' },
            { path: writeModule('fine.mjs', 'export default { process: (event) => event }') },
          ],
          timeout_ms: 500,
        },
      },
    })
    for (const text of ['one', 'two', 'three', 'four']) {
      await pass(under.tap, answered(text))
      await under.settled()
    }
    await under.stop()
    const [hang, gone, fine] = under.health().processors
    expect(hang?.disabled).toMatch(/3 times in a row: no answer/)
    expect(hang).toMatchObject({ slowest_ms: null, late: expect.any(Number) })
    expect(hang?.late).toBeGreaterThanOrEqual(3)
    // On a slow machine it may be late as well, now and then.
    expect(fine?.errors).toBeLessThan(hang?.errors ?? 0)
    expect(fine).toMatchObject({ disabled: null, slowest_ms: expect.any(Number) })
    expect(gone?.disabled).toMatch(/Cannot find module/)
    expect(countKinds(folder.path)['assistant_text']).toBe(4)
  })

  heavily(test)('one that hangs while loading is given up, and patterns still work', async () => {
    await record(
      {
        redaction: { patterns: [{ name: 'customer', pattern: 'CUSTOMER-[0-9]{10}' }] },
        processors: { modules: [{ path: writeModule('top.mjs', 'for (;;) {}') }] },
      },
      answered('CUSTOMER-0123456789 is next'),
    )
    expect(texts().join('')).toMatch(/\[redacted:customer:....\] is next/)
    expect(under?.health().processors[0]?.disabled).toMatch(/not loaded in/)
  })
})
