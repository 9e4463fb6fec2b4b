import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startAspy } from '../app/aspy-command.ts'
import { findClaude } from '../client/claude-client.ts'
import { findCodex } from '../client/codex-client.ts'
import { startTunnel } from '../tunnel/tunnel-under-test.ts'
import { lastUserText, startMessagesUpstream, type SeenRequest } from '../upstream/messages-upstream.ts'
import {
  call,
  message,
  startResponsesUpstream,
  type ResponsesAnswer,
  type SeenCall,
} from '../upstream/responses-upstream.ts'

/** Subagents of each run, and how often each calls a tool before it ends. */
const AGENTS = ['a', 'b', 'c', 'd', 'e']
const STEPS = 4
const CODEX = ['exec', '--json', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox']

/** An answer that its client has got whole: it came back with the result of the call in it. */
export interface GotAnswer {
  readonly id: string
  /** When the API had written it. */
  readonly doneAt: number
}

/** Two Claude Codes and two Codexes that each start five subagents at a time, run after run, and the APIs they ask. */
export interface ClientTeam extends AsyncDisposable {
  /** Of Claude Code; that of Codex belongs to its runs. */
  readonly url: string
  /** When each request came, once for each time. */
  readonly asked: ReadonlyMap<string, readonly number[]>
  readonly got: readonly GotAnswer[]
  /** Ended runs, by client. */
  readonly runs: ReadonlyMap<string, number>
  /** Runs the clients until this is aborted and their runs have ended. Rejects if one ends with an error. */
  work(dataDir: string, ending: AbortSignal): Promise<void>
}

/** Answers take up to `longestMs`. Runs have their homes below `folder`. */
export async function startClientTeam(folder: string, longestMs: number): Promise<ClientTeam> {
  const asked = new Map<string, number[]>()
  const got: GotAnswer[] = []
  const done = new Map<string, number>()
  const runs = new Map<string, number>()
  const note = (key: string, answered: readonly string[]) => {
    asked.set(key, [...(asked.get(key) ?? []), performance.now()])
    for (const id of answered) {
      const doneAt = done.get(id)
      if (doneAt !== undefined) got.push({ id, doneAt })
      done.delete(id)
    }
  }
  /** Resolves when the answer with this name may end. */
  const written = async (id: string) => {
    await pause(longestMs * Math.random())
    done.set(id, performance.now())
  }

  const file = join(folder, 'note.txt')
  writeFileSync(file, 'solarized')
  const claude = await startMessagesUpstream((request) => {
    const id = randomBytes(8).toString('hex')
    const results = resultsIn(request)
    note(`${request.sessionId} ${request.agentId} ${results.length}`, results)
    void written(id).then(() => claude.release(id))
    const begun = [{ text: 'begun, ' }, { hold: id }]
    const tool = (name: string, input: object, at = '') => ({ tool: name, input, id: `toolu_${id}${at}` })
    const ended = { text: `ended ${id}.` }
    if (request.agentId !== null)
      return { steps: [...begun, ended, ...(results.length < STEPS ? [tool('Read', { file_path: file })] : [])] }
    if (results.length > 0 || !lastUserText(request.body).includes('Delegate')) return { steps: [...begun, ended] }
    const agents = AGENTS.map((at) =>
      tool(
        'Agent',
        { prompt: `Look ${at}`, description: at, subagent_type: 'general-purpose', run_in_background: false },
        at,
      ),
    )
    return { steps: [...begun, ended, ...agents] }
  })

  // Where full mode passes by, it tunnels to the API itself: here, through an office's proxy that leads there.
  const office = await startTunnel({ upstream: claude.url })
  const officeCa = join(folder, 'office.pem')
  writeFileSync(officeCa, office.ca)

  /** Agents that have ended, by their thread. */
  const ended = new Map<string, Set<string>>()
  const answerCodex = async ({ body, headers }: SeenCall): Promise<ResponsesAnswer> => {
    const id = randomBytes(8).toString('hex')
    const metadata = JSON.stringify([headers['x-codex-turn-metadata'] ?? '', body?.['client_metadata'] ?? ''])
    const agent = /\/root\/([a-e])\b/.exec(metadata)?.[1]
    const session = /session_id[\\":]+([\w-]+)/.exec(metadata)?.[1] ?? '-'
    const last = body?.input?.at(-1) ?? {}
    const [step = 0, before = ''] = /^call_(\d+)_(\w{16})/.exec(String(last['call_id']))?.slice(1) ?? []
    note(
      `${session} ${agent ?? 'main'} ${step} ${before || JSON.stringify(last).slice(0, 200)}`,
      before ? [before] : [],
    )
    const ids = ended.get(session) ?? new Set()
    ended.set(session, ids)
    const tool = (name: string, input: object, at = '') => ({
      ...call(name, input),
      call_id: `call_${Number(step) + 1}_${id}${at}`,
      ...(name === 'exec_command' ? {} : { namespace: 'collaboration' }),
    })
    const hold = { reached: () => undefined, released: written(id) }
    const said = message(`begun, ended ${id}.`)
    if (agent !== undefined) {
      if (Number(step) >= STEPS) {
        await hold.released
        ids.add(agent)
        return { output: [said] }
      }
      return { output: [said, tool('exec_command', { cmd: 'echo solarized' })], hold }
    }
    if (Number(step) === 0)
      return {
        output: [said, ...AGENTS.map((at) => tool('spawn_agent', { task_name: at, message: `Look ${at}` }, at))],
        hold,
      }
    if (ids.size < AGENTS.length) return { output: [said, tool('wait_agent', { timeout_ms: 10_000 })], hold }
    return { output: [said], hold }
  }
  const [sse, socket] = await Promise.all([
    startResponsesUpstream(answerCodex),
    startResponsesUpstream(answerCodex, { websocket: 'permessage-deflate' }),
  ])

  async function run(name: string, at: number, dataDir: string): Promise<void> {
    const home = join(folder, `${name}-${at}`)
    mkdirSync(join(home, '.codex'), { recursive: true })
    writeFileSync(
      join(home, '.codex/auth.json'),
      JSON.stringify({ auth_mode: 'apikey', OPENAI_API_KEY: 'sk-proj-dummy' }),
    )
    const upstream = { 'codex-sse': sse.url, 'codex-websocket': socket.url }[name]
    const client =
      upstream === undefined
        ? ['claude', '-p', 'Delegate this', '--output-format', 'json', '--add-dir', folder]
        : ['codex', ...CODEX, '--model', 'gpt-6.1-sol', 'Delegate this']
    const flags = [
      ...(name === 'claude-full' ? ['--full'] : []),
      ...(upstream === undefined ? [] : ['--upstream', upstream]),
    ]
    const { code, signal, stdout, stderr } = await startAspy(
      ['run', '--data', dataDir, ...flags, '--', ...client],
      {
        PATH:
          [findClaude() ?? '', findCodex() ?? ''].map((path) => dirname(path)).join(':') + `:${process.env['PATH']}`,
        ANTHROPIC_API_KEY: 'sk-ant-dummy',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_AUTOUPDATER: '1',
        DISABLE_TELEMETRY: '1',
        CODEX_HOME: join(home, '.codex'),
        ...(name === 'claude-full' && {
          HTTPS_PROXY: `http://office:${office.key}@127.0.0.1:${office.port}`,
          NODE_EXTRA_CA_CERTS: officeCa,
        }),
      },
      home,
      home,
    ).finished
    const isWell = upstream === undefined ? /"is_error":false/ : /turn\.completed/
    if (code !== 0 || !isWell.test(stdout))
      throw new Error(`${name} ${at} ended with ${code} ${signal}: ${stdout.slice(-3000)} ${stderr.slice(-3000)}`)
    runs.set(name, (runs.get(name) ?? 0) + 1)
  }

  return {
    url: claude.url,
    asked,
    got,
    runs,
    async work(dataDir, ending) {
      const clients = ['claude-base', 'claude-full', 'codex-sse', 'codex-websocket'].map(async (name) => {
        for (let at = 0; !ending.aborted; at += 1) await run(name, at, dataDir)
      })
      await Promise.all(clients)
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([claude, sse, socket, office].map((each) => each[Symbol.asyncDispose]()))
    },
  }
}

/** The names of the answers whose calls' results a request brings. */
function resultsIn({ body }: SeenRequest): string[] {
  const blocks = (body?.messages ?? []).flatMap(({ content }) => (typeof content === 'string' ? [] : content))
  const ids = blocks.flatMap((block) =>
    block.type === 'tool_result' ? [String(block['tool_use_id']).slice('toolu_'.length, 'toolu_'.length + 16)] : [],
  )
  return [...new Set(ids)]
}
