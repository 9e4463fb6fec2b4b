import { AspyError, toErrorAnswer, type ErrorAnswer } from '../../../../shared/contract/errors.ts'
import type { AnyEvent } from '../../../../shared/event.ts'
import type { AnyDraft } from '../../../decode/draft.ts'
import { sqliteCodeOf } from '../../../store/database/connection.ts'
import { keyedHash } from '../../../store/log/contents.ts'
import { limitBlock, type Limits } from '../../../store/log/limits.ts'
import { createSpool } from '../../../store/transfer/spool.ts'
import type { People } from '../../../store/people/people.ts'
import type { AppendOptions, AppendResult, Store } from '../../../store/store.ts'

const FIRST_RETRY_MS = 250
const LAST_RETRY_MS = 10_000
/** What is brought back from the spool in one turn of the event loop: live traffic is heard in between. */
const REPLAY_SLICE_MS = 20

type WriteOutcome = 'stored' | 'spooled' | 'lost'
interface GateState {
  readonly state: 'running' | 'spooling'
  /** Why it spools, in words for a person. */
  readonly reason: string | null
}

/**
 * The way to the store. Where the database cannot be opened or written, drafts go to the spool, and come back from it,
 * before anything newer, once it can: it tries again by itself, at longer and longer intervals.
 */
export interface StoreGate extends Pick<
  Store,
  'putContent' | 'lastRequest' | 'keysOf' | 'isBehind' | 'isDiskBehind' | 'settleInSteps'
> {
  open(): void
  /** Never throws `store_unavailable`; throws what the store says of a draft that cannot be stored. */
  write(drafts: readonly AnyDraft[]): WriteOutcome
  /** For imports, which are not spooled, and not told to `onStored`. Throws `store_unavailable`. */
  writeStored(drafts: readonly AnyDraft[], options?: AppendOptions): AppendResult
  /** What people make; not spooled. Throws `store_unavailable`. */
  readonly people: People
  /** Moves the database out of the way, since it is damaged, and begins a new one. */
  setAside(reason: string): void
  /** The store itself, for upkeep. Throws `store_unavailable`. */
  store(): Store
  state(): GateState
  /** Drafts that wait on disk. */
  spooled(): number
  unpricedModels(): readonly string[]
  /** Moves the WAL into the file; for idle moments. */
  checkpoint(): void
  close(): void
}

export interface StoreGateOptions {
  readonly hashKey: Uint8Array
  readonly limits: Limits
  readonly spoolPath: string
  /** Throws `store_unavailable`, `newer_database`, `already_running`. */
  openStore(): Store
  /** The database is damaged and closed: it is moved away, so that a new one is opened next. */
  setAside(): void
  accept(event: AnyEvent): AnyEvent | 'drop'
  /** Drafts were committed, just now or from the spool. */
  onStored(result: AppendResult): void
  /** It begins or ceases to spool. */
  onState(state: GateState): void
  /** There is no store to open, and it will not mend itself. */
  onFault(error: ErrorAnswer): void
  /** Drafts reached neither store nor spool, or lines of the spool could not be read. */
  onLost(drafts: number, why: string): void
}

/** Ends a slice of a replay; the next slice begins with the batch that it refused. */
class SliceOver extends Error {}

