import { join } from 'node:path'
import { RecorderHost } from '../../../src/main/recorder/host/recorder-host.ts'
import { createImporter } from '../../../src/main/transcripts/host/importer.ts'
import { configSchema } from '../../../src/shared/config.ts'

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined }

/**
 * Imports each path in turn into a separate store, with the real recorder and importer. Returns the database's path.
 */
export async function importInto(dataDir: string, paths: readonly string[]): Promise<string> {
  const config = configSchema.parse({
    transcripts: { follow: false },
    redaction: { enabled: false, text_timeout_ms: 10_000 },
  })
  let ready: () => void = () => undefined
  const isReady = new Promise<void>((resolve) => (ready = resolve))
  const recorder = new RecorderHost({
    dataDir,
    config,
    appVersion: '0.0.0-test',
    isDemo: false,
    logger: quiet,
    onAcknowledge: () => undefined,
    onReady: () => ready(),
    onLive: () => undefined,
  })
  recorder.start()
  await isReady
  const importer = createImporter({ dataDir, config, homes: {}, recorder, logger: quiet })
  for (const path of paths)
    for await (const _ of importer.import([path])) {
      // The last progress comes once everything is committed.
    }
  await importer.stop()
  await recorder.stop(120_000)
  return join(dataDir, 'lifestats.db')
}
