import Database from 'better-sqlite3'

/** The types of better-sqlite3 do not have the second argument. */
interface ExtensionLoader {
  loadExtension(path: string, entryPoint: string): unknown
  close(): unknown
}

/**
 * Returns the free pages of the C library's heap to the system. Freed buffers and pages of SQLite leave gaps between
 * memory still in use, which glibc keeps. It takes up to about 30 ms, in which other threads may wait for memory, so
 * call it only while the app is idle. Does nothing with other C libraries.
 */
export function trimCHeap(): void {
  if (process.platform !== 'linux') return
  const db: ExtensionLoader = new Database(':memory:')
  try {
    // Node cannot call `malloc_trim`, but SQLite calls a library's function by name. Of the arguments meant for an
    // extension, `malloc_trim` reads only the first, as the number of bytes to keep at the end of the heap. It is a
    // pointer and so a huge number, but glibc returns the end of its heap in any case.
    db.loadExtension('libc.so.6', 'malloc_trim')
  } catch {
    // It returns 1 if it had something to return, which SQLite reports as an error. Other C libraries lack it.
  } finally {
    db.close()
  }
}