export function createStoreGate(options: StoreGateOptions): StoreGate {
  const { hashKey, limits, accept, onStored } = options
  /** Blocks that no committed request refers to yet. */
  const unsaved = new Map<string, string>()
  const spool = createSpool({
    path: options.spoolPath,
    hash: (text) => keyedHash(hashKey, text),
    limits,
    contents: { unsaved: (hash) => unsaved.get(hash) ?? null, put: (text) => void store?.putContent(text) },
    onUnsynced(error) {
      const message = `what is spooled is not on the disk yet: ${toErrorAnswer(error).message}`
      options.onFault({ code: 'store_unavailable', message })
    },
  })
  let store: Store | null = null
  let leftOpen: Store | null = null
  let current: GateState = { state: 'spooling', reason: 'the database is being opened' }
  let retry: NodeJS.Timeout | null = null
  let retryMs = FIRST_RETRY_MS
  let isDamaged = false
  let isTextDamaged = false
  let healing: ReturnType<Store['rebuild']> | null = null
  let faultTold: string | null = null

  function enter(next: GateState): void {
    if (next.state === current.state && next.reason === current.reason) return
    current = next
    options.onState(next)
  }

  /** Opens the store and brings the spool back, as far as one slice goes. */
  function recover(): void {
    retry = null
    try {
      if (isDamaged && store === null) {
        options.setAside()
        isDamaged = false
      }
      store ??= options.openStore()
      if (!healSlice(store)) {
        enter({ state: 'spooling', reason: 'a damaged full-text index is being made anew' })
        return schedule(0)
      }
      if (!replaySlice(store)) {
        enter({ state: 'spooling', reason: 'what was spooled is being brought back' })
        return schedule(0)
      }
      retryMs = FIRST_RETRY_MS
      faultTold = null
      enter({ state: 'running', reason: null })
    } catch (error) {
      unavailable(error)
    }
  }

  /** Whether nothing is left to heal. */
  function healSlice(open: Store): boolean {
    if (!isTextDamaged) return true
    healing ??= open.rebuild()
    if (!healing.next().done) return false
    healing = null
    isTextDamaged = false
    return true
  }

  /** Whether the spool is empty now. */
  function replaySlice(open: Store): boolean {
    if (spool.pending() === 0) return true
    const start = performance.now()
    let batches = 0
    try {
      const { unreadable } = spool.replay((drafts) => {
        if (batches > 0 && performance.now() - start > REPLAY_SLICE_MS) throw new SliceOver()
        appendSpooled(open, drafts)
        batches += 1
      }, open.persist)
      if (unreadable > 0) options.onLost(unreadable, 'lines of the spool could not be read')
      return true
    } catch (error) {
      if (error instanceof SliceOver) return false
      throw error
    }
  }

  /** A draft that no store takes must not keep the others in the spool for ever. */
  function appendSpooled(open: Store, drafts: readonly AnyDraft[]): void {
    try {
      onStored(open.append(drafts, accept))
    } catch (error) {
      if (isUnavailable(error)) throw error
      const [only] = drafts
      if (drafts.length === 1 && only) return options.onLost(1, toErrorAnswer(error).message)
      for (const draft of drafts) appendSpooled(open, [draft])
    }
  }

  function unavailable(error: unknown): void {
    const answer = toErrorAnswer(error)
    const code = sqliteCodeOf(error)
    // Full text is drawn from the log, and made anew from it; what else is damaged is not to be trusted.
    const isText = code === 'SQLITE_CORRUPT_VTAB'
    if (isText) isTextDamaged = true
    else if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) isDamaged = true
    // Closing may move the whole WAL. Who is busy will be free again, and full text is made anew in place, if it can be.
    if (!/^SQLITE_(BUSY|LOCKED)/.test(code) && !(isText && healing === null)) closeStore()
    if (answer.code !== 'store_unavailable' && faultTold !== answer.message) {
      faultTold = answer.message
      options.onFault(answer)
    }
    enter({ state: 'spooling', reason: answer.message })
    schedule(retryMs)
    retryMs = Math.min(LAST_RETRY_MS, retryMs * 2)
  }

  function schedule(ms: number): void {
    retry ??= setTimeout(recover, ms)
  }

  function closeStore(): void {
    const open = store
    store = null
    healing = null
    try {
      open?.close()
    } catch (error) {
      options.onLost(0, `the database did not close well: ${toErrorAnswer(error).message}`)
    }
  }

  function writeSpool(drafts: readonly AnyDraft[]): WriteOutcome {
    const { lost, error } = spool.write(drafts)
    unsaved.clear()
    if (lost === 0) return 'spooled'
    options.onLost(lost, error?.message ?? 'the spool is full')
    return 'lost'
  }

  /** What the store answers; where it cannot, the next write meets the trouble itself. */
  function asked<T>(question: (open: Store) => T, otherwise: T): T {
    try {
      return store === null ? otherwise : question(store)
    } catch (error) {
      if (isUnavailable(error)) return otherwise
      throw error
    }
  }

  return {
    open: recover,
    write(drafts) {
      if (drafts.length === 0) return current.state === 'running' ? 'stored' : 'spooled'
      if (store === null || current.state === 'spooling') return writeSpool(drafts)
      try {
        onStored(store.append(drafts, accept))
        unsaved.clear()
        return 'stored'
      } catch (error) {
        if (!isUnavailable(error)) throw error
        unavailable(error)
        return writeSpool(drafts)
      }
    },
    writeStored(drafts, options) {
      if (store === null || current.state === 'spooling') {
        throw new AspyError(
          'store_unavailable',
          `nothing can be imported now: ${current.reason ?? 'no database is open'}`,
        )
      }
      if (options?.staysOpen) leftOpen = store
      return store.append(drafts, accept, options)
    },
    people: {
      run(name, input) {
        if (store === null) throw new AspyError('store_unavailable', current.reason ?? 'no database is open')
        return store.people.run(name, input)
      },
    },
    setAside(reason) {
      isDamaged = true
      closeStore()
      enter({ state: 'spooling', reason: `the database is damaged (${reason})` })
      schedule(0)
    },
    store() {
      if (store !== null && current.state === 'running') return store
      throw new AspyError('store_unavailable', `the database cannot be used now: ${current.reason ?? 'none is open'}`)
    },
    putContent(text) {
      const kept = limitBlock(text, limits)
      const hash = keyedHash(hashKey, kept)
      unsaved.set(hash, kept)
      store?.putContent(text)
      return hash
    },
    // Without an answer a request is stored whole.
    lastRequest: (sessionId, agentId) => asked((open) => open.lastRequest(sessionId, agentId), null),
    keysOf: (uuid) => asked((open) => open.keysOf(uuid), []),
    isBehind: () => store?.isBehind() ?? false,
    isDiskBehind: () => store?.isDiskBehind() ?? false,
    *settleInSteps() {
      const left = leftOpen
      leftOpen = null
      if (left !== null && left !== store) throw new AspyError('store_unavailable', 'the database was closed meanwhile')
      if (store !== null) yield* store.settleInSteps()
    },
    state: () => current,
    spooled: () => spool.pending(),
    unpricedModels: () => store?.unpricedModels() ?? [],
    checkpoint() {
      try {
        if (current.state === 'running') store?.checkpoint()
      } catch (error) {
        if (!isUnavailable(error)) throw error
        unavailable(error)
      }
    },
    close() {
      if (retry !== null) clearTimeout(retry)
      closeStore()
    },
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof AspyError && error.code === 'store_unavailable'
}
