import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Importer } from '../../../src/main/transcripts/host/importer.ts'
import type { ImportProgress } from '../../../src/main/transcripts/protocol.ts'
import { configSchema } from '../../../src/shared/config.ts'
import { startApp } from '../../support/app/start-app.ts'
import { look, startRecorder } from '../../support/recorder/harness.ts'
import { heavily } from '../../support/runner/heavy.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'
import { transcriptOf } from '../../support/store/transcript-lines.ts'

const PATTERN = { name: 'codename', pattern: 'Operation [A-Z][a-z]+ Harbour' }
const NAME = 'Operation Quiet Harbour'
const SESSIONS = 60

let claude: TempFolder
let data: TempFolder
const { CLAUDE_CONFIG_DIR } = process.env
beforeEach(() => {
  claude = makeTempFolder('aspy-claude-')
  data = makeTempFolder('aspy-data-')
  process.env['CLAUDE_CONFIG_DIR'] = claude.path
})
afterEach(() => {
  claude.remove()
  data.remove()
  if (CLAUDE_CONFIG_DIR === undefined) delete process.env['CLAUDE_CONFIG_DIR']
  else process.env['CLAUDE_CONFIG_DIR'] = CLAUDE_CONFIG_DIR
})

/** Writes sessions whose prompts and answers have a name that the new pattern redacts. */
function writeSessions(turns: number): string {
  const folder = join(claude.path, 'projects', 'p')
  mkdirSync(folder, { recursive: true })
  for (let at = 0; at < SESSIONS; at += 1)
    writeFileSync(
      join(folder, `s${at}.jsonl`),
      transcriptOf(`s${at}`, turns)
        .join('')
        .replaceAll(' asks ', ` asks ${NAME} `)
        .replaceAll(' answers ', ` ${NAME} `),
    )
  expect(readdirSync(folder)).toHaveLength(SESSIONS)
  return folder
}

test('an import that runs while rules change stores nothing under the older ones, and counts all it did', async () => {
  const folder = writeSessions(10)
  const under = await startRecorder(data.path)
  let isRecorderReady = false
  const importer = new Importer({
    dataDir: under.dataDir,
    config: configSchema.parse({ transcripts: { follow: false } }),
    homes: {},
    recorder: {
      importerPort() {
        if (!isRecorderReady) throw new Error('the recorder is starting')
        return under.recorder.importerPort()
      },
    },
    logger: { warn: () => undefined, error: () => undefined },
  })
  const reports: ImportProgress[] = []
  let changed: Promise<void> | null = null
  // The first report comes before the first batch, which waits for a recorder.
  for await (const progress of importer.import([folder])) {
    reports.push(progress)
    changed ??= importer.reconfigure(
      configSchema.parse({ transcripts: { follow: false }, redaction: { patterns: [PATTERN] } }),
      async () => void (isRecorderReady = true),
    )
  }
  await changed
  await importer.stop()
  const [events, named, marked] = look(
    under.dataDir,
    (db) =>
      db
        .prepare(
          `SELECT count(*), coalesce(sum(payload LIKE '%${NAME}%'), 0), sum(payload LIKE '%[redacted:codename:%' AND kind IN ('user_prompt', 'assistant_text')) FROM events`,
        )
        .raw()
        .get() as number[],
  )
  await under.stop()
  expect(reports.at(-1)).toMatchObject({ done: true, events_added: events, sessions: SESSIONS })
  expect([named, marked]).toEqual([0, SESSIONS * 10 * 2])
})

heavily(test)(
  "a setting that changes during the app's import neither ends it nor loses or doubles anything",
  async () => {
    writeSessions(40)
    await using app = await startApp({ upstream: 'http://127.0.0.1:9', dataDir: data.path })
    const status = () => app.call<{ state: string; events_added: number; sessions: number }>('transcripts.status')
    await app.call('transcripts.start')
    await until('something is read', async () => (await status()).events_added > 0)
    await app.call('config.set', { key: 'redaction.patterns', value: [PATTERN] })
    await until('the import is over', async () => (await status()).state !== 'running')
    const events_added = await app.count({})
    expect(await status()).toMatchObject({ state: 'done', error: null, events_added, sessions: SESSIONS })
    expect(await app.count({ kind: 'user_prompt' })).toBe(SESSIONS * 40)
    expect(await app.count({ kind: 'assistant_text' })).toBe(SESSIONS * 40)
  },
)
