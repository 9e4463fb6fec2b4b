import type { Json, JsonObject, RequestKind } from '../../../../shared/event.ts'
import { usageAsAsked } from './asked.ts'
import { isPrintMode } from '../../client/claude-code/client.ts'
import { compactionAnalysis, compactionSummary } from '../../client/claude-code/compaction.ts'
import { compactionKey } from '../../compaction-key.ts'
import { blockDrafts, type BlockPlace } from '../../content-block.ts'
import { blockParents, PROMPT_WINDOW_MS, type DraftBase } from '../../draft-base.ts'
import { naturalKey, type AnyDraft } from '../../draft.ts'
import { stringOf } from '../../../../shared/json-fields.ts'
import { headerOf } from '../../headers.ts'
import type { HashText } from '../../media.ts'
import { isClaudeCode } from '../../client/claude-code/session-identity.ts'
import { isClientCall, isOpenStop } from '../../stop-reason.ts'
import { titleDrafts } from '../../client/claude-code/title.ts'
import { reportsCache } from '../../cache-verdict.ts'
import { contextTokens, fallbackModel, iterationsOf, omittedParts, readUsage, reportsOutput } from '../../usage.ts'
import { partDrafts } from '../../part-drafts.ts'
import { answerName, firstTokenMs, responseBase, type ResponsePlace } from '../response-facts.ts'
import type { AssembledMessage } from './message-assembly.ts'
import type { AssembledBlock } from './open-block.ts'

/** Kinds outside the conversation: the parent of their answers is their own request. */
const ASIDE: ReadonlySet<RequestKind> = new Set(['side_call', 'probe', 'warmup'])

/** Returns drafts of content, usage and, if the answer ended with this message, the end of the turn. */
export function messageDrafts(
  place: ResponsePlace,
  message: AssembledMessage,
  { isEnd }: { readonly isEnd: boolean },
): readonly AnyDraft[] {
  const { context } = place
  const tail = ASIDE.has(context.requestKind) ? [naturalKey.exchange(place.exchange.exchange, 'request')] : context.tail
  return [
    ...message.blocks.flatMap((block) => draftsOfBlock(place, message, block, tail, isEnd)),
    ...message.unknown.map(({ what, raw }): AnyDraft => ({
      ...responseBase(place, place.at),
      kind: 'unknown',
      payload: { what, raw },
      keys: [],
      parents: [naturalKey.exchange(place.exchange.exchange, 'request')],
    })),
    ...usageDrafts(place, message, tail),
    ...(isEnd ? turnEnd(place, message, tail) : []),
    ...(isEnd && context.requestKind === 'side_call'
      ? titleDrafts(responseBase(place, place.at), titleAnswer(place, message), tail, context.hash)
      : []),
  ]
}

function draftsOfBlock(
  place: ResponsePlace,
  message: AssembledMessage,
  { index, block, startedAt, endedAt }: AssembledBlock,
  tail: readonly string[],
  isEnd: boolean,
): readonly AnyDraft[] {
  const base = responseBase(place, endedAt)
  const { messageId } = message
  const isSummary = place.context.requestKind === 'compaction' && block['type'] === 'text'
  if (isSummary && isEnd)
    return summaryDrafts(base, message, answerName(place, messageId), index, stringOf(block['text']) ?? '')
  const toolNameOf = (callId: string) => stringOf(blocksOf(message).find((each) => each['id'] === callId)?.['name'])
  const parents = blockParents(answerName(place, messageId), index, tail)
  const where = { messageId, index, keys: [], parents, toolNameOf }
  // A summary that was cut compacts nothing, unless a later conversation begins with it.
  if (isSummary || (isAnswerAside(place) && block['type'] === 'text'))
    return sideAnswer(base, block, where, place.context.hash)
  const durationMs = endedAt - startedAt
  return blockDrafts(base, block, where, place.context.hash).map((draft) =>
    draft.kind === 'thinking' && durationMs > 0 ? { ...draft, duration_ms: durationMs } : draft,
  )
}

/** True for what the client asked for itself. */
const isAnswerAside = ({ context }: ResponsePlace): boolean =>
  context.requestKind === 'side_call' && context.tail.length === 0 && isClaudeCode(context.headers)

/** True for a question that a person asked beside the turn: it has a turn of its own, its answer in it. */
const isSideQuestion = ({ context }: ResponsePlace): boolean =>
  context.requestKind === 'side_call' && context.tail.length > 0 && isClaudeCode(context.headers)

/** Decodes a text that answers the client's own question: it is not part of the turn in which it was asked. */
function sideAnswer(base: DraftBase, block: JsonObject, where: BlockPlace, hash: HashText): readonly AnyDraft[] {
  return blockDrafts(base, block, where, hash).map(({ keys, parents }): AnyDraft => ({
    ...base,
    kind: 'state_change',
    payload: { name: 'side_answer', to: stringOf(block['text']) },
    keys,
    parents,
  }))
}

