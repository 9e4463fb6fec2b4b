import type { CacheVerdict } from '../../shared/request-shape.ts'
import type { CacheCause, CacheCauseKind } from '../../shared/cache-causes.ts'
import { minimumTokens } from './minimum.ts'
import type { Call } from './call.ts'
import { promptTokens } from './missed.ts'
import { hasGap, pauseBetween } from './between.ts'
import { explainDivergence, explainLife, explainReach } from './prefix.ts'
import { divergenceOf, marksOf, type RequestBlocks } from './request-blocks.ts'

/** What happened between two requests of a line, and what the API says. */
export interface Signs {
  readonly compacted: boolean
  readonly resumed: 'resume' | 'fork' | null
  readonly verdict: CacheVerdict | null
  /** Captured calls of the line between the two, of any model. */
  readonly between: number
}

const cause = (kind: CacheCauseKind, where: string | null, detail: string | null): CacheCause => ({
  kind,
  where,
  detail,
})
const ONE_HOUR = 3_600_000
const NOT_CAPTURED = 'a request in between was not captured'
const unknown = (detail: string): CacheCause => cause('unknown', null, detail)

/**
 * Returns why `now` did not read what `before` left in the cache: the first reason that is enough, in the order in which
 * the API's rules are met.
 */
export function explainMiss(before: Call, now: Call, signs: Signs): CacheCause {
  const isGap = hasGap(before, now, signs)
  return (
    explainTime(before, now, signs, isGap) ??
    explainSettings(before, now) ??
    (before.blocks === null || now.blocks === null
      ? explainUnseen(now, signs)
      : explainBlocks(before, before.blocks, now, now.blocks, { ...signs, isGap }))
  )
}

/** An answer takes no longer. Of a call that was not captured only its end is known. */
const LONGEST_ANSWER_MS = 600_000

function explainTime(before: Call, now: Call, signs: Signs, isGap: boolean): CacheCause | null {
  const pause = pauseBetween(before, now)
  if (pause === null) return unknown('the clock was set back between the two requests')
  const late = pause - before.ttlMs
  if (late <= 0) return null
  if (isGap) return unknown(NOT_CAPTURED)
  if (!now.isCaptured && late <= LONGEST_ANSWER_MS) {
    return unknown('the request was not captured, so it may have been sent in time')
  }
  return (
    explainLonger(before, now, signs, pause) ??
    cause('ttl_expired', null, `expired ${duration(late)} before, after ${duration(before.ttlMs)}`)
  )
}

/** What was marked to last an hour may be alive when the rest has expired: a difference in it is what made all of it miss. */
function explainLonger(before: Call, now: Call, signs: Signs, pause: number): CacheCause | null {
  if (before.ttlMs >= ONE_HOUR || pause > ONE_HOUR || before.blocks === null || now.blocks === null) return null
  const lasting = marksOf(before.blocks).findLast(({ ttl }) => ttl === '1h')
  const difference = divergenceOf(before.blocks, now.blocks)
  if (lasting === undefined || difference === null || difference.position > lasting.position) return null
  return explainDivergence(before.blocks, now.blocks, signs)
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

interface SeenSigns extends Signs {
  /** A request in between was not captured. */
  readonly isGap: boolean
}

function explainBlocks(
  before: Call,
  old: RequestBlocks,
  now: Call,
  blocks: RequestBlocks,
  signs: SeenSigns,
): CacheCause {
  if (signs.isGap) {
    const reach = explainDivergence(old, blocks, signs) === null ? explainReach(old, blocks) : null
    return reach?.kind === 'lookback_exceeded' ? reach : unknown(NOT_CAPTURED)
  }
  const betas = changedNames(old.shape.betas, blocks.shape.betas)
  if (betas !== null) return cause('betas_changed', 'betas', betas)
  const found = explainDivergence(old, blocks, signs) ?? explainReach(old, blocks)
  if (found !== null) return found
  const minimum = minimumTokens(now.model)
  if (minimum !== null && promptTokens(now.usage) < minimum && now.usage.read + now.usage.written === 0) {
    return cause('below_minimum', null, `${promptTokens(now.usage)} of ${minimum} tokens`)
  }
  return explainImages(old, blocks, signs) ?? explainEqual(before, old, blocks, signs)
}

/** Whether a prompt has images decides about all its messages. The API's own verdict counts more. */
function explainImages(old: RequestBlocks, now: RequestBlocks, signs: Signs): CacheCause | null {
  const [before, first] = [firstImage(old), firstImage(now)]
  if ((before === null) === (first === null) || isCleared(now, signs)) return null
  return cause('messages_changed', first ?? before, first === null ? 'the only image was removed' : 'the first image')
}

const isCleared = ({ shape }: RequestBlocks, { verdict }: Signs): boolean =>
  shape.asks_why && verdict !== null && verdict.type === null && verdict.inconclusive !== true

function firstImage({ messages }: RequestBlocks): string | null {
  for (const [at, { blocks }] of messages.entries()) {
    const block = blocks.findIndex(({ kind, image }) => kind === 'image' || image === true)
    if (block >= 0) return `messages[${at}].content[${block}]`
  }
  return null
}

/** Equal prefixes, in time: the API lost the entry, unless something could hide a difference. */
function explainEqual(before: Call, old: RequestBlocks, now: RequestBlocks, signs: Signs): CacheCause {
  if (isCleared(now, signs)) {
    return cause('provider', null, 'the API found no difference to the request before')
  }
  const previous = now.shape.previous_message
  if (previous !== null && before.messageId !== null && previous !== before.messageId) {
    return unknown(NOT_CAPTURED)
  }
  const life = explainLife(old, now)
  if (life !== null) return life
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
