import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { SocketTurns } from './socket-turns.ts'

const sent = (text: string) => Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)])
const answered = (text: string, isLast = true) =>
  Buffer.concat([Buffer.from([isLast ? 0x81 : 0x01, text.length]), Buffer.from(text)])
const PING = Buffer.from([0x89, 0x80, 0, 0, 0, 0])
const joined = (pieces: readonly Buffer[]) => Buffer.concat(pieces).toString('hex')

let turns: SocketTurns
const close = vi.fn()
beforeEach(() => {
  vi.useFakeTimers()
  close.mockClear()
  turns = new SocketTurns()
})
afterEach(() => vi.useRealTimers())
const isClosed = () => {
  vi.advanceTimersByTime(1)
  return close.mock.calls.length === 1
}

test('without a wish to close, all bytes pass as they came', () => {
  const bytes = Buffer.concat([sent('one'), PING, sent('two')])
  const chunks = [bytes.subarray(0, 1), bytes.subarray(1, 12), bytes.subarray(12)]
  expect(joined(chunks.flatMap((chunk) => turns.fromClient(chunk)))).toBe(bytes.toString('hex'))
})

test('closes before the next message, which is not forwarded', () => {
  turns.fromClient(sent('one'))
  turns.fromUpstream(answered('yes'))
  turns.closeNext(close)
  expect([joined(turns.fromClient(PING)), isClosed()]).toEqual([PING.toString('hex'), false])
  expect([turns.fromClient(sent('two')), isClosed()]).toEqual([[], true])
  expect(turns.fromClient(sent('three'))).toEqual([])
})

test('cuts no message that has begun, on either side', () => {
  const [head, tail] = [sent('one').subarray(0, 4), sent('one').subarray(4)]
  turns.fromClient(head)
  turns.closeNext(close)
  expect([joined(turns.fromClient(tail)), isClosed()]).toEqual([tail.toString('hex'), false])
  turns.fromUpstream(answered('ye', false))
  expect([joined(turns.fromClient(sent('two'))), isClosed()]).toEqual([sent('two').toString('hex'), false])
  turns.fromUpstream(Buffer.concat([Buffer.from([0x80, 1]), Buffer.from('s')]))
  expect([turns.fromClient(sent('three')), isClosed()]).toEqual([[], true])
})

test('a message that nothing has answered yet keeps it open', () => {
  turns.fromClient(sent('one'))
  turns.closeNext(close)
  expect([joined(turns.fromClient(sent('two'))), isClosed()]).toEqual([sent('two').toString('hex'), false])
})

test('closes after five minutes of silence, and not before', () => {
  turns.fromClient(sent('one'))
  turns.closeNext(close)
  vi.advanceTimersByTime(200_000)
  turns.fromUpstream(answered('yes'))
  vi.advanceTimersByTime(299_000)
  expect(isClosed()).toBe(false)
  vi.advanceTimersByTime(1000)
  expect(isClosed()).toBe(true)
})
