import { importsOf, reachedFrom, sourceFiles, type Import } from './imports.ts'

/** The entry of each thread: the main thread's programs, and the entries of `src/main/base/thread-entry.ts`. */
export const ENTRIES = {
  main: ['src/main/index.ts', 'src/main/cli/aspy.ts', 'src/main/cli/hook.ts', 'src/main/cli/statusline.ts'],
  recorder: ['src/main/recorder/thread/thread.ts'],
  reader: ['src/main/readers/thread/thread.ts'],
  importer: ['src/main/transcripts/thread/thread.ts'],
  custom: ['src/main/pipeline/custom/thread/thread.ts'],
  checkpoint: ['src/main/store/database/checkpoint-thread/thread.ts'],
  guard: ['src/main/guard/thread/thread.ts'],
  outbox: ['src/main/sinks/thread/thread.ts'],
  watch: ['src/main/file-watch/thread/thread.ts'],
} as const

export type ThreadName = keyof typeof ENTRIES

/**
 * Which threads may load the code of a folder; the longest path that matches counts. `host/` is the main thread's half
 * of a part that has its own thread in `thread/`; files at the root of such a folder serve both sides. Folders that are
 * not listed are libraries, for every thread.
 */
export const RUNS_ON: Readonly<Record<string, readonly ThreadName[]>> = {
  'src/main/budgets': ['main'],
  'src/main/cli': ['main'],
  'src/main/clients': ['main'],
  'src/main/config': ['main'],
  'src/main/demo': ['main'],
  'src/main/dispatch': ['main'],
  'src/main/electron': ['main'],
  'src/main/file-watch': ['main', 'watch'],
  'src/main/file-watch/host': ['main'],
  'src/main/file-watch/thread': ['watch'],
  'src/main/guard': ['main', 'guard'],
  'src/main/guard/host': ['main'],
  'src/main/guard/thread': ['guard'],
  'src/main/health': ['main'],
  'src/main/keeper': ['main'],
  'src/main/live': ['main'],
  'src/main/login-service': ['main'],
  'src/main/notices': ['main'],
  'src/main/operations/main': ['main'],
  'src/main/operations/reader': ['reader'],
  'src/main/pipeline/custom/thread': ['custom'],
  'src/main/proxy': ['main'],
  'src/main/proxy/protocol': ['main', 'recorder', 'guard'],
  'src/main/readers/host': ['main'],
  'src/main/readers/thread': ['reader'],
  // On a main thread only in a team's server, which reads from PostgreSQL.
  'src/main/recall': ['reader', 'recorder', 'importer', 'main'],
  'src/main/recorder': ['main', 'recorder', 'importer'],
  'src/main/recorder/host': ['main'],
  'src/main/recorder/thread': ['recorder'],
  'src/main/sinks': ['main', 'recorder', 'outbox'],
  'src/main/sinks/host': ['main'],
  'src/main/sinks/recorder': ['recorder'],
  'src/main/sinks/thread': ['outbox'],
  'src/main/store/database/checkpoint-thread': ['checkpoint'],
  'src/main/surfaces': ['main'],
  'src/main/team/server': ['main'],
  'src/main/team/store': ['main'],
  'src/main/transcripts/host': ['main'],
  'src/main/transcripts/thread': ['importer'],
  'src/main/tunnel': ['main'],
}

/** Returns the threads that may load a file, or null where its folder is a library. */
export function threadsOf(path: string): readonly ThreadName[] | null {
  const folders = Object.keys(RUNS_ON).filter((folder) => path.startsWith(`${folder}/`))
  const nearest = folders.sort((one, other) => other.length - one.length)[0]
  return nearest === undefined ? null : (RUNS_ON[nearest] ?? null)
}

/** Returns a line for each file that is loaded on a thread that its path does not name. */
export function misplacedFiles(imports: readonly Import[] = importsOf(sourceFiles())): readonly string[] {
  return (Object.keys(ENTRIES) as ThreadName[]).flatMap((thread) => {
    const loaded = new Set(ENTRIES[thread].flatMap((entry) => [...reachedFrom(entry, imports)]))
    return [...loaded].flatMap((path) => {
      const threads = threadsOf(path)
      if (threads === null || threads.includes(thread)) return []
      return [`${path} is loaded on the ${thread} thread, its path says ${threads.join(' or ')}`]
    })
  })
}
