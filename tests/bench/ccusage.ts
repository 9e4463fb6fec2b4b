import { execFile } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { OperationOutput } from '../../src/shared/contract/index.ts'
import { writeTranscripts } from '../support/store/generated-transcripts.ts'
import { startApp } from '../support/app/start-app.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'

/**
 * Compares an import's totals with those of ccusage, another reader of the same transcripts, by model. Uses generated transcripts
 * and those of recorded runs of the real client. ccusage is fetched once from npm into a cache folder and runs offline. Known
 * differences are explained in docs/transcripts.md.
 */
const VERSION = '20.0.24'

const run = promisify(execFile)
const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache')
const folder = join(cache, 'aspy-tests', `ccusage-${VERSION}`)

function executable(): string | null {
  const scope = join(folder, 'node_modules', '@ccusage')
  if (!existsSync(scope)) return null
  const found = readdirSync(scope).flatMap((name) => [
    join(scope, name, 'bin', 'ccusage'),
    join(scope, name, 'bin', 'ccusage.exe'),
  ])
  return found.find((path) => existsSync(path)) ?? null
}

async function fetchCcusage(): Promise<void> {
  mkdirSync(dirname(folder), { recursive: true })
  const partial = mkdtempSync(`${folder}.`)
  const flags = 'install --no-save --ignore-scripts --no-audit --no-fund --loglevel error --prefix'.split(' ')
  try {
    await run('npm', [...flags, partial, `ccusage@${VERSION}`], { cwd: partial, timeout: 300_000 })
    renameSync(partial, folder)
  } finally {
    rmSync(partial, { recursive: true, force: true })
  }
}

interface Counted {
  tokens: number
  cost: number
}

async function countedByCcusage(claude: string): Promise<Map<string, Counted>> {
  const path = executable()
  if (path === null) throw new Error(`ccusage ${VERSION} has no executable for this system`)
  chmodSync(path, 0o755)
  const env = { PATH: process.env['PATH'], HOME: join(claude, 'nobody'), CLAUDE_CONFIG_DIR: claude }
  const { stdout } = await run(path, ['daily', '--json', '--offline'], { env, maxBuffer: 64 * 1024 * 1024 })
  const { daily } = JSON.parse(stdout) as { daily: { modelBreakdowns: Record<string, number | string>[] }[] }
  const byModel = new Map<string, Counted>()
  for (const row of daily.flatMap(({ modelBreakdowns }) => modelBreakdowns)) {
    const sum = byModel.get(String(row['modelName'])) ?? { tokens: 0, cost: 0 }
    for (const name of ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheCreationTokens'])
      sum.tokens += Number(row[name])
    sum.cost += Number(row['cost'])
    byModel.set(String(row['modelName']), sum)
  }
  return byModel
}

async function countedByUs(claude: string, data: string): Promise<Map<string, Counted & { readonly calls: number }>> {
  await using app = await startApp({
    upstream: 'http://127.0.0.1:9',
    dataDir: data,
    settings: { 'transcripts.follow': false },
  })
  await app.run('transcripts.import', { paths: [join(claude, 'projects')] })
  const { by_model } = await app.call<OperationOutput<'stats.summary'>>('stats.summary')
  return new Map(by_model.map(({ model, tokens, cost_usd, calls }) => [model, { tokens, cost: cost_usd ?? 0, calls }]))
}

if (executable() === null) await fetchCcusage()
using temp = makeTempFolder('aspy-ccusage-')
const claude = join(temp.path, 'claude')
const projects = join(claude, 'projects')
mkdirSync(projects, { recursive: true })
writeTranscripts(projects, { seed: 'ccusage', bytes: 10e6, bytesPerFile: 500_000 })
const fixtures = join(import.meta.dirname, '../../src/main/decode/fixtures')
for (const name of readdirSync(fixtures).filter((file) => file.startsWith('run-'))) {
  const { transcripts } = JSON.parse(readFileSync(join(fixtures, name), 'utf8')) as {
    transcripts: { path: string; agent?: { agentId: string; meta: unknown }; lines: { sessionId?: string }[] }[]
  }
  for (const { path: file, agent, lines } of transcripts) {
    const path = join(projects, name, file)
    mkdirSync(dirname(path), { recursive: true })
    if (agent) writeFileSync(path.replace(/\.jsonl$/, '.meta.json'), JSON.stringify(agent.meta))
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  }
}
const [theirs, ours] = [await countedByCcusage(claude), await countedByUs(claude, join(temp.path, 'data'))]
const models = [...new Set([...theirs.keys(), ...ours.keys()])].toSorted()
const isEqual = (model: string) => {
  const [their, our] = [theirs.get(model), ours.get(model)]
  if (!their || their.tokens !== our?.tokens) return false
  // ccusage counts 0 for models without a price.
  return their.cost === 0 || Math.abs(their.cost - our.cost) < 1e-4
}
if (!models.every(isEqual)) process.exitCode = 1
console.log(
  JSON.stringify(
    models.map((model) => {
      const [their, our] = [theirs.get(model), ours.get(model)]
      return {
        model,
        calls: our?.calls ?? 0,
        tokens: {
          ours: our?.tokens ?? 0,
          ccusage: their?.tokens ?? 0,
          difference: (our?.tokens ?? 0) - (their?.tokens ?? 0),
        },
        cost_usd: {
          ours: round(our?.cost),
          ccusage: round(their?.cost),
          difference: round((our?.cost ?? 0) - (their?.cost ?? 0)),
        },
      }
    }),
    null,
    2,
  ),
)

function round(value = 0): number {
  return Math.round(value * 1e6) / 1e6
}
