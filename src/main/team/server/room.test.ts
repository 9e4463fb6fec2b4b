import { expect, test } from 'vitest'
import { Room } from './room.ts'

test('refuses what has no room, and has room again when work ends or fails', async () => {
  const room = new Room(2)
  const first = Promise.withResolvers<string>()
  const second = Promise.withResolvers<string>()
  const done = [room.run(() => first.promise), room.run(() => second.promise)]
  expect(room.taken).toBe(2)
  await expect(room.run(() => Promise.resolve('third'))).rejects.toMatchObject({ code: 'busy' })
  expect(room.refused).toBe(1)
  second.reject(new Error('failed'))
  await expect(done[1]).rejects.toThrow('failed')
  expect(await room.run(() => Promise.resolve('fourth'))).toBe('fourth')
  first.resolve('first')
  expect(await done[0]).toBe('first')
  expect({ taken: room.taken, refused: room.refused }).toEqual({ taken: 0, refused: 1 })
  expect(room.seconds).toBeGreaterThan(0)
})
