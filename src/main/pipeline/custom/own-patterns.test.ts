import { afterEach, expect, test, vi } from 'vitest'
import type { CustomAnswer } from './custom-protocol.ts'
import { createOwnPatterns, LEFT_OUT } from './own-patterns.ts'

afterEach(() => vi.restoreAllMocks())

/** Redacts texts in one turn of the event loop. Each answer takes 300 ms, including `ms` for the patterns. */
function redactedInOneTurn(count: number, ms: number) {
  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  const worker = {
    ready: () => undefined,
    ask(): CustomAnswer {
      now += 300
      return { type: 'spans', id: 1, spans: [[0, 6, 0]], ms }
    },
  }
  const patterns = [{ name: 'word', pattern: 'secret', ignore_case: false }]
  const own = createOwnPatterns({ worker, patterns, timeoutMs: 500 })
  const texts = Array.from({ length: count }, (_, at) => own.text(`secret ${at}`, () => '[redacted]'))
  return { texts, timeouts: own.timeouts() }
}

test('a busy machine, on which each answer waits for a processor, leaves no text out', () => {
  const { texts, timeouts } = redactedInOneTurn(100, 0.02)
  expect(texts).toEqual(Array.from({ length: 100 }, (_, at) => `[redacted] ${at}`))
  expect(timeouts).toEqual({})
})

test('slow patterns leave out what would keep a turn of the event loop for more than four times their limit', () => {
  const { texts, timeouts } = redactedInOneTurn(10, 300)
  expect(texts.filter((text) => text === LEFT_OUT)).toHaveLength(3)
  expect(timeouts).toEqual({ unknown: 3 })
})
