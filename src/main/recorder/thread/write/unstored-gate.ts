import { AspyError } from '../../../../shared/contract/errors.ts'
import type { AnyDraft } from '../../../decode/draft.ts'
import { createKeyedHash } from '../../../base/keyed-hash.ts'
import { placedEvent } from '../../../store/identity/placed-event.ts'
import { limitDraft } from '../../../store/log/limits.ts'
import { createPricing, type PriceTable } from '../../../store/pricing/pricing.ts'
import { RecentlyUsed } from '../../../base/recently-used.ts'
import { summarize } from '../../../store/projections/summary.ts'
import type { AddedEvent } from '../../../store/ingest/ingest.ts'
import type { StoreGate, StoreGateOptions } from './gate.ts'

/** Bounds the facts and sessions that are remembered, so that each fact is shown once. */
const MAX_KEYS = 5000
const MAX_SESSIONS = 200

/**
 * Replaces the store if recording is switched off (`[lifestats] enabled = false`). No database is opened and nothing
 * reaches the disk, but the live view still shows events. Their ids start at 1 and mean nothing after this run.
 */
export function createUnstoredGate({
  hashKey,
  limits,
  accept,
  onStored,
  onState,
  prices,
}: Pick<StoreGateOptions, 'hashKey' | 'limits' | 'accept' | 'onStored' | 'onState'> & {
  readonly prices: PriceTable
}): StoreGate {
  const pricing = createPricing(prices)
  const keys = new RecentlyUsed<string, true>(MAX_KEYS)
  const turns = new RecentlyUsed<string, { turn: number; seq: number }>(MAX_SESSIONS)
  let lastId = 0

  function show(draft: AnyDraft): AddedEvent | null {
    if (draft.keys.some((key) => keys.get(key))) return null
    for (const key of draft.keys) keys.set(key, true)
    const place = turns.get(draft.session_id) ?? { turn: 0, seq: -1 }
    turns.set(draft.session_id, place)
    place.seq += 1
    if (draft.kind === 'user_prompt') Object.assign(place, { turn: place.turn + 1, seq: 0 })
    lastId += 1
    const event = placedEvent(
      draft,
      { turn_id: place.turn, seq: place.seq, parent_uuid: null },
      { id: lastId, uuid: draft.uuid ?? `unstored-${lastId}`, ts_wall: draft.ts_wall, user_id: null, project: null },
    )
    const accepted = accept(event)
    return accepted === 'drop' ? null : { event: accepted, summary: summarize(accepted, pricing) }
  }

  return {
    open: () => onState({ state: 'running', reason: null }),
    write(drafts) {
      const added = drafts.flatMap((draft) => show(limitDraft(draft, limits)) ?? [])
      onStored({ added, corrected: [], joined: 0, dropped: drafts.length - added.length, deleted: 0, leftOut: [] })
      return 'stored'
    },
    writeStored: refuse,
    *settleInSteps() {},
    putContent: createKeyedHash(hashKey),
    awaitAnswer: () => undefined,
    ask: (_, otherwise) => otherwise,
    store: refuse,
    opened: refuse,
    repair: () => undefined,
    state: () => ({ state: 'running', reason: null }),
    spooled: () => 0,
    unpricedModels: () => pricing.unpricedModels(),
    checkpoint: () => undefined,
    handOver: () => undefined,
    close: () => undefined,
  }
}

function refuse(): never {
  throw new AspyError('lifestats_off', 'recording is switched off: set [lifestats] enabled = true first')
}
