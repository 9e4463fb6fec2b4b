import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { AspyError } from '../../shared/contract/errors.ts'
import type { Client } from './client.ts'
import { followRunning, recordEnds } from './ended-sessions.ts'

const note = (session_id: string, pid: number) => ({ session_id, pid })

test('only the sessions of the process that ended have ended, also those before a /clear, and no request is forgotten', async () => {
  const looks = [
    { sessions: [note('a', 1), note('b', 2)], exchanges: ['x'] },
    { sessions: [note('c', 1), note('b', 2)], exchanges: ['x', 'y'] },
    { sessions: [], exchanges: [] },
  ]
  const running = followRunning(() => Promise.resolve(looks.shift() ?? { sessions: [], exchanges: [] }), 1)
  while (looks.length > 0) await pause(2)
  expect(running.endedWith(1)).toEqual({ sessions: ['a', 'c'], exchanges: ['x', 'y'] })
  expect(running.endedWith(undefined).sessions).toEqual([])
})

test('an end is recorded once, and not of a session without a record', async () => {
  const ended: unknown[] = []
  const call = (name: string, { session_id, kind }: { session_id: string; kind?: string }) => {
    if (name === 'events.post') return Promise.resolve(ended.push([session_id, kind]))
    if (session_id === 'none') return Promise.reject(new AspyError('not_found', 'no such session'))
    return Promise.resolve({ ended_at: session_id === 'by hook' ? '2026-11-28T10:10:00.000Z' : null })
  }
  await recordEnds({ call } as unknown as Client, ['by hook', 'none', 'open'])
  expect(ended).toEqual([['open', 'session_ended']])
})
