import type { Hit } from '../../../shared/contract/recall.ts'
import { foldNearDuplicates } from '../../../shared/near-duplicates.ts'
import { snippetText } from '../../lib/snippet.ts'
import type { RecallState } from './recall-search.ts'

/** A hit, with those after it whose excerpts say the same, but for numbers. */
export interface FoldedHit {
  readonly hit: Hit
  readonly same: readonly Hit[]
}

/** Folds hits of one kind whose excerpts say nearly the same into the first of them; by session only those of one session. */
export function foldHits(hits: readonly Hit[], group: RecallState['group']): readonly FoldedHit[] {
  const items = hits.map((hit, at) => ({ hit, at, text: snippetText(hit.content) }))
  const keyOf = (hit: Hit) => (group === undefined ? hit.match_type : `${hit.match_type} ${hit.session_id}`)
  return [...Map.groupBy(items, ({ hit }) => keyOf(hit)).values()]
    .flatMap((ofKind) => foldNearDuplicates(ofKind, { ignoresNumbers: true }))
    .toSorted((one, other) => one.item.at - other.item.at)
    .map(({ item, same }) => ({ hit: item.hit, same: same.map((other) => other.hit) }))
}

/** Returns the hits on screen: of each fold the first, or all of it if it is open. */
export function shownHits(folds: readonly FoldedHit[], open: ReadonlySet<string>): readonly Hit[] {
  return folds.flatMap(({ hit, same }) => (open.has(hit.uuid) ? [hit, ...same] : [hit]))
}
