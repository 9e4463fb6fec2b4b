import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder of a test's own; it goes with `remove()` or at the end of a `using` block. */
export interface TempFolder extends Disposable {
  readonly path: string
  remove(): void
}

/** Makes an empty folder in the system's temporary place, mode 0700. */
export function makeTempFolder(prefix = 'aspy-test-'): TempFolder {
  const path = mkdtempSync(join(tmpdir(), prefix))
  // A client that was just ended may still write its last line: retried for a moment.
  const remove = () => rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  return { path, remove, [Symbol.dispose]: remove }
}
