import type { Hit } from '../../../shared/contract/recall.ts'
import { foldNearDuplicates } from '../../../shared/near-duplicates.ts'
import { snippetText } from '../../lib/snippet.ts'
import type { RecallState } from './recall-search.ts'

/** A hit with the following hits whose excerpts differ only in numbers. */
export interface FoldedHit {
  readonly hit: Hit
  readonly same: readonly Hit[]
}

/**
 * Folds hits of one kind with nearly the same excerpt into the first of them; if grouped by session, only within a
 * session.
 */
export function foldHits(hits: readonly Hit[], group: RecallState['group']): readonly FoldedHit[] {
  const items = hits.map((hit, at) => ({ hit, at, text: snippetText(hit.content) }))
  const keyOf = (hit: Hit) => (group === undefined ? hit.match_type : `${hit.match_type} ${hit.session_id}`)
  return [...Map.groupBy(items, ({ hit }) => keyOf(hit)).values()]
    .flatMap((ofKind) => foldNearDuplicates(ofKind, { ignoresNumbers: true }))
    .toSorted((one, other) => one.item.at - other.item.at)
    .map(({ item, same }) => ({ hit: item.hit, same: same.map((other) => other.hit) }))
}

/** Returns the hits on screen: for each fold the first hit, or all of them if it is open. */
export const shownHits = (folds: readonly FoldedHit[], open: ReadonlySet<string>): readonly Hit[] =>
  folds.flatMap(({ hit, same }) => (open.has(hit.uuid) ? [hit, ...same] : [hit]))
