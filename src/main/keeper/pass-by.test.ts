import { afterEach, expect, test, vi } from 'vitest'
import { PassBy } from './pass-by.ts'

afterEach(() => void vi.useRealTimers())

test('a run that the last app but one knew is kept until an app has served long enough to hear of it', () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  const passBy = new PassBy()
  const known = () => passBy.runs().map(([key]) => key)
  const run = { client: 'claude-code', trusted: null, network: null } as const
  passBy.begin()
  passBy.admit('lives', run)
  vi.advanceTimersByTime(59_000)
  // It is killed, and so is the next one: the run has found neither yet.
  passBy.begin()
  passBy.begin()
  vi.advanceTimersByTime(2000)
  expect(known()).toEqual(['lives'])
  passBy.admit('told again', run)
  vi.advanceTimersByTime(60_000)
  expect(known()).toEqual(['told again'])
})
