import { existsSync, writeFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { END_OF_READING, type ReaderCall } from '../../../src/main/readers/reader-protocol.ts'

/** A reader thread that exits in its first call, and in every call for one event. */
const { databasePath } = workerData as { databasePath: string }
const marker = `${databasePath}.died`

parentPort?.on('message', (message: ReaderCall | typeof END_OF_READING) => {
  if (message === END_OF_READING) process.exit(0)
  const { call, name } = message
  if (name === 'events.get') process.exit(3)
  if (!existsSync(marker)) {
    writeFileSync(marker, '')
    process.exit(3)
  }
  const bytes = new TextEncoder().encode('{"lives":2}')
  parentPort?.postMessage({ call, bytes }, [bytes.buffer])
})
