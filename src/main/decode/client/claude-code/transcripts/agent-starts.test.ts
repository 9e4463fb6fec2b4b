import { expect, test } from 'vitest'
import type { JsonObject } from '../../../../../shared/event.ts'
import { of } from '../../../fixtures/drafts.ts'
import { assistant, decode, user } from '../../../fixtures/transcript-lines.ts'

const called = (input: object, name = 'Agent') =>
  assistant('a1', 'u1', 'm1', [{ type: 'tool_use', id: 't1', name, input: { prompt: 'Look.', ...input } }])
const returned = (text: string, toolUseResult?: object) =>
  user('u2', 'a1', [{ type: 'tool_result', tool_use_id: 't1', content: text }], { toolUseResult })
const REPORT = 'Seen.\nagentId: x1 (for resuming)\n<usage>total_tokens: 5</usage>'

const STORIES: { readonly [what: string]: readonly [lines: readonly JsonObject[], types: readonly (string | null)[]] } =
  {
    'a report names its agent': [[called({ subagent_type: 'Explore' }), returned(REPORT)], ['Explore']],
    'an agent that runs on': [
      [called({ subagent_type: 'Plan' }, 'Task'), returned('Async agent launched successfully.\nagentId: x1')],
      ['Plan'],
    ],
    'the client says the type': [
      [called({ subagent_type: 'Explore' }), returned('Seen.', { agentId: 'x1', agentType: 'reviewer' })],
      ['reviewer'],
    ],
    'nobody says the type': [[called({}), returned(REPORT)], [null]],
    'a type that is not a text': [[called({ subagent_type: { a: 1 } }), returned(REPORT)], [null]],
    'lines of the agent in the same file': [
      [called({ subagent_type: 'Explore' }), user('s1', null, 'Look.', { isSidechain: true })],
      ['Explore'],
    ],
  }

test.each(Object.entries(STORIES))('the type of an agent without hooks: %s', (_, [lines, types]) => {
  const drafts = decode([user('u1', null, 'Go.'), ...lines])
  expect(of(drafts, 'agent_started').map(({ payload }) => payload.agent_type)).toEqual(types)
})
