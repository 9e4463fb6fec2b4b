import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { redirectOpencode } from '../../../src/main/clients/opencode/redirect.ts'
import { redirectPi } from '../../../src/main/clients/pi/redirect.ts'
import { fetchedPackage, type FetchedPackage } from './fetched-package.ts'

/** A client beside Claude Code and Codex, as the tests run it. */
export interface OtherClient {
  /** Key of the client. */
  readonly name: string
  readonly from: FetchedPackage
  /** Arguments of a run, before the prompt. */
  args(resume: string | null): readonly string[]
  /** Writes its settings into a home; returns variables of a run. */
  prepare(home: string, baseUrl: string): Readonly<Record<string, string>>
  /** Returns the id that resumes the session of one of its files; null for any other file. */
  sessionIn(file: string): string | null
  /** Its names of tools; null: it has none. */
  readonly tools: {
    readonly shell: string
    readonly agent: string | null
    readonly agentType: string
    /** Further input of a call that starts an agent. */
    readonly further?: { readonly [name: string]: string }
  }
  /** True if its program runs without Node. */
  readonly isBinary?: boolean
  /** Tokens of an answer after which it compacts. */
  readonly fullAt: number
}

const program =
  (...path: readonly string[]) =>
  (modules: string) => {
    const found = join(modules, ...path)
    return existsSync(found) ? found : null
  }

function write(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}

/** The window of the model is small, so that the client compacts when an answer reports a full one. */
const KIMI_SETTINGS = (baseUrl: string) => `default_model = "small"
telemetry = false
[providers.here]
type = "anthropic"
api_key = "sk-ant-dummy"
base_url = "${baseUrl}"
[models.small]
provider = "here"
model = "claude-sonnet-4-5"
max_context_size = 100000
`

const PI: OtherClient = {
  name: 'pi',
  from: fetchedPackage(
    '@earendil-works/pi-coding-agent',
    '1.6.0',
    program('@earendil-works', 'pi-coding-agent', 'dist', 'bundle', 'cli.js'),
  ),
  args: (resume) => [
    ...redirectPi({ baseUrl: '', args: [], env: {} }).args,
    ...(resume === null ? [] : ['--session', resume]),
    '--model',
    'anthropic/claude-sonnet-4-5',
    '--offline',
    '-p',
  ],
  prepare: (_home, baseUrl) => ({ ASPY_PI_BASE_URL: baseUrl, PI_OFFLINE: '1', PI_TELEMETRY: '0' }),
  sessionIn: (file) => /_([\da-f-]{36})\.jsonl$/.exec(file)?.[1] ?? null,
  tools: { shell: 'bash', agent: null, agentType: '' },
  fullAt: 990_000,
}

const QWEN_CODE: OtherClient = {
  name: 'qwen-code',
  from: fetchedPackage('@qwen-code/qwen-code', '0.24.4', program('@qwen-code', 'qwen-code', 'cli-entry.js')),
  args: (resume) => ['--yolo', ...(resume === null ? [] : ['--resume', resume]), '-p'],
  prepare(home, baseUrl) {
    const settings = {
      security: { auth: { selectedType: 'anthropic' } },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false },
    }
    write(join(home, '.qwen', 'settings.json'), JSON.stringify(settings))
    return { ANTHROPIC_BASE_URL: baseUrl, ANTHROPIC_MODEL: 'claude-sonnet-4-5' }
  },
  sessionIn: (file) => /[\\/]chats[\\/]([\da-f-]{36})\.jsonl$/.exec(file)?.[1] ?? null,
  tools: { shell: 'run_shell_command', agent: 'agent', agentType: 'Explore' },
  fullAt: 172_000,
}

const KIMI_CODE: OtherClient = {
  name: 'kimi-code',
  from: fetchedPackage('@moonshot-ai/kimi-code', '2.1.0', program('@moonshot-ai', 'kimi-code', 'dist', 'main.mjs')),
  args: (resume) => [...(resume === null ? [] : ['--session', resume]), '-p'],
  prepare(home, baseUrl) {
    write(join(home, '.kimi-code', 'config.toml'), KIMI_SETTINGS(baseUrl))
    return {}
  },
  sessionIn: (file) => /(session_[\da-f-]{36})[\\/]/.exec(file)?.[1] ?? null,
  tools: { shell: 'Bash', agent: 'Agent', agentType: 'explore' },
  fullAt: 95_000,
}

