/** Worker threads, by the name of their bundle and the path of their source from src/main. */
const ENTRIES = {
  'recorder-thread': 'recorder/thread.ts',
  'reader-thread': 'readers/thread.ts',
  'importer-thread': 'transcripts/thread.ts',
  'custom-thread': 'pipeline/custom-thread.ts',
  'checkpoint-thread': 'store/thread.ts',
  'outbox-thread': 'sinks/thread.ts',
} as const

/**
 * Where a thread's code lies: beside this file in the build, in its own folder when the sources run as they are (tests;
 * Node strips the types).
 */
export function threadEntry(name: keyof typeof ENTRIES): URL {
  return import.meta.url.endsWith('.ts')
    ? new URL(ENTRIES[name], import.meta.url)
    : new URL(`${name}.js`, import.meta.url)
}
