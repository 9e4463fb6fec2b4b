import { readFileSync } from 'node:fs'
import { SHARED_KINDS, type StoredFact } from '../store/facts.ts'

/** The tables of docs/reconcile.md: what stores of one run may differ in, and nothing else may. */
const page = readFileSync(new URL('../../../docs/reconcile.md', import.meta.url), 'utf8')
const table = (heading: string) =>
  [...(page.split(heading)[1]?.split('\n## ')[0] ?? '').matchAll(/^\| (?!kind )(\w+) \| (\w+) \|/gm)].map(
    ([, first = '', second = '']) => [first, second] as const,
  )

/** Kind and field. */
export const ALLOWED_FIELDS = table('## Fields that a store lacks')
/** Kind, and the only source that can report it. */
export const ONE_SIDED = table('## Events that one side alone can tell')

type Facts = ReadonlyMap<string, StoredFact>

/** The facts of the kinds that all sources tell, without the fields that the page names. */
export function sharedFacts(facts: Facts): { readonly [name: string]: StoredFact } {
  return Object.fromEntries(
    [...facts]
      .filter(([, { kind }]) => SHARED_KINDS.has(kind))
      .map(([name, fact]) => [name, { ...fact, parent: withoutExchange(fact.parent), payload: withoutAllowed(fact) }]),
  )
}

/** Each recording of a run gives its exchanges new ids. */
const withoutExchange = (parent: string | null) => parent?.replace(/exchange:[0-9a-f-]+/, 'exchange') ?? null

function withoutAllowed({ kind, payload }: StoredFact): StoredFact['payload'] {
  return Object.fromEntries(
    Object.entries(payload).filter(
      ([field]) => !ALLOWED_FIELDS.some(([allowedKind, allowed]) => allowedKind === kind && allowed === field),
    ),
  )
}

/**
 * Both stores of one run, the facts that only the first has left out; where such a fact caused another, its parent is
 * compared no further. A fact stays if the page does not allow it to come from one side alone.
 */
export function comparedFacts(live: Facts, transcripts: Facts) {
  const mine = sharedFacts(live)
  const theirs = sharedFacts(transcripts)
  const onlyLive = Object.entries(mine)
    .filter(([name, { kind }]) => !(name in theirs) && ONE_SIDED.some(([one]) => one === kind))
    .map(([name]) => name)
  const kept: { [name: string]: StoredFact } = {}
  for (const [name, fact] of Object.entries(mine)) {
    if (onlyLive.includes(name)) continue
    const isCutOff = fact.parent !== null && onlyLive.includes(fact.parent)
    kept[name] = isCutOff ? { ...fact, parent: theirs[name]?.parent ?? fact.parent } : fact
  }
  return { live: kept, transcripts: theirs, onlyLive: onlyLive.toSorted() }
}
