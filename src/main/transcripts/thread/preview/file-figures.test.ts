import { expect, test } from 'vitest'
import type { AnyDraft, EventDraft } from '../../../decode/draft.ts'
import { createRedactor } from '../../../redaction/create-redactor.ts'
import { FileFigures } from './file-figures.ts'

const figures = () => new FileFigures(createRedactor({ hashKey: Buffer.alloc(32), enabled: true }))

function prompt(text: string, second: number, key: string, isLine: boolean): EventDraft<'user_prompt'> & AnyDraft {
  return {
    kind: 'user_prompt',
    source: 'transcript',
    session_id: 's',
    agent_id: null,
    ts_wall: `2026-11-20T10:00:0${second}.000Z`,
    ts_monotonic: null,
    payload: { text },
    keys: [key],
    parents: [],
    text_identity: { text, within_ms: isLine ? 60_000 : null },
  }
}

test('a prompt that the queue and a line both tell of counts once; the same words typed again count again', () => {
  const file = figures()
  const told = (key: string) => ({ ...prompt('run the tests', 1, key, false) })
  file.take(told('queued:s:1'))
  file.take(told('line:a'))
  expect(file.takeDrafts().map(({ keys }) => keys)).toEqual([['queued:s:1']])
  file.take(told('line:b'))
  file.take(told('line:c'))
  expect(file.takeDrafts().map(({ keys }) => keys)).toEqual([['line:b'], ['line:c']])
})

test('prompts with a place of their own count each, without their texts; the session runs from the first to the last', () => {
  const file = figures()
  file.take({ ...prompt('second', 5, 'line:2', true), project: '/work/app' })
  file.take(prompt('first', 2, 'line:1', true))
  expect(file.size).toBe(2)
  expect(file.takeDrafts().map(({ payload }) => payload)).toEqual([{ text: '' }, { text: '' }])
  expect(file.size).toBe(0)
  expect(file.sessions()).toMatchObject([
    {
      session_id: 's',
      title: 'first',
      project: '/work/app',
      started_at: '2026-11-20T10:00:02.000Z',
      last_event_at: '2026-11-20T10:00:05.000Z',
    },
  ])
})

test('what has only the time of its file, or is only a sighting, is not shown', () => {
  const file = figures()
  file.take({ ...prompt('a', 1, 'line:1', true), sighting: { time_basis: 'file' } })
  file.take({ ...prompt('b', 1, 'line:2', true), only_as_sighting: true })
  expect(file.takeDrafts()).toEqual([])
  expect(file.sessions()).toEqual([])
})
