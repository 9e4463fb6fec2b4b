import type { CacheVerdict } from '../../shared/request-shape.ts'
import type { CacheCause, CacheCauseKind } from '../../shared/cache-causes.ts'
import { duration } from './duration.ts'
import { explainUnmarked } from './explain-unmarked.ts'
import { totalOf } from './carried-thing.ts'
import { minimumTokens } from './minimum.ts'
import type { Call } from './call.ts'
import { promptTokens } from './missed.ts'
import { hasGap, pauseBetween } from './between.ts'
import { explainDivergence, explainLife, explainReach } from './prefix.ts'
import { divergenceOf, marksOf, unseenIn, type RequestBlocks } from './request-blocks.ts'
import { HOUR_MS } from '../../shared/time-units.ts'

/** The events between two requests of a line, and the API's own verdict. */
export interface Signs {
  readonly compacted: boolean
  readonly resumed: 'resume' | 'fork' | null
  readonly verdict: CacheVerdict | null
  /** What the API itself cleared in the context before it answered, as the request asked; null for nothing. */
  readonly edited: string | null
  /** They name different users or keys, and each organization has a cache of its own. */
  readonly isOtherAccount: boolean
  /** Captured calls of the line between the two, of any model. */
  readonly between: number
  /** The most tokens of the line that outlive it: in other conversations, and for an hour. */
  readonly kept: { readonly elsewhere: number; readonly longer: number }
}

const cause = (kind: CacheCauseKind, where: string | null, detail: string | null): CacheCause => ({
  kind,
  where,
  detail,
})
const NOT_CAPTURED = 'a request in between was not captured'
const SET_BACK = 'the clock was set back between the two requests'
const NOT_PROMISED = 'the beginning is equal and in time, but this API does not promise to keep it'
const unknown = (detail: string): CacheCause => cause('unknown', null, detail)

/**
 * Returns why `now` did not read what `before` left in the cache: the first sufficient reason, in the order in which
 * the API checks.
 */
export function explainMiss(before: Call, now: Call, signs: Signs): CacheCause {
  const isGap = hasGap(before, now, signs)
  if (isUnmarked(before) || isUnmarked(now)) {
    const found = explainByRule(before, now, signs)
    return found.kind === 'ttl_expired' && isAlive(before, now, signs) ? unknown(NOT_EXPIRED) : found
  }
  const late = explainTime(before, now, signs, isGap)
  const isLate = late?.kind === 'ttl_expired'
  if (late !== null && !(isLate && isAlive(before, now, signs))) return late
  const found =
    explainSettings(before, now) ??
    (before.blocks === null || now.blocks === null
      ? explainUnseen(before, now, signs)
      : explainBlocks(before, before.blocks, now, now.blocks, { ...signs, isGap }))
  if (isLate && UNPROVEN.has(found.kind)) return unknown(NOT_EXPIRED)
  return found.kind === 'provider' ? (explainEnd(before, now) ?? found) : found
}

/** So near to the end of its lifetime, our times do not decide: the API counts from when it has the request. */
const END_MS = 1000

function explainEnd(before: Call, now: Call): CacheCause | null {
  const rest = before.ttlMs - (pauseBetween(before, now) ?? 0)
  return rest < END_MS ? unknown('it was sent at the very end of the lifetime') : null
}

/** Causes that no difference shows, so they do not hold of a request that came late. */
const UNPROVEN: ReadonlySet<CacheCauseKind> = new Set(['provider', 'unknown'])
const NOT_EXPIRED = 'it came late, but read more than an expiry leaves, so what it read had not expired'
/** True if a request read what only its own conversation could have kept in the cache. */
function isAlive(before: Call, { usage: { read }, sentAt }: Call, { kept }: Signs): boolean {
  const longer = before.ttlMs < HOUR_MS && sentAt - before.sentAt <= HOUR_MS ? kept.longer : 0
  const left = before.usage.read + before.usage.written
  return read > longer && (read > kept.elsewhere || read > left * (1 - expiredPart(before.blocks)))
}

/**
 * The part that an expiry misses at least, since a conversation has more than the tools and the system prompt that others
 * share with it: about half of its messages.
 */
function expiredPart(blocks: RequestBlocks | null): number {
  if (blocks === null) return 0.05
  const messages = totalOf(blocks.messages.flatMap((message) => message.blocks))
  const shared = totalOf([...blocks.tools, ...blocks.system])
  return Math.min(0.05, messages / (messages + shared) / 2)
}

