import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { endThread } from './end-thread.ts'

const threadOf = (onMessage: string) =>
  new Worker(`require('node:worker_threads').parentPort.once('message', () => { ${onMessage} })`, { eval: true })

test("a thread's error reaches its listeners and does not make stopping fail", async () => {
  const worker = threadOf(`throw new Error('at its end')`)
  const errors: string[] = []
  worker.on('error', (error) => errors.push(String(error)))
  worker.postMessage('end')
  await endThread(worker)
  expect(errors).toEqual(['Error: at its end'])
  await endThread(worker)
})

test('a thread that does not stop is terminated after the deadline', async () => {
  const worker = threadOf('for (;;);')
  worker.postMessage('end')
  await endThread(worker, 50)
  expect(worker.threadId).toBe(-1)
})
