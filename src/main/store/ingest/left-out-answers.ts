import type { AnyDraft, EventDraft } from '../../decode/draft.ts'
import type { AspyEvent } from '../../../shared/event.ts'
import type { LeftOutAnswer } from '../../../shared/left-out-answer.ts'
import type { Pricing } from '../pricing/pricing.ts'
import { usageFacts } from '../projections/usage-facts.ts'

type ResponseDraft = EventDraft<'model_response'>
type UsageDraft = EventDraft<'api_usage'>

/** Returns the answers among drafts of which something was left out, as a step or the deletion of their session decided. */
export function leftOutAnswers(
  drafts: readonly AnyDraft[],
  leftOut: ReadonlySet<AnyDraft>,
  isDeleted: (session: string) => boolean,
  pricing: Pricing,
): readonly LeftOutAnswer[] {
  if (leftOut.size === 0) return []
  return drafts.filter(isAnswer).flatMap((response) => {
    const { exchange_id: exchange } = response.payload
    const usage = drafts.find((draft) => isUsageOf(draft, response))
    if (exchange === null || !(leftOut.has(response) || (usage !== undefined && leftOut.has(usage)))) return []
    const deletedSession = isDeleted(response.session_id) ? response.session_id : null
    return [{ exchange, deletedSession, cost: costOf(response, usage, { drafts, leftOut, pricing }) }]
  })
}

const isAnswer = (draft: AnyDraft): draft is ResponseDraft => draft.kind === 'model_response' && draft.source === 'wire'

const isUsageOf = (draft: AnyDraft, { session_id: session, payload }: ResponseDraft): draft is UsageDraft =>
  draft.kind === 'api_usage' &&
  draft.source === 'wire' &&
  draft.session_id === session &&
  draft.payload.message_id === payload.message_id

function costOf(
  { session_id: session, payload: { status, cut_by: cutBy } }: ResponseDraft,
  usage: UsageDraft | undefined,
  { drafts, leftOut, pricing }: { drafts: readonly AnyDraft[]; leftOut: ReadonlySet<AnyDraft>; pricing: Pricing },
): LeftOutAnswer['cost'] {
  const free = { usd: 0, tokens: 0 }
  if (usage !== undefined) {
    const facts = usageFacts(usage as unknown as AspyEvent<'api_usage'>, [], pricing)
    if (facts === null || facts.basis === 'lower_bound') return null
    return leftOut.has(usage) ? { usd: facts.cost_usd ?? 0, tokens: facts.tokens } : free
  }
  const isRefused = status >= 400 || (status === 0 && cutBy !== 'client')
  const hasFailed = () =>
    drafts.some((draft) => draft.kind === 'error' && draft.session_id === session && draft.payload.origin === 'stream')
  return isRefused || (cutBy === null && hasFailed()) ? free : null
}