/** No answer takes longer. A call that was not captured ended at a known time. */
const LONGEST_ANSWER_MS = 600_000
/** Results of tools that run while an answer is still written may stand before its end: so much later than it was sent. */
const RESULT_TOLERANCE_MS = 30_000

/** Returns how long after a call another one was sent at least, by what it sent; null if that is not known. */
function sentAfter(before: Call, { isCaptured, notSentBefore }: Call): number | null {
  if (isCaptured || notSentBefore === null || notSentBefore < before.sentAt) return null
  return notSentBefore - before.sentAt
}

/** Of a request that was not captured, the model says so. */
const isUnmarked = ({ blocks, model }: Call): boolean =>
  blocks === null ? UNMARKED_MODEL.test(model) : blocks.shape.unmarked === true
const UNMARKED_MODEL = /gpt-\d/

function explainByRule(before: Call, now: Call, signs: Signs): CacheCause {
  const known = sentAfter(before, now)
  const pause = pauseBetween(before, now)
  if (pause === null) return unknown(SET_BACK)
  const atLeast = known ?? (now.isCaptured ? pause : pause - LONGEST_ANSWER_MS)
  const settings = explainSettings(before, now)
  return explainUnmarked(before, now, { ...signs, pause: atLeast, settings }) ?? unknown(unprovenIn(before, now, signs))
}

/** Returns what could hide the difference between two requests of an API that promises nothing. */
function unprovenIn({ blocks: old, isCaptured }: Call, { blocks: now }: Call, signs: Signs): string {
  if (old === null || now === null) return unseenCall(isCaptured, now)
  return unseenPart(old, now) ?? otherAccount(signs) ?? otherParameter(old, now) ?? hiddenIn(old) ?? NOT_PROMISED
}

const otherAccount = ({ isOtherAccount }: Signs): string | null =>
  isOtherAccount ? 'another account or key asked, which may have a cache of its own' : null

function explainTime(before: Call, now: Call, signs: Signs, isGap: boolean): CacheCause | null {
  const pause = pauseBetween(before, now)
  if (pause === null) return unknown(SET_BACK)
  const known = sentAfter(before, now)
  const late = (known ?? pause) - before.ttlMs
  if (late <= 0) return null
  if (isGap) return unknown(NOT_CAPTURED)
  if (!now.isCaptured && late <= (known === null ? LONGEST_ANSWER_MS : RESULT_TOLERANCE_MS))
    return unknown('the request was not captured, so it may have been sent in time')
  return (
    explainLonger(before, now, signs, pause) ??
    cause('ttl_expired', null, [lastUsed(late, before), ...alsoIn(before, now, signs)].join('; '))
  )
}

const lastUsed = (late: number, { ttlMs }: Call): string =>
  `last used ${duration(late + ttlMs)} before; it lives ${duration(ttlMs)}`

/** Names what would have made the request miss in time, too, or read less than was left. */
function alsoIn(before: Call, now: Call, signs: Signs): readonly string[] {
  const difference =
    explainSettings(before, now) ??
    (before.blocks === null || now.blocks === null ? null : explainDivergence(before.blocks, now.blocks, signs))
  if (difference !== null) return [`${difference.where ?? 'the beginning'} changed, too`]
  const left = before.usage.read + before.usage.written
  return promptTokens(now.usage) < left ? ['at most: earlier messages changed, too, since it is shorter'] : []
}

