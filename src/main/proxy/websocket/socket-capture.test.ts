import { expect, test } from 'vitest'
import type { Tap } from '../tap.ts'
import { SocketCapture } from './socket-capture.ts'

/** A tap that writes down its calls, with a name for each exchange. */
function writtenDown() {
  const told: string[] = []
  let opened = 0
  const tap: Pick<Tap, 'open'> = {
    open({ socket }) {
      opened += 1
      const id = `e${opened}`
      told.push(socket === undefined ? `${id} opens` : `${id} opens as ${socket.index} of ${socket.connection}`)
      return {
        id,
        requestBytes: (bytes) => void told.push(`${id} asks ${Buffer.from(bytes).toString('hex')}`),
        requestEnd: () => void told.push(`${id} asked`),
        responseHead: (status) => void told.push(`${id} head ${status}`),
        responseBytes: (bytes) => void told.push(`${id} answers ${Buffer.from(bytes).toString()}`),
        end: (outcome, error = null) => void told.push(`${id} ends ${outcome} ${error}`),
      }
    },
  }
  return { told, tap: tap as Tap }
}

test('each message of the client opens an exchange, which takes what the upstream sends until the next one', () => {
  const { told, tap } = writtenDown()
  const capture = new SocketCapture(tap, { method: 'GET', path: '/v1/realtime', headers: [] })
  capture.responseHead(101, ['upgrade', 'websocket'])
  // A text in two frames of one byte each, then one in a single frame.
  capture.fromClient(Buffer.from('010161', 'hex'))
  capture.fromClient(Buffer.from('800162', 'hex'))
  capture.fromUpstream(Buffer.from('one'))
  expect(capture.exchangeId).toBe('e2')
  capture.fromClient(Buffer.from('810163', 'hex'))
  capture.fromUpstream(Buffer.from('two'))
  capture.end('upstream_aborted', 'reset')
  expect(told).toEqual([
    'e1 opens',
    'e1 asked',
    'e1 head 101',
    'e1 ends complete null',
    'e2 opens as 1 of e1',
    'e2 head 101',
    'e2 asks 010161',
    'e2 asks 800162',
    'e2 asked',
    'e2 answers one',
    'e2 ends complete null',
    'e3 opens as 2 of e1',
    'e3 head 101',
    'e3 asks 810163',
    'e3 asked',
    'e3 answers two',
    'e3 ends upstream_aborted reset',
  ])
})
