import { plural } from './format.ts'
import { notify } from './notices.ts'
import { useSyncExternalStore } from 'react'
import type { OperationInput } from '../../shared/contract/index.ts'
import type { Hit } from '../../shared/contract/recall.ts'
import { jsonOrNull } from '../../shared/json-fields.ts'

/** A hit chosen for the pack. Its text is not stored here, because the app has it. */
export interface PackedHit {
  readonly uuid: string
  /** An event that ends a session may also have its digest. Omitted for events that are not hits. */
  readonly match_type?: Hit['match_type'] | undefined
}

/** The pack that is being assembled in this tab. */
export interface Pack {
  readonly hits: readonly PackedHit[]
  readonly title: string
  /** Maximum size in tokens. */
  readonly budget: number
  /** The whole turn of each hit. */
  readonly wholeTurns: boolean
  /** Also each turn's edits and commands. */
  readonly actions: boolean
}

/** Returns the input that reads the text of a pack. */
export const packInput = ({ hits, title, budget, wholeTurns, actions }: Pack): OperationInput<'recall.pack'> => ({
  hits: [...hits],
  title,
  whole_turns: wholeTurns,
  actions,
  budget,
})

export const PACK_BUDGETS = [1000, 4000, 16_000] as const
/** Limit of recall.pack. */
const MAX_HITS = 200
const EMPTY: Pack = { hits: [], title: '', budget: 4000, wholeTurns: false, actions: false }
/** Kept for this tab, over reloads. */
const STORAGE_KEY = 'aspy.pack'

/** Identifies a hit in a pack. */
export const packKey = ({ uuid, match_type: type }: PackedHit): string => `${type ?? ''} ${uuid}`

export const isPacked = (hits: readonly PackedHit[], hit: PackedHit): boolean =>
  hits.some((other) => packKey(other) === packKey(hit))

/** Adds a hit to the end, or removes it. */
export function toggled(hits: readonly PackedHit[], { uuid, match_type: type }: PackedHit): readonly PackedHit[] {
  const hit = type === undefined ? { uuid } : { uuid, match_type: type }
  if (isPacked(hits, hit)) return hits.filter((other) => packKey(other) !== packKey(hit))
  return [...hits, hit].slice(0, MAX_HITS)
}

/** Moves a hit by some places, at most to either end. */
export function moved(hits: readonly PackedHit[], hit: PackedHit, by: number): readonly PackedHit[] {
  const from = hits.findIndex((other) => packKey(other) === packKey(hit))
  const found = hits[from]
  if (found === undefined) return hits
  const rest = hits.filter((_, at) => at !== from)
  const to = Math.max(0, Math.min(rest.length, from + by))
  return [...rest.slice(0, to), found, ...rest.slice(to)]
}

/** Reads a stored pack; an invalid one becomes an empty pack. */
export function parsePack(stored: string | null): Pack {
  const value = jsonOrNull(stored ?? 'null')
  if (typeof value !== 'object' || value === null) return EMPTY
  const { hits, title, budget, wholeTurns, actions } = value as { readonly [Key in keyof Pack]?: unknown }
  return {
    hits: Array.isArray(hits) ? hits.filter(isHit).slice(0, MAX_HITS) : [],
    title: typeof title === 'string' ? title : '',
    budget: PACK_BUDGETS.find((tokens) => tokens === budget) ?? EMPTY.budget,
    wholeTurns: wholeTurns === true,
    actions: actions === true,
  }
}

const isHit = (value: unknown): value is PackedHit =>
  typeof value === 'object' && value !== null && typeof (value as PackedHit).uuid === 'string'

let current: Pack | null = null
const listeners = new Set<() => void>()

const currentPack = (): Pack => (current ??= parsePack(sessionStorage.getItem(STORAGE_KEY)))

/** Changes the pack of this tab. */
export function changePack(change: (pack: Pack) => Partial<Pack>): void {
  current = { ...currentPack(), ...change(currentPack()) }
  sessionStorage.setItem(STORAGE_KEY, JSON.stringify(current))
  for (const listener of listeners) listener()
}

/** Removes all hits and the title, and offers to undo it; size and content stay as chosen. */
export function clearPack(): void {
  const { hits, title } = currentPack()
  if (hits.length === 0) return
  changePack(() => ({ hits: [], title: '' }))
  notify(`Cleared the pack: ${plural(hits.length, 'hit')}`, 'good', () => changePack(() => ({ hits, title })))
}

/** Adds a hit to the pack of this tab, or removes it. */
export const togglePacked = (hit: PackedHit): void => changePack(({ hits }) => ({ hits: toggled(hits, hit) }))

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The pack of this tab; a component that uses it renders again when it changes. */
export const usePack = (): Pack => useSyncExternalStore(subscribe, currentPack)
