import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Worker threads, by the name of their bundle and the path of their source from src/main. */
export const THREAD_SOURCES = {
  'recorder-thread': 'recorder/thread/thread.ts',
  'reader-thread': 'readers/thread/thread.ts',
  'importer-thread': 'transcripts/thread/thread.ts',
  'custom-thread': 'pipeline/custom/thread/thread.ts',
  'checkpoint-thread': 'store/database/checkpoint-thread/thread.ts',
  'outbox-thread': 'sinks/thread/thread.ts',
} as const

/**
 * Where a thread's code lies: beside this file in the build, in its own folder when the sources run as they are (Node
 * strips the types). ASPY_BUNDLES names the folder of a build whose threads run in place of the sources': the tests take
 * those that were just built, which start in a third of the time.
 */
export function threadEntry(name: keyof typeof THREAD_SOURCES): URL {
  const bundles = process.env['ASPY_BUNDLES'] ?? ''
  if (bundles !== '') return pathToFileURL(join(bundles, `${name}.js`))
  return import.meta.url.endsWith('.ts')
    ? new URL(`../${THREAD_SOURCES[name]}`, import.meta.url)
    : new URL(`${name}.js`, import.meta.url)
}
