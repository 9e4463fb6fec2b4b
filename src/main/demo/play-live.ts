import { setTimeout as sleep } from 'node:timers/promises'
import type { Delta } from '../../shared/live-feed.ts'
import type { AnyDraft } from '../decode/draft.ts'
import { startDemoSession } from './demo-session.ts'
import { createRandom } from './random.ts'
import { PROJECTS } from './vocabulary.ts'

/** What the demo emits: drafts to record, or text as it is written. */
export type LiveStep = { readonly drafts: readonly AnyDraft[] } | { readonly delta: Delta }

export interface LiveOptions {
  readonly seed: string
  /** Sessions at the same time; 2 by default. */
  readonly sessions?: number
  /** 2 is twice as fast; 1 by default. */
  readonly speed?: number
}

/** Letters a second of text as it is written, and how often it is shown. */
const LETTERS_A_SECOND = 400
const DELTAS_A_SECOND = 10
/** Nobody watches a demo think for minutes. */
const LONGEST_PAUSE_MS = 4_000

/** Plays made-up sessions as if they ran now, until `signal`: each block is written out before its event comes. */
export async function playLive(
  emit: (step: LiveStep) => void,
  signal: AbortSignal,
  options: LiveOptions = { seed: 'live' },
): Promise<void> {
  const { seed, sessions = 2, speed = 1 } = options
  const random = createRandom(seed)
  const players = Array.from({ length: sessions }, async (_, index) => {
    for (let round = 0; !signal.aborted; round += 1) {
      const own = random.fork(`player ${index} round ${round}`)
      const session = startDemoSession(own, own.pick(PROJECTS), Date.now())
      for (let turn = own.int(2, 6); turn > 0; turn -= 1) await playTurn(session.turn(), emit, signal, speed)
      await playTurn(session.end(), emit, signal, speed)
    }
  })
  try {
    await Promise.all(players)
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

async function playTurn(
  drafts: readonly AnyDraft[],
  emit: (step: LiveStep) => void,
  signal: AbortSignal,
  speed: number,
): Promise<void> {
  let before = Date.parse(drafts[0]?.ts_wall ?? '')
  let exchangeId = ''
  for (const draft of drafts) {
    const at = Date.parse(draft.ts_wall)
    const pause = Math.min(LONGEST_PAUSE_MS, Math.max(0, at - before))
    before = at
    if (draft.kind === 'model_request') exchangeId = draft.payload.exchange_id
    const written = writtenOut(draft)
    if (written === null) await sleep(pause / speed, undefined, { signal })
    else await writeOut(draft, written, exchangeId, emit, signal, speed)
    // Its own time is now, whenever that is.
    emit({ drafts: [{ ...draft, ts_wall: new Date().toISOString(), ts_monotonic: performance.now() }] })
  }
}

interface Written {
  readonly block: Delta['block']
  readonly text: string
  readonly index: number
  readonly messageId: string | null
  readonly toolName?: string
}

/** The text of a block that a reader sees while it is written; null for what is no block. */
function writtenOut(draft: AnyDraft): Written | null {
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

async function writeOut(
  draft: AnyDraft,
  { block, text, index, messageId, toolName }: Written,
  exchangeId: string,
  emit: (step: LiveStep) => void,
  signal: AbortSignal,
  speed: number,
): Promise<void> {
  const letters = Math.ceil((LETTERS_A_SECOND * speed) / DELTAS_A_SECOND)
  const points = [...text]
  for (let at = 0; at < points.length; at += letters) {
    await sleep(1000 / DELTAS_A_SECOND, undefined, { signal })
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
