import { naturalKey, type AnyDraft } from '../../src/main/decode/draft.ts'
import { draftOf } from '../support/store/seeded-store.ts'

/** Sessions of a known shape, added to a generated history to measure reads of one session. */

const CHAIN = 100
export const BUSY_HOURS = 24
const BUSY_EVENTS_AN_HOUR = 200

/** Returns a time on the busy day, in hours from its start. */
export const hourOfBusyDay = (number: number): string =>
  new Date(Date.UTC(2026, 10, 19) + number * 3_600_000).toISOString()

/** `chain`: calls, each caused by the previous one. */
export function deepChain(): AnyDraft[] {
  const moment = (step: number) => new Date(Date.UTC(2026, 10, 18) + step * 1000).toISOString()
  const steps = Array.from({ length: CHAIN }, (_, step) =>
    draftOf(
      'tool_call',
      { call_id: `c${step}`, tool_name: 'Bash', input: { command: `step ${step}` }, message_id: null, index: 0 },
      {
        at: moment(step + 1),
        session_id: 'chain',
        keys: [naturalKey.call(`c${step}`)],
        parents: step === 0 ? [] : [naturalKey.call(`c${step - 1}`)],
      },
    ),
  )
  return [draftOf('user_prompt', { text: 'go down' }, { at: moment(0), session_id: 'chain' }), ...steps]
}

/** `busy`: the same number of events in every hour of a day. */
export function busyDay(): AnyDraft[] {
  const count = BUSY_HOURS * BUSY_EVENTS_AN_HOUR
  return Array.from({ length: count }, (_, step) =>
    draftOf(
      'assistant_text',
      {
        text: `step ${step}: moved the parser behind its interface and ran the tests again`,
        message_id: null,
        index: 0,
      },
      {
        at: new Date(Date.UTC(2026, 10, 19) + 1 + (step * BUSY_HOURS * 3_600_000) / count).toISOString(),
        session_id: 'busy',
        keys: [naturalKey.line(`busy-${step}`)],
      },
    ),
  )
}
