import { resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { startMessagesUpstream } from '../../support/upstream/messages-upstream.ts'
import { startAppUnderTest } from './app-under-test.ts'
import { measureForwarding } from './forwarding.ts'
import { measureDeletion, measureImport } from './importing.ts'
import { measureReading } from './reading.ts'
import { measureRecording } from './recording.ts'
import { storeSize } from './store-size.ts'

/**
 * One sample of `pairs.ts`: `node tests/bench/pairs/sample.ts CHECKOUT [TRANSCRIPTS]` prints its figures as JSON. With
 * `ASPY_BENCH_ONLY=forwarding` it measures nothing else.
 */
const REST_MS = 12_000
const GENERATED_MB = Number(process.env['ASPY_BENCH_MB'] ?? 10)

const [root, transcripts] = process.argv.slice(2)
if (root === undefined) throw new Error('Name a built checkout: node tests/bench/pairs/sample.ts CHECKOUT')
const checkout = resolve(root)

const forwarding = await measureForwarding(checkout)
const isAll = process.env['ASPY_BENCH_ONLY'] !== 'forwarding'
console.log(JSON.stringify({ ...forwarding, ...(isAll ? await measureStore(checkout) : {}) }))

async function measureStore(checkout: string) {
  using folder = makeTempFolder('aspy-pairs-')
  await using upstream = await startMessagesUpstream((_request, n) => ({
    steps:
      n % 2 === 0
        ? [
            { thinking: `For step ${n}: the index is read before the cache is warm. `.repeat(8) },
            { text: `I look at src/store/cache-${n % 97}.ts first.` },
            { tool: 'Bash', input: { command: `npx vitest run src/store/cache-${n % 97}.test.ts` } },
          ]
        : [{ text: `Done with step ${n}: the tests of src/store/cache-${n % 97}.ts pass again.` }],
    usage: { input_tokens: 1200 + n, output_tokens: 240, cache_read_input_tokens: 40_000 },
    deltaLength: 60,
  }))
  await using app = await startAppUnderTest(checkout, folder.path, upstream.url)
  const started = app.memoryMb()
  const recording = await measureRecording(app)
  const traffic = storeSize(folder.path)
  const generated = await measureImport(app, { seed: 'pairs', megabytes: GENERATED_MB }, 'generated')
  const both = storeSize(folder.path)
  const real = transcripts === undefined ? {} : await measureImport(app, resolve(transcripts), 'public')
  const all = storeSize(folder.path)
  const deletion = await measureDeletion(app)
  const reading = await measureReading(app)
  await pause(REST_MS)
  const { raw_bytes: generatedBytes, ...imported } = generated
  const { raw_bytes: realBytes = Number.NaN, ...importedToo } = real
  return {
    memory_started_mb: started,
    ...recording,
    traffic_bytes_per_event: traffic.bytes / traffic.events,
    ...imported,
    generated_bytes_per_event: (both.bytes - traffic.bytes) / (both.events - traffic.events),
    generated_size_to_raw: (both.bytes - traffic.bytes) / (generatedBytes ?? Number.NaN),
    ...importedToo,
    ...(transcripts === undefined
      ? {}
      : {
          public_bytes_per_event: (all.bytes - both.bytes) / (all.events - both.events),
          public_size_to_raw: (all.bytes - both.bytes) / realBytes,
        }),
    ...deletion,
    ...reading,
    memory_at_rest_mb: app.memoryMb(),
  }
}
