const CODEX_SESSION = /^codex-/
/** Sessions that Aspy named itself: their callers name none. */
const UNNAMED_SESSION = /^(?:unnamed|batch)-/

const UUID = String.raw`[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}`
/** How other clients resume a session, by the form of its id; the first group is the client's own id. */
const OTHER_RESUMES: readonly (readonly [form: RegExp, command: readonly string[]])[] = [
  [new RegExp(`^pi-(${UUID})$`, 'i'), ['pi', '--session']],
  [new RegExp(`^qwen-(${UUID})$`, 'i'), ['qwen', '--resume']],
  [new RegExp(`^copilot-(${UUID})$`, 'i'), ['copilot', '--resume']],
  [new RegExp(`^(session_${UUID})$`, 'i'), ['kimi', '--session']],
  [/^(ses_\w{8,128})$/, ['opencode', '--session']],
]
const CLAUDE_OR_CODEX = new RegExp(`^(?:codex-)?${UUID}$`, 'i')

/**
 * Returns the command with which the client of a session resumes it, not quoted for a shell; null if its client cannot. The
 * client keeps the address of its own settings.
 */
export function resumeOf(sessionId: string): readonly string[] | null {
  if (UNNAMED_SESSION.test(sessionId)) return null
  for (const [form, command] of OTHER_RESUMES) {
    const own = form.exec(sessionId)?.[1]
    if (own !== undefined) return [...command, own]
  }
  if (!CODEX_SESSION.test(sessionId)) return ['claude', '--resume', sessionId]
  return ['codex', 'resume', sessionId.replace(CODEX_SESSION, '')]
}

/** Returns the arguments of `aspy` that resume a session so that it is recorded whatever address its client has set. */
export function recordedResumeOf(sessionId: string, run = 'run'): readonly string[] | null {
  const resume = resumeOf(sessionId)
  return resume === null ? null : [...run.split(' '), '--', ...resume]
}

/**
 * Returns whether an id has the form in which a client that resumes sessions names them. No other id becomes part of a
 * command.
 */
export const isResumable = (sessionId: string): boolean =>
  CLAUDE_OR_CODEX.test(sessionId) || OTHER_RESUMES.some(([form]) => form.test(sessionId))

/** The command that starts a new session of the client that the window offers. */
export const NEW_SESSION: readonly string[] = ['claude']

const LABELS: Readonly<Record<string, string>> = {
  'claude-code': 'Claude Code',
  codex: 'Codex',
  'agent-sdk': 'Agent SDK',
  'anthropic-sdk': 'Anthropic SDK',
  'openai-sdk': 'OpenAI SDK',
  'gemini-cli': 'Gemini CLI',
  opencode: 'OpenCode',
  pi: 'pi',
  'copilot-cli': 'Copilot CLI',
  'kimi-code': 'Kimi Code',
  'qwen-code': 'Qwen Code',
  unknown: 'Unknown client',
}

/** A name that consists of words alone, as clients call themselves in lists. */
const WORDS = /^[a-z][a-z\d]*(?:[-_][a-z\d]+)*$/
const ABBREVIATION = /^(?:ai|api|cli|ide|sdk|ui)$/

/** Returns a client's name for people. One without an entry is written as a title: `my-agent` → `My Agent`. */
export function clientLabel(client: string): string {
  const known = Object.hasOwn(LABELS, client) ? LABELS[client] : undefined
  if (known !== undefined || !WORDS.test(client)) return known ?? client
  const title = (word: string) =>
    ABBREVIATION.test(word) ? word.toUpperCase() : word.charAt(0).toUpperCase() + word.slice(1)
  return client.split(/[-_]/).map(title).join(' ')
}

/** Returns who answers in a conversation: the model's maker if the client has one, else the client. */
export function assistantLabel(client: string): string {
  return client === 'claude-code' || client === 'agent-sdk' || client === 'anthropic-sdk'
    ? 'Claude'
    : client === 'unknown'
      ? 'Assistant'
      : clientLabel(client)
}

/** Providers of the clients' models, as OpenTelemetry's conventions name them; Anthropic for every other client. */
const PROVIDERS: Readonly<Record<string, string>> = {
  codex: 'openai',
  'openai-sdk': 'openai',
  'gemini-cli': 'gcp.gemini',
}

/** Returns the names of a client in traces: itself, its service, and the provider of its models. */
export function tracedAs(client: string): {
  readonly agent: string
  readonly service: string
  readonly provider: string
} {
  const named = client === 'unknown' ? 'claude-code' : client
  const provider = Object.hasOwn(PROVIDERS, named) ? PROVIDERS[named] : undefined
  return { agent: clientLabel(named), service: named, provider: provider ?? 'anthropic' }
}

/** Returns the client that a person entered, by its key or its display name. */
export function clientNamed(text: string): string {
  const named = text.trim().toLowerCase()
  return Object.entries(LABELS).find(([, label]) => label.toLowerCase() === named)?.[0] ?? text
}

/** The address that a recorded request would have without Aspy, and the header with the key, for a POSIX shell. */
export interface PublicApi {
  readonly url: string
  readonly keyHeader: string
}

/** Returns the public address of the path of a recorded request. */
export function publicApi(path: string): PublicApi {
  if (path.startsWith('/openai/')) {
    return {
      url: `https://api.openai.com${path.slice('/openai'.length)}`,
      keyHeader: 'authorization: Bearer $OPENAI_API_KEY',
    }
  }
  return { url: `https://api.anthropic.com${path}`, keyHeader: 'x-api-key: $ANTHROPIC_API_KEY' }
}

/** Shortens a model's name: `claude-haiku-4-5-20251001` → `haiku-4-5`. */
export const modelName = (model: string): string => model.replace(/^claude-/, '').replace(/-\d{8}$/, '')

/** Names of the kinds of context that a client reads from a file of instructions. */
export const INSTRUCTION_FILES: Readonly<Record<string, string>> = { claude_md: 'CLAUDE.md' }
