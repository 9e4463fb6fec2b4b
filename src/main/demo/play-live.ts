import { setTimeout as sleep } from 'node:timers/promises'
import type { Delta } from '../../shared/live-feed.ts'
import type { AnyDraft } from '../decode/draft.ts'
import { startDemoSession } from './demo-session.ts'
import { createRandom } from './random.ts'
import { TALKS } from './talks/all-talks.ts'

/** Emitted by the demo: drafts to record, or streamed text. */
export type LiveStep = { readonly drafts: readonly AnyDraft[] } | { readonly delta: Delta }

export interface LiveOptions {
  readonly seed: string
  /** Concurrent sessions; 2 by default. */
  readonly sessions?: number
  /** 2 is twice as fast; 1 by default. */
  readonly speed?: number
}

/** Speed of streamed text. */
const LETTERS_PER_SECOND = 400
const DELTAS_PER_SECOND = 10
/** Longer pauses are shortened: nobody watches a demo think for minutes. */
const MAX_PAUSE_MS = 4_000

/** Plays generated sessions in real time until `signal` aborts. Each block is streamed before its event. */
export async function playLive(
  emit: (step: LiveStep) => void,
  signal: AbortSignal,
  options: LiveOptions = { seed: 'live' },
): Promise<void> {
  const { seed, sessions = 2, speed = 1 } = options
  const random = createRandom(seed)
  const stage: Stage = { emit, signal, speed }
  const players = Array.from({ length: sessions }, async (_, index) => {
    for (let round = 0; !signal.aborted; round += 1) {
      const own = random.fork(`player ${index} round ${round}`)
      const { project, talk } = own.pick(TALKS)
      const session = startDemoSession(own, project, Date.now(), { talk })
      for (let turn = own.int(2, 6); turn > 0; turn -= 1) await playTurn(session.turn(), stage)
      await playTurn(session.end(), stage)
    }
  })
  try {
    await Promise.all(players)
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

interface Stage {
  readonly emit: (step: LiveStep) => void
  readonly signal: AbortSignal
  readonly speed: number
}

async function playTurn(drafts: readonly AnyDraft[], stage: Stage): Promise<void> {
  const { emit, signal, speed } = stage
  let before = Date.parse(drafts[0]?.ts_wall ?? '')
  let exchangeId = ''
  for (const draft of drafts) {
    const at = Date.parse(draft.ts_wall)
    const pause = Math.min(MAX_PAUSE_MS, Math.max(0, at - before))
    before = at
    if (draft.kind === 'model_request') exchangeId = draft.payload.exchange_id
    const block = streamedBlock(draft)
    if (block === null) await sleep(pause / speed, undefined, { signal })
    else await streamBlock(draft, block, exchangeId, stage)
    // Replaces the generated time by the current one.
    emit({ drafts: [{ ...draft, ts_wall: new Date().toISOString(), ts_monotonic: performance.now() }] })
  }
}

interface StreamedBlock {
  readonly block: Delta['block']
  readonly text: string
  readonly index: number
  readonly messageId: string | null
  readonly toolName?: string
}

/** Returns the text that is streamed for a draft; null if it is not a block. */
function streamedBlock(draft: AnyDraft): StreamedBlock | null {
  switch (draft.kind) {
    case 'thinking':
      return { block: 'thinking', text: draft.payload.text, ...placeOf(draft.payload) }
    case 'assistant_text':
      return { block: 'text', text: draft.payload.text, ...placeOf(draft.payload) }
    case 'tool_call': {
      const { input, tool_name: toolName } = draft.payload
      return { block: 'tool_input', text: JSON.stringify(input), toolName, ...placeOf(draft.payload) }
    }
    default:
      return null
  }
}

const placeOf = (block: { readonly index: number; readonly message_id: string | null }) => ({
  index: block.index,
  messageId: block.message_id,
})

async function streamBlock(
  draft: AnyDraft,
  { block, text, index, messageId, toolName }: StreamedBlock,
  exchangeId: string,
  { emit, signal, speed }: Stage,
): Promise<void> {
  const letters = Math.ceil((LETTERS_PER_SECOND * speed) / DELTAS_PER_SECOND)
  const points = [...text]
  for (let at = 0; at < points.length; at += letters) {
    await sleep(1000 / DELTAS_PER_SECOND, undefined, { signal })
    emit({
      delta: {
        session_id: draft.session_id,
        agent_id: draft.agent_id,
        exchange_id: exchangeId,
        index,
        block,
        ...(messageId === null ? {} : { message_id: messageId }),
        ...(toolName === undefined ? {} : { tool_name: toolName }),
        text: points.slice(at, at + letters).join(''),
        ...(at + letters >= points.length ? { done: true as const } : {}),
      },
    })
  }
}
