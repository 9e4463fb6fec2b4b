import { expect, test } from 'vitest'
import { currentConnection, noteAnswer, noteLeft, noteUnreachable, untilOnline } from './connection.ts'

test('a connection that was lost is back with the next answer; a demo that was left never is', async () => {
  noteUnreachable()
  expect(currentConnection()).toMatchObject({ status: 'lost' })
  noteAnswer()
  await untilOnline()
  noteLeft()
  noteUnreachable()
  noteAnswer()
  expect(currentConnection()).toEqual({ status: 'left' })
})