const COPILOT_CLI: OtherClient = {
  name: 'copilot-cli',
  from: fetchedPackage('@github/copilot-linux-x64', '1.0.102', program('@github', 'copilot-linux-x64', 'copilot')),
  args: (resume) => ['--allow-all-tools', '--no-color', ...(resume === null ? [] : [`--resume=${resume}`]), '-p'],
  prepare: (_home, baseUrl) => ({
    COPILOT_PROVIDER_BASE_URL: baseUrl,
    COPILOT_PROVIDER_TYPE: 'anthropic',
    COPILOT_PROVIDER_API_KEY: 'sk-ant-dummy',
    COPILOT_PROVIDER_MAX_PROMPT_TOKENS: '64000',
    COPILOT_MODEL: 'claude-sonnet-4-5',
    COPILOT_AUTO_UPDATE: 'false',
    COPILOT_OFFLINE: 'true',
  }),
  sessionIn: (file) => /session-state[\\/]([\da-f-]{36})[\\/]events\.jsonl$/.exec(file)?.[1] ?? null,
  tools: {
    shell: 'bash',
    agent: 'task',
    agentType: 'explore',
    further: { agent_type: 'explore', name: 'looker' },
  },
  isBinary: true,
  fullAt: 60_000,
}

/** The window of the model is small here, too. */
const OPENCODE_SETTINGS = {
  provider: { anthropic: { models: { 'claude-sonnet-4-5': { limit: { context: 100_000, output: 8_000 } } } } },
}

/** OpenCode keeps its sessions in a database, which is not imported. */
export const OPENCODE: OtherClient = {
  name: 'opencode',
  from: fetchedPackage('opencode-linux-x64', '1.18.34', program('opencode-linux-x64', 'bin', 'opencode')),
  args: (resume) => [
    'run',
    ...(resume === null ? [] : ['--session', resume]),
    '--model',
    'anthropic/claude-sonnet-4-5',
  ],
  prepare: (_home, baseUrl) => ({
    ...redirectOpencode({ baseUrl, args: [], env: { OPENCODE_CONFIG_CONTENT: JSON.stringify(OPENCODE_SETTINGS) } })
      .variables,
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
  }),
  sessionIn: () => null,
  tools: { shell: 'bash', agent: 'task', agentType: 'general' },
  isBinary: true,
  fullAt: 95_000,
}

/** Those whose files are imported; the first is the fastest. */
export const OTHER_CLIENTS: readonly OtherClient[] = [PI, KIMI_CODE, QWEN_CODE, COPILOT_CLI]

export interface OtherRun {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a client to its end with one prompt, in `work` below a temporary home. It talks to `baseUrl` alone. */
export async function runOther(
  client: OtherClient,
  home: string,
  baseUrl: string,
  prompt: string,
  resume: string | null = null,
): Promise<OtherRun> {
  if (new URL(baseUrl).hostname !== '127.0.0.1') throw new Error('the test client may only talk to loopback')
  const entry = client.from.find()
  if (entry === null) throw new Error(`${client.name} was not fetched; the set-up of the client tests does that`)
  const work = join(home, 'work')
  mkdirSync(work, { recursive: true })
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
    HOME: home,
    ANTHROPIC_API_KEY: 'sk-ant-dummy',
    NO_PROXY: '127.0.0.1',
    ...client.prepare(home, baseUrl),
  }
  return await new Promise((resolve) => {
    const args = [...client.args(resume), prompt]
    const child = execFile(
      client.isBinary === true ? entry : process.execPath,
      client.isBinary === true ? args : [entry, ...args],
      { cwd: work, env, timeout: 120_000, maxBuffer: 1e8 },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }),
    )
    child.stdin?.end()
  })
}
