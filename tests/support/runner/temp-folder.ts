import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A temporary folder, removed by `remove()` or at the end of a `using` block. */
export interface TempFolder extends Disposable {
  readonly path: string
  remove(): void
}

/** Creates an empty folder in the system's temporary folder, with mode 0700. */
export function makeTempFolder(prefix = 'aspy-test-'): TempFolder {
  const path = mkdtempSync(join(tmpdir(), prefix))
  // Retried, because a client that just exited may still write its last line.
  const remove = () => rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  return { path, remove, [Symbol.dispose]: remove }
}
