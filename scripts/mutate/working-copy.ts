import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

export const ROOT = resolve(import.meta.dirname, '../..')

/** A copy of the repository in a temporary folder, where files can be changed while others work on the original. */
export class WorkingCopy implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), 'aspy-mutate-'))

  constructor() {
    const listed = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' })
    for (const file of listed.split('\0').filter((name) => name !== '')) {
      mkdirSync(dirname(join(this.path, file)), { recursive: true })
      cpSync(join(ROOT, file), join(this.path, file), { verbatimSymlinks: true })
    }
    symlinkSync(join(ROOT, 'node_modules'), join(this.path, 'node_modules'))
    // Also if a signal ends the run.
    process.once('exit', () => this[Symbol.dispose]())
  }

  read(file: string): string {
    return readFileSync(join(this.path, file), 'utf8')
  }

  /** Runs `work` while `file` has another text. */
  async whileChanged<T>(file: string, text: string, work: () => Promise<T>): Promise<T> {
    const before = this.read(file)
    writeFileSync(join(this.path, file), text)
    try {
      return await work()
    } finally {
      writeFileSync(join(this.path, file), before)
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
}
