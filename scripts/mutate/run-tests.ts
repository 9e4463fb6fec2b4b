import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/**
 * `red`: a test failed. `broken`: a file could not be loaded or nothing ran, which says nothing about the fault. `hung`: no
 * test failed within the limit.
 */
export interface TestRun {
  readonly outcome: 'green' | 'red' | 'broken' | 'hung'
  /** The first test that failed, or why nothing ran. */
  readonly what: string
  readonly seconds: number
  /** Test files that failed, from the root of the repository. */
  readonly red: readonly string[]
}

interface Report {
  readonly numPassedTests: number
  readonly testResults: readonly {
    readonly name: string
    readonly message: string
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
  }[]
}

const running = new Set<number>()
process.once('exit', () => {
  for (const pid of running) endGroup(pid)
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

/** Runs test files of a working copy: up to the first failure, or all. */
export async function runTests(
  root: string,
  files: readonly string[],
  limitMs: number,
  upTo: 'first failure' | 'all' = 'first failure',
): Promise<TestRun> {
  const report = join(root, 'node_modules.report.json')
  const startedAt = performance.now()
  rmSync(report, { force: true })
  const bail = upTo === 'all' ? [] : ['--bail', '1']
  const levels = [...new Set(files.map(levelOf))].flatMap((level) => ['--project', level])
  const args = ['run', ...bail, ...levels, '--reporter=json', `--outputFile=${report}`, ...files]
  const end = await runIn(root, join(root, 'node_modules/vitest/vitest.mjs'), args, limitMs)
  const seconds = (performance.now() - startedAt) / 1000
  if (end === 'hung') return { outcome: 'hung', what: `no test failed within ${limitMs / 1000} s`, seconds, red: [] }
  return { ...judge(report), seconds }
}

/** To set up the other levels takes longer than many a unit test. */
function levelOf(file: string): string {
  if (file.startsWith('src/')) return 'unit'
  return file.startsWith('tests/e2e/') ? 'browser' : (file.split('/')[1] ?? '')
}

/** Runs a script of a working copy in a separate process group, which ends with it. */
export function runIn(
  root: string,
  script: string,
  args: readonly string[],
  limitMs: number,
): Promise<number | 'hung'> {
  const { ASPY_BUNDLES: _, npm_lifecycle_event: __, ...env } = process.env
  const child = spawn(process.execPath, [script, ...args], { cwd: root, env, stdio: 'ignore', detached: true })
  const endAll = endWithUs(child)
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => end('hung'), limitMs)
    const end = (result: number | 'hung') => {
      clearTimeout(timer)
      endAll()
      resolve(result)
    }
    child.once('error', reject)
    child.once('exit', (code) => end(code ?? 1))
  })
}

/** Makes a process group end with this process at the latest. Returns what ends it at once. */
export function endWithUs({ pid }: ChildProcess): () => void {
  if (pid === undefined) return () => undefined
  running.add(pid)
  return () => {
    endGroup(pid)
    running.delete(pid)
  }
}

function judge(path: string): Omit<TestRun, 'seconds'> {
  if (!existsSync(path)) return { outcome: 'broken', what: 'Vitest wrote no report', red: [] }
  const { testResults, numPassedTests } = JSON.parse(readFileSync(path, 'utf8')) as Report
  const failed = testResults.flatMap(({ name, assertionResults }) => {
    const first = assertionResults.find(({ status }) => status === 'failed')
    return first === undefined ? [] : [{ file: name.replace(/^.*?\/(src|tests)\//, '$1/'), test: first.fullName }]
  })
  const [first] = failed
  if (first !== undefined)
    return { outcome: 'red', what: `${first.file}: ${first.test}`, red: failed.map(({ file }) => file) }
  const unloaded = testResults.find(({ message }) => message !== '')
  if (unloaded !== undefined)
    return { outcome: 'broken', what: `${unloaded.name}: ${unloaded.message.split('\n')[0]}`, red: [] }
  if (numPassedTests === 0) return { outcome: 'broken', what: 'no test ran', red: [] }
  return { outcome: 'green', what: '', red: [] }
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
