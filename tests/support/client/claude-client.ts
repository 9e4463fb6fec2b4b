import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { KNOWN_CLIENT } from '../../../src/main/clients/claude-code/doctor/facts.ts'
import { fetchedPackage } from './fetched-package.ts'

/** The Claude Code that the tests run. */
export const CLAUDE_CODE = fetchedPackage('@anthropic-ai/claude-code', KNOWN_CLIENT, (modules) => {
  const scope = join(modules, '@anthropic-ai')
  if (!existsSync(scope)) return null
  // npm installs the one platform package that fits this machine.
  const candidates = readdirSync(scope).flatMap((name) => [
    join(scope, name, 'claude'),
    join(scope, name, 'claude.exe'),
  ])
  return candidates.find((path) => existsSync(path))
})

/** The client's executable; null where it was not fetched. */
export const findClaude = (): string | null => CLAUDE_CODE.find()

export interface ClaudeRun {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
  /** The JSON that `--output-format json` prints; null where it printed none. */
  readonly result: ClaudeResult | null
  /** Transcripts below HOME, the session's own first. */
  readonly transcripts: readonly string[]
}

export interface ClaudeResult {
  readonly session_id: string
  readonly result?: string
  readonly is_error: boolean
  readonly num_turns: number
  readonly total_cost_usd: number
  readonly usage: { readonly [key: string]: unknown }
  readonly modelUsage?: { readonly [model: string]: { readonly [key: string]: unknown } }
}

export interface ClaudeOptions {
  /** Must be loopback. null: the API's own address, which only the proxy of `env` reaches. */
  readonly baseUrl: string | null
  readonly prompt: string
  /** Temporary: the client writes its transcripts and settings there. */
  readonly home: string
  readonly cwd?: string
  readonly args?: readonly string[]
  /** Becomes HOME/.claude/settings.json (hooks, permissions, …). */
  readonly settings?: object
  readonly env?: { readonly [name: string]: string }
  readonly signal?: AbortSignal
  /** Sends more prompts while the client works; the client ends when this has settled and all are answered. */
  readonly more?: (send: (prompt: string) => void) => Promise<void>
  /** The prompt comes through the standard input, as from a file. */
  readonly isPiped?: true
  /** Receives each part of the standard output as it is printed. */
  readonly onOutput?: (text: string) => void
}

/**
 * Runs the real Claude Code to its end: `-p PROMPT`, thinking summaries asked for, Bash(echo) allowed, a dummy key, an
 * environment of its own, no traffic but to `baseUrl` or the proxy of `env`. Throws where the client is not there; a failed run only has its
 * exit code.
 */
export async function runClaude(options: ClaudeOptions): Promise<ClaudeRun> {
  const host = new URL(options.baseUrl ?? options.env?.['https_proxy'] ?? 'http://none').hostname
  if (host !== '127.0.0.1' && host !== 'localhost')
    throw new Error(`the test client may only talk to loopback: ${host}`)
  const claude = findClaude()
  if (claude === null) throw new Error('Claude Code was not fetched; the set-up of the client tests does that')
  const config = join(options.home, '.claude')
  mkdirSync(config, { recursive: true })
  if (options.settings) writeFileSync(join(config, 'settings.json'), JSON.stringify(options.settings))
  const formats = options.more
    ? ['-p', ...'--input-format stream-json --output-format stream-json --verbose'.split(' ')]
    : ['-p', ...(options.isPiped ? [] : [options.prompt]), '--output-format', 'json']
  const args = [
    ...formats,
    ...'--thinking-display summarized --allowedTools Bash(echo:*)'.split(' '),
    ...(options.args ?? []),
  ]
  const child = spawn(claude, args, {
    cwd: options.cwd ?? options.home,
    stdio: [options.more || options.isPiped ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      HOME: options.home,
      USERPROFILE: options.home,
      ...(options.baseUrl === null ? {} : { ANTHROPIC_BASE_URL: options.baseUrl }),
      ANTHROPIC_API_KEY: 'sk-ant-dummy',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
      ...options.env,
    },
    ...(options.signal ? { signal: options.signal } : {}),
  })
  const stdout: Buffer[] = []
  const stderr: Buffer[] = []
  const { stdin } = child
  if (options.isPiped) stdin?.end(options.prompt)
  if (options.more && stdin) {
    const send = (prompt: string): void => {
      stdin.write(`${JSON.stringify({ type: 'user', message: { role: 'user', content: prompt } })}\n`)
    }
    send(options.prompt)
    void options.more(send).finally(() => stdin.end())
  }
  child.stdout?.on('data', (chunk: Buffer) => {
    stdout.push(chunk)
    options.onOutput?.(chunk.toString())
  })
  child.stderr?.on('data', (chunk: Buffer) => stderr.push(chunk))
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.on('close', resolve)
    child.on('error', (error) => (error.name === 'AbortError' ? undefined : reject(error)))
  })
  const printed = Buffer.concat(stdout).toString()
  const result = resultIn(printed)
  return {
    exitCode,
    stdout: printed,
    stderr: Buffer.concat(stderr).toString(),
    result,
    transcripts: transcriptsIn(join(config, 'projects'), result?.session_id ?? ''),
  }
}

function resultIn(stdout: string): ClaudeResult | null {
  const line = stdout.trim().split('\n').at(-1) ?? ''
  return line.startsWith('{') ? (JSON.parse(line) as ClaudeResult) : null
}

function transcriptsIn(folder: string, sessionId: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl'))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted((a, b) => Number(b.endsWith(`${sessionId}.jsonl`)) - Number(a.endsWith(`${sessionId}.jsonl`)))
}
