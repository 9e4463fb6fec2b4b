import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { OperationOutput } from '../../src/shared/contract/index.ts'
import { startApp } from '../support/app/start-app.ts'
import { CCUSAGE_VERSIONS, countWithCcusage, fetchCcusage, type Counted } from '../support/ccusage/ccusage.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'
import { writeTranscripts } from '../support/store/generated-transcripts.ts'
import { causeOf, type Compared } from './ccusage-causes.ts'
import { writeComparison } from './ccusage-page.ts'

/**
 * Compares an import's totals with those of two versions of ccusage, another reader of the same transcripts, by folder and
 * model: generated transcripts, recorded runs of the real client, and every fixture. Each difference needs a cause
 * (ccusage-causes.ts) and is written to docs/reconcile.md; one without a cause fails. ccusage is fetched once from npm and
 * runs offline.
 */
const ROOT = join(import.meta.dirname, '../..')

function fillFolders(root: string): readonly string[] {
  const generated = join(root, 'generated', 'projects')
  mkdirSync(generated, { recursive: true })
  writeTranscripts(generated, { seed: 'ccusage', bytes: 10e6, bytesPerFile: 500_000 })
  const runs = join(ROOT, 'src/main/decode/fixtures')
  for (const name of readdirSync(runs).filter((file) => file.startsWith('run-'))) {
    const { transcripts } = JSON.parse(readFileSync(join(runs, name), 'utf8')) as {
      transcripts: { path: string; agent?: { agentId: string; meta: unknown }; lines: { sessionId?: string }[] }[]
    }
    for (const { path: file, agent, lines } of transcripts) {
      // Without the hidden folder of the recorded home: version 18 looks into none.
      const inProjects = file.split('.claude/projects/').at(-1) ?? file
      const path = join(root, 'recorded runs', 'projects', `${name}-${inProjects}`)
      mkdirSync(dirname(path), { recursive: true })
      if (agent) writeFileSync(path.replace(/\.jsonl$/, '.meta.json'), JSON.stringify(agent.meta))
      writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    }
  }
  const fixtures = join(ROOT, 'tests/fixtures/transcripts')
  for (const entry of readdirSync(fixtures, { withFileTypes: true }))
    if (entry.isDirectory())
      cpSync(join(fixtures, entry.name), join(root, entry.name, 'projects', 'p'), { recursive: true })
  return readdirSync(root).toSorted()
}

async function countedByUs(claude: string, data: string): Promise<Map<string, Counted>> {
  await using app = await startApp({
    upstream: 'http://127.0.0.1:9',
    dataDir: data,
    settings: { 'transcripts.follow': false },
  })
  await app.run('transcripts.import', { paths: [join(claude, 'projects')] })
  const { by_model } = await app.call<OperationOutput<'stats.summary'>>('stats.summary')
  return new Map(by_model.map(({ model, tokens, cost_usd }) => [model, { tokens, cost: cost_usd ?? 0 }]))
}

for (const version of CCUSAGE_VERSIONS) await fetchCcusage(version)
using temp = makeTempFolder('aspy-ccusage-')
const compared: Compared[] = []
for (const folder of fillFolders(join(temp.path, 'claude'))) {
  const claude = join(temp.path, 'claude', folder)
  const ours = await countedByUs(claude, join(temp.path, 'data', folder))
  for (const version of CCUSAGE_VERSIONS) {
    const theirs = await countWithCcusage(version, claude)
    for (const model of [...new Set([...ours.keys(), ...theirs.keys()])].toSorted()) {
      const none = { tokens: 0, cost: 0 }
      const facts = { folder, version, model, ours: ours.get(model) ?? none, theirs: theirs.get(model) ?? none }
      compared.push({ ...facts, cause: causeOf(facts) })
    }
  }
}
writeComparison(join(ROOT, 'docs/reconcile.md'), compared)
if (compared.some(({ cause }) => cause === 'unknown')) process.exitCode = 1
console.log(JSON.stringify(compared, null, 2))
