/**
 * Loaded into the app by the bench `day`: on SIGUSR2, writes the heap statistics of all threads to the file that
 * ASPY_BENCH_HEAPS names.
 */
const { renameSync, writeFileSync } = require('node:fs')
const { syncBuiltinESMExports } = require('node:module')
const { getHeapStatistics } = require('node:v8')
const threads = require('node:worker_threads')

const workers = new Map()

class WatchedWorker extends threads.Worker {
  constructor(entry, options) {
    super(entry, options)
    workers.set(this, /([\w-]+)\.\w+$/.exec(String(entry))?.[1] ?? 'thread')
    this.once('exit', () => workers.delete(this))
  }
}

if (threads.isMainThread) {
  threads.Worker = WatchedWorker
  syncBuiltinESMExports()
  process.on('SIGUSR2', async () => {
    const others = await Promise.all(
      Array.from(workers, async ([worker, name]) => ({ name, ...(await worker.getHeapStatistics()) })),
    )
    const file = process.env.ASPY_BENCH_HEAPS
    writeFileSync(`${file}.part`, JSON.stringify([{ name: 'main', ...getHeapStatistics() }, ...others]))
    renameSync(`${file}.part`, file)
  })
}
