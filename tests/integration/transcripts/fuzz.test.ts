import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { recordedRuns } from '../../../src/main/decode/fixtures/recorded-runs.ts'
import { createTranscriptDecoder } from '../../../src/main/decode/client/claude-code/transcripts/transcript-decoder.ts'
import type { AnyDraft } from '../../../src/main/decode/draft.ts'
import { plainHash } from '../../../src/main/decode/fixtures/replay.ts'
import { runs, SEED } from '../../support/runner/heavy.ts'
import { openTestStore } from '../../support/store/folder.ts'
import { seeded } from '../../support/store/history.ts'

const FILES = runs(120, 100_000)
const SHORT = new Set(['hello', 'no-tools', 'slash', 'retry', 'failed', 'queued-small', 'structured'])

/** Lines of short files of the real client. */
const originals = recordedRuns()
  .filter(({ name }) => SHORT.has(name))
  .map(({ run }) => (run.transcripts[0]?.lines ?? []).map((line) => JSON.stringify(line)))

/** The same file under separate ids, so that no two of them report the same facts. */
function renamed(lines: readonly string[], n: number): string[] {
  const mark = n.toString(16).padStart(8, '0')
  return lines.map((line) =>
    line
      .replaceAll(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-([0-9a-f]{12})/g, (uuid) => `${mark}${uuid.slice(8)}`)
      .replaceAll(/\b(msg|toolu|req)_(\w+)/g, `$1_$2x${mark}`),
  )
}

interface Damaged {
  readonly lines: readonly string[]
  /** Lines that are as they were, in their order. */
  readonly whole: ReadonlySet<number>
  readonly how: string
}

function damaged(lines: readonly string[], random: () => number): Damaged {
  const upTo = (most: number) => Math.floor(random() * most)
  const at = upTo(lines.length)
  const line = lines[at] ?? ''
  const others = (...gone: readonly number[]) =>
    new Set(lines.map((_, index) => index).filter((index) => !gone.includes(index)))
  switch (upTo(random() < 0.004 ? 8 : 7)) {
    case 0:
      return { how: 'cut line', lines: lines.with(at, line.slice(0, upTo(line.length))), whole: others(at) }
    case 1:
      return { how: 'repeated', lines: [...lines, ...lines.slice(at)], whole: others() }
    case 2:
      return { how: 'garbage line', lines: lines.toSpliced(at, 0, '\u0000{{]] \ufffd not JSON'), whole: others() }
    case 3: {
      const deep = `{"type":"user","deep":${'['.repeat(5000)}${']'.repeat(5000)}}`
      return { how: 'deep JSON', lines: lines.toSpliced(at, 0, deep), whole: others() }
    }
    case 4:
      return { how: 'lost line', lines: lines.toSpliced(at, 1), whole: others(at) }
    case 5: {
      const place = upTo(line.length)
      const flipped = `${line.slice(0, place)}${String.fromCharCode(33 + upTo(90))}${line.slice(place + 1)}`
      return { how: 'flipped character', lines: lines.with(at, flipped), whole: others(at) }
    }
    case 6: {
      const before = Math.max(0, at - 1)
      return {
        how: 'swapped',
        lines: lines.with(at, lines[before] ?? '').with(before, line),
        whole: others(at, before),
      }
    }
    default: {
      const long = JSON.stringify({
        type: 'user',
        sessionId: 'long',
        message: { role: 'user', content: 'y'.repeat(7e6) },
      })
      return { how: 'a line of 7 MB', lines: lines.toSpliced(at, 0, long), whole: others() }
    }
  }
}

function decode(lines: readonly string[]): AnyDraft[] {
  const decoder = createTranscriptDecoder({ hash: plainHash })
  return [...lines.flatMap((line) => decoder.line(line)), ...decoder.end()]
}

/** Keys of single lines' facts, in any context. */
const keysOfLine = (line: string): string[] =>
  decode([line])
    .filter((draft) => draft.only_as_sighting !== true)
    .filter(
      ({ kind }) => kind === 'thinking' || kind === 'assistant_text' || kind === 'tool_call' || kind === 'user_prompt',
    )
    .flatMap(({ keys }) => keys.filter((key) => key.startsWith('line:') || key.startsWith('call:')))

describe(`damaged transcripts through decoder and store (seed ${SEED})`, () => {
  test(
    `${FILES} files: nothing around the bad line is lost, and each draft is accounted for`,
    { timeout: 3_600_000 },
    () => {
      const { store, dbPath } = openTestStore()
      const reader = new Database(dbPath, { readonly: true })
      const known = reader.prepare<[string], number>('SELECT 1 FROM event_keys WHERE key = ?').pluck()
      const lost: string[] = []
      let drafts = 0
      let accounted = 0
      let checked = 0
      for (let n = 0; n < FILES; n += 1) {
        const random = seeded(SEED + 7919 * n)
        const lines = renamed(originals[n % originals.length] ?? [], n)
        const file = damaged(lines, random)
        const found = decode(file.lines)
        const result = store.ingest.append(found)
        drafts += found.length
        // The ends that prompts bring are no drafts.
        const ofDrafts = result.added.filter(
          ({ event }) => event.kind !== 'turn_ended' || event.payload.reason !== 'next_prompt',
        )
        accounted += ofDrafts.length + result.joined + result.dropped
        for (const at of file.whole)
          for (const key of keysOfLine(lines[at] ?? '')) {
            checked += 1
            if (known.get(key) === undefined) lost.push(`${file.how} (${n}): ${key}`)
          }
      }
      const events = reader.prepare('SELECT count(*) FROM events').pluck().get()
      reader.close()
      expect(lost).toEqual([])
      expect(checked).toBeGreaterThan(FILES * 2)
      expect(accounted).toBe(drafts)
      expect(events).toBeGreaterThan(FILES * 3)
    },
  )
})
