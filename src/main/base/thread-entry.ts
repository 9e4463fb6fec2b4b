import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Worker threads: bundle name, and source path relative to src/main. */
export const THREAD_SOURCES = {
  'recorder-thread': 'recorder/thread/thread.ts',
  'reader-thread': 'readers/thread/thread.ts',
  'importer-thread': 'transcripts/thread/thread.ts',
  'custom-thread': 'pipeline/custom/thread/thread.ts',
  'checkpoint-thread': 'store/database/checkpoint-thread/thread.ts',
  'guard-thread': 'guard/thread/thread.ts',
  'outbox-thread': 'sinks/thread/thread.ts',
  'watch-thread': 'file-watch/thread/thread.ts',
} as const

/**
 * Returns the location of a thread's code: next to this file in a build, or in its own folder when sources run directly
 * (Node strips the types). ASPY_BUNDLES names a build folder whose threads run instead of the sources; tests use it,
 * because bundles start in a third of the time.
 */
export function threadEntry(name: keyof typeof THREAD_SOURCES): URL {
  const bundles = process.env['ASPY_BUNDLES'] ?? ''
  if (bundles !== '') return pathToFileURL(join(bundles, `${name}.js`))
  return import.meta.url.endsWith('.ts')
    ? new URL(`../${THREAD_SOURCES[name]}`, import.meta.url)
    : new URL(`${name}.js`, import.meta.url)
}
