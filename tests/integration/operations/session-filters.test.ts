import { expect, test } from 'vitest'
import type { OperationInput, OperationOutput } from '../../../src/shared/contract/index.ts'
import { usageOf } from '../../support/store/history.ts'
import { readStore } from '../../support/store/read-store.ts'
import { draftOf } from '../../support/store/seeded-store.ts'

const day = (date: number, time = '10:00:00') => `2026-11-${String(date).padStart(2, '0')}T${time}.000Z`

/** A session that runs over two days: a prompt, and calls to these models. */
function work(session: string, date: number, branch: string, models: readonly string[], agent?: string) {
  const of = { session_id: session }
  return [
    draftOf(
      'user_prompt',
      { text: session, git_branch: branch },
      { ...of, at: day(date), keys: [`${session} prompt`] },
    ),
    ...models.map((model, index) =>
      draftOf(
        'api_usage',
        {
          message_id: `${session}${index}`,
          model,
          usage: usageOf({ input_tokens: 1 }),
          request_kind: 'loop',
          basis: 'measured',
          ttft_ms: null,
        },
        { ...of, at: day(date + 1, `10:00:0${index}`), keys: [`${session} usage ${index}`] },
      ),
    ),
    ...(agent === undefined
      ? []
      : [
          draftOf(
            'agent_started',
            { agent_id: agent, agent_type: 'Explore', parent_agent_id: null, call_id: null },
            { ...of, at: day(date + 1), agent_id: agent, keys: [`${session} ${agent}`] },
          ),
        ]),
  ]
}

test('a session that moved is one of each folder in which something was said', () => {
  const said = (text: string, project: string, session_id = 'moved') =>
    draftOf('user_prompt', { text }, { session_id, project, at: day(2), keys: [text] })
  using store = readStore([said('one', '/w/a'), said('two', '/w/b'), said('three', '/w/c', 'other')])
  const ids = (project: string) =>
    store.call<OperationOutput<'sessions.list'>>('sessions.list', { project }).items.map(({ id }) => id)
  expect(['/w/a', '/w/b', '/w/c', '/w/d'].map(ids)).toEqual([['moved'], ['moved'], ['other'], []])
})

test('sessions are filtered by model, branch, agents and the days in which they were active', () => {
  using store = readStore([
    ...work('first', 2, 'main', ['claude-opus-5-5', 'claude-haiku-5-5']),
    ...work('second', 4, 'fix', ['claude-opus-5-5'], 'a1'),
    ...work('third', 6, 'main', []),
  ])
  const list = (input: OperationInput<'sessions.list'>) =>
    store.call<OperationOutput<'sessions.list'>>('sessions.list', input).items
  const ids = (input: OperationInput<'sessions.list'>) => list(input).map(({ id }) => id)
  expect(list({}).map(({ id, model, agents }) => [id, model, agents])).toEqual([
    ['third', null, 0],
    ['second', 'claude-opus-5-5', 1],
    ['first', 'claude-haiku-5-5', 0],
  ])
  expect(ids({ model: 'claude-opus-5-5' })).toEqual(['second', 'first'])
  expect(ids({ model: 'claude-haiku-5-5' })).toEqual(['first'])
  expect(ids({ branch: 'main' })).toEqual(['third', 'first'])
  expect(ids({ agents: true })).toEqual(['second'])
  // The first began the day before; the second begins the day after.
  expect(ids({ active_since: day(3, '00:00:00'), active_before: day(4, '00:00:00') })).toEqual(['first'])
  expect(ids({ active_since: day(5, '00:00:00') })).toEqual(['third', 'second'])
})

test('sessions whose context was compacted are found, counted and sorted by how often', () => {
  const compaction = (session: string, at: number) =>
    draftOf(
      'compaction',
      { trigger: 'auto', summary: 'what was done', tokens_before: 150_000, tokens_after: null },
      { session_id: session, at: day(8 + at), keys: [`${session} compaction ${at}`] },
    )
  using store = readStore([
    ...work('never', 2, 'main', []),
    ...work('often', 3, 'main', []),
    ...work('once', 4, 'main', []),
    compaction('often', 0),
    compaction('often', 1),
    compaction('once', 2),
  ])
  const counted = (input: OperationInput<'sessions.list'>) =>
    store
      .call<OperationOutput<'sessions.list'>>('sessions.list', input)
      .items.map(({ id, compactions }) => [id, compactions])
  expect(counted({ compacted: true })).toEqual([
    ['once', 1],
    ['often', 2],
  ])
  expect(counted({ sort: 'compactions' })).toEqual([
    ['often', 2],
    ['once', 1],
    ['never', 0],
  ])
})
