import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AspyError } from '../../../../shared/contract/errors.ts'
import { replaceFile } from '../../../base/replace-file.ts'
import { readSetupRecord, writeSetupRecord } from '../../claude-code/setup/setup-record.ts'
import { parseConfig, readConfigText } from '../codex-config.ts'
import { withBlocks, withoutBlockOf, withoutBlocks } from './marked-blocks.ts'
import { SKILL } from './skill.ts'
import { errorCode } from '../../../../shared/error-text.ts'

export interface CodexSetupOptions {
  /** Codex's folder: `$CODEX_HOME`, else `~/.codex`. */
  readonly folder: string
  readonly dataDir: string
  /** The command that starts `aspy`: an executable and its first arguments. */
  readonly aspy: readonly [string, ...string[]]
  /** Sends every Codex through the proxy; null: only `aspy run -- codex` does. */
  readonly baseUrl: string | null
}

/**
 * Lets Codex ask Aspy: adds an MCP server to its `config.toml`, a skill, and on request the base URL. Running it again
 * updates them. Returns one line per change. Throws `conflict` or `bad_input` before anything is changed.
 */
export function setUpCodex(options: CodexSetupOptions): string[] {
  const { folder, dataDir, aspy, baseUrl } = options
  const file = join(folder, 'config.toml')
  const record = readSetupRecord(dataDir)
  const before = readConfigText(file)
  const own = withoutBlocks(before ?? '')
  refuseOwnSettings(file, own, baseUrl)
  const after = withBlocks(own, {
    top: baseUrl === null ? '' : `openai_base_url = ${JSON.stringify(baseUrl)}`,
    tables: mcpServer(aspy, dataDir),
  })
  refuseFixedServers(file, after)
  const skill = join(folder, 'skills', 'aspy-recall', 'SKILL.md')
  if (existsSync(skill) && record.codex?.skill !== skill)
    throw new AspyError('conflict', `${skill} exists but was not written by Aspy; move it away and run this again`)
  const made = [mkdirSync(folder, { recursive: true }), mkdirSync(dirname(skill), { recursive: true })]
  try {
    replaceFile(file, after)
  } catch (error) {
    for (const path of made.toReversed()) if (path !== undefined) removeEmptyBelow(path)
    const code = errorCode(error)
    const why = code === null ? '' : ` (${code})`
    throw new AspyError('bad_input', `${file} cannot be written${why}; nothing was changed`, { cause: error })
  }
  writeFileSync(skill, SKILL, { mode: 0o600 })
  const folders = [...(record.codex?.folders ?? []), ...made.filter((path) => path !== undefined)]
  const isCreated = record.codex?.isCreated ?? before === null
  writeSetupRecord(dataDir, { ...record, codex: { file, isCreated, skill, folders } })
  return [
    `Codex: MCP server aspy in ${file}`,
    `Codex: skill ${skill}`,
    ...(baseUrl === null ? [] : [`Codex: base URL in ${file}`]),
  ]
}

/** Takes Codex off the proxy; the MCP server and the skill stay. Needs no record of setup. Returns one line per change. */
export function disconnectCodex(folder: string): string[] {
  const file = join(folder, 'config.toml')
  const text = existsSync(file) ? readConfigText(file) : null
  const own = text === null ? null : withoutBlockOf(text, 'openai_base_url')
  if (own === null || own === text) return []
  replaceFile(file, own)
  return [`removed: openai_base_url in ${file}`]
}

/** Undoes what `setUpCodex` did, and nothing that was changed since. Returns one line per change. */
export function undoCodex(dataDir: string): string[] {
  const record = readSetupRecord(dataDir)
  const { codex } = record
  if (codex === null) return []
  const done: string[] = []
  const text = existsSync(codex.file) ? readConfigText(codex.file) : null
  if (text !== null) {
    const own = withoutBlocks(text)
    if (own === '' && codex.isCreated) rmSync(codex.file)
    else if (own !== text) replaceFile(codex.file, own)
    done.push(own === text ? `unchanged: ${codex.file}` : `restored: ${codex.file}`)
  }
  if (existsSync(codex.skill) && readFileSync(codex.skill, 'utf8') === SKILL) {
    rmSync(codex.skill)
    removeIfEmpty(dirname(codex.skill))
    done.push(`removed: ${codex.skill}`)
  }
  for (const folder of codex.folders.toReversed()) removeEmptyBelow(folder)
  writeSetupRecord(dataDir, { ...record, codex: null })
  return done
}

function mcpServer([command, ...args]: readonly [string, ...string[]], dataDir: string): string {
  const all = [...args, 'mcp', '--data', dataDir].map((arg) => JSON.stringify(arg))
  return `[mcp_servers.aspy]\ncommand = ${JSON.stringify(command)}\nargs = [${all.join(', ')}]`
}

/** Setup does not replace the user's own settings. */
function refuseOwnSettings(file: string, own: string, baseUrl: string | null): void {
  const values = parseConfig(file, own)
  const servers = values['mcp_servers']
  if (typeof servers === 'object' && servers !== null && 'aspy' in servers)
    throw new AspyError('conflict', `${file} has an MCP server named aspy already; remove it and run this again`)
  if (baseUrl !== null && values['openai_base_url'] !== undefined) {
    throw new AspyError(
      'conflict',
      `${file} sets openai_base_url already; set [proxy.upstreams] openai to it in Aspy's config.toml, remove it there, and run this again`,
    )
  }
}

/** A list of servers written as one value, `mcp_servers = { … }`, cannot be extended elsewhere in the file. */
function refuseFixedServers(file: string, after: string): void {
  try {
    parseConfig(file, after)
  } catch (error) {
    throw new AspyError(
      'conflict',
      `${file} has mcp_servers = { … } in one value, to which nothing can be added; write [mcp_servers.NAME] for each server, and run this again`,
      { cause: error },
    )
  }
}

/** Removes a folder that setup made, and what it put there, if nothing else is in it. */
function removeEmptyBelow(folder: string): void {
  if (!existsSync(folder)) return
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) removeEmptyBelow(join(folder, entry.name))
  removeIfEmpty(folder)
}

function removeIfEmpty(folder: string): void {
  if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder)
}
