import { readFileSync, readdirSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

/** Values of this machine that the installed plugin contains. */
export interface PluginPlaces {
  /** Folder of the shipped plugin: resources/claude-plugin. */
  readonly source: string
  /** The command that starts `aspy`: an executable and its first arguments. */
  readonly aspy: readonly [string, ...string[]]
  readonly dataDir: string
  /** Address that hooks post to. */
  readonly hooksUrl: string
  /** Key that only allows posting hooks. */
  readonly hooksKey: string
  /** Also tells of shell commands before they run. */
  readonly watchesFiles: boolean
}

/** Hooks posted as they happen, with their time limits in seconds. If the server is down, the client loses no time. */
const POSTED_HOOKS: Readonly<Record<string, number>> = {
  UserPromptSubmit: 2,
  PostToolUse: 2,
  PostToolUseFailure: 2,
  SubagentStart: 2,
  SubagentStop: 2,
  PreCompact: 2,
  PostCompact: 2,
  Stop: 2,
  Notification: 2,
  PermissionRequest: 2,
  SessionEnd: 1,
}

/**
 * Returns the plugin's files as installed (path in its folder → text): the shipped files, with the addresses of this
 * machine in the MCP server and hooks. Claude Code accepts only commands for SessionStart, so that hook starts `aspy`.
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

const mcpServer = ({ aspy: [command, ...args], dataDir }: PluginPlaces): object => ({
  command,
  args: [...args, 'mcp', '--data', dataDir],
})

function hooks({ aspy, dataDir, hooksUrl, hooksKey, watchesFiles }: PluginPlaces): object {
  const command = [...aspy, 'hook', '--data', dataDir].map(quoted).join(' ')
  const posting = (timeout: number) => [
    { type: 'http', url: hooksUrl, headers: { Authorization: `Bearer ${hooksKey}` }, timeout },
  ]
  const posted = Object.entries(POSTED_HOOKS).map(([event, timeout]) => [event, [{ hooks: posting(timeout) }]])
  return {
    SessionStart: [{ hooks: [{ type: 'command', command, timeout: 5 }] }],
    ...Object.fromEntries(posted),
    ...(watchesFiles ? { PreToolUse: [{ matcher: 'Bash', hooks: posting(1) }] } : {}),
  }
}

/** Quotes a word for a shell: POSIX quotes, or double quotes on Windows, where paths cannot contain them. */
function quoted(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word
  return process.platform === 'win32' ? `"${word}"` : `'${word.replaceAll("'", String.raw`'\''`)}'`
}

const pretty = (value: object) => `${JSON.stringify(value, null, 2)}\n`
