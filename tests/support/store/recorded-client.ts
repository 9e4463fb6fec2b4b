import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { recordedRuns, type RecordedRun } from '../../../src/main/decode/fixtures/recorded-runs.ts'
import { replayHooks, replayWire } from '../../../src/main/decode/fixtures/replay.ts'
import type { AnyDraft } from '../../../src/main/decode/draft.ts'

/** Returns what wire and hooks reported in the recorded runs of the real client, each run in the order of time. */
export function recordedLiveDrafts(): readonly AnyDraft[][] {
  return recordedRuns().map(({ name, run }) => liveDrafts(name, run))
}

function liveDrafts(name: string, run: RecordedRun): AnyDraft[] {
  const drafts = [...replayWire(run).drafts, ...replayHooks(run)].sort(
    (a, b) => Date.parse(a.ts_wall) - Date.parse(b.ts_wall),
  )
  // The replay counts exchanges from 0 in each run.
  return JSON.parse(JSON.stringify(drafts).replaceAll(/exchange-(?=\d)/g, `${name}-exchange-`)) as AnyDraft[]
}

/** Writes the transcripts of the recorded runs below a folder, under the client's own paths. */
export function writeRecordedTranscripts(root: string): void {
  for (const { run } of recordedRuns())
    for (const { path, agent, lines } of run.transcripts) {
      const file = join(root, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
      if (agent?.meta) writeFileSync(file.replace(/\.jsonl$/, '.meta.json'), JSON.stringify(agent.meta))
    }
}
