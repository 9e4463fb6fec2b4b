import type { AnyDraft } from '../../../src/main/decode/draft.ts'
import type { RecordedRun } from '../../../src/main/decode/fixtures/recorded-runs.ts'
import { replayHooks, replayTranscripts, replayWire } from '../../../src/main/decode/fixtures/replay.ts'
import { openTestStore } from './folder.ts'

/** Recorded runs of the real client, stored in real stores from one source or several. */

export interface Recorded {
  readonly name: string
  readonly run: RecordedRun
}

/** Returns drafts in the order in which they reached the recorder: exchanges and hooks by time. */
export function liveDrafts({ name, run }: Recorded): readonly AnyDraft[] {
  const drafts = [...replayWire(run).drafts, ...replayHooks(run)]
    .map((draft, at) => ({ draft, at }))
    .sort((a, b) => Date.parse(a.draft.ts_wall) - Date.parse(b.draft.ts_wall) || a.at - b.at)
    .map(({ draft }) => draft)
  // The replay counts exchanges from 0 in each run.
  return JSON.parse(JSON.stringify(drafts).replaceAll(/exchange-(?=\d)/g, `${name}-exchange-`)) as AnyDraft[]
}

/** Returns the drafts of a transcript import, file by file. */
export const transcriptDrafts = ({ run }: Recorded): readonly AnyDraft[] => replayTranscripts(run)

/** Fills a store in batches, closes it, and returns its path. */
export function storeOf(...parts: readonly (readonly AnyDraft[])[]): string {
  const { store, dbPath } = openTestStore()
  for (const drafts of parts) for (const batch of batchesOf(drafts)) store.ingest.append(batch)
  store.close()
  return dbPath
}

/** Splits drafts into batches; those of one request are committed together. */
function batchesOf(drafts: readonly AnyDraft[]): AnyDraft[][] {
  const batches: AnyDraft[][] = [[]]
  for (const draft of drafts) {
    const batch = batches.at(-1) ?? []
    if (batch.length < 7 || batch.at(-1)?.ts_wall === draft.ts_wall) batch.push(draft)
    else batches.push([draft])
  }
  return batches
}
