import { MessageChannel } from 'node:worker_threads'
import { expect, test } from 'vitest'
import type { ImportBatch, ToImporter } from '../../../src/main/recorder/protocol.ts'
import type { AnyDraft } from '../../../src/main/decode/draft.ts'
import type { Delta } from '../../../src/shared/live-feed.ts'
import { startDemo } from '../../../src/main/demo/start-demo.ts'

test('generated sessions are recorded, then played live, with text streamed before its event', async () => {
  const drafts: AnyDraft[] = []
  const deltas: Delta[] = []
  const { port1, port2 } = new MessageChannel()
  port1.on('message', (batch: ImportBatch) => {
    drafts.push(...batch.drafts)
    const answer: ToImporter = { type: 'committed', batch: batch.batch, added: 0, joined: 0, deleted: 0, dropped: 0 }
    port1.postMessage(answer)
  })
  const faults: unknown[] = []
  const end = startDemo({
    importerPort: () => port2,
    publish: (_events, shown) => void deltas.push(...shown),
    since: async () => ({ events: [] }),
    logger: { error: (fault: unknown) => void faults.push(fault) },
  })
  try {
    await expect.poll(() => deltas.some((delta) => delta.done), { interval: 20 }).toBe(true)
    expect(drafts.length).toBeGreaterThan(1000)
    // Accounts are hashed and headers filtered, as for real traffic.
    const accounts = new Set(drafts.flatMap((draft) => draft.account ?? []))
    expect([...accounts].every((account) => /^[0-9a-f]{32}$/.test(account))).toBe(true)
    expect(deltas.map((delta) => delta.text).join('')).not.toBe('')
    expect(faults).toEqual([])
  } finally {
    end()
    port1.close()
  }
})
