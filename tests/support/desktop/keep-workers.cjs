// Loaded before the app's code: keeps its threads where a spec can end one of them.
const threads = require('node:worker_threads')
const { syncBuiltinESMExports } = require('node:module')
const { Worker } = threads
const kept = []
threads.Worker = class extends Worker {
  constructor(entry, options) {
    super(entry, options)
    kept.push({ name: options?.name ?? '', worker: this })
  }
}
syncBuiltinESMExports()
globalThis.keptWorkers = kept
