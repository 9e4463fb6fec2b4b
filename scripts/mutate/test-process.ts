import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { endWithUs, type TestRun } from './run-tests.ts'

const SERVER = fileURLToPath(new URL('./test-server.ts', import.meta.url))

/** Runs tests of a working copy in a process that keeps Vitest loaded. It is started again after a mutant that never ends. */
export class TestProcess implements Disposable {
  readonly #root: string
  #process: { readonly child: ChildProcess; readonly end: () => void } | undefined

  constructor(root: string) {
    this.#root = root
  }

  /** Runs unit and integration tests up to the first failure. `changed` is the file that differs from the last run. */
  async run(changed: string, files: readonly string[], limitMs: number): Promise<TestRun> {
    const { child } = (this.#process ??= await this.#start())
    const startedAt = performance.now()
    const run = await new Promise<Pick<TestRun, 'outcome' | 'what'>>((resolve) => {
      const answer = (value: unknown) => {
        clearTimeout(timer)
        resolve(value as TestRun)
      }
      const what = `no test failed within ${Math.round(limitMs / 1000)} s`
      const timer = setTimeout(() => {
        child.off('message', answer)
        resolve({ outcome: 'hung', what })
      }, limitMs)
      child.once('message', answer)
      child.send({ changed, files })
    })
    if (run.outcome === 'hung') this[Symbol.dispose]()
    return { ...run, seconds: (performance.now() - startedAt) / 1000, red: [] }
  }

  async #start() {
    const child = fork(SERVER, { cwd: this.#root, stdio: ['ignore', 'ignore', 'ignore', 'ipc'], detached: true })
    const end = endWithUs(child)
    await once(child, 'message')
    return { child, end }
  }

  [Symbol.dispose](): void {
    this.#process?.end()
    this.#process = undefined
  }
}
