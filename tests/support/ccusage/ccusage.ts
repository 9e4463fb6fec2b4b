import { execFile } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

/** The versions that Aspy is compared with: the last one in JavaScript, and a native one. */
export const CCUSAGE_VERSIONS = ['18.0.11', '20.0.24'] as const
export type CcusageVersion = (typeof CCUSAGE_VERSIONS)[number]

/** Tokens and US dollars of a model. */
export interface Counted {
  tokens: number
  cost: number
}

const run = promisify(execFile)
const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache')
const folderOf = (version: CcusageVersion) => join(cache, 'aspy-tests', `ccusage-${version}`)

/** Fetches a version of ccusage from npm into the cache folder, once. Throws if the registry cannot be reached. */
export async function fetchCcusage(version: CcusageVersion): Promise<void> {
  if (commandOf(version) !== null) return
  const folder = folderOf(version)
  mkdirSync(dirname(folder), { recursive: true })
  const partial = mkdtempSync(`${folder}.`)
  const flags = 'install --no-save --ignore-scripts --no-audit --no-fund --loglevel error --prefix'.split(' ')
  try {
    await run('npm', [...flags, partial, `ccusage@${version}`], { cwd: partial, timeout: 300_000 })
    renameSync(partial, folder)
  } finally {
    rmSync(partial, { recursive: true, force: true })
  }
}

/** Counts the transcripts of a Claude folder (the one that contains `projects`) by model, offline. */
export async function countWithCcusage(version: CcusageVersion, claude: string): Promise<Map<string, Counted>> {
  const command = commandOf(version)
  if (command === null) throw new Error(`ccusage ${version} has no executable for this system`)
  const [program = '', ...given] = command
  const env = { PATH: process.env['PATH'], HOME: join(claude, 'nobody'), CLAUDE_CONFIG_DIR: claude }
  const { stdout } = await run(program, [...given, 'daily', '--json', '--offline'], {
    env,
    maxBuffer: 64 * 1024 * 1024,
  })
  // Version 18 prints an empty list if nothing was counted.
  const printed = JSON.parse(stdout) as { daily?: { modelBreakdowns: Record<string, number | string>[] }[] }
  const byModel = new Map<string, Counted>()
  for (const row of (printed.daily ?? []).flatMap(({ modelBreakdowns }) => modelBreakdowns)) {
    const sum = byModel.get(String(row['modelName'])) ?? { tokens: 0, cost: 0 }
    for (const name of ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheCreationTokens'])
      sum.tokens += Number(row[name])
    sum.cost += Number(row['cost'])
    byModel.set(String(row['modelName']), sum)
  }
  return byModel
}

function commandOf(version: CcusageVersion): readonly string[] | null {
  const script = join(folderOf(version), 'node_modules', 'ccusage', 'dist', 'index.js')
  if (existsSync(script)) return [process.execPath, script]
  const scope = join(folderOf(version), 'node_modules', '@ccusage')
  if (!existsSync(scope)) return null
  const native = readdirSync(scope)
    .flatMap((name) => [join(scope, name, 'bin', 'ccusage'), join(scope, name, 'bin', 'ccusage.exe')])
    .find((path) => existsSync(path))
  if (native === undefined) return null
  chmodSync(native, 0o755)
  return [native]
}
