import type { CutBy } from '../../../../shared/cut-by.ts'
import type { RequestKind } from '../../../../shared/event.ts'
import { blockParents, PROMPT_WINDOW_MS, type DraftBase } from '../../draft-base.ts'
import { naturalKey, type AnyDraft } from '../../draft.ts'
import { isObject } from '../../../../shared/json-fields.ts'
import { isOpenStop } from '../../stop-reason.ts'
import { uniqueId } from '../../unique-id.ts'
import { contextTokens } from '../../usage.ts'
import { firstTokenMs, responseBase, type ResponsePlace } from '../response-facts.ts'
import { itemDrafts } from './item-drafts.ts'
import { callOf } from './items.ts'
import type { AssembledItem, AssembledResponse } from './response-assembly.ts'
import { readResponsesUsage, usageIdentity } from './usage.ts'

/** Kinds whose answer may end a turn. */
const TURNS: ReadonlySet<RequestKind> = new Set(['prompt', 'loop'])
/** Kinds outside the conversation: the parent of their answers is their own request. */
const ASIDE: ReadonlySet<RequestKind> = new Set(['side_call', 'probe', 'warmup'])

/** Returns drafts of items, usage and the end of the turn. */
export function answerDrafts(
  place: ResponsePlace,
  response: AssembledResponse,
  cutBy: CutBy | null,
): readonly AnyDraft[] {
  const { context } = place
  const request = naturalKey.exchange(place.exchange.exchange, 'request')
  const tail = ASIDE.has(context.requestKind) ? [request] : context.tail
  return [
    ...response.items.flatMap((item) => draftsOfItem(place, response, item, tail)),
    ...response.unknown.map(({ what, raw }): AnyDraft => ({
      ...responseBase(place, place.at),
      kind: 'unknown',
      payload: { what, raw },
      keys: [],
      parents: [request],
    })),
    ...usageDrafts(place, response, tail),
    ...(cutBy === null ? turnEnd(place, response, tail) : []),
  ]
}

function draftsOfItem(
  place: ResponsePlace,
  response: AssembledResponse,
  { index, item, startedAt, endedAt }: AssembledItem,
  tail: readonly string[],
): readonly AnyDraft[] {
  const durationMs = endedAt - startedAt
  const where = { responseId: response.id, index, keys: [], parents: tail, seenInHistory: false }
  return itemDrafts(responseBase(place, endedAt), item, where, place.context.hash).map((draft) => {
    if (draft.kind === 'thinking' && durationMs > 0) return { ...draft, duration_ms: durationMs }
    if (draft.kind !== 'compaction' || response.usage === null) return draft
    const before = contextTokens(readResponsesUsage(response.usage))
    return { ...draft, payload: { ...draft.payload, tokens_before: before > 0 ? before : null } }
  })
}

function usageDrafts(place: ResponsePlace, response: AssembledResponse, tail: readonly string[]): readonly AnyDraft[] {
  const { usage: raw, id, serviceTier } = response
  const { context } = place
  if (raw === null) return []
  const searches = response.items.filter(
    ({ item }) => isObject(item) && item['type'] === 'web_search_call' && callOf(item) !== null,
  ).length
  const usage = readResponsesUsage(raw, { serviceTier, webSearches: searches })
  const ttft = firstTokenMs(place, response)
  const model = response.model ?? context.model ?? 'unknown'
  const facts = { usage, basis: 'measured' as const, model, ttft_ms: ttft, request_kind: context.requestKind }
  return [
    {
      ...responseBase(place, place.at),
      kind: 'api_usage',
      payload: { message_id: id, ...facts },
      duration_ms: place.at - place.exchange.at,
      keys: id === null ? [] : [naturalKey.usage(uniqueId(id, context.sessionId))],
      text_identity: usageIdentity(usage),
      parents: lastItemKeys(place, response, tail),
      sighting: facts,
    },
  ]
}

/** Returns the keys of a response's last item, then of the item that it answers. */
function lastItemKeys({ context }: ResponsePlace, response: AssembledResponse, tail: readonly string[]) {
  const last = response.items.at(-1)
  const id = response.id === null ? null : uniqueId(response.id, context.sessionId)
  return last === undefined ? tail : blockParents(id, last.index + 1, tail)
}

function turnEnd(place: ResponsePlace, response: AssembledResponse, tail: readonly string[]): readonly AnyDraft[] {
  const { context } = place
  const isAgents = context.agentId !== null
  if (!isAgents && !TURNS.has(context.requestKind)) return []
  if (isAgents && context.requestKind !== 'subagent') return []
  if (isOpenStop(response.stopReason, false) || response.id === null) return []
  const lastText = lastTextOf(place, response)
  const base = responseBase(place, place.at)
  if (context.agentId !== null) return [agentEnd(base, context.agentId, lastText)]
  return [
    {
      ...base,
      kind: 'turn_ended',
      payload: { reason: response.stopReason, last_text: lastText },
      keys: [naturalKey.turnEnd(uniqueId(response.id, context.sessionId)), ...(context.turnEndKeys ?? [])],
      ...(lastText === null ? {} : { text_identity: { text: lastText, within_ms: PROMPT_WINDOW_MS } }),
      parents: lastItemKeys(place, response, tail),
    },
  ]
}

function lastTextOf(place: ResponsePlace, response: AssembledResponse): string | null {
  const where = { responseId: null, index: 0, keys: [], parents: [], seenInHistory: false }
  const texts = response.items.flatMap(({ item }) =>
    itemDrafts(responseBase(place, place.at), item, where, place.context.hash).flatMap((draft) =>
      draft.kind === 'assistant_text' ? [draft.payload.text] : [],
    ),
  )
  return texts.at(-1) ?? null
}

/** An agent's turn is its run, and its last message is its report. */
function agentEnd(base: DraftBase, agentId: string, lastText: string | null): AnyDraft {
  return {
    ...base,
    kind: 'agent_ended',
    payload: { agent_id: agentId, agent_type: null, last_text: lastText },
    success: true,
    keys: [naturalKey.agentEnd(agentId)],
    parents: [naturalKey.agentStart(agentId)],
    sighting: { ...(lastText === null ? {} : { last_text: lastText }), failed: false },
  }
}