/** Entries marked for an hour may outlive the rest: then a difference in them made everything miss. */
function explainLonger(before: Call, now: Call, signs: Signs, pause: number): CacheCause | null {
  if (before.ttlMs >= HOUR_MS || pause > HOUR_MS || before.blocks === null || now.blocks === null) return null
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

/** Without the blocks only the time, the model and a resume are known. */
function explainUnseen(before: Call, now: Call, signs: Signs): CacheCause {
  if (signs.resumed !== null) return cause('resumed', null, signs.resumed)
  return unknown(unseenCall(before.isCaptured, now.blocks))
}

function unseenCall(isCaptured: boolean, now: RequestBlocks | null): string {
  if (now === null) return 'the request was not captured or its body is gone'
  return isCaptured ? 'the body of the request before is gone' : 'the request before was not captured'
}

interface SeenSigns extends Signs {
  /** A request in between was not captured. */
  readonly isGap: boolean
}

function explainBlocks(before: Call, old: RequestBlocks, now: Call, blocks: RequestBlocks, signs: SeenSigns) {
  const unseen = unseenPart(old, blocks)
  const reach = unseen === null ? explainReach(old, blocks) : null
  if (signs.isGap) {
    const isReach = reach?.kind === 'lookback_exceeded' && explainDivergence(old, blocks, signs) === null
    return isReach ? reach : unknown(NOT_CAPTURED)
  }
  const isPartial = old.shape.partial === true || blocks.shape.partial === true
  const betas = isPartial ? null : changedNames(old.shape.betas, blocks.shape.betas)
  if (betas !== null) return cause('betas_changed', 'betas', betas)
  const found = explainDivergence(old, blocks, signs) ?? reach
  if (found !== null) return found
  const minimum = minimumTokens(now.model)
  if (minimum !== null && promptTokens(now.usage) < minimum && now.usage.read + now.usage.written === 0)
    return cause('below_minimum', null, `${promptTokens(now.usage)} of ${minimum} tokens`)
  if (unseen !== null) return unknown(unseen)
  return explainImages(old, blocks, signs) ?? explainEqual(before, old, blocks, signs)
}

function unseenPart(old: RequestBlocks, now: RequestBlocks): string | null {
  const [before, own] = [unseenIn(old), unseenIn(now)]
  if (before !== null) return `the request before ${before}`
  return own === null ? null : `the request ${own}`
}

/** Whether a prompt has images affects the cache of all its messages. The API's own verdict takes precedence. */
function explainImages(old: RequestBlocks, now: RequestBlocks, signs: Signs): CacheCause | null {
  const [before, first] = [firstImage(old), firstImage(now)]
  if ((before === null) === (first === null) || isCleared(now, signs)) return null
  return cause(
    'messages_changed',
    first ?? before,
    `no message changed: ${first === null ? 'the only image was removed' : 'the first image came'}, by the documented rule`,
  )
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

/** The only place that blames the provider: the requests are equal and in time, and nothing could hide a difference. */
function explainEqual(before: Call, old: RequestBlocks, now: RequestBlocks, signs: Signs): CacheCause {
  if (isCleared(now, signs)) return cause('provider', null, 'the API found no difference to the request before')
  const previous = now.shape.previous_message
  if (previous !== null && before.messageId !== null && previous !== before.messageId) return unknown(NOT_CAPTURED)
  const life = explainLife(old, now)
  if (life !== null) return life
  if (signs.edited !== null)
    return cause('messages_changed', null, `no message changed: the API edited the context, as asked (${signs.edited})`)
  const hidden = otherAccount(signs) ?? otherParameter(old, now) ?? hiddenIn(old) ?? thinkingLeftOut(old, now)
  return hidden === null ? cause('provider', null, 'the prefix is equal and in time') : unknown(hidden)
}

/** Returns why equal hashes do not prove that a request was repeated byte for byte. */
function hiddenIn({ tools, system, messages }: RequestBlocks): string | null {
  const parts = [
    ...tools,
    ...system,
    ...messages.flatMap(({ blocks, frame }) => (frame === undefined ? blocks : [...blocks, frame])),
  ]
  if (parts.some(({ redacted }) => redacted === true))
    return 'a secret was removed from the prefix, which could hide a difference'
  return parts.some(({ cut }) => cut === true)
    ? 'the settings kept only a part of the prefix, which could hide a difference'
    : null
}

const LEFT_OUT =
  'the API may have left out the thinking of earlier turns, as it does with some models unless asked to keep all'

/** With some models, the API leaves out thinking once a message follows that is more than results of calls. */
function thinkingLeftOut({ messages: before }: RequestBlocks, { messages, shape }: RequestBlocks): string | null {
  if (KEEPS_THINKING.test(JSON.stringify(shape.parameters['context_management'] ?? null))) return null
  const hadThinking = before.some(({ blocks }) => blocks.some(({ kind }) => kind.endsWith('thinking')))
  const isNewTurn = messages
    .slice(before.length)
    .some(({ role, blocks }) => role === 'user' && blocks.some(({ kind }) => kind !== 'tool_result'))
  return hadThinking && isNewTurn ? LEFT_OUT : null
}
const KEEPS_THINKING = /"clear_thinking_\d+","keep":"all"|"keep":"all","type":"clear_thinking_/

function otherParameter({ shape: before }: RequestBlocks, { shape: now }: RequestBlocks): string | null {
  const [from, to] = [before.other_parameters ?? {}, now.other_parameters ?? {}]
  const changed = [...new Set([...Object.keys(from), ...Object.keys(to)])].filter((name) => from[name] !== to[name])
  return changed.length === 0 ? null : `another parameter changed, which may decide: ${changed.join(', ')}`
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
