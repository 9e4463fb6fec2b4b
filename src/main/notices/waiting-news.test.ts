import { expect, test } from 'vitest'
import { waitingNews } from './waiting-news.ts'

const now = Date.parse('2026-11-28T10:00:00.000Z')
const told = (level: string | undefined, more: object = {}) => ({
  kind: 'notification' as const,
  session_id: 's',
  project: '/home/me/shop',
  ts_wall: '2026-11-28T09:59:58.000Z',
  text: 'Claude needs your permission to use Bash',
  ...(level === undefined ? {} : { level }),
  ...more,
})

test.each([
  'permission_prompt',
  'worker_permission_prompt',
  'elicitation_dialog',
  'elicitation_url_dialog',
  'agent_needs_input',
])('a client that asks (%s) is news, with the words of the client', (level) => {
  expect(waitingNews([told(level)], now)).toEqual([
    {
      kind: 'waits',
      title: 'Claude waits for you in shop',
      text: 'Claude needs your permission to use Bash',
      session_id: 's',
    },
  ])
})

test('what asks nothing, happened long ago, or only looks like a question is left out', () => {
  const quiet = ['idle_prompt', 'auth_success', 'agent_completed', 'command_output', undefined].map((level) =>
    told(level),
  )
  const old = told('permission_prompt', { ts_wall: '2026-11-28T09:00:00.000Z' })
  const prompt = told('permission_prompt', { kind: 'user_prompt' })
  expect(waitingNews([...quiet, old, prompt], now)).toEqual([])
})

test('several questions of one session are one notice, those of two sessions two', () => {
  const news = waitingNews(
    [
      told('permission_prompt', { text: 'first' }),
      told('permission_prompt', { text: 'second' }),
      told('agent_needs_input', { session_id: 't', project: null, text: '' }),
    ],
    now,
  )
  expect(news.map(({ title, text, session_id }) => [title, text, session_id])).toEqual([
    ['Claude waits for you in shop', 'second', 's'],
    ['Claude waits for you', 'It asks for a permission or an answer.', 't'],
  ])
})
