import { type AnyDraft, naturalKey } from '../../../src/main/decode/draft.ts'
import { draftOf } from '../store/seeded-store.ts'
import { usageOf } from '../store/history.ts'

/**
 * A history that is larger than every default of the API, so that what a caller gets who does not say shows: a long session
 * of 25 turns and eleven short ones, in the project /work/app.
 */

export const LONG = 's-long'
export const TURNS = 25
const SHORT_SESSIONS = 11
const START = Date.parse('2026-11-01T10:00:00.000Z')

/** A moment of the history: seconds from its start. */
export const momentOf = (seconds: number): string => new Date(START + seconds * 1000).toISOString()

/** A turn: the prompt, a thought, a call that fails every fifth time, what it cost, the answer. */
function turnOf(turn: number): AnyDraft[] {
  const message = `m${turn}`
  const at = (second: number) => ({ at: momentOf(turn * 60 + second), session_id: LONG })
  const failed = turn % 5 === 0
  const prompt = `line:p${turn}`
  return [
    draftOf('user_prompt', { text: `Prompt ${turn}: which theme?` }, { ...at(0), keys: [prompt] }),
    draftOf(
      'thinking',
      { text: `Thought ${turn}: solarized tires less.`, signature_only: false, message_id: message, index: 0 },
      { ...at(1), keys: [naturalKey.block(message, 0)], parents: [prompt] },
    ),
    draftOf(
      'tool_call',
      {
        call_id: `c${turn}`,
        tool_name: turn % 2 === 0 ? 'Bash' : 'Read',
        input: { command: `make theme ${'x'.repeat(300)}` },
        message_id: message,
        index: 1,
      },
      { ...at(2), keys: [naturalKey.call(`c${turn}`)], parents: [naturalKey.block(message, 0)] },
    ),
    draftOf(
      'tool_result',
      {
        call_id: `c${turn}`,
        tool_name: null,
        output: failed ? 'no rule to make the theme' : 'made',
        is_error: failed,
        rejected: false,
      },
      {
        ...at(3),
        keys: [naturalKey.result(`c${turn}`)],
        parents: [naturalKey.call(`c${turn}`)],
        duration_ms: 10 * turn,
        success: !failed,
      },
    ),
    draftOf(
      'assistant_text',
      { text: `Answer ${turn}: we take solarized.`, message_id: message, index: 2 },
      { ...at(4), keys: [naturalKey.block(message, 2)], parents: [naturalKey.result(`c${turn}`)] },
    ),
    draftOf(
      'api_usage',
      {
        message_id: message,
        model: 'claude-sonnet-5-5',
        usage: usageOf({ input_tokens: 1000, output_tokens: 100 }),
        request_kind: 'prompt',
        basis: 'measured',
        ttft_ms: 50,
      },
      { ...at(5), keys: [naturalKey.usage(message)], parents: [naturalKey.block(message, 2)], duration_ms: 900 },
    ),
  ]
}

/** All of it, in the order of time. */
export function surfaceHistory(): AnyDraft[] {
  const long = Array.from({ length: TURNS }, (_, index) => turnOf(index + 1)).flat()
  const tasks = draftOf(
    'task_update',
    { tasks: [{ id: '1', subject: 'Paint the header', status: 'in_progress' }] },
    { at: momentOf(TURNS * 60 + 10), session_id: LONG },
  )
  const errors = Array.from({ length: 22 }, (_, index) =>
    draftOf(
      'error',
      { origin: 'upstream', type: 'overloaded_error', message: `Overloaded ${index}`, status: 529 },
      { at: momentOf(TURNS * 60 + 20 + index), session_id: LONG },
    ),
  )
  const short = Array.from({ length: SHORT_SESSIONS }, (_, index) =>
    draftOf(
      'user_prompt',
      { text: `A short question ${index}` },
      { at: momentOf(100_000 + index), session_id: `s-short-${index}`, keys: [`line:short${index}`] },
    ),
  )
  return [...long, tasks, ...errors, ...short]
}
