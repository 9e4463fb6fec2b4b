import { setImmediate as pause } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { eachInTime } from '../../support/runner/in-time.ts'

const ended = vi.fn()

async function* feed(count: number): AsyncGenerator<number> {
  try {
    for (let item = 1; item <= count; item += 1) {
      await pause()
      yield item
    }
    await new Promise(() => undefined)
  } finally {
    ended()
  }
}

test('a feed that never sends its opening ends its test, which says what it waited for', async () => {
  const first = eachInTime('the feed sends its opening', feed(0), 20).next()
  await expect(first).rejects.toThrow('timed out after 20 ms waiting until the feed sends its opening')
})

test('a feed that falls silent later does too', async () => {
  const seen: number[] = []
  const reading = (async () => {
    for await (const item of eachInTime('a third item comes', feed(2), 200)) seen.push(item)
  })()
  await expect(reading).rejects.toThrow('waiting until a third item comes')
  expect(seen).toEqual([1, 2])
})

test('a reader that has seen enough ends the feed', async () => {
  ended.mockClear()
  for await (const item of eachInTime('two items come', feed(9))) if (item === 2) break
  expect(ended).toHaveBeenCalledOnce()
})
