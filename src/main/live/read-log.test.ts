import { expect, test } from 'vitest'
import { readLog, type ReadLogOptions } from './read-log.ts'

/** Reads through a call that returns or throws the given value. */
function logOf(answer: unknown, isRecordingOn = true) {
  const calls: unknown[] = []
  const warnings: unknown[] = []
  const call = (async (name: string, input: unknown) => {
    calls.push([name, input])
    if (answer instanceof Error) throw answer
    return answer
  }) as ReadLogOptions['call']
  const log = readLog({ call, isRecordingOn, logger: { warn: (...said: unknown[]) => void warnings.push(said) } })
  return { log, calls, warnings }
}

test('the feed starts without the running turns if they cannot be read, and the reason is logged', async () => {
  const { log, warnings } = logOf(new Error('busy'))
  expect(await log.runningTurns?.('s')).toBeNull()
  expect(warnings).toEqual([[{ err: new Error('busy') }, expect.any(String)]])
})

test('without recording there is nothing to ask', async () => {
  const { log, calls } = logOf({ sessions: [] }, false)
  expect(await log.runningTurns?.('s')).toBeNull()
  expect(await log.backfill({}, 4, 9)).toEqual({ events: [], more: 0 })
  expect(calls).toEqual([])
  const on = logOf({ sessions: [] })
  expect(await on.log.runningTurns?.('s')).toEqual({ sessions: [] })
  expect(on.calls).toEqual([['live.turns', { session_id: 's' }]])
})

test('a backfill asks for exactly what the reader wants', async () => {
  const { log, calls } = logOf({ events: [], more: 0 })
  await log.backfill({ session_id: 's', kinds: ['error'] }, 4, 9)
  await log.backfill({}, 4, null)
  expect(calls).toEqual([
    ['live.since', { after: 4, up_to: 9, session_id: 's', kinds: ['error'] }],
    ['live.since', { after: 4, up_to: undefined, session_id: undefined, kinds: undefined }],
  ])
})
