import { expect, test } from 'vitest'
import { DeliveryFailure, runSender, type Sender } from './sender.ts'

const nothing = { name: 'webhook', target: 'x', delivered: 0, waiting: 0, dropped: {} } as const

/** A sender that follows a script and then has nothing to do. */
function scripted(...script: readonly (number | null | Error)[]) {
  const calls: boolean[] = []
  let isClosed = false
  const sender: Sender = {
    async step(_signal, isLast) {
      const next = script[calls.length] ?? null
      calls.push(isLast)
      if (next instanceof Error) throw next
      return next
    },
    status: () => nothing,
    close: () => void (isClosed = true),
  }
  return { sender, calls, isClosed: () => isClosed }
}

const never = () => new AbortController().signal

test('works until there is nothing left, then waits for a commit', async () => {
  const { sender, calls, isClosed } = scripted(0, 0, null, 0, null)
  const running = runSender(sender, () => undefined)
  await expect.poll(() => calls.length).toBe(3)
  running.wake()
  await expect.poll(() => calls.length).toBe(5)
  await running.stop(never())
  expect(isClosed()).toBe(true)
})

test('notices a commit that happens during a step', async () => {
  let isWoken = false
  let steps = 0
  const running = runSender(
    {
      async step() {
        steps += 1
        if (!isWoken) running.wake()
        isWoken = true
        return null
      },
      status: () => nothing,
      close: () => undefined,
    },
    () => undefined,
  )
  await expect.poll(() => steps).toBeGreaterThanOrEqual(2)
  await running.stop(never())
})

test('reports a failure and retries the step; success clears the report', async () => {
  const { sender, calls } = scripted(new DeliveryFailure('it answered 500', 0), new Error('the log is gone'), null)
  const reported: (string | null)[] = []
  const running = runSender(sender, () => reported.push(running.status().problem))
  await expect.poll(() => calls.length).toBe(3)
  await expect.poll(() => reported).toEqual(['it answered 500', 'the log is gone', null])
  await running.stop(never())
})

test('stopping sends an incomplete batch, but does not wait for a failing receiver', async () => {
  const waiting = scripted(60_000, 0, null)
  const one = runSender(waiting.sender, () => undefined)
  await expect.poll(() => waiting.calls).toEqual([false])
  await one.stop(never())
  expect(waiting.calls).toEqual([false, true, true])

  const failing = scripted(new DeliveryFailure('down', 3_600_000))
  const other = runSender(failing.sender, () => undefined)
  await expect.poll(() => other.status().problem).toBe('down')
  await other.stop(never())
  expect(failing.calls).toHaveLength(1)
})

test('the deadline aborts a step that hangs', async () => {
  const deadline = new AbortController()
  const running = runSender(
    {
      step: (signal) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(new DeliveryFailure('stopped')))),
      status: () => nothing,
      close: () => undefined,
    },
    () => undefined,
  )
  const stopped = running.stop(deadline.signal)
  deadline.abort()
  await stopped
})
