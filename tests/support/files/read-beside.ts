import { performance } from 'node:perf_hooks'
import { createFileHandlers } from '../../../src/main/operations/main/restore-file.ts'
import { ReaderPool } from '../../../src/main/readers/host/pool.ts'

/** Asks readers about files, and prints each answer and when it came: read-beside.ts DATABASE ENTRY CALLS */
const [, , databasePath = '', entry = '', calls = '[]'] = process.argv
const pool = new ReaderPool({ databasePath, entry: new URL(entry) })
const read = async (name: string, input: object) =>
  JSON.parse(new TextDecoder().decode(await pool.call(name, input))) as never
const { 'files.restore': restore } = createFileHandlers(read)
for (const [name, input] of JSON.parse(calls) as [string, never][]) {
  const begin = performance.now()
  const answer: Promise<unknown> = Promise.resolve(
    name === 'files.restore' ? restore(input, undefined as never) : read(name, input),
  )
  const told = await answer.then(
    (value) => (value as { readonly path: string }).path,
    (error: Error) => error.message,
  )
  process.stdout.write(`${JSON.stringify([told, performance.now() - begin])}\n`)
}
await pool.close()
