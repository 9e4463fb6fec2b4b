import type { BudgetStatus } from '../../shared/contract/budgets.ts'
import type { HeldRequest } from '../../shared/contract/guard.ts'
import type { LiveBatch, ServiceNews } from '../../shared/contract/live.ts'
import type { Correction, Delta, EventSummary } from '../../shared/live-feed.ts'

/** Events and text that one reader has not taken yet. Bounded, however slow the reader is. */
export type LiveBuffer = ReturnType<typeof createLiveBuffer>

export interface LiveBufferOptions {
  readonly maxEvents: number
  /** Bounds the characters of text that wait. More text is dropped; its event follows anyway. */
  readonly maxDeltaLength: number
}

/** Drops and counts the oldest events when full, and joins pieces of the same text. */
export function createLiveBuffer({ maxEvents, maxDeltaLength }: LiveBufferOptions) {
  let events: EventSummary[] = []
  let deltas = new Map<string, Delta>()
  let deltaLength = 0
  let missed = 0
  let budgets: readonly BudgetStatus[] = []
  let news: readonly ServiceNews[] = []
  let held: readonly HeldRequest[] | null = null
  const corrected = new Map<string, Correction>()

  function addDelta(delta: Delta): void {
    const key = `${delta.exchange_id} ${delta.index}`
    const waiting = deltas.get(key)
    const text = deltaLength + delta.text.length > maxDeltaLength ? '' : delta.text
    if (text === '' && delta.done !== true) return
    deltaLength += text.length
    deltas.set(key, waiting === undefined ? { ...delta, text } : { ...waiting, ...delta, text: waiting.text + text })
  }

  return {
    add(newEvents: readonly EventSummary[], newDeltas: readonly Delta[]) {
      for (const event of newEvents) events.push(event)
      if (events.length > maxEvents) {
        const excess = events.length - maxEvents
        events.splice(0, excess)
        missed += excess
      }
      for (const delta of newDeltas) addDelta(delta)
    },
    /** Adds budgets that reached a mark. They are few and never dropped. */
    addBudgets(reached: readonly BudgetStatus[]) {
      budgets = [...budgets, ...reached]
    },
    /** Adds news about limits and about how requests are served. They are few and never dropped. */
    addNews(added: readonly ServiceNews[]) {
      news = [...news, ...added]
    },
    /** Replaces the requests that wait for a decision. */
    setHeld(now: readonly HeldRequest[]) {
      held = now
    },
    /** Adds corrections of earlier prompts. Only the newest of each prompt and the newest prompts are kept. */
    addCorrected(corrections: readonly Correction[]) {
      for (const correction of corrections) {
        corrected.delete(correction.uuid)
        corrected.set(correction.uuid, correction)
      }
      for (const uuid of corrected.keys()) {
        if (corrected.size <= maxEvents) break
        corrected.delete(uuid)
      }
    },
    /** Counts events that this reader will not receive. */
    miss(count: number) {
      missed += count
    },
    get isEmpty() {
      const isQuiet = budgets.length === 0 && news.length === 0 && held === null
      return events.length === 0 && deltas.size === 0 && missed === 0 && isQuiet && corrected.size === 0
    },
    /** Takes everything that waits as one batch and empties the buffer. */
    take(): LiveBatch {
      const batch: LiveBatch = {
        events,
        deltas: [...deltas.values()],
        ...(missed === 0 ? {} : { missed }),
        ...(budgets.length === 0 ? {} : { budgets }),
        ...(news.length === 0 ? {} : { news }),
        ...(held === null ? {} : { held }),
        ...(corrected.size === 0 ? {} : { corrected: [...corrected.values()] }),
      }
      events = []
      deltas = new Map()
      deltaLength = 0
      missed = 0
      budgets = []
      news = []
      held = null
      corrected.clear()
      return batch
    },
  }
}
