import { readdirSync, readFileSync } from 'node:fs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { generateHistory } from '../../support/demo/generate-history.ts'
import { createRedactor } from '../../../src/main/redaction/create-redactor.ts'
import { HOSTILE } from '../../../src/main/redaction/fixtures/hostile-texts.ts'
import { few, runs } from '../../support/runner/heavy.ts'

const MEGABYTES = runs(1, 10)
const make = () =>
  createRedactor({ hashKey: Buffer.alloc(32, 1), enabled: true, maskEmails: true, homeFolder: '/home/ada' })

describe('hostile text', () => {
  afterEach(() => vi.restoreAllMocks())

  // Counts reads and slices of the text instead of measuring time.
  function stepsFor(text: string): number {
    let steps = 0
    const { charCodeAt, indexOf, slice } = String.prototype
    vi.spyOn(String.prototype, 'charCodeAt').mockImplementation(function (this: string, at) {
      steps += 1
      return charCodeAt.call(this, at)
    })
    vi.spyOn(String.prototype, 'slice').mockImplementation(function (this: string, ...range) {
      steps += 1
      return slice.apply(this, range)
    })
    vi.spyOn(String.prototype, 'indexOf').mockImplementation(function (this: string, what, from = 0) {
      const found = indexOf.call(this, what, from)
      steps += 1 + (found < 0 ? this.length : found) - from
      return found
    })
    make().text(text)
    vi.restoreAllMocks()
    return steps
  }

  it.each([...few(HOSTILE, 12), HOSTILE.join('')])('of %j takes linear time', (beginning) => {
    const repeat = (length: number) => beginning.repeat(Math.ceil(length / beginning.length))
    const short = stepsFor(repeat(5_000))
    const long = stepsFor(repeat(10_000))
    expect(long).toBeLessThanOrEqual(short * 2.2 + 10_000)
    expect(long).toBeLessThanOrEqual(10_000 * 64)
  })

  it(`of ${MEGABYTES} MB in one line is scanned to the end`, () => {
    const line = HOSTILE.join('').repeat(Math.ceil((MEGABYTES * 1e6) / HOSTILE.join('').length))
    expect(make().text(line).length).toBeGreaterThan(0)
  })
})

describe('ordinary text', () => {
  it('raises fewer than one false alarm per 10,000 lines of our own source', () => {
    const redactor = createRedactor({ hashKey: Buffer.alloc(32, 1), enabled: true })
    const root = new URL('../../../', import.meta.url)
    let lines = 0
    for (const folder of ['src/', 'tests/']) {
      for (const file of readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })) {
        // Secrets planted in tests are not false alarms.
        if (!/\.(?:ts|tsx|sql|css|html)$/.test(file) || file.includes('.test.') || file.startsWith('main/redaction'))
          continue
        const text = readFileSync(new URL(folder + file.replaceAll('\\', '/'), root), 'utf8')
        lines += text.split('\n').length
        redactor.text(text)
      }
    }
    expect(lines).toBeGreaterThan(1_000)
    const alarms = Object.values(redactor.counts()).reduce((sum, count) => sum + count, 0)
    expect(alarms, JSON.stringify(redactor.counts())).toBeLessThan(Math.max(1, lines / 10_000))
  })

  it('raises no false alarm in a generated history', () => {
    const redactor = createRedactor({ hashKey: Buffer.alloc(32, 1), enabled: true })
    let characters = 0
    for (const drafts of generateHistory({ seed: 'alarms', sessions: 24 }))
      for (const { payload } of drafts) {
        characters += JSON.stringify(payload).length
        redactor.json(payload)
      }
    expect(characters).toBeGreaterThan(1_000_000)
    expect(redactor.counts()).toEqual({})
  })
})
