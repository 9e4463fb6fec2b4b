import { randomBytes } from 'node:crypto'
import { generateHistory } from '../demo/generate-history.ts'
import { loadHashKey } from '../../../src/main/base/hash-key.ts'
import { openStore } from '../../../src/main/store/open-store.ts'

/** Fills a data folder with a generated history; returns the number of its drafts. */
export function fillWithDemo(dataDir: string, seed = randomBytes(4).toString('hex'), sessions = 6): number {
  const store = openStore({
    dataDir,
    hashKey: loadHashKey(dataDir),
    limits: { store_thinking: true, store_tool_io: true, max_thinking_size: 100_000, max_prompt_size: 1_000_000 },
  })
  let drafts = 0
  try {
    for (const batch of generateHistory({ seed, sessions })) {
      store.ingest.append(batch)
      drafts += batch.length
    }
  } finally {
    store.close()
  }
  return drafts
}
