import { expect, test } from 'vitest'
import { formatEvent } from '../../../shared/event-text.ts'
import { eventsText, timeline } from './events.ts'

const listOf = (text: string) => {
  const event = { id: 1, uuid: 'e1', session_id: 's1', user_id: 'u', turn_id: 1, agent_id: null, duration_ms: null }
  const item = { ...event, kind: 'user_prompt' as const, ts_wall: '2026-11-28T10:00:00.000Z', success: null }
  return eventsText({ items: [{ ...item, text: formatEvent('user_prompt', { text }) }] }, {}, false)
}

test('a list that has only the beginning of a text says where it is whole', () => {
  expect(listOf('Which theme? '.repeat(30))).toMatch(
    /…\n\(texts end after 200 characters; .*aspy replay SESSION --json\)$/,
  )
  expect(listOf('Which theme? …')).toMatch(/Which theme\? …$/)
})

test('a timeline names its session whole, however little of the id was typed', async () => {
  const call = () => Promise.resolve({ items: [{ session_id: 'b5689bdb-d05b', text: '' }] })
  const { json, text } = await timeline(
    { call } as unknown as Parameters<typeof timeline>[0],
    { session_id: 'b56' },
    {},
  )
  expect([json, text]).toMatchObject([
    { session_id: 'b5689bdb-d05b' },
    expect.stringMatching(/^Session b5689bdb-d05b\n/),
  ])
})
