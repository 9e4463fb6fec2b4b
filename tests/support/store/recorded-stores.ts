import type { AnyDraft } from '../../../src/main/decode/draft.ts'
import type { RecordedRun } from '../../../src/main/decode/fixtures/recorded-runs.ts'
import { replayHooks, replayTranscripts, replayWire } from '../../../src/main/decode/fixtures/replay.ts'
import { openTestStore } from './folder.ts'

/** Recorded runs of the real client, brought into real stores by one source or several. */

export interface Recorded {
  readonly name: string
  readonly run: RecordedRun
}

/** Drafts in the order in which they came to the recorder: exchanges and hooks by their time. */
export function liveDrafts({ name, run }: Recorded): readonly AnyDraft[] {
  const drafts = [...replayWire(run).drafts, ...replayHooks(run)]
    .map((draft, at) => ({ draft, at }))
    .sort((a, b) => Date.parse(a.draft.ts_wall) - Date.parse(b.draft.ts_wall) || a.at - b.at)
    .map(({ draft }) => draft)
  // The replay counts exchanges from 0 in each run.
  return JSON.parse(JSON.stringify(drafts).replaceAll(/exchange-(?=\d)/g, `${name}-exchange-`)) as AnyDraft[]
}

/** What a transcript import gives, file after file. */
export const transcriptDrafts = ({ run }: Recorded): readonly AnyDraft[] => replayTranscripts(run)

/** A store filled in batches, closed; gives its file. */
export function storeOf(...parts: readonly (readonly AnyDraft[])[]): string {
  const { store, dbPath } = openTestStore()
  for (const drafts of parts) for (const batch of batchesOf(drafts)) store.ingest.append(batch)
  store.close()
  return dbPath
}

/** Some drafts each; what one request tells is committed together. */
function batchesOf(drafts: readonly AnyDraft[]): AnyDraft[][] {
  const batches: AnyDraft[][] = [[]]
  for (const draft of drafts) {
    const batch = batches.at(-1) ?? []
    if (batch.length < 7 || batch.at(-1)?.ts_wall === draft.ts_wall) batch.push(draft)
    else batches.push([draft])
  }
  return batches
}
