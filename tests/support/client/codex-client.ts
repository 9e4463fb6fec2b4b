import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { KNOWN_CODEX } from '../../../src/main/clients/codex/known-version.ts'
import { fetchedPackage } from './fetched-package.ts'

/** The Codex that the tests run. */
export const CODEX = fetchedPackage('@openai/codex', KNOWN_CODEX, (modules) => {
  const scope = join(modules, '@openai')
  if (!existsSync(scope)) return null
  // npm installs the one platform package that fits this machine.
  const candidates = readdirSync(scope).flatMap((name) => {
    const vendor = join(scope, name, 'vendor')
    return existsSync(vendor)
      ? readdirSync(vendor).flatMap((target) => [
          join(vendor, target, 'bin', 'codex'),
          join(vendor, target, 'bin', 'codex.exe'),
        ])
      : []
  })
  return candidates.find((path) => existsSync(path))
})

/** The client's executable; null if it was not fetched. */
export const findCodex = (): string | null => CODEX.find()

export interface CodexRun {
  readonly exitCode: number | null
  /** Lines of `--json`. */
  readonly lines: readonly { readonly type: string; readonly [name: string]: unknown }[]
  readonly stderr: string
  /** Rollout files below its home, newest last. */
  readonly rollouts: readonly string[]
}

export interface CodexOptions {
  /** Must be loopback. */
  readonly baseUrl: string
  readonly prompt: string
  /** Temporary: the client writes its rollouts and settings there. */
  readonly home: string
  readonly model?: string
  /** The thread to resume. */
  readonly resume?: string
  /** The thread to fork. */
  readonly fork?: string
  /** `-c key=value`. */
  readonly settings?: Readonly<Record<string, string | number | boolean>>
  readonly args?: readonly string[]
  /** Absent: a dummy API key. */
  readonly auth?: object
}

/** Runs the real Codex to its end: `codex exec`, a dummy key, no traffic but to `baseUrl`. */
export async function runCodex(options: CodexOptions): Promise<CodexRun> {
  if (new URL(options.baseUrl).hostname !== '127.0.0.1') throw new Error('the test client may only talk to loopback')
  const codex = findCodex()
  if (codex === null) throw new Error('Codex was not fetched; the set-up of the client tests does that')
  const home = join(options.home, '.codex')
  const work = join(options.home, 'work')
  for (const folder of [home, work]) mkdirSync(folder, { recursive: true })
  const auth = options.auth ?? { auth_mode: 'apikey', OPENAI_API_KEY: 'sk-proj-dummy' }
  writeFileSync(join(home, 'auth.json'), JSON.stringify(auth), { mode: 0o600 })
  const settings = { openai_base_url: options.baseUrl, check_for_update_on_startup: false, ...options.settings }
  const args = [
    'exec',
    ...(options.resume === undefined ? [] : ['resume', options.resume]),
    ...(options.fork === undefined ? [] : ['fork', options.fork]),
    '--json',
    '--skip-git-repo-check',
    '--dangerously-bypass-approvals-and-sandbox',
    '--model',
    options.model ?? 'gpt-5.6-sol',
    ...Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${JSON.stringify(value)}`]),
    ...(options.args ?? []),
    options.prompt,
  ]
  const child = spawn(codex, args, {
    cwd: work,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], HOME: options.home, CODEX_HOME: home, NO_PROXY: '127.0.0.1' },
  })
  const stdout: Buffer[] = []
  const stderr: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk))
  const exitCode = await new Promise<number | null>((resolve, reject) => child.on('close', resolve).on('error', reject))
  const lines = Buffer.concat(stdout)
    .toString()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as CodexRun['lines'][number])
  return { exitCode, lines, stderr: Buffer.concat(stderr).toString(), rollouts: rolloutsIn(join(home, 'sessions')) }
}

function rolloutsIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.startsWith('rollout-'))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
}
