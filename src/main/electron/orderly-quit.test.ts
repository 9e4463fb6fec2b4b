import { expect, test } from 'vitest'
import { createOrderlyQuit } from './orderly-quit.ts'

function quitting(more: { answer?: () => Promise<boolean>; end?: () => Promise<void>; deadlineMs?: number } = {}) {
  const log: string[] = []
  const quit = createOrderlyQuit({
    mayQuit: () => {
      log.push('asked')
      return more.answer?.() ?? Promise.resolve(true)
    },
    end: () => {
      log.push('ended')
      return more.end?.() ?? Promise.resolve()
    },
    leave: () => void log.push('left'),
    deadlineMs: more.deadlineMs ?? 60_000,
    onLate: () => void log.push('late'),
    onFault: (error) => void log.push(String(error)),
  })
  const gone = () => expect.poll(() => log.at(-1)).toBe('left')
  return { log, quit, gone }
}

test('asks, stops in order and leaves; three quit requests count as one', async () => {
  const { log, quit, gone } = quitting()
  quit.request('person')
  quit.request('person')
  expect(quit.holdsBack('person')).toBe(true)
  await gone()
  expect(log).toEqual(['asked', 'ended', 'left'])
  expect(quit.holdsBack('person')).toBe(false)
})

test('after choosing to stay, the user can quit later', async () => {
  let answer = false
  const { log, quit, gone } = quitting({ answer: async () => answer })
  expect(quit.holdsBack('person')).toBe(true)
  await expect.poll(() => log).toEqual(['asked'])
  await Promise.resolve()
  answer = true
  await expect
    .poll(() => {
      quit.request('person')
      return log
    })
    .toContain('ended')
  await gone()
  expect(log).toEqual(['asked', 'asked', 'ended', 'left'])
})

test('a system shutdown is not questioned, even while a question is open', async () => {
  const asked = quitting()
  asked.quit.request('system')
  await asked.gone()
  expect(asked.log).toEqual(['ended', 'left'])

  let answer: (value: boolean) => void = () => undefined
  const waiting = quitting({ answer: () => new Promise((resolve) => (answer = resolve)) })
  waiting.quit.request('person')
  waiting.quit.request('system')
  answer(false)
  await waiting.gone()
  expect(waiting.log).toEqual(['asked', 'ended', 'left'])
})

test('the app quits even if the question fails, or if stopping fails or hangs', async () => {
  const failing = quitting({
    answer: () => Promise.reject(new Error('no display')),
    end: () => Promise.reject(new Error('disk')),
  })
  failing.quit.request('person')
  await failing.gone()
  expect(failing.log).toEqual(['asked', 'Error: no display', 'ended', 'Error: disk', 'left'])
  const hanging = quitting({ end: () => new Promise(() => undefined), deadlineMs: 5 })
  hanging.quit.request('person')
  await hanging.gone()
  expect(hanging.log).toEqual(['asked', 'ended', 'late', 'left'])
})
