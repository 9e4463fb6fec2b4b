import { join } from 'node:path'
import { RecorderHost } from '../../../src/main/recorder/host/recorder-host.ts'
import { Importer } from '../../../src/main/transcripts/host/importer.ts'
import type { ClientHomes } from '../../../src/main/transcripts/client-folders.ts'
import type { ImportProgress } from '../../../src/main/transcripts/protocol.ts'
import { configSchema } from '../../../src/shared/config.ts'

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined }

/** Imports each path in turn into a separate store, and returns the database's path. */
export const importInto = async (dataDir: string, paths: readonly string[]): Promise<string> =>
  (await importedInto(dataDir, paths)).db

/** Imports with the real recorder and importer: each path in turn or, with `homes`, everything that is found there. */
export async function importedInto(
  dataDir: string,
  paths: readonly string[] | null,
  homes: ClientHomes = {},
  redacts = false,
): Promise<{ readonly db: string; readonly progress: ImportProgress | null }> {
  const config = configSchema.parse({
    transcripts: { follow: false },
    redaction: { enabled: redacts, text_timeout_ms: 10_000 },
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
  const importer = new Importer({ dataDir, config, homes, recorder, logger: quiet })
  let progress: ImportProgress | null = null
  for (const path of paths ?? [null]) {
    // The last progress comes once everything is committed.
    for await (progress of importer.import(path === null ? null : [path]));
  }
  await importer.stop()
  await recorder.stop(120_000)
  return { db: join(dataDir, 'lifestats.db'), progress }
}
