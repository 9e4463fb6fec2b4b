import type { Config } from '../../../shared/config.ts'
import type { OwnPatterns } from '../../redaction/redactor.ts'
import type { PatternSpan } from './custom-protocol.ts'
import { NoAnswer, type CustomWorker } from './custom-worker.ts'

/** Replaces a text for which the patterns timed out. */
export const LEFT_OUT = '[left out: your redaction patterns timed out]'

/** Limit for one turn of the event loop, as a multiple of the limit for one text. Over it, texts are left out. */
const TEXTS_OF_A_TURN = 4
/** Remembered texts that timed out. They are not tried again, since each try would use up the whole limit. */
const MAX_HOSTILE = 200
/** Short texts are mostly names that recur: those without a match are cached. */
const SHORT = 100
const MAX_CLEAN = 20_000

type PatternSettings = Config['redaction']['patterns']

/** Converts the patterns for the thread. */
export const expressionsOf = (patterns: PatternSettings): { source: string; flags: string }[] =>
  patterns.map(({ pattern, ignore_case }) => ({ source: pattern, flags: ignore_case ? 'gi' : 'g' }))

export interface OwnPatternsOptions {
  readonly worker: Pick<CustomWorker, 'ready' | 'ask'>
  readonly patterns: PatternSettings
  readonly timeoutMs: number
}

/** Runs the user's patterns for the redactor, in a thread that can be terminated. */
export function createOwnPatterns({ worker, patterns, timeoutMs }: OwnPatternsOptions): OwnPatterns {
  const clean = new Set<string>()
  const hostile = new Map<string, number | null>()
  const dropped: Record<string, number> = {}
  let turnLeftMs = timeoutMs * TEXTS_OF_A_TURN
  let turnEnds: NodeJS.Immediate | null = null

  /** Returns null on a timeout. */
  function spansOf(text: string): readonly PatternSpan[] | null {
    if (text === '' || clean.has(text)) return []
    turnEnds ??= setImmediate(() => {
      turnEnds = null
      turnLeftMs = timeoutMs * TEXTS_OF_A_TURN
    })
    const before = hostile.get(text)
    if (before !== undefined || turnLeftMs <= 0) return leaveOut(before ?? null)
    let start = performance.now()
    try {
      worker.ready()
      start = performance.now()
      const answer = worker.ask({ type: 'match', text }, Math.min(timeoutMs, turnLeftMs))
      if (answer.type !== 'spans') return leaveOut(null)
      // Not the time that the answer took: on a busy machine most of it is a wait for a processor, and a conversation has
      // hundreds of texts.
      turnLeftMs -= answer.ms
      if (answer.spans.length === 0 && text.length <= SHORT) {
        if (clean.size >= MAX_CLEAN) clean.clear()
        clean.add(text)
      }
      return answer.spans
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      turnLeftMs -= performance.now() - start
      if (hostile.size >= MAX_HOSTILE) hostile.clear()
      hostile.set(text, error.at)
      return leaveOut(error.at)
    }
  }

  function leaveOut(pattern: number | null): null {
    const name = pattern === null ? 'unknown' : nameOf(pattern)
    dropped[name] = (dropped[name] ?? 0) + 1
    return null
  }

  const nameOf = (pattern: number) => patterns[pattern]?.name ?? 'own-pattern'

  return {
    text(text, mark) {
      const spans = spansOf(text)
      if (spans === null) return LEFT_OUT
      let out = ''
      let done = 0
      for (const [start, end, pattern] of spans) {
        out += text.slice(done, start) + mark(nameOf(pattern), text.slice(start, end))
        done = end
      }
      return done === 0 ? text : out + text.slice(done)
    },
    joined(texts, mark) {
      const spans = spansOf(texts.join(''))
      if (spans === null) return texts.map(() => LEFT_OUT)
      let from = 0
      return texts.map((text) => {
        const start = from
        from += text.length
        return withoutSpans(text, start, spans, (pattern, secret) => mark(nameOf(pattern), secret), texts)
      })
    },
    timeouts: () => ({ ...dropped }),
  }
}

/**
 * Replaces matches in one of several neighbouring texts, given matches in all of them joined. The mark is placed where
 * a match begins.
 */
function withoutSpans(
  text: string,
  start: number,
  spans: readonly PatternSpan[],
  mark: (pattern: number, secret: string) => string,
  texts: readonly string[],
): string {
  let out = ''
  let done = start
  const end = start + text.length
  for (const [from, to, pattern] of spans) {
    if (to <= start || from >= end) continue
    if (from > done) out += text.slice(done - start, from - start)
    if (from >= start) out += mark(pattern, texts.join('').slice(from, to))
    done = Math.min(end, to)
  }
  return out + text.slice(done - start)
}
