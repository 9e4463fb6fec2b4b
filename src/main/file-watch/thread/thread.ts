import { parentPort, workerData } from 'node:worker_threads'
import type { Looked, ToWatch } from '../watch-protocol.ts'
import { WatchedTrees } from './watched-trees.ts'
import { emptyRepository } from './work-tree.ts'

/** Looks at work trees around commands. Reads between the hooks, so that nobody waits for it. */
const trees = new WatchedTrees(emptyRepository(String(workerData)))
let isReading = false

function readMore(): void {
  isReading = trees.readMore()
  if (isReading) setImmediate(readMore)
}

parentPort?.on('message', (message: ToWatch) => {
  if (message.type === 'stop') process.exit(0)
  if (message.type === 'edited') return trees.edited()
  let seen: Looked['seen'] = null
  try {
    seen = trees.look(message)
  } catch (error) {
    // A folder that is gone, or cannot be read.
    if (!(error instanceof Error) || !('code' in error)) throw error
  }
  parentPort?.postMessage({ id: message.id, seen } satisfies Looked)
  if (message.at === 'before' && !isReading) setImmediate(readMore)
})
