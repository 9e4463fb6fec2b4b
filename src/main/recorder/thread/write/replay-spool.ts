import { AspyError, toErrorAnswer } from '../../../../shared/contract/errors.ts'
import { createKeyedHash } from '../../../base/keyed-hash.ts'
import type { AnyDraft } from '../../../decode/draft.ts'
import type { Ingest } from '../../../store/ingest/ingest.ts'
import type { Store } from '../../../store/store.ts'
import { createSpool, type Spool } from '../../../store/transfer/spool.ts'
import type { StoreGateOptions } from './gate.ts'

/** Bounds the time that one turn of the event loop spends on the spool, so that live traffic is heard in between. */
const SLICE_MS = 20

/** Ends a slice; the next slice starts with the batch that was refused. */
class SliceOver extends Error {}

/** Opens a spool file of a gate. */
export function openSpool(
  path: string,
  { hashKey, limits, onFault }: Pick<StoreGateOptions, 'hashKey' | 'limits' | 'onFault'>,
  gate: { unsaved(hash: string): string | null; store(): Store | null; maxBytes(): number },
): Spool {
  return createSpool({
    path,
    hash: createKeyedHash(hashKey),
    limits,
    contents: { unsaved: gate.unsaved, put: (text) => void gate.store()?.ingest.putContent(text) },
    onAwaited: (answer, run) => gate.store()?.answersInProgress.keep(answer, run),
    maxBytes: gate.maxBytes,
    onUnsynced(error) {
      const message = `spooled events may not be on disk yet: ${toErrorAnswer(error).message}`
      onFault({ code: 'store_unavailable', message })
    },
  })
}

/**
 * Appends spooled drafts to the store for a few milliseconds; returns true once the spool is empty.
 * @throws AspyError store_unavailable
 */
export function replaySlice(
  spool: Spool,
  ingest: Ingest,
  { accept, onStored, onLost }: Pick<StoreGateOptions, 'accept' | 'onStored' | 'onLost'>,
): boolean {
  if (spool.isEmpty()) return true
  const start = performance.now()
  let batches = 0

  /** Appends drafts one by one if a batch is refused: an invalid draft must not keep the others in the spool forever. */
  function append(drafts: readonly AnyDraft[]): void {
    try {
      onStored(ingest.append(drafts, accept))
    } catch (error) {
      if (isUnavailable(error)) throw error
      const [only] = drafts
      if (drafts.length === 1 && only) return onLost(1, toErrorAnswer(error).message)
      for (const draft of drafts) append([draft])
    }
  }

  const appendBatch = (drafts: readonly AnyDraft[]): void => {
    if (batches > 0 && performance.now() - start > SLICE_MS) throw new SliceOver()
    append(drafts)
    batches += 1
  }
  try {
    const { unreadable } = spool.replay(appendBatch, () => ingest.persist())
    if (unreadable > 0) onLost(unreadable, 'lines of the spool could not be read')
    return true
  } catch (error) {
    if (error instanceof SliceOver) return false
    throw error
  }
}

/**
 * Records the answers that an app was recording when it was killed.
 * @throws AspyError store_unavailable
 */
export function endInterrupted(
  { ingest, answersInProgress }: Pick<Store, 'ingest' | 'answersInProgress'>,
  { accept, onStored, onLost }: Pick<StoreGateOptions, 'accept' | 'onStored' | 'onLost'>,
): void {
  for (const { exchangeId, drafts } of answersInProgress.interrupted()) {
    try {
      onStored(ingest.append(JSON.parse(drafts) as AnyDraft[], accept))
    } catch (error) {
      if (isUnavailable(error)) throw error
      onLost(1, `an interrupted answer: ${toErrorAnswer(error).message}`)
    }
    answersInProgress.ended(exchangeId)
  }
}

export const isUnavailable = (error: unknown): boolean =>
  error instanceof AspyError && error.code === 'store_unavailable'
