import type { CacheVerdict } from '../../shared/request-shape.ts'
import type { CacheCause, CacheCauseKind } from '../../shared/cache-causes.ts'
import { minimumTokens } from './minimum.ts'
import { promptTokens, type InputTokens } from './missed.ts'
import { explainDivergence, explainReach } from './prefix.ts'
import type { RequestBlocks } from './request-blocks.ts'

/** A request of a line and its answer, as the ledger compares them. */
export interface Call {
  readonly model: string
  /** Milliseconds since 1970. */
  readonly sentAt: number
  readonly usage: InputTokens
  readonly speed: string | null
  /** Milliseconds for which the API keeps what it cached last. */
  readonly ttlMs: number
  /** Null if the request was not captured, or its shape is gone. */
  readonly blocks: RequestBlocks | null
  readonly messageId: string | null
}

/** What happened between two requests of a line, and what the API says. */
export interface Signs {
  readonly compacted: boolean
  readonly resumed: 'resume' | 'fork' | null
  readonly verdict: CacheVerdict | null
  /** The clock was set back in between. */
  readonly clockJumped: boolean
}

const cause = (kind: CacheCauseKind, where: string | null, detail: string | null): CacheCause => ({
  kind,
  where,
  detail,
})
const unknown = (detail: string): CacheCause => cause('unknown', null, detail)

/**
 * Returns why `now` did not read what `before` left in the cache: the first reason that is enough, in the order in which
 * the API's rules are met.
 */
export function explainMiss(before: Call, now: Call, signs: Signs): CacheCause {
  return (
    explainTime(before, now, signs) ??
    explainSettings(before, now) ??
    (before.blocks === null || now.blocks === null
      ? explainUnseen(now, signs)
      : explainBlocks(before, before.blocks, now, now.blocks, signs))
  )
}

function explainTime(before: Call, now: Call, signs: Signs): CacheCause | null {
  if (signs.clockJumped) return unknown('the clock was set back between the two requests')
  const late = now.sentAt - before.sentAt - before.ttlMs
  if (late <= 0) return null
  return cause('ttl_expired', null, `expired ${duration(late)} before, after ${duration(before.ttlMs)}`)
}

function explainSettings(before: Call, now: Call): CacheCause | null {
  if (before.model !== now.model) return cause('model_changed', 'model', `${before.model} → ${now.model}`)
  const [from, to] = [before.speed ?? 'standard', now.speed ?? 'standard']
  return from === to ? null : cause('speed_changed', 'speed', `${from} → ${to}`)
}

/** Without the blocks only the time, the model and a compaction are known. */
function explainUnseen(now: Call, signs: Signs): CacheCause {
  if (signs.compacted) return cause('compaction', 'messages', null)
  if (signs.resumed !== null) return cause('resumed', null, signs.resumed)
  return unknown(
    now.blocks === null ? 'the request was not captured or its body is gone' : 'the request before was not captured',
  )
}

function explainBlocks(before: Call, old: RequestBlocks, now: Call, blocks: RequestBlocks, signs: Signs): CacheCause {
  const betas = changedNames(old.shape.betas, blocks.shape.betas)
  if (betas !== null) return cause('betas_changed', 'betas', betas)
  const found = explainDivergence(old, blocks, signs) ?? explainReach(old, blocks)
  if (found !== null) return found
  const minimum = minimumTokens(now.model)
  if (minimum !== null && promptTokens(now.usage) < minimum && now.usage.read + now.usage.written === 0) {
    return cause('below_minimum', null, `${promptTokens(now.usage)} of ${minimum} tokens`)
  }
  return explainEqual(before, old, blocks, signs)
}

/** Equal prefixes, in time: the API lost the entry, unless something could hide a difference. */
function explainEqual(before: Call, old: RequestBlocks, now: RequestBlocks, { verdict }: Signs): CacheCause {
  if (now.shape.asks_why && verdict !== null && verdict.type === null && verdict.inconclusive !== true) {
    return cause('provider', null, 'the API found no difference to the request before')
  }
  const previous = now.shape.previous_message
  if (previous !== null && before.messageId !== null && previous !== before.messageId) {
    return unknown('a request in between was not captured')
  }
  const hidden = [...old.tools, ...old.system, ...old.messages.flatMap(({ blocks }) => blocks)].some(
    ({ redacted }) => redacted === true,
  )
  if (hidden) return unknown('a secret was removed from the prefix, which could hide a difference')
  return cause('provider', null, 'the prefix is equal and in time')
}

function changedNames(before: readonly string[], now: readonly string[]): string | null {
  const added = now.filter((name) => !before.includes(name))
  const removed = before.filter((name) => !now.includes(name))
  if (added.length + removed.length === 0) return null
  return [
    ...(added.length > 0 ? [`added: ${added.join(', ')}`] : []),
    ...(removed.length > 0 ? [`removed: ${removed.join(', ')}`] : []),
  ].join('; ')
}

function duration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000)
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)]
  if (hours > 0) return minutes > 0 ? `${hours} h ${minutes} min` : `${hours} h`
  return minutes > 0 ? `${minutes} min${seconds % 60 > 0 ? ` ${seconds % 60} s` : ''}` : `${seconds} s`
}
