import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createScanner } from '../scanner.ts'
import { createNamedValueRule } from './named-value-rule.ts'
import { SIGNALS, type Signal } from './signals.ts'

interface Samples {
  /** Texts whose secret, between « and », is hidden. */
  readonly hides?: readonly string[]
  /** Texts that stay. */
  readonly leaves?: readonly string[]
}
const samplesOf = JSON.parse(readFileSync(new URL('signal-samples.json', import.meta.url), 'utf8')) as {
  readonly [signal: string]: Samples
}

/** Returns a text with its secrets between « and ». */
function marked(text: string, signals: readonly Signal[]): string {
  const { spans } = createScanner([createNamedValueRule(signals)]).scan(text)
  return spans.reduceRight((out, { start, end, secret }) => `${out.slice(0, start)}«${secret}»${out.slice(end)}`, text)
}

test('every signal has its samples', () => {
  expect(Object.keys(samplesOf)).toEqual(SIGNALS.map(({ name }) => name))
})

test.each(SIGNALS)('without the signal "$name", one of its samples changes', (signal) => {
  const { hides = [], leaves = [] } = samplesOf[signal.name] ?? {}
  const all = [...hides, ...leaves]
  const plain = (sample: string) => sample.replaceAll(/[«»]/g, '')
  expect(all.map((sample) => marked(plain(sample), SIGNALS))).toEqual(all)
  const others = SIGNALS.filter((other) => other !== signal)
  const changed = all.filter((sample) => marked(plain(sample), others) !== sample)
  // Signals for a secret hide some of these, signals against it leave some.
  expect(changed.some((sample) => sample.includes('«') === signal.weight > 0)).toBe(true)
})
