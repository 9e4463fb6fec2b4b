import { parentPort, workerData } from 'node:worker_threads'
import { askMounts, deadMountOf } from '../../files/dead-mounts.ts'
import type { Look, Looked, ToWatch } from '../watch-protocol.ts'
import { WatchedTrees } from './watched-trees.ts'
import { emptyRepository } from './work-tree.ts'

/** Looks at work trees around commands. Reads between the hooks, so that nobody waits for it. */
const trees = new WatchedTrees(emptyRepository(String(workerData)))
let isReading = false
/** One after the other, as they came. */
let looks = Promise.resolve()

function readMore(): void {
  isReading = trees.readMore()
  if (isReading) setImmediate(readMore)
}

async function look(message: Look): Promise<void> {
  let seen: Looked['seen'] = null
  await askMounts()
  try {
    if (deadMountOf(message.folder) === null) seen = trees.look(message)
  } catch (error) {
    // A folder that is gone, or cannot be read.
    if (!(error instanceof Error) || !('code' in error)) throw error
  }
  parentPort?.postMessage({ id: message.id, seen } satisfies Looked)
  if (message.at === 'before' && !isReading) setImmediate(readMore)
}

parentPort?.on('message', (message: ToWatch) => {
  if (message.type === 'stop') process.exit(0)
  looks = looks.then(() => (message.type === 'edited' ? trees.edited() : look(message)))
})