function summaryDrafts(
  base: DraftBase,
  message: AssembledMessage,
  name: string | null,
  index: number,
  text: string,
): readonly AnyDraft[] {
  if (text.trim() === '') return []
  const summary = compactionSummary(text)
  const analysis = compactionAnalysis(text)
  const before = message.usage ? contextTokens(readUsage(message.usage)) : 0
  return [
    {
      ...base,
      kind: 'compaction',
      payload: { trigger: 'unknown', summary, tokens_before: before > 0 ? before : null, tokens_after: null },
      keys: [...(name === null ? [] : [naturalKey.block(name, index)]), compactionKey(base.session_id, summary)],
      parents: [],
      ...(analysis === null ? {} : { sighting: { analysis } }),
    },
  ]
}

function usageDrafts(place: ResponsePlace, message: AssembledMessage, tail: readonly string[]): readonly AnyDraft[] {
  const { usage: raw, messageId, usageFinal } = message
  const { context } = place
  if (raw === null) return []
  const name = answerName(place, messageId)
  const usage = usageAsAsked(raw, context.asked)
  const iterations = iterationsOf(raw)
  const basis = usageFinal && reportsOutput(raw) ? ('measured' as const) : ('lower_bound' as const)
  const ttft = firstTokenMs(place, message)
  const model = fallbackModel(raw) ?? message.model ?? context.model ?? 'unknown'
  const base = responseBase(place, place.at)
  const parents = lastBlockKeys(place, message, tail)
  return [
    {
      ...base,
      kind: 'api_usage',
      payload: {
        message_id: messageId,
        model,
        usage,
        request_kind: context.requestKind,
        basis,
        ttft_ms: ttft,
        ...(iterations ? { iterations } : {}),
        ...(reportsCache(raw) ? {} : { cache_unreported: true as const }),
      },
      duration_ms: place.at - place.exchange.at,
      keys: name === null ? [] : [naturalKey.usage(name)],
      parents,
      sighting: {
        usage,
        basis,
        model,
        ttft_ms: ttft,
        request_kind: context.requestKind,
        ...(iterations ? { iterations } : {}),
      },
    },
    ...partDrafts(base, omittedParts(raw), { name, model, basis, parents }),
  ]
}

/** Returns the keys of a message's last block, then of the message that it answers. */
function lastBlockKeys(place: ResponsePlace, message: AssembledMessage, tail: readonly string[]): readonly string[] {
  const last = message.blocks.at(-1)
  return last === undefined ? tail : blockParents(answerName(place, message.messageId), last.index + 1, tail)
}

function turnEnd(place: ResponsePlace, message: AssembledMessage, tail: readonly string[]): readonly AnyDraft[] {
  const { context } = place
  const isClient = isClaudeCode(context.headers)
  const isAsked = context.requestKind === 'prompt' || context.requestKind === 'loop' || isSideQuestion(place)
  if (context.agentId !== null || !isAsked) return []
  const name = answerName(place, message.messageId)
  if (isOpenStop(message.stopReason, isClient, blocksOf(message).some(isClientCall)) || name === null) return []
  const lastText = lastTextOf(blocksOf(message))
  // An empty answer: the client asks the model to continue (2.1.330).
  if (isClient && (lastText ?? '').trim() === '') return []
  return [
    {
      ...responseBase(place, place.at),
      kind: 'turn_ended',
      payload: {
        reason: message.stopReason,
        last_text: lastText,
        ...(isPrintMode(headerOf(context.headers, 'user-agent') ?? '') ? { ends_session: true as const } : {}),
      },
      keys: [
        naturalKey.turnEnd(name),
        naturalKey.exchange(place.exchange.exchange, 'turn_end'),
        ...(context.turnEndKeys ?? []),
      ],
      ...(lastText === null ? {} : { text_identity: { text: lastText, within_ms: PROMPT_WINDOW_MS } }),
      parents: lastBlockKeys(place, message, tail),
    },
  ]
}

/** A title without JSON is the answer's first line. */
function titleAnswer({ context }: ResponsePlace, message: AssembledMessage): string {
  const text = lastTextOf(blocksOf(message)) ?? ''
  if (context.isTitle !== true) return text
  const title = text.split('\n').find((line) => line.trim() !== '') ?? ''
  return JSON.stringify({ title })
}

const blocksOf = (message: AssembledMessage) => message.blocks.map(({ block }) => block)

function lastTextOf(blocks: readonly { readonly [key: string]: Json }[]): string | null {
  return stringOf(blocks.findLast((block) => block['type'] === 'text')?.['text'])
}
