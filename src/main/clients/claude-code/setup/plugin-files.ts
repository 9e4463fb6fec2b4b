import { readFileSync, readdirSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

/** What the installed plugin must know of this machine. */
export interface PluginPlaces {
  /** The plugin as it is shipped: resources/claude-plugin. */
  readonly source: string
  /** How `aspy` is started here: an executable and its first arguments. */
  readonly aspy: readonly [string, ...string[]]
  readonly dataDir: string
  /** Where hooks are posted to. */
  readonly hooksUrl: string
  /** May only post hooks. */
  readonly hooksKey: string
}

/** Events that are posted as they happen; none waits for more than its seconds, and a server that is down costs nothing. */
const POSTED_HOOKS: Readonly<Record<string, number>> = {
  UserPromptSubmit: 2,
  PostToolUse: 2,
  PostToolUseFailure: 2,
  SubagentStart: 2,
  SubagentStop: 2,
  PreCompact: 2,
  PostCompact: 2,
  Stop: 2,
  SessionEnd: 1,
}

/**
 * The plugin's files as they are installed (path below its folder → text): those shipped, with the MCP server and the
 * hooks told where Aspy is on this machine. Claude Code takes only commands for SessionStart, so that one starts `aspy`.
 */
export function pluginFiles(places: PluginPlaces): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  for (const entry of readdirSync(places.source, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    files.set(relative(places.source, path).split(sep).join('/'), readFileSync(path, 'utf8'))
  }
  files.set('.mcp.json', pretty({ mcpServers: { aspy: mcpServer(places) } }))
  files.set('hooks/hooks.json', pretty({ hooks: hooks(places) }))
  return files
}

function mcpServer({ aspy: [command, ...args], dataDir }: PluginPlaces): object {
  return { command, args: [...args, 'mcp', '--data', dataDir] }
}

function hooks({ aspy, dataDir, hooksUrl, hooksKey }: PluginPlaces): object {
  const command = [...aspy, 'hook', '--data', dataDir].map(quoted).join(' ')
  const posted = Object.entries(POSTED_HOOKS).map(([event, timeout]) => [
    event,
    [{ hooks: [{ type: 'http', url: hooksUrl, headers: { Authorization: `Bearer ${hooksKey}` }, timeout }] }],
  ])
  return { SessionStart: [{ hooks: [{ type: 'command', command, timeout: 5 }] }], ...Object.fromEntries(posted) }
}

/** For a shell: POSIX quotes, or plain double quotes on Windows, where paths hold no quotes. */
function quoted(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word
  return process.platform === 'win32' ? `"${word}"` : `'${word.replaceAll("'", String.raw`'\''`)}'`
}

const pretty = (value: object) => `${JSON.stringify(value, null, 2)}\n`
