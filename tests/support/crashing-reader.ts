import { existsSync, writeFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'

/** A reader thread that ends itself in its first call, and in every call for one event. */
const { databasePath } = workerData as { databasePath: string }
const marker = `${databasePath}.died`

parentPort?.on('message', ({ call, name }: { call: number; name: string }) => {
  if (name === 'events.get') process.exit(3)
  if (!existsSync(marker)) {
    writeFileSync(marker, '')
    process.exit(3)
  }
  const bytes = new TextEncoder().encode('{"lives":2}')
  parentPort?.postMessage({ call, bytes }, [bytes.buffer])
})
