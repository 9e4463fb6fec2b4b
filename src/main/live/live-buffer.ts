import type { BudgetStatus } from '../../shared/contract/budgets.ts'
import type { HeldRequest } from '../../shared/contract/guard.ts'
import type { LiveBatch, ServiceNews } from '../../shared/contract/live.ts'
import type { Correction, Delta, EventSummary } from '../../shared/live-feed.ts'

/** Events and text that one reader has not taken yet. Bounded, however slow the reader is. */
export interface LiveBuffer {
  add(events: readonly EventSummary[], deltas: readonly Delta[]): void
  /** Adds budgets that reached a mark. They are few and never dropped. */
  addBudgets(reached: readonly BudgetStatus[]): void
  /** Adds news about limits and about how requests are served. They are few and never dropped. */
  addNews(news: readonly ServiceNews[]): void
  /** Replaces the requests that wait for a decision. */
  setHeld(held: readonly HeldRequest[]): void
  /** Adds corrections of earlier prompts. Only the newest of each prompt and the newest prompts are kept. */
  addCorrected(corrections: readonly Correction[]): void
  /** Counts events that this reader will not receive. */
  miss(count: number): void
  readonly isEmpty: boolean
  /** Takes everything that waits as one batch and empties the buffer. */
  take(): LiveBatch
}

export interface LiveBufferOptions {
  readonly maxEvents: number
  /** Bounds the characters of text that wait. More text is dropped; its event follows anyway. */
  readonly maxDeltaLength: number
}

/** Drops and counts the oldest events when full, and joins pieces of the same text. */
export function createLiveBuffer({ maxEvents, maxDeltaLength }: LiveBufferOptions): LiveBuffer {
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
    add(newEvents, newDeltas) {
      for (const event of newEvents) events.push(event)
      if (events.length > maxEvents) {
        const excess = events.length - maxEvents
        events.splice(0, excess)
        missed += excess
      }
      for (const delta of newDeltas) addDelta(delta)
    },
    addBudgets(reached) {
      budgets = [...budgets, ...reached]
    },
    addNews(added) {
      news = [...news, ...added]
    },
    setHeld(now) {
      held = now
    },
    addCorrected(corrections) {
      for (const correction of corrections) {
        corrected.delete(correction.uuid)
        corrected.set(correction.uuid, correction)
      }
      for (const uuid of corrected.keys()) {
        if (corrected.size <= maxEvents) break
        corrected.delete(uuid)
      }
    },
    miss(count) {
      missed += count
    },
    get isEmpty() {
      const isQuiet = budgets.length === 0 && news.length === 0 && held === null
      return events.length === 0 && deltas.size === 0 && missed === 0 && isQuiet && corrected.size === 0
    },
    take() {
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
