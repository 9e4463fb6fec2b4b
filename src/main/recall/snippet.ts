import { characterStart } from '../../shared/cut-text.ts'
import type { Mark } from './marks.ts'

/** Finds the part of a text with the most different query words close together. */
export function bestWindow(text: string, marks: readonly Mark[], length: number): { start: number; end: number } {
  if (text.length <= length) return { start: 0, end: text.length }
  let best = { start: 0, score: -1 }
  for (const [index, mark] of marks.entries()) {
    const words = new Set<string>()
    let count = 0
    for (let at = index; at < marks.length && at < index + 60; at += 1) {
      const other = marks[at]
      if (other === undefined || other.end > mark.start + length * 0.8) break
      words.add(other.word)
      count += 1
    }
    const score = words.size * 10 + Math.min(count, 9)
    if (score > best.score) best = { start: mark.start, score }
  }
  const wanted = Math.max(0, best.start - Math.floor(length * 0.15))
  const start = Math.min(wanted, Math.max(0, text.length - length))
  const reach = Math.max(20, Math.min(MAX_OF_WORD, Math.floor(length * 0.2)))
  const begins = atBoundary(text, start, 1, reach)
  return {
    // Never after the first word found, which may itself be part of a long one.
    start: begins > best.start && best.start >= start ? atBoundary(text, best.start, -1, reach) : begins,
    end: atBoundary(text, Math.min(text.length, start + length), -1, reach),
  }
}

/** A word, a path or a number in a cut text is kept whole, unless it is longer than this. */
const MAX_OF_WORD = 80

/** Moves a position to the nearest blank within reach, but never into the middle of a character. */
function atBoundary(text: string, position: number, step: 1 | -1, reach: number): number {
  if (position <= 0 || position >= text.length) return Math.min(Math.max(position, 0), text.length)
  for (let moved = 0; moved < reach; moved += 1) {
    const at = position + moved * step
    if (at <= 0 || at >= text.length) return Math.min(Math.max(at, 0), text.length)
    if (/\s/.test(text.charAt(at - (step === 1 ? 1 : 0)))) return at
  }
  return characterStart(text, position)
}

/** Returns a snippet with `<mark>` around matched words. The rest is unescaped: show it as text, not as HTML. */
export function snippetOf(text: string, marks: readonly Mark[], length = 300): string {
  const { start, end } = bestWindow(text, marks, length)
  let out = start > 0 ? '…' : ''
  let at = start
  for (const mark of marks) {
    if (mark.start < at || mark.end > end) continue
    out += `${text.slice(at, mark.start)}<mark>${text.slice(mark.start, mark.end)}</mark>`
    at = mark.end
  }
  return `${out}${text.slice(at, end)}${end < text.length ? '…' : ''}`
}

/** Returns the same part without marks. */
export function excerptOf(text: string, marks: readonly Mark[], length: number): string {
  const { start, end } = bestWindow(text, marks, length)
  return `${start > 0 ? '… ' : ''}${text.slice(start, end).trim()}${end < text.length ? ' …' : ''}`
}
