import { join } from 'node:path'
import type { AnyDraft, EventDraft } from '../../../src/main/decode/draft.ts'
import { openStore } from '../../../src/main/store/open-store.ts'
import type { EventKind, Payloads } from '../../../src/shared/event.ts'

const HASH_KEY = Buffer.alloc(32, 7)

/** Creates a draft as the transcript decoder would, for stores that tests fill directly. */
export function draftOf<K extends EventKind>(
  kind: K,
  payload: Payloads[K],
  more: Partial<EventDraft<K>> & { readonly at: string },
): AnyDraft {
  const { at, ...rest } = more
  return {
    kind,
    source: 'transcript',
    payload,
    session_id: 's1',
    agent_id: null,
    ts_wall: at,
    ts_monotonic: null,
    project: '/work/app',
    keys: [],
    parents: [],
    ...rest,
  } as unknown as AnyDraft
}

/** Writes drafts in batches to the store in a folder; returns the database's path. */
export function fillStore(dataDir: string, drafts: readonly AnyDraft[], batch = 500, tidied = false): string {
  const store = openStore({
    dataDir,
    hashKey: HASH_KEY,
    limits: { store_thinking: true, store_tool_io: true, max_thinking_size: 100_000, max_prompt_size: 1_000_000 },
  })
  try {
    for (let at = 0; at < drafts.length; at += batch) store.ingest.append(drafts.slice(at, at + batch))
    // Silent sessions end, and get their digest: an app does so after seconds without traffic.
    if (tidied) for (const _ of store.maintenance.episodes()) continue
    store.maintenance.checkpoint()
  } finally {
    store.close()
  }
  return join(dataDir, 'lifestats.db')
}
